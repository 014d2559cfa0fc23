package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/models/fetch"
	"windowseat/engine/pack"
	"windowseat/quant"
)

// tinyGGUF writes a valid file of one tensor; seed changes its weights only.
func tinyGGUF(t testing.TB, path string, seed byte) Entry {
	t.Helper()
	var buf bytes.Buffer
	meta := []gguf.KV{
		{Key: "general.architecture", Value: "llama"},
		{Key: "general.name", Value: "Tiny"},
		{Key: "llama.block_count", Value: uint32(2)},
		{Key: "llama.context_length", Value: uint32(128)},
		{Key: "llama.embedding_length", Value: uint32(32)},
		{Key: "llama.feed_forward_length", Value: uint32(64)},
		{Key: "llama.attention.head_count", Value: uint32(4)},
		{Key: "llama.attention.head_count_kv", Value: uint32(2)},
	}
	data := bytes.Repeat([]byte{seed, 0, 0x80, 0x3f}, 16*32)
	require.NoError(t, gguf.Write(&buf, meta, []gguf.Tensor{{Name: "token_embd.weight", Type: quant.F32, Shape: []int{16, 32}, Data: data}}))
	require.NoError(t, os.WriteFile(path, buf.Bytes(), 0o644))
	sum := sha256.Sum256(buf.Bytes())
	return Entry{
		ID: "tiny", Name: "Tiny", Architecture: "llama", Bytes: int64(buf.Len()), SHA256: hex.EncodeToString(sum[:]),
		ContextLength: 128,
		Shape:         Shape{Layers: 2, NumHeads: 4, NumKVHeads: 2, HeadDim: 8, HiddenSize: 32, FFNSize: 64, VocabSize: 16, Packed: 2048},
	}
}

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "models"), nil)
	require.NoError(t, err)
	return s
}

func TestObtainFromLocalFolder(t *testing.T) {
	folder := t.TempDir()
	e := tinyGGUF(t, filepath.Join(folder, "tiny.gguf"), 1)
	s := newStore(t)
	_, err := s.locateEntry(t.Context(), e, nil)
	var missing *NotInstalledError
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "models get tiny")

	t.Setenv("WINDOWSEAT_MODELS", filepath.Join(folder, "none")+string(filepath.ListSeparator)+folder)
	st, err := s.locateEntry(t.Context(), e, nil)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(s.Dir(), "tiny.gguf"), st.Path)
	require.Empty(t, st.Problem)
	require.FileExists(t, filepath.Join(folder, "tiny.gguf"))

	// Once recorded it serves without the folder, and without reading the weights.
	t.Setenv("WINDOWSEAT_MODELS", "")
	_, err = s.obtain(t.Context(), e, nil, func(int64, int64) { t.Error("the weights were read again") })
	require.NoError(t, err)
}

func TestObtainRefusesWrongLocalFile(t *testing.T) {
	folder := t.TempDir()
	e := tinyGGUF(t, filepath.Join(folder, "tiny.gguf"), 1)
	other := tinyGGUF(t, filepath.Join(folder, "tiny.gguf"), 2)
	require.Equal(t, e.Bytes, other.Bytes)
	t.Setenv("WINDOWSEAT_MODELS", folder)
	s := newStore(t)
	_, err := s.obtain(t.Context(), e, nil, nil)
	var fe *fetch.Error
	require.ErrorAs(t, err, &fe)
	require.Equal(t, fetch.WrongHash, fe.Kind)
	require.NoFileExists(t, s.file(e))
}

