package engine

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/tinymodel"
)

// write makes the model in a temporary folder and returns its path.
func write(t testing.TB, s tinymodel.Spec) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	require.NoError(t, s.Write(path))
	return path
}

// open loads the model, and closes it when the test ends.
func open(t testing.TB, s tinymodel.Spec, o Options) *Engine {
	t.Helper()
	e, err := Open(context.Background(), write(t, s), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// randomTokens returns n ids that are not control tokens.
func randomTokens(n int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 3))
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(rng.IntN(261))
	}
	return ids
}
