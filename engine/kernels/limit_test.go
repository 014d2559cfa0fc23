package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// The measures count what they did, on every path.
func TestLimits(t *testing.T) {
	defer func() { require.NoError(t, kernels.Use(kernels.Names()[0])) }()
	m, err := kernels.Describe(quant.Q6_K, 40, 256)
	require.NoError(t, err)
	m.Allocate()
	for _, name := range kernels.Names() {
		require.NoError(t, kernels.Use(name))
		require.EqualValues(t, 3072, kernels.MultiplyInt8(2049), name)
		require.Zero(t, kernels.MultiplyInt8(0), name)
		require.Equal(t, m.Bytes(), m.ReadRows(0, 40), name)
		require.Equal(t, m.Bytes()/3, m.ReadRows(20, 30), name)
		require.Zero(t, m.ReadRows(16, 16), name)
	}
}
