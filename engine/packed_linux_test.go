package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"windowseat/engine/tinymodel"
)

// smallDisk mounts a file system of the given size, or skips the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// A disk without room is seen before anything is written to it.
func TestPackDiskFull(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	want := openState(t, model, NoPack, PackOff)
	dir := smallDisk(t, "200m")
	require.Equal(t, want, openState(t, model, dir, PackDiskFull))
	only(t, dir)
}

// A disk that fills up while the pack is written ends the attempt, and the weights go
// into memory.
func TestPackDiskFillsUp(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	dir := smallDisk(t, "260m")
	filled := false
	e, err := Open(context.Background(), model, Options{PackDir: dir, Progress: func(int64, int64) {
		if filled {
			return
		}
		filled = true
		block := make([]byte, 1<<20)
		f, err := os.Create(filepath.Join(dir, "filler"))
		require.NoError(t, err)
		for err == nil {
			_, err = f.Write(block)
		}
		require.True(t, isDiskFull(err), "%v", err)
		require.NoError(t, f.Close())
	}})
	require.NoError(t, err)
	defer e.Close()
	require.Equal(t, PackDiskFull, e.Info().Pack.State, e.Info().Pack.Reason)
	require.NotEmpty(t, e.Info().Pack.Reason)
	only(t, dir, "filler")
	other, err := Open(context.Background(), model, Options{PackDir: NoPack})
	require.NoError(t, err)
	defer other.Close()
	tokens := randomTokens(30, 5)
	require.Equal(t, engineLogits(other, tokens, 8), engineLogits(e, tokens, 8))
}

// A folder on a disk mounted read-only counts as one that cannot be written.
func TestPackReadOnlyDisk(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	dir := smallDisk(t, "1g")
	require.NoError(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	openState(t, model, dir, PackNoFolder)
}
