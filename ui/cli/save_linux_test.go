package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestSaveOnAFullDisk: the old files stay whole, all of them, and nothing half lies
// beside them.
func TestSaveOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	_, err := saving(t, inFolder(dir), brought("first", false))
	require.NoError(t, err)
	before := all(t, dir)
	room := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(room, bytes.Repeat([]byte("x"), 100<<10), 0o600))
	o := brought("second "+strings.Repeat("long ", 8_000), false) // some of its files still fit
	said, err := saving(t, inFolder(dir), o)
	require.ErrorIs(t, err, unix.ENOSPC)
	require.Empty(t, said)
	require.NoError(t, os.Remove(room))
	require.Equal(t, before, all(t, dir))

	_, err = saving(t, inFolder(dir), brought("third", false))
	require.NoError(t, err)
	require.NotEqual(t, before, all(t, dir))
}
