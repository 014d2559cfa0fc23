package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArenaRefused: memory that the system does not give is an error, not the end of
// the program.
func TestArenaRefused(t *testing.T) {
	for _, n := range []int64{0, -1, 1 << 46} {
		_, err := newArena(n, "packed weights")
		require.ErrorIs(t, err, ErrMemory)
		require.ErrorContains(t, err, "packed weights")
	}
	a, err := newArena(1<<20, "KV cache")
	require.NoError(t, err)
	a.mem[1<<20-1] = 1
	a.free()
	a.free()
}
