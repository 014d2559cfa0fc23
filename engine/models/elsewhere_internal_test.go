package models

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderWith sets WINDOWSEAT_MODELS to a new folder with the tiny model in it.
func folderWith(t *testing.T, seed byte) (Entry, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	e := tinyGGUF(t, path, seed)
	t.Setenv("WINDOWSEAT_MODELS", filepath.Dir(path))
	return e, path
}

// A file that lies only in a folder of WINDOWSEAT_MODELS is known there, verified
// there, and then used without being read a second time.
func TestFileInExtraFolder(t *testing.T) {
	e, path := folderWith(t, 1)
	s := newStore(t)
	st := s.anywhere(e)
	assert.Equal(t, path, st.Path)
	assert.True(t, st.Unverified)
	assert.Empty(t, st.Problem)

	reads := 0
	st, err := s.verifyElsewhere(t.Context(), e, localFile(e), func(int64, int64) { reads++ })
	require.NoError(t, err)
	assert.Equal(t, path, st.Path)
	assert.Positive(t, reads)
	assert.NoFileExists(t, s.file(e), "verifying takes nothing into the store")
	assert.False(t, s.anywhere(e).Unverified)

	st, err = s.locateEntry(t.Context(), e, func(int64, int64) { t.Error("the weights were read again") })
	require.NoError(t, err)
	assert.Equal(t, s.file(e), st.Path)
	assert.Equal(t, s.file(e), s.anywhere(e).Path)
}

func TestFileInExtraFolderIsWrong(t *testing.T) {
	e, path := folderWith(t, 1)
	s := newStore(t)
	_, err := s.verifyElsewhere(t.Context(), e, path, nil)
	require.NoError(t, err)

	tinyGGUF(t, path, 2) // the same size, other weights
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(path, later, later))
	assert.True(t, s.anywhere(e).Unverified, "it changed after it was verified")
	var damaged *DamagedError
	_, err = s.verifyElsewhere(t.Context(), e, path, nil)
	require.ErrorAs(t, err, &damaged)
	require.ErrorContains(t, err, "sha256")
	assert.Error(t, func() error { _, err := s.locateEntry(t.Context(), e, nil); return err }())

	require.NoError(t, os.Truncate(path, e.Bytes-1))
	st := s.anywhere(e)
	assert.Equal(t, path, st.Path)
	assert.Contains(t, st.Problem, "bytes, not")
	_, err = s.verifyElsewhere(t.Context(), e, path, nil)
	require.ErrorAs(t, err, &damaged)

	// A record that says it is another file is believed.
	tinyGGUF(t, path, 1)
	other, err := newRecord("tiny", path, "00"+e.SHA256[2:])
	require.NoError(t, err)
	s.keepElsewhere(other, path)
	assert.Contains(t, s.anywhere(e).Problem, "catalogue")
}

// sparse makes a file of the size and name of a catalogue's model, without weights.
func sparse(t *testing.T, dir string, e Entry) {
	t.Helper()
	path := filepath.Join(dir, e.FileName())
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, e.Bytes))
}

func TestListAndVerifyKnowExtraFolders(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("WINDOWSEAT_MODELS", dir)
	small := smolLM135M()
	sparse(t, dir, small)
	s := newStore(t)
	list, err := s.List()
	require.NoError(t, err)
	st := list[len(list)-1]
	require.Equal(t, small.ID, st.ID)
	assert.Equal(t, filepath.Join(dir, small.FileName()), st.Path)
	assert.True(t, st.Unverified)
	assert.Empty(t, list[0].Path)

	_, err = s.Verify(t.Context(), "135m", nil)
	var damaged *DamagedError
	require.ErrorAs(t, err, &damaged, "it was looked at")
	_, err = s.Verify(t.Context(), "0.5b", nil)
	var missing *NotInstalledError
	require.ErrorAs(t, err, &missing)
	require.ErrorAs(t, s.Remove(t.Context(), "135m"), &missing, "what is not in the store is not deleted")
	assert.FileExists(t, st.Path)
}

