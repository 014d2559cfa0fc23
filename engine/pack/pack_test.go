package pack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/pack"
	"windowseat/engine/tinymodel"
)

var source = pack.Source{Bytes: 1234, ModTime: 5678, Fingerprint: [32]byte{1, 2, 3}, Layout: 1}

// contents are sections of all kinds of sizes: empty, odd, one and several blocks.
func contents() ([]pack.Section, [][]byte) {
	rng := rand.New(rand.NewPCG(4, 4))
	var sections []pack.Section
	var data [][]byte
	for i, n := range []int{0, 1, 63, 64, 65, 1 << 20, 1<<20 + 1, 2500000, 0} {
		b := make([]byte, n)
		for j := range b {
			b[j] = byte(rng.Uint32())
		}
		sections = append(sections, pack.Section{Name: fmt.Sprintf("s%d", i), Kind: uint32(i), Rows: int64(n), Cols: 2, Bytes: int64(n)})
		data = append(data, b)
	}
	return sections, data
}

func write(t testing.TB, path string) {
	t.Helper()
	sections, data := contents()
	w, err := pack.Create(path, source, sections)
	require.NoError(t, err)
	all := bytes.Join(data, nil)
	for len(all) > 0 { // in pieces that keep to no boundary
		n := min(len(all), 700001)
		_, err := w.Write(all[:n])
		require.NoError(t, err)
		all = all[n:]
	}
	require.NoError(t, w.Commit())
	require.NoError(t, w.Abort(), "nothing to do after Commit")
}

// noTemporary checks that a folder holds the named files and nothing else.
func noTemporary(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, append([]string{}, want...), names)
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wspack")
	write(t, path)
	noTemporary(t, dir, "a.wspack")
	f, err := pack.Open(t.Context(), path, source, nil)
	require.NoError(t, err)
	sections, data := contents()
	for i, want := range sections {
		s, ok := f.Section(want.Name)
		require.True(t, ok)
		assert.Equal(t, []int64{int64(want.Kind), want.Rows, want.Cols, want.Bytes}, []int64{int64(s.Kind), s.Rows, s.Cols, s.Bytes})
		assert.True(t, bytes.Equal(data[i], f.Data(s)), "mapped %s", s.Name)
		got, err := f.Read(s)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(data[i], got), "read %s", s.Name)
	}
	_, ok := f.Section("nosuch")
	assert.False(t, ok)
	var last, total int64
	require.NoError(t, f.Verify(context.Background(), func(d, n int64) { last, total = d, n }))
	assert.Equal(t, total, last)
	assert.NotZero(t, total)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, f.Verify(ctx, nil), context.Canceled)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	require.NoError(t, pack.Verify(context.Background(), path, nil))
}

// TestOther: a sound pack of another model, time, layout or version is not used.
func TestOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wspack")
	write(t, path)
	for name, change := range map[string]func(*pack.Source){
		"bytes":       func(s *pack.Source) { s.Bytes++ },
		"time":        func(s *pack.Source) { s.ModTime++ },
		"fingerprint": func(s *pack.Source) { s.Fingerprint[31]++ },
		"layout":      func(s *pack.Source) { s.Layout++ },
	} {
		other := source
		change(&other)
		_, err := pack.Open(t.Context(), path, other, nil)
		require.ErrorIs(t, err, pack.ErrOther, name)
	}
	patch(t, path, 8, 2)
	_, err := pack.Open(t.Context(), path, source, nil)
	require.ErrorIs(t, err, pack.ErrOther)
	require.ErrorContains(t, err, "version 2")
	_, err = pack.Open(t.Context(), filepath.Join(t.TempDir(), "none"), source, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = pack.Open(t.Context(), t.TempDir(), source, nil)
	require.Error(t, err)
}

// patch sets one byte of a file.
func patch(t testing.TB, path string, at int64, value byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{value}, at)
	require.NoError(t, errors.Join(err, f.Close()))
}

func isFormat(err error) bool {
	var f *pack.FormatError
	return errors.As(err, &f)
}

