package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
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

// No value is further off than half a quantum.
func TestKVPage8(t *testing.T) {
	const heads, dim = 3, 48
	src := randomKVPage(heads, dim, 1)
	q := packedPage(src, heads, dim)
	for i := range src.K {
		c := i / kernels.PageTokens
		got := kernels.FMA32(q.KScale[c], float32(q.K[i]), q.KMid[c])
		x := float64(quant.F16ToF32(src.K[i]))
		require.InDelta(t, x, got, 0.501*float64(q.KScale[c])+math.Abs(x)*0x1p-22, "key %d", i)
	}
	for i := range src.V {
		token, head := i/dim/heads, i/dim%heads
		scale := q.VScale[head*kernels.PageTokens+token]
		require.InDelta(t, quant.F16ToF32(src.V[i]), scale*float32(q.V[i]), 0.501*float64(scale), "value %d", i)
	}
}

// pack packs the full pages that are asked for, and takes what they then hold for the
// sequence's keys and values.
func (c *cache) pack(which func(page int) bool) {
	s := c.shape
	size := s.NumKVHeads * s.HeadDim
	for i := range len(c.k) / size / kernels.PageTokens {
		if !which(i) {
			continue
		}
		q := packedPage(c.pages[i].KVPage, s.NumKVHeads, s.HeadDim)
		c.pages[i] = kernels.AttnPage{Packed: &q}
		for j := range kernels.PageTokens {
			for ch := range size {
				at := (i*kernels.PageTokens+j)*size + ch
				c.k[at] = kernels.FMA32(q.KScale[ch], float32(q.K[ch*kernels.PageTokens+j]), q.KMid[ch])
				c.v[at] = q.VScale[ch/s.HeadDim*kernels.PageTokens+j] * float32(q.V[j*size+ch])
			}
		}
	}
}

// addBias adds a constant to some channels of the keys, as the K biases of Qwen2.5 do,
// that changes a little from page to page.
func (c *cache) addBias(rng *rand.Rand) {
	size := c.shape.NumKVHeads * c.shape.HeadDim
	for ch := 3; ch < size; ch += 16 {
		bias := 300 * float32(rng.NormFloat64())
		for i := range len(c.k) / size {
			x := quant.F32ToF16(c.k[i*size+ch] + bias*(1+0.01*float32(i/kernels.PageTokens)))
			c.pages[i/kernels.PageTokens].K[ch*kernels.PageTokens+i%kernels.PageTokens] = x
			c.k[i*size+ch] = quant.F16ToF32(x)
		}
	}
}

// mixes are the ways to pack pages: all that are full, and some between f16 pages.
var mixes = map[string]func(page int) bool{
	"all":   func(int) bool { return true },
	"odd":   func(page int) bool { return page%2 == 1 },
	"first": func(page int) bool { return page < 2 },
}

// TestPackedAttentionPathsEqual: pages of both forms, queries in the middle of packed
// pages, every number of rows that the paths cut differently.
func TestPackedAttentionPathsEqual(t *testing.T) {
	cases := []struct{ nQ, n int }{{1, 64}, {1, 65}, {2, 128}, {3, 200}, {1, 512}, {1, 577}, {5, 70}, {13, 130}}
	work := 700
	if testing.Short() {
		work = 200
	}
	for _, s := range attnShapes {
		for i, tc := range cases {
			if s.HeadDim*s.NumHeads > 192 && tc.nQ*tc.n > work {
				continue // the reference would take seconds
			}
			for name, mix := range mixes {
				rng := newRand(uint64(100 + i))
				c := newCache(rng, s, tc.n)
				c.addBias(rng)
				c.pack(mix)
				q, rows, pos := queries(rng, s, tc.nQ, tc.n)
				var want []float32
				for _, c.grain = range grains {
					onRef(t, func() { want = c.attend(t, q, rows, pos, tc.n) })
					eachPath(t, func(t *testing.T) {
						requireSame(t, want, c.attend(t, q, rows, pos, tc.n), s, tc, name, c.grain)
					})
				}
			}
		}
	}
}

// TestPackedAttentionRowCounts: one query more each time, up to what every path cuts
// into several tiles, has the bits that each query has alone.
func TestPackedAttentionRowCounts(t *testing.T) {
	s := kernels.AttnShape{NumHeads: 1, NumKVHeads: 1, HeadDim: 80, Scale: 0.1}
	const n = 200
	rng := newRand(61)
	c := newCache(rng, s, n)
	c.addBias(rng)
	c.pack(mixes["first"])
	q := normals(rng, 27*s.HeadDim)
	var rows, pos []int32
	for i := range int32(27) {
		rows, pos = append(rows, i), append(pos, i*7%n)
	}
	eachPath(t, func(t *testing.T) {
		for _, c.grain = range grains {
			var want []float32
			for i := range rows {
				want = append(want, c.attend(t, q, rows[i:i+1], pos[i:i+1], n)[i*s.HeadDim:][:s.HeadDim]...)
			}
			for k := 1; k <= len(rows); k++ {
				got := c.attend(t, q, rows[:k], pos[:k], n)
				requireSame(t, want[:k*s.HeadDim], got[:k*s.HeadDim], k, c.grain)
			}
		}
	})
}