func TestDefaultOfStore(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("WINDOWSEAT_MODELS", dir)
	s := newStore(t)
	big, middle, small := qwenCoder1B5(), qwenCoder0B5(), smolLM135M()
	assert.Equal(t, Choice{Best: big, Reason: DefaultMissing}, s.Default(64e9))
	sparse(t, dir, small)
	assert.Equal(t, Choice{Use: small, Best: big, Reason: DefaultSmaller}, s.Default(64e9))
	assert.Equal(t, Choice{Use: small, Best: small, Reason: DefaultSmallest}, s.Default(1e9))
	sparse(t, dir, middle)
	sparse(t, dir, big)
	assert.Equal(t, Choice{Use: big, Best: big, Reason: DefaultFits}, s.Default(64e9))
	assert.Equal(t, Choice{Use: middle, Best: middle, Reason: DefaultFits}, s.Default(recommended(middle)))
	require.NoError(t, os.Truncate(filepath.Join(dir, middle.FileName()), 7))
	assert.Equal(t, Choice{Use: small, Best: middle, Reason: DefaultSmaller}, s.Default(recommended(middle)), "of the wrong size")
}

// What is written into the original after an import does not reach the model; with
// ImportShared it does, unless the disk made a clone, and the quick check sees it.
func TestImportAndOriginal(t *testing.T) {
	for _, share := range []bool{false, true} {
		src := filepath.Join(t.TempDir(), "tiny.gguf")
		e := tinyGGUF(t, src, 1)
		s := newStore(t)
		do := s.Import
		if share {
			do = s.ImportShared
		}
		st, err := do(t.Context(), src, "", nil)
		require.NoError(t, err)
		linked := sameFile(src, st.Path)
		if !share {
			assert.False(t, linked)
		}
		f, err := os.OpenFile(src, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("XXXX"), e.Bytes-4)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		later := time.Now().Add(time.Hour)
		require.NoError(t, os.Chtimes(src, later, later))
		_, err = s.Verify(t.Context(), "tiny", nil)
		if linked {
			var damaged *DamagedError
			require.ErrorAs(t, err, &damaged)
			_, err = s.Locate(t.Context(), "tiny", nil)
			require.ErrorAs(t, err, &damaged)
			continue
		}
		require.NoError(t, err)
		_, err = s.Locate(t.Context(), "tiny", nil)
		require.NoError(t, err)
	}
}

// A donor that changed after its hash was found is refused.
func TestDonorChanged(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tiny.gguf")
	e := tinyGGUF(t, src, 1)
	s := newStore(t)
	info, err := os.Stat(src)
	require.NoError(t, err)
	require.NoError(t, s.link(t.Context(), e, donor{src, true, info.ModTime()}, nil))
	require.NoError(t, os.Remove(s.file(e)))
	err = s.link(t.Context(), e, donor{src, true, info.ModTime().Add(time.Second)}, nil)
	require.ErrorContains(t, err, "changed while it was read")
	assert.NoFileExists(t, s.file(e))
	assert.NoFileExists(t, s.file(e)+".link")
}

// Without room nothing is copied, and nothing is left.
func TestImportWithoutRoom(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tiny.gguf")
	e := tinyGGUF(t, src, 1)
	s := newStore(t)
	s.fetcher.FreeSpace = func(string) (int64, error) { return 100, nil }
	probe := filepath.Join(t.TempDir(), "clone")
	if clone(src, probe) == nil {
		t.Skip("this disk clones files, which needs no room")
	}
	_, err := s.Import(t.Context(), src, "", nil)
	require.ErrorContains(t, err, "free")
	assert.NoFileExists(t, s.file(e))
	_, err = s.ImportShared(t.Context(), src, "", nil)
	require.NoError(t, err)
}