func TestQuickCheckSeesChanges(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "tiny.gguf")
	e := tinyGGUF(t, src, 1)
	good, err := os.ReadFile(src)
	require.NoError(t, err)
	for name, damage := range map[string]func(t *testing.T, path string, when time.Time){
		"shorter": func(t *testing.T, path string, when time.Time) {
			require.NoError(t, os.WriteFile(path, good[:len(good)-1], 0o644))
			require.NoError(t, os.Chtimes(path, when, when))
		},
		"touched": func(t *testing.T, path string, when time.Time) {
			require.NoError(t, os.Chtimes(path, when, when.Add(time.Second)))
		},
		"header_patched": func(t *testing.T, path string, when time.Time) {
			b := bytes.Replace(good, []byte("Tiny"), []byte("Tin7"), 1)
			require.NoError(t, os.WriteFile(path, b, 0o644))
			require.NoError(t, os.Chtimes(path, when, when))
		},
		"magic_gone": func(t *testing.T, path string, when time.Time) {
			b := append([]byte("XXXX"), good[4:]...)
			require.NoError(t, os.WriteFile(path, b, 0o644))
			require.NoError(t, os.Chtimes(path, when, when))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			// A copy of its own, since an import links.
			own := filepath.Join(t.TempDir(), "tiny.gguf")
			require.NoError(t, os.WriteFile(own, good, 0o644))
			st, err := s.Import(t.Context(), own, "", nil)
			require.NoError(t, err)
			require.Equal(t, e.SHA256, st.SHA256)
			_, err = s.Locate(t.Context(), "tiny", nil)
			require.NoError(t, err)

			info, err := os.Stat(st.Path)
			require.NoError(t, err)
			damage(t, st.Path, info.ModTime())
			_, err = s.Locate(t.Context(), "tiny", nil)
			var damaged *DamagedError
			require.ErrorAs(t, err, &damaged)
			list, err := s.List()
			require.NoError(t, err)
			require.NotEmpty(t, list[len(list)-1].Problem)
		})
	}
}

// A changed weight with size, time and header kept is what only Verify can see.
func TestVerifySeesOneBit(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tiny.gguf")
	tinyGGUF(t, src, 1)
	s := newStore(t)
	st, err := s.Import(t.Context(), src, "", nil)
	require.NoError(t, err)
	_, err = s.Verify(t.Context(), "tiny", nil)
	require.NoError(t, err)

	info, err := os.Stat(st.Path)
	require.NoError(t, err)
	b, err := os.ReadFile(st.Path)
	require.NoError(t, err)
	b[len(b)-1] ^= 1
	require.NoError(t, os.WriteFile(st.Path, b, 0o644))
	require.NoError(t, os.Chtimes(st.Path, info.ModTime(), info.ModTime()))
	_, err = s.Locate(t.Context(), "tiny", nil)
	require.NoError(t, err, "the quick check cannot see it")
	_, err = s.Verify(t.Context(), "tiny", nil)
	var damaged *DamagedError
	require.ErrorAs(t, err, &damaged)
	require.ErrorContains(t, err, "sha256")
}

// The weight pack beside a model file is listed, read by Verify, which deletes a
// damaged one, and removed with the model.
func TestPack(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tiny.gguf")
	tinyGGUF(t, src, 1)
	s := newStore(t)
	st, err := s.Import(t.Context(), src, "", nil)
	require.NoError(t, err)
	require.Empty(t, st.PackPath)
	path := pack.Places(st.Path, "")[0]
	w, err := pack.Create(path, pack.Source{}, []pack.Section{{Name: "a", Bytes: 5000}})
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 5000))
	require.NoError(t, err)
	require.NoError(t, w.Commit())

	st, err = s.Verify(t.Context(), "tiny", nil)
	require.NoError(t, err)
	require.Equal(t, path, st.PackPath)
	require.Equal(t, int64(4096+5000), st.PackBytes)
	require.Empty(t, st.PackProblem)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	b[len(b)-1] = 1
	require.NoError(t, os.WriteFile(path, b, 0o644))
	st, err = s.Verify(t.Context(), "tiny", nil)
	require.NoError(t, err)
	require.Contains(t, st.PackProblem, "damaged")
	require.NoFileExists(t, path)
	require.Empty(t, st.PackPath)

	require.NoError(t, os.WriteFile(path, b, 0o644))
	require.NoError(t, s.Remove(t.Context(), "tiny"))
	require.NoFileExists(t, path)
}

