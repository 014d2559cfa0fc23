package gguf_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/quant"
)

// TestOtherWriter reads a file made by the gguf Python package.
func TestOtherWriter(t *testing.T) {
	f, err := gguf.Open(filepath.Join("testdata", "other.gguf"))
	require.NoError(t, err)
	defer f.Close()

	s, ok := f.String("text")
	assert.True(t, ok)
	assert.Equal(t, "会议", s)
	n, ok := f.Uint("count")
	assert.True(t, ok)
	assert.Equal(t, uint64(42), n)
	_, ok = f.Uint("minus")
	assert.False(t, ok)
	x, ok := f.Float("half")
	assert.True(t, ok)
	assert.InDelta(t, 0.5, x, 0)
	yes, ok := f.Bool("yes")
	assert.True(t, yes && ok)
	list, ok := f.Strings("strings")
	assert.True(t, ok)
	assert.Equal(t, []string{"a", "", "纪要"}, list)
	ints, ok := f.Ints("numbers")
	assert.True(t, ok)
	assert.Equal(t, []int32{3, -1, 2}, ints)

	matrix, ok := f.Tensor("matrix")
	require.True(t, ok)
	assert.Equal(t, []int{3, 4}, matrix.Shape)
	for i := range 12 {
		got := math.Float32frombits(binary.LittleEndian.Uint32(matrix.Data[4*i:]))
		assert.InDelta(t, float32(i), got, 0)
	}
	cube, ok := f.Tensor("cube")
	require.True(t, ok)
	assert.Equal(t, []int{2, 3, 4}, cube.Shape)
	assert.Equal(t, quant.F16, cube.Type)
	assert.Equal(t, uint16(0x3c00), binary.LittleEndian.Uint16(cube.Data[2:]), "1.0")
	q, ok := f.Tensor("quantized")
	require.True(t, ok)
	assert.Equal(t, quant.Q8_0, q.Type)
	assert.Equal(t, []int{2, 64}, q.Shape)
	assert.Len(t, q.Data, 2*2*34)
	assert.Equal(t, byte(0x81), q.Data[2], "-1 is the largest: -127")
}
