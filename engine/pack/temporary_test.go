package pack_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/engine/pack"
)

// TestStaleTemporaries: what no process holds goes, however young; what another
// Writer is writing, and what only has a similar name, stays.
func TestStaleTemporaries(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wspack")
	for _, name := range []string{"a.wspack.1.tmp", "b.wspack.1.tmp", "a.wspack.bak"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a.wspack.dir.tmp"), 0o700))
	other, err := pack.Create(path, pack.Source{}, []pack.Section{{Name: "a", Bytes: 10}})
	require.NoError(t, err)
	noTemporary(t, dir, temporaryOf(t, path), "b.wspack.1.tmp", "a.wspack.bak", "a.wspack.dir.tmp")

	old := time.Now().Add(-2 * time.Hour)
	held := filepath.Join(dir, temporaryOf(t, path))
	require.NoError(t, os.Chtimes(held, old, old))
	write(t, path)
	require.FileExists(t, held, "age alone does not count")
	_, err = other.Write(make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	noTemporary(t, dir, "a.wspack", "b.wspack.1.tmp", "a.wspack.bak", "a.wspack.dir.tmp")
}

// temporaryOf returns the name of the one unfinished file of a pack.
func temporaryOf(t *testing.T, path string) string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+".") && strings.HasSuffix(e.Name(), ".tmp") && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	require.Len(t, names, 1)
	return names[0]
}

// writeEnv names the pack that this program, started once more, writes until it is killed.
const writeEnv = "PACK_TEST_WRITE"

func TestMain(m *testing.M) {
	if path := os.Getenv(writeEnv); path != "" {
		w, err := pack.Create(path, pack.Source{}, []pack.Section{{Name: "a", Bytes: 1 << 30}})
		if err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		if err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("writing\n")
		select {}
	}
	os.Exit(m.Run())
}

// TestKilledWriter: the half of a pack stays while its process lives, and goes
// with the next Writer, or Sweep, after a kill.
func TestKilledWriter(t *testing.T) {
	t.Setenv("WINDOWSEAT_HOME", t.TempDir())
	for _, next := range []string{"writer", "sweep", "open"} {
		t.Run(next, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "m.gguf")
			path := pack.Places(model, "")[0]
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), writeEnv+"="+path)
			out, err := child.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, child.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "writing\n", line)
			half := filepath.Join(filepath.Dir(path), temporaryOf(t, path))
			pack.Sweep(model)
			require.FileExists(t, half)

			require.NoError(t, child.Process.Kill())
			_ = child.Wait()
			require.FileExists(t, half)
			switch next {
			case "sweep":
				pack.Sweep(model)
			case "writer":
				write(t, path)
			case "open":
				_, err := pack.Open(t.Context(), path, source, nil)
				require.True(t, pack.Missing(err))
			}
			require.NoFileExists(t, half)
		})
	}
}
