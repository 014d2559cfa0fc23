package kernels_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// eachPath runs fn once per path that this machine has, ref included.
func eachPath(t *testing.T, fn func(t *testing.T)) {
	before := kernels.Active()
	defer func() { require.NoError(t, kernels.Use(before)) }()
	for _, name := range kernels.Names() {
		require.NoError(t, kernels.Use(name))
		t.Run(name, fn)
	}
}

// onRef runs fn on the reference path.
func onRef(t testing.TB, fn func()) {
	before := kernels.Active()
	require.NoError(t, kernels.Use("ref"))
	defer func() { require.NoError(t, kernels.Use(before)) }()
	fn()
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// normals returns n normally distributed numbers.
func normals(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// scaleOffsets are the places of float16 scales in a block.
var scaleOffsets = map[quant.Type][]int{
	quant.Q4_0: {0}, quant.Q4_1: {0, 2}, quant.Q5_0: {0}, quant.Q5_1: {0, 2}, quant.Q8_0: {0},
	quant.Q4_K: {0, 2}, quant.Q5_K: {0, 2}, quant.Q6_K: {208},
}

var weightTypes = []quant.Type{
	quant.F32, quant.F16, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.Q8_0, quant.Q4_K, quant.Q5_K, quant.Q6_K,
}

// randomWeights returns the bytes of a tensor of n elements: every bit pattern of
// the integers and sub-scales, with small float16 scales.
func randomWeights(rng *rand.Rand, typ quant.Type, n int) []byte {
	if typ == quant.F32 || typ == quant.F16 {
		return quant.Quantize(typ, normals(rng, n))
	}
	b := make([]byte, typ.RowBytes(n))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	for at := 0; at < len(b); at += typ.BlockBytes() {
		for _, o := range scaleOffsets[typ] {
			binary.LittleEndian.PutUint16(b[at+o:], quant.F32ToF16(float32(rng.NormFloat64())*0.02))
		}
	}
	return b
}

// randomActs quantizes normals with a few large values, as activations have.
func randomActs(t testing.TB, rng *rand.Rand, tokens, k int) (*kernels.Acts, []float32) {
	x := normals(rng, tokens*k)
	for i := 0; i < len(x); i += 97 {
		x[i] *= 20
	}
	a := kernels.NewActs(tokens, k)
	onRef(t, func() { kernels.QuantizeActs(a, x, 0, tokens, kernels.Fine) })
	return a, x
}

// guarded is a slice with a guard after it: a value no op writes.
const guard = float32(-12345.678)

func guarded(n int) []float32 {
	x := kernels.AlignedFloats(n + 32)
	for i := range x {
		x[i] = guard
	}
	return x
}

func requireGuard(t testing.TB, x []float32, n int) {
	t.Helper()
	for i, v := range x[n:] {
		require.Equal(t, guard, v, "%d elements past the end", i)
	}
}

// requireSame demands equal bits, except that any NaN equals any NaN.
func requireSame(t testing.TB, want, got []float32, msg ...any) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i := range want {
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) && (want[i] == want[i] || got[i] == got[i]) {
			require.Equal(t, want[i], got[i], "element %d of %d: %v", i, len(want), msg)
			require.Fail(t, "bits differ", "element %d: %x %x %v", i, math.Float32bits(want[i]), math.Float32bits(got[i]), msg)
		}
	}
}