// TestDamage: any changed byte of header and table is met by Open, any changed byte
// of a section by Verify and Read, a cut file by Open.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wspack")
	write(t, path)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	table := 128 + bytes.Index(sound[128:], make([]byte, 64)) // zeros follow the table
	for at := 0; at < table; at++ {
		require.NoError(t, os.WriteFile(path, sound, 0o600))
		patch(t, path, int64(at), sound[at]^0x40)
		_, err := pack.Open(t.Context(), path, source, nil)
		require.Error(t, err, "byte %d", at)
	}
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = f.Write(sound)
	require.NoError(t, errors.Join(err, f.Close()))
	sections, data := contents()
	for i, s := range sections {
		if s.Bytes == 0 {
			continue
		}
		at := bytes.Index(sound[4096:], data[i]) + 4096 + int(s.Bytes)*2/3
		patch(t, path, int64(at), sound[at]^1)
		err := pack.Verify(context.Background(), path, nil)
		require.True(t, isFormat(err), "%s: %v", s.Name, err)
		require.ErrorContains(t, err, s.Name)
		if f, err := pack.Open(t.Context(), path, source, nil); err == nil { // unless the sample met it
			got, _ := f.Section(s.Name)
			_, err := f.Read(got)
			require.True(t, isFormat(err), "%s: %v", s.Name, err)
			require.NoError(t, f.Close())
		}
		patch(t, path, int64(at), sound[at])
	}
	require.NoError(t, pack.Verify(context.Background(), path, nil), "all was put back")
	for _, n := range []int{0, 1, 127, 128, 200, 4096, 5000, len(sound) - 1} {
		require.NoError(t, os.WriteFile(path, sound[:n], 0o600))
		_, err := pack.Open(t.Context(), path, source, nil)
		require.True(t, isFormat(err), "%d bytes: %v", n, err)
	}
	require.NoError(t, os.WriteFile(path, append(bytes.Clone(sound), 0), 0o600))
	_, err = pack.Open(t.Context(), path, source, nil)
	require.True(t, isFormat(err))
}

// TestSampleMeetsLostWrites: when most weights are zeros under a sound table, Open
// notices.
func TestSampleMeetsLostWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wspack")
	write(t, path)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	clear(b[4096:])
	require.NoError(t, os.WriteFile(path, b, 0o600))
	_, err = pack.Open(t.Context(), path, source, nil)
	require.True(t, isFormat(err), "%v", err)
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wspack")
	for name, sections := range map[string][]pack.Section{
		"no_name": {{Bytes: 1}}, "twice": {{Name: "a"}, {Name: "a"}}, "negative": {{Name: "a", Bytes: -1}},
		"long_name": {{Name: strings.Repeat("x", 256)}}, "huge": {{Name: "a", Bytes: 1 << 62}},
	} {
		_, err := pack.Create(path, source, sections)
		require.Error(t, err, name)
	}
	one := []pack.Section{{Name: "a", Bytes: 10}}
	w, err := pack.Create(path, source, one)
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 9))
	require.NoError(t, err)
	require.ErrorContains(t, w.Commit(), "9 bytes of 10")
	w, err = pack.Create(path, source, one)
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 11))
	require.ErrorContains(t, err, "1 bytes more")
	require.Error(t, w.Commit())
	w, err = pack.Create(path, source, one)
	require.NoError(t, err)
	require.NoError(t, w.Abort())
	_, err = w.Write([]byte{1})
	require.Error(t, err)
	noTemporary(t, dir)
}

// TestWritersAtOnce: every writer brings a whole pack, and who has one open keeps it.
func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wspack")
	write(t, path)
	f, err := pack.Open(t.Context(), path, source, nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			write(t, path)
			assert.NoError(t, pack.Verify(context.Background(), path, nil))
		})
	}
	wg.Wait()
	require.NoError(t, f.Verify(context.Background(), nil))
	require.NoError(t, f.Close())
	noTemporary(t, dir, "a.wspack", "a.wspack.verified")
}

func TestPlaces(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("WINDOWSEAT_HOME", home)
	model := filepath.Join(dir, "m.gguf")
	places := pack.Places(model, "")
	require.Len(t, places, 2)
	assert.Equal(t, model+".wspack", places[0])
	assert.Equal(t, filepath.Join(home, "packs"), filepath.Dir(places[1]))
	assert.NotEqual(t, places[1], pack.Places(filepath.Join(home, "m.gguf"), "")[1], "same name, other folder")
	only := pack.Places(model, filepath.Join(dir, "sub"))
	require.Len(t, only, 1)
	assert.Equal(t, filepath.Join(dir, "sub"), filepath.Dir(only[0]))

	_, _, ok := pack.Find(model)
	assert.False(t, ok)
	require.NoError(t, pack.Remove(model), "nothing there")
	for _, p := range places {
		write(t, p)
		require.NoError(t, pack.Verify(t.Context(), p, nil))
		require.FileExists(t, p+".verified")
	}
	found, n, ok := pack.Find(model)
	assert.True(t, ok)
	assert.Equal(t, places[0], found)
	assert.Greater(t, n, int64(4<<20))
	left := places[0] + ".123.tmp"
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	require.NoError(t, pack.Remove(model))
	noTemporary(t, dir)
	noTemporary(t, filepath.Join(home, "packs"))
}

