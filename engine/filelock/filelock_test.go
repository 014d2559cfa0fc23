package filelock_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/filelock"
)

// holdEnv names the file that this program, started once more, locks until it is killed.
const holdEnv = "FILELOCK_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdEnv); path != "" {
		if _, err := filelock.Take(path); err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("held\n")
		select {}
	}
	os.Exit(m.Run())
}

func lockPath(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lock")
	release, err := filelock.Take(path)
	if errors.Is(err, filelock.ErrUnsupported) {
		t.Skip("no locks on this disk")
	}
	require.NoError(t, err)
	release()
	return path
}

func TestTake(t *testing.T) {
	path := lockPath(t)
	release, err := filelock.Take(path)
	require.NoError(t, err)
	_, err = filelock.Take(path)
	require.ErrorIs(t, err, filelock.ErrHeld)
	require.FileExists(t, path)
	release()
	require.NoFileExists(t, path)
	release, err = filelock.Take(path)
	require.NoError(t, err)
	release()

	_, err = filelock.Take(filepath.Join(path, "below", "a file that is not there"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A killed process leaves the file and no lock.
func TestKilledHolderLeavesNoLock(t *testing.T) {
	path := lockPath(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), holdEnv+"="+path)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	_, err = filelock.Take(path)
	assert.ErrorIs(t, err, filelock.ErrHeld)

	require.NoError(t, child.Process.Kill())
	_ = child.Wait()
	require.FileExists(t, path)
	release, err := filelock.Take(path)
	require.NoError(t, err)
	release()
	require.NoFileExists(t, path)
}

// However the holders come and go, there is never more than one.
func TestOneHolder(t *testing.T) {
	path := lockPath(t)
	var holders, taken atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				release, err := filelock.Take(path)
				if err != nil {
					continue
				}
				if holders.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				taken.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	require.Positive(t, taken.Load())
}

func TestNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.True(t, filelock.Named(f))
	require.NoError(t, os.Rename(path, path+".old"))
	require.False(t, filelock.Named(f))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.False(t, filelock.Named(f), "another file has the name")
}