// TestCoarseAttentionOfEitherForm: coarse queries see the same in a page whether it is
// packed already or not.
func TestCoarseAttentionOfEitherForm(t *testing.T) {
	for _, s := range attnShapes {
		const n = 330
		rng := newRand(91)
		c := newCache(rng, s, n)
		c.addBias(rng)
		for j := range kernels.PageTokens / 2 { // a channel of one value, values of a vector all 0
			c.pages[1].K[7*kernels.PageTokens+j] = c.pages[1].K[7*kernels.PageTokens]
			clear(c.pages[1].V[3*s.NumKVHeads*s.HeadDim:][:s.HeadDim])
		}
		q, rows, pos := queries(rng, s, 3, n)
		c.grain = kernels.Coarse
		eachPath(t, func(t *testing.T) {
			want := c.attend(t, q, rows, pos, n)
			packed := cache{shape: s, pages: slices.Clone(c.pages), grain: c.grain}
			for i := range n / kernels.PageTokens {
				p := packedPage(c.pages[i].KVPage, s.NumKVHeads, s.HeadDim)
				packed.pages[i] = kernels.AttnPage{Packed: &p}
			}
			requireSame(t, want, packed.attend(t, q, rows, pos, n), s)
		})
	}
}

// TestCoarseAttentionNonFinite: an infinite value or key in a page spoils what looks at
// it, on all paths alike.
func TestCoarseAttentionNonFinite(t *testing.T) {
	s := attnShapes[0]
	rng := newRand(83)
	c := newCache(rng, s, 200)
	c.grain = kernels.Coarse
	q, rows, pos := queries(rng, s, 5, 200)
	for name, spoil := range map[string]*uint16{"key": &c.pages[0].K[3*kernels.PageTokens+9], "value": &c.pages[0].V[9*s.HeadDim+3]} {
		for _, x := range []uint16{0x7c00, 0xfc00, 0x7e00} { // +Inf, -Inf, NaN
			before := *spoil
			*spoil = x
			var want []float32
			onRef(t, func() { want = c.attend(t, q, rows, pos, 200) })
			eachPath(t, func(t *testing.T) { requireSame(t, want, c.attend(t, q, rows, pos, 200), name, x) })
			if name == "value" {
				assert.True(t, want[0] != want[0], "a value that is no number gives an answer")
			}
			*spoil = before
		}
	}
}

// TestPackedAttentionOracle compares with a float64 softmax over what the packed pages
// stand for, in the bounds of TestAttentionOracle: offsets of hundreds cost no more.
func TestPackedAttentionOracle(t *testing.T) {
	for _, s := range attnShapes {
		const n = 530
		rng := newRand(71)
		c := newCache(rng, s, n)
		c.addBias(rng)
		c.pack(mixes["all"])
		q, rows, pos := queries(rng, s, 2, n)
		for i := range q {
			if i%16 == 3 {
				q[i] *= 0.01 // as in the models: a bias of 300 meets small queries
			}
		}
		eachPath(t, func(t *testing.T) {
			require.Zero(t, c.outside(q, pos, c.attend(t, q, rows, pos, n)), s)
			scale := &c.pages[3].Packed.KMid[5]
			*scale += 1
			assert.NotZero(t, c.outside(q, pos, c.attend(t, q, rows, pos, n)), "a changed offset went unnoticed")
			*scale -= 1
			value := &c.pages[3].Packed.VScale[7]
			*value *= 4
			assert.NotZero(t, c.outside(q, pos, c.attend(t, q, rows, pos, n)), "a changed scale went unnoticed")
			*value /= 4
		})
	}
}

// TestPackedAttentionNonFinite: odd queries and scales end in the same results on all
// paths.
func TestPackedAttentionNonFinite(t *testing.T) {
	s := attnShapes[0]
	rng := newRand(81)
	c := newCache(rng, s, 200)
	c.pack(mixes["all"])
	q, rows, pos := queries(rng, s, 5, 200)
	q[3], q[70], q[140], q[200] = nan, inf, -inf, 3e38
	c.pages[1].Packed.VScale[20], c.pages[1].Packed.VScale[21] = 1e-38, 0
	same := func() (want []float32) {
		for _, c.grain = range grains {
			onRef(t, func() { want = c.attend(t, q, rows, pos, 200) })
			eachPath(t, func(t *testing.T) { requireSame(t, want, c.attend(t, q, rows, pos, 200), c.grain) })
		}
		return want
	}
	want := same()
	assert.False(t, want[len(want)-1] != want[len(want)-1], "the last query has no such value")
	c.pages[0].Packed.KMid[4] = nan // all scores of a page
	want = same()
	assert.False(t, want[len(want)-1] != want[len(want)-1], "the other pages are finite")
	c.pages[0].Packed.KMid[4] = -inf
	c.pages[2].Packed.VScale[5] = nan
	same()
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
