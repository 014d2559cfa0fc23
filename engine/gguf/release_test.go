package gguf_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/tinymodel"
)

// TestRelease: released data reads the same afterwards, wherever its pages begin.
func TestRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	require.NoError(t, tinymodel.Llama().Write(path))
	f, err := gguf.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for _, tensor := range f.Tensors() {
		before := bytes.Clone(tensor.Data)
		f.Release(tensor.Data)
		require.True(t, bytes.Equal(before, tensor.Data), tensor.Name)
	}
	f.Release(nil)
}
