package kernels_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// TestNoAllocations: the native paths allocate nothing per call, neither in C nor
// for the passage to it.
func TestNoAllocations(t *testing.T) {
	s := attnShapes[0]
	rng := newRand(61)
	c := newCache(rng, s, 64)
	q, rows, pos := queries(rng, s, 2, 64)
	w := packed(t, quant.Q4_K, 32, 256, randomWeights(rng, quant.Q4_K, 32*256))
	x, floats := randomActs(t, rng, 2, 256)
	y, o, m := make([]float32, 64), make([]float32, 2*3*64), make([]float32, 12)
	eachPath(t, func(t *testing.T) {
		if kernels.Active() == "ref" {
			t.Skip("the reference may allocate")
		}
		require.Zero(t, testing.AllocsPerRun(20, func() {
			kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: 2, R1: 32, Y: y, LdY: 32})
			kernels.SwiGLUQuantize(x, floats, floats, 256, 0, 2, 0, 128, kernels.Fine)
			kernels.QuantizeActs(x, floats, 0, 2, kernels.Fine)
			kernels.RMSNormQuantize(x, floats, floats, 1, 0, 2, kernels.Fine)
			if g := kernels.PromptGrain(); g != kernels.Fine {
				kernels.QuantizeActs(x, floats, 0, 2, g)
				kernels.RMSNormQuantize(x, floats, floats, 1, 0, 2, g)
				kernels.SwiGLUQuantize(x, floats, floats, 256, 0, 2, 0, 128, g)
				kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: 2, R1: 32, Y: y, LdY: 32, Grain: g})
			}
			kernels.RMSNorm(floats[:256], floats[256:512], floats[:256], 1)
			kernels.RoPE(q, s.NumHeads, s.HeadDim, s.HeadDim, false, floats, floats)
			kernels.StoreKV(c.pages[0].KVPage, 5, floats[:64], floats[64:128])
			kernels.AttnBlock(&kernels.AttnArgs{Shape: s, P1: 64, Pages: c.pages, Q: q, Rows: rows, Pos: pos, O: o, M: m[:6], L: m[6:]})
			kernels.AttnMerge(&kernels.MergeArgs{Shape: s, NBlocks: 1, O: o, M: m[:6], L: m[6:], Rows: rows, Out: q})
		}))
	})
}

func TestUse(t *testing.T) {
	before := kernels.Active()
	require.Equal(t, kernels.Names()[0], before, "the best path is the default")
	require.Equal(t, "ref", kernels.Names()[len(kernels.Names())-1])
	err := kernels.Use("mmx")
	require.ErrorContains(t, err, `no path "mmx"`)
	require.ErrorContains(t, err, "ref")
	require.Equal(t, before, kernels.Active())
}

// TestPathsOfCPU: on an emulated processor it is known which paths there must be.
func TestPathsOfCPU(t *testing.T) {
	want := os.Getenv("KERNELS_PATHS")
	if want == "" {
		t.Skip("KERNELS_PATHS does not name the paths of this processor")
	}
	require.Equal(t, want, strings.Join(kernels.Names(), " "))
}

// BenchmarkCall is the cost of the smallest op: the passage to C and back.
func BenchmarkCall(b *testing.B) {
	x := make([]float32, 16)
	w := packed(b, quant.Q8_0, 16, 32, make([]byte, 16*34))
	acts := kernels.NewActs(1, 32)
	b.Run("rmsnorm", func(b *testing.B) {
		for b.Loop() {
			kernels.RMSNorm(x, x, x, 1)
		}
	})
	b.Run("matmul", func(b *testing.B) {
		a := kernels.MatMulArgs{W: w, X: acts, T1: 1, R1: 16, Y: x, LdY: 16}
		for b.Loop() {
			kernels.MatMul(&a)
		}
	})
}
