package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// randomKVPage has keys as Qwen2.5's: a few channels with a large constant.
func randomKVPage(heads, dim int, seed uint64) kernels.KVPage {
	rng := rand.New(rand.NewPCG(seed, 8))
	n := heads * dim * kernels.PageTokens
	p := kernels.KVPage{K: kernels.AlignedUint16(n), V: kernels.AlignedUint16(n)}
	for c := range heads * dim {
		bias := float32(0)
		if c%16 == 3 {
			bias = 300 * float32(rng.NormFloat64())
		}
		for j := range kernels.PageTokens {
			p.K[c*kernels.PageTokens+j] = quant.F32ToF16(bias + float32(rng.NormFloat64()))
		}
	}
	for i := range p.V {
		p.V[i] = quant.F32ToF16(float32(rng.NormFloat64()))
	}
	return p
}

func packedPage(p kernels.KVPage, heads, dim int) kernels.KVPage8 {
	q := kernels.KVPage8At(kernels.AlignedBytes(kernels.KVPage8Bytes(heads, dim)), heads, dim)
	for h := range heads {
		kernels.PackKV(q, p, h)
	}
	return q
}

// Every path unpacks to the same bits, and no value is further off than half a
// quantum, the rounding to f16 included.
func TestKVPage8(t *testing.T) {
	const heads, dim = 3, 48
	src := randomKVPage(heads, dim, 1)
	q := packedPage(src, heads, dim)
	var want kernels.KVPage
	eachPath(t, func(t *testing.T) {
		got := kernels.KVPage{K: kernels.AlignedUint16(len(src.K)), V: kernels.AlignedUint16(len(src.V))}
		for h := range heads {
			kernels.UnpackKV(got, q, h)
		}
		if want.K == nil {
			want = got
		}
		require.Equal(t, want, got)
		for i := range src.K {
			x, y := quant.F16ToF32(src.K[i]), quant.F16ToF32(got.K[i])
			bound := 0.501*float64(q.KScale[i/kernels.PageTokens]) + math.Abs(float64(x))/2048
			require.InDelta(t, x, y, bound, "key %d", i)
		}
		for i := range src.V {
			x, y := quant.F16ToF32(src.V[i]), quant.F16ToF32(got.V[i])
			require.InDelta(t, x, y, 0.501*float64(q.VScale[i/dim])+math.Abs(float64(x))/2048, "value %d", i)
		}
	})
}

// Only the head asked for is written.
func TestUnpackKVLeavesOtherHeads(t *testing.T) {
	const heads, dim = 2, 16
	q := packedPage(randomKVPage(heads, dim, 2), heads, dim)
	eachPath(t, func(t *testing.T) {
		got := kernels.KVPage{K: kernels.AlignedUint16(heads * dim * 64), V: kernels.AlignedUint16(heads * dim * 64)}
		kernels.UnpackKV(got, q, 1)
		assert.Equal(t, make([]uint16, dim*64), got.K[:dim*64])
		for i := range got.V {
			if i/dim%heads == 0 {
				require.Zero(t, got.V[i])
			}
		}
		assert.NotEqual(t, make([]uint16, dim*64), got.K[dim*64:])
	})
}

// Constant and infinite channels, NaN: quanta of 0, no panic.
func TestPackKVOfOddValues(t *testing.T) {
	const heads, dim = 1, 16
	src := randomKVPage(heads, dim, 3)
	for j := range kernels.PageTokens {
		src.K[j] = quant.F32ToF16(7)
	}
	src.K[kernels.PageTokens] = quant.F32ToF16(float32(math.NaN()))
	src.K[2*kernels.PageTokens] = quant.F32ToF16(float32(math.Inf(1)))
	q := packedPage(src, heads, dim)
	assert.Equal(t, make([]int8, kernels.PageTokens), q.K[:kernels.PageTokens])
	assert.Equal(t, float32(7), q.KMid[0])
	assert.True(t, math.IsNaN(float64(q.KMid[1])) || q.KScale[1] != q.KScale[1])
}

func BenchmarkUnpackKV(b *testing.B) {
	const heads, dim = 2, 128
	src := randomKVPage(heads, dim, 4)
	q := packedPage(src, heads, dim)
	dst := kernels.KVPage{K: kernels.AlignedUint16(len(src.K)), V: kernels.AlignedUint16(len(src.V))}
	for b.Loop() {
		kernels.UnpackKV(dst, q, 0)
	}
	b.SetBytes(int64(len(src.K)) * 2)
}