// TestRecord: a pack that was verified as it is now is opened by samples; any other is
// read whole, once if it is sound.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wspack")
	read := func() (whole bool, err error) {
		f, err := pack.Open(t.Context(), path, source, func(int64, int64) { whole = true })
		if err == nil {
			require.NoError(t, f.Close())
		}
		return whole, err
	}
	check := func(want bool, what string) {
		t.Helper()
		whole, err := read()
		require.NoError(t, err, what)
		require.Equal(t, want, whole, what)
	}
	write(t, path)
	check(true, "new")
	noTemporary(t, dir, "a.wspack", "a.wspack.verified")
	check(false, "recorded")

	later := time.Now().Add(time.Second)
	require.NoError(t, os.Chtimes(path, later, later))
	check(true, "other time")
	check(false, "recorded anew")
	record, err := os.ReadFile(path + ".verified")
	require.NoError(t, err)
	for _, wrong := range [][]byte{{}, record[:len(record)-1], append(bytes.Clone(record), ' '), bytes.Replace(record, []byte("1"), []byte("2"), 1)} {
		require.NoError(t, os.WriteFile(path+".verified", wrong, 0o600))
		check(true, "wrong record")
	}
	require.NoError(t, os.Remove(path+".verified"))
	require.NoError(t, os.Mkdir(path+".verified", 0o700))
	check(true, "no record can be written")
	check(true, "still not")
	require.NoError(t, os.Remove(path+".verified"))
	check(true, "none")
	write(t, path)
	check(true, "another file of the same contents")
	check(false, "it is recorded")

	ctx, cancel := context.WithCancel(t.Context())
	write(t, path)
	_, err = pack.Open(ctx, path, source, func(int64, int64) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	check(true, "cancelled: nothing was recorded")
}

// TestFlippedBit: one bit that a program changes is met at the next start wherever it
// is, also when the program sets the time back.
func TestFlippedBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wspack")
	w, err := pack.Create(path, source, []pack.Section{{Name: "a", Bytes: 64 << 20}})
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 64<<20))
	require.NoError(t, err)
	require.NoError(t, w.Commit())
	require.NoError(t, pack.Verify(t.Context(), path, nil))
	info, err := os.Stat(path)
	require.NoError(t, err)
	for _, at := range []int64{9_000_001, 30_000_000, 55_555_555} { // a sample meets a bit in one of eight
		patch(t, path, at, 4)
		require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		if runtime.GOOS == "windows" {
			later := info.ModTime().Add(time.Second)
			require.NoError(t, os.Chtimes(path, later, later)) // there is no other sign of a change there
		}
		_, err := pack.Open(t.Context(), path, source, nil)
		require.True(t, isFormat(err), "%d: %v", at, err)
		patch(t, path, at, 0)
		f, err := pack.Open(t.Context(), path, source, nil)
		require.NoError(t, err, "put back")
		require.NoError(t, f.Close())
	}
}

// TestSweepRecord: a record without its pack goes.
func TestSweepRecord(t *testing.T) {
	t.Setenv("WINDOWSEAT_HOME", t.TempDir())
	dir := t.TempDir()
	model := filepath.Join(dir, "m.gguf")
	path := pack.Places(model, "")[0]
	write(t, path)
	require.NoError(t, pack.Verify(t.Context(), path, nil))
	pack.Sweep(model)
	noTemporary(t, dir, "m.gguf.wspack", "m.gguf.wspack.verified")
	require.NoError(t, os.Remove(path))
	pack.Sweep(model)
	noTemporary(t, dir)
}

// TestSourceOf: header, weights, size and time all count.
func TestSourceOf(t *testing.T) {
	dir := t.TempDir()
	of := func(spec tinymodel.Spec) pack.Source {
		path := filepath.Join(dir, "m.gguf")
		require.NoError(t, spec.Write(path))
		when := time.Unix(1e9, 5000)
		require.NoError(t, os.Chtimes(path, when, when))
		f, err := gguf.Open(path)
		require.NoError(t, err)
		defer f.Close()
		s, err := pack.SourceOf(f, path, 7)
		require.NoError(t, err)
		return s
	}
	a := of(tinymodel.Qwen())
	assert.Equal(t, time.Unix(1e9, 5000).UnixNano(), a.ModTime)
	assert.Equal(t, uint32(7), a.Layout)
	assert.Equal(t, a, of(tinymodel.Qwen()))
	changed := tinymodel.Qwen()
	changed.Corrupt = "token_embd.weight"
	b := of(changed)
	assert.Equal(t, a.Bytes, b.Bytes)
	assert.NotEqual(t, a.Fingerprint, b.Fingerprint, "weights")
	changed = tinymodel.Qwen()
	changed.Meta = map[string]any{"general.name": "tiny other"}
	assert.NotEqual(t, a.Fingerprint, of(changed).Fingerprint, "header")
}
