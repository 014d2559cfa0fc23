//go:build unix

package pack_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"windowseat/engine/pack"
)

// Opening a pipe in place of a pack would wait for ever.
func TestPipeIsNoPack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf.wspack")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	_, err := pack.Open(t.Context(), path, pack.Source{}, nil)
	require.ErrorContains(t, err, "no regular file")
}