func TestImport(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "My Model.gguf")
	e := tinyGGUF(t, src, 1)
	s := newStore(t)
	st, err := s.Import(t.Context(), src, "mine", nil)
	require.NoError(t, err)
	require.Equal(t, "mine", st.ID)
	require.Equal(t, e.Shape, st.Shape)
	require.Equal(t, e.ContextLength, st.ContextLength)
	require.FileExists(t, src, "the original stays")
	path, err := s.Path("mine")
	require.NoError(t, err)
	require.Equal(t, st.Path, path)

	_, err = s.Import(t.Context(), src, "mine", nil)
	require.NoError(t, err, "the same file again is no error")
	tinyGGUF(t, filepath.Join(dir, "other.gguf"), 2)
	_, err = s.Import(t.Context(), filepath.Join(dir, "other.gguf"), "mine", nil)
	require.ErrorContains(t, err, "other contents")

	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, len(Catalogue())+1)
	require.Equal(t, "mine", list[len(list)-1].ID)
	require.Empty(t, list[len(list)-1].Problem)

	require.NoError(t, s.Remove(t.Context(), "mine"))
	require.NoFileExists(t, st.Path)
	require.NoFileExists(t, recordPath(st.Path))
	require.FileExists(t, src)
	var unknown *UnknownError
	require.ErrorAs(t, s.Remove(t.Context(), "mine"), &unknown)
}

func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "tiny.gguf")
	tinyGGUF(t, src, 1)
	good, err := os.ReadFile(src)
	require.NoError(t, err)
	cut := filepath.Join(dir, "cut.gguf")
	require.NoError(t, os.WriteFile(cut, good[:len(good)-5], 0o644))
	foreign := filepath.Join(dir, "foreign.gguf")
	require.NoError(t, os.WriteFile(foreign, []byte("PK\x03\x04 this is a zip"), 0o644))
	s := newStore(t)
	for _, path := range []string{cut, foreign} {
		_, err := s.Import(t.Context(), path, "", nil)
		var format *gguf.FormatError
		require.ErrorAs(t, err, &format, path)
	}
	for _, name := range []string{"../up", "a/b", ".hidden", "default", "new\nline", "smollm2-135m"} {
		_, err := s.Import(t.Context(), src, name, nil)
		require.Error(t, err, name)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), "*.gguf"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestImportCancelled(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tiny.gguf")
	tinyGGUF(t, src, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newStore(t).Import(ctx, src, "", nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLocateFileElsewhere(t *testing.T) {
	src := filepath.Join(t.TempDir(), "any.gguf")
	e := tinyGGUF(t, src, 1)
	s := newStore(t)
	reads := 0
	count := func(int64, int64) { reads++ }
	st, err := s.Locate(t.Context(), src, count)
	require.NoError(t, err)
	require.Equal(t, e.SHA256, st.SHA256)
	require.Equal(t, src, st.Path)
	require.Equal(t, 1, reads)
	_, err = s.Locate(t.Context(), src, count)
	require.NoError(t, err)
	require.Equal(t, 1, reads, "the record spares the second reading")

	other := tinyGGUF(t, src, 9) // the user put another file there
	st, err = s.Locate(t.Context(), src, count)
	require.NoError(t, err)
	require.Equal(t, other.SHA256, st.SHA256)

	_, err = s.Locate(t.Context(), src+".missing", nil)
	var unknown *UnknownError
	require.ErrorAs(t, err, &unknown)
}

func TestLocateDefaultNamesWhatToGet(t *testing.T) {
	t.Setenv("WINDOWSEAT_MODELS", "")
	_, err := newStore(t).Locate(t.Context(), "", nil)
	var missing *NotInstalledError
	require.ErrorAs(t, err, &missing)
}

func TestCgroupFree(t *testing.T) {
	write := func(root, name, text string) {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	none := t.TempDir()
	require.Equal(t, int64(math.MaxInt64), cgroupFree(none))

	v2 := t.TempDir()
	write(v2, "proc/self/cgroup", "0::/user/app\n")
	write(v2, "sys/fs/cgroup/user/app/memory.max", "max\n")
	write(v2, "sys/fs/cgroup/user/app/memory.current", "500\n")
	require.Equal(t, int64(math.MaxInt64), cgroupFree(v2))
	write(v2, "sys/fs/cgroup/user/memory.max", "1000\n") // the parent binds too
	write(v2, "sys/fs/cgroup/user/memory.current", "700\n")
	write(v2, "sys/fs/cgroup/user/memory.stat", "anon 400\ninactive_file 250\n")
	require.Equal(t, int64(550), cgroupFree(v2))
	write(v2, "sys/fs/cgroup/user/memory.current", "5000\n")
	require.Equal(t, int64(0), cgroupFree(v2))

	v1 := t.TempDir()
	write(v1, "proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/box\n")
	write(v1, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2000\n")
	write(v1, "sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1500\n")
	require.Equal(t, int64(500), cgroupFree(v1))
}
