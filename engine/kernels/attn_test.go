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

// cache is a sequence of n positions in pages, with the float values stored.
type cache struct {
	shape kernels.AttnShape
	pages []kernels.AttnPage
	k, v  []float32 // [n, numKVHeads*headDim] as the pages have them
	grain kernels.Grain
}

func newCache(rng *rand.Rand, s kernels.AttnShape, n int) *cache {
	size := s.NumKVHeads * s.HeadDim
	c := &cache{shape: s, k: normals(rng, n*size), v: normals(rng, n*size)}
	for range (n + kernels.PageTokens - 1) / kernels.PageTokens {
		p := kernels.KVPage{K: kernels.AlignedUint16(size * 64), V: kernels.AlignedUint16(size * 64)}
		for i := range p.K { // what was not stored is NaN: no op may let it through
			p.K[i], p.V[i] = 0x7e00, 0x7e00
		}
		c.pages = append(c.pages, kernels.AttnPage{KVPage: p})
	}
	for i := range n {
		kernels.StoreKV(c.pages[i/64].KVPage, i%64, c.k[i*size:][:size], c.v[i*size:][:size])
	}
	for i := range c.k {
		c.k[i] = quant.F16ToF32(quant.F32ToF16(c.k[i]))
		c.v[i] = quant.F16ToF32(quant.F32ToF16(c.v[i]))
	}
	return c
}

// attend runs all blocks and the merge for the queries q, [rows, numHeads*headDim].
func (c *cache) attend(t testing.TB, q []float32, rows, pos []int32, n int) []float32 {
	s := c.shape
	g, nQ := s.NumHeads/s.NumKVHeads, len(rows)
	blocks := (n + kernels.SplitTokens - 1) / kernels.SplitTokens
	out := guarded(len(q))
	for h := range s.NumKVHeads {
		o, m, l := guarded(blocks*nQ*g*s.HeadDim), guarded(blocks*nQ*g), guarded(blocks*nQ*g)
		for b := range blocks {
			p0 := b * kernels.SplitTokens
			p1 := min(p0+kernels.SplitTokens, n)
			kernels.AttnBlock(&kernels.AttnArgs{
				Shape: s, KVHead: h, P0: p0, P1: p1, Pages: c.pages[p0/64 : (p1+63)/64],
				Q: q, Rows: rows, Pos: pos, Grain: c.grain,
				O: o[b*nQ*g*s.HeadDim:], M: m[b*nQ*g:], L: l[b*nQ*g:],
			})
		}
		requireGuard(t, o, blocks*nQ*g*s.HeadDim)
		requireGuard(t, m, blocks*nQ*g)
		requireGuard(t, l, blocks*nQ*g)
		kernels.AttnMerge(&kernels.MergeArgs{Shape: s, KVHead: h, NBlocks: blocks, O: o, M: m, L: l, Rows: rows, Out: out})
	}
	requireGuard(t, out, len(q))
	return out[:len(q)]
}

var attnShapes = []kernels.AttnShape{
	{NumHeads: 3, NumKVHeads: 1, HeadDim: 64, Scale: 0.125},
	{NumHeads: 14, NumKVHeads: 2, HeadDim: 64, Scale: 0.125},
	{NumHeads: 12, NumKVHeads: 2, HeadDim: 128, Scale: 0.0883883476},
	{NumHeads: 4, NumKVHeads: 4, HeadDim: 16, Scale: 0.25},
	{NumHeads: 2, NumKVHeads: 1, HeadDim: 80, Scale: 0.1},
	{NumHeads: 2, NumKVHeads: 1, HeadDim: 256, Scale: 0.0625},
}

// queries makes nQ causal queries at the end of a sequence of n positions.
func queries(rng *rand.Rand, s kernels.AttnShape, nQ, n int) (q []float32, rows, pos []int32) {
	q = normals(rng, nQ*s.NumHeads*s.HeadDim)
	for i := range nQ {
		rows, pos = append(rows, int32(i)), append(pos, int32(n-nQ+i))
	}
	return q, rows, pos
}

func TestAttentionPathsEqual(t *testing.T) {
	cases := []struct{ nQ, n int }{{1, 1}, {1, 16}, {1, 63}, {1, 65}, {3, 64}, {5, 70}, {17, 130}, {1, 513}, {5, 600}}
	width, work := 512, 1000
	if testing.Short() {
		width, work = 192, 200
	}
	for _, s := range attnShapes {
		for i, tc := range cases {
			if s.HeadDim*s.NumHeads > width && tc.nQ*tc.n > work {
				continue // the reference would take seconds
			}
			rng := newRand(uint64(i))
			var want []float32
			c := newCache(rng, s, tc.n)
			q, rows, pos := queries(rng, s, tc.nQ, tc.n)
			for _, c.grain = range grains {
				onRef(t, func() { want = c.attend(t, q, rows, pos, tc.n) })
				eachPath(t, func(t *testing.T) {
					requireSame(t, want, c.attend(t, q, rows, pos, tc.n), s, tc, c.grain)
				})
			}
		}
	}
}

// TestAttentionBatchIndependent: each query alone, in any order of rows, has the
// bits it has in the batch.
func TestAttentionBatchIndependent(t *testing.T) {
	shapes := attnShapes[:3]
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, s := range shapes {
		const nQ, n = 13, 580
		rng := newRand(21)
		c := newCache(rng, s, n)
		q, rows, pos := queries(rng, s, nQ, n)
		eachPath(t, func(t *testing.T) {
			for _, c.grain = range grains {
				c.requireIndependent(t, q, rows, pos)
			}
		})
	}
}

// grains are those that attention tells apart.
var grains = []kernels.Grain{kernels.Fine, kernels.Coarse}

// requireIndependent checks the queries of a batch, 13 at least, against each alone.
func (c *cache) requireIndependent(t *testing.T, q []float32, rows, pos []int32) {
	n, size := int(pos[len(pos)-1])+1, c.shape.NumHeads*c.shape.HeadDim
	want := c.attend(t, q, rows, pos, n)
	for i := range rows {
		// Nothing beyond its own position needs to be in the blocks.
		got := c.attend(t, q, rows[i:i+1], pos[i:i+1], int(pos[i])+1)
		requireSame(t, want[i*size:][:size], got[i*size:][:size], i)
	}
	back, backPos := []int32{7, 2, 12}, []int32{pos[7], pos[2], pos[12]}
	got := c.attend(t, q, back, backPos, n)
	for _, r := range back {
		requireSame(t, want[int(r)*size:][:size], got[int(r)*size:][:size], r)
	}
	assert.Equal(t, guard, got[0], "row 0 was not asked for")
}

// TestCoarseAttentionOracle: the 8 bits of keys, values, queries and weights move the output
// by about a hundredth.
func TestCoarseAttentionOracle(t *testing.T) {
	for _, s := range attnShapes {
		const n = 530
		rng := newRand(33)
		c := newCache(rng, s, n)
		q, rows, pos := queries(rng, s, 3, n)
		c.grain = kernels.Coarse
		eachPath(t, func(t *testing.T) {
			got := c.attend(t, q, rows, pos, n)
			deviation := c.deviation(q, pos, got)
			require.Less(t, deviation, 0.015, s)
			require.NotZero(t, c.outside(q, pos, got), "in 8 bits, or in f32?")
			for i := range 64 * s.NumKVHeads * s.HeadDim { // a page: a twentieth of the output's power
				c.v[i] = -c.v[i]
			}
			require.Greater(t, c.deviation(q, pos, got), 0.1, "changed values went unnoticed")
			for i := range 64 * s.NumKVHeads * s.HeadDim {
				c.v[i] = -c.v[i]
			}
		})
	}
}

// deviation is the root of the mean square by which the outputs are off, in that of what
// they should be.
func (c *cache) deviation(q []float32, pos []int32, got []float32) float64 {
	s := c.shape
	var off, all float64
	for i := range len(got) / s.HeadDim {
		want, _ := c.exact(q[i*s.HeadDim:][:s.HeadDim], i%s.NumHeads, int(pos[i/s.NumHeads]))
		for d, w := range want {
			off += (w - float64(got[i*s.HeadDim+d])) * (w - float64(got[i*s.HeadDim+d]))
			all += w * w
		}
	}
	return math.Sqrt(off / all)
}

// TestAttentionOracle compares with a float64 softmax. Scores are sums of
// headDim products: their error, 2^-24 * headDim * sum|q*k*scale|, moves each
// weight by as much relatively, twice with the normalization; the sums over
// positions and exp add a few dozen roundings more.
func TestAttentionOracle(t *testing.T) {
	for _, s := range attnShapes {
		const n = 530
		rng := newRand(31)
		c := newCache(rng, s, n)
		q, rows, pos := queries(rng, s, 2, n)
		eachPath(t, func(t *testing.T) {
			got := c.attend(t, q, rows, pos, n)
			outside := func() int { return c.outside(q, pos, got) }
			require.Zero(t, outside(), s)
			at := 300*s.NumKVHeads*s.HeadDim + 5
			c.v[at] += 0.5
			assert.NotZero(t, outside(), "a changed value went unnoticed")
			c.v[at] -= 0.5
			c.k[at] += 4
			assert.NotZero(t, outside(), "a changed key went unnoticed")
			c.k[at] -= 4
		})
	}
}

// outside counts the outputs of the queries that are further off than they may be.
func (c *cache) outside(q []float32, pos []int32, got []float32) (count int) {
	s := c.shape
	for i := range len(got) / s.HeadDim {
		want, bound := c.exact(q[i*s.HeadDim:][:s.HeadDim], i%s.NumHeads, int(pos[i/s.NumHeads]))
		for d := range want {
			if !(math.Abs(want[d]-float64(got[i*s.HeadDim+d])) <= bound[d]) {
				count++
			}
		}
	}
	return count
}

func (c *cache) exact(q []float32, head, pos int) (out, bound []float64) {
	s := c.shape
	kv := head / (s.NumHeads / s.NumKVHeads)
	out, bound = make([]float64, s.HeadDim), make([]float64, s.HeadDim)
	p := make([]float64, pos+1)
	var top, worst float64
	for j := range p {
		var sum float64
		for d, v := range q {
			x := float64(v) * float64(s.Scale) * float64(c.k[(j*s.NumKVHeads+kv)*s.HeadDim+d])
			p[j] += x
			sum += math.Abs(x)
		}
		top, worst = max(top, p[j]), max(worst, sum)
	}
	var l float64
	for j := range p {
		p[j] = math.Exp(p[j] - top)
		l += p[j]
	}
	eps := 0x1p-24 * (2*(float64(s.HeadDim)*worst+top) + float64(pos)/2 + 64)
	for j := range p {
		for d := range out {
			x := p[j] / l * float64(c.v[(j*s.NumKVHeads+kv)*s.HeadDim+d])
			out[d] += x
			bound[d] += eps * math.Abs(x)
		}
	}
	return out, bound
}

// TestAttentionNonFinite: NaN and infinite queries and NaN keys end in the same
// results on all paths.
func TestAttentionNonFinite(t *testing.T) {
	s := attnShapes[0]
	rng := newRand(41)
	c := newCache(rng, s, 100)
	q, rows, pos := queries(rng, s, 4, 100)
	q[3], q[70], q[140], q[200] = nan, inf, -inf, 3e38
	c.pages[0].K[20], c.pages[1].K[64+3] = 0x7e00, 0x7e00 // NaN scores among finite ones
	var want []float32
	onRef(t, func() { want = c.attend(t, q, rows, pos, 100) })
	eachPath(t, func(t *testing.T) { requireSame(t, want, c.attend(t, q, rows, pos, 100)) })
	assert.False(t, want[len(want)-1] != want[len(want)-1], "the last query has no such value")
}

// TestAttentionNothingSeen: a query before the block contributes nothing to the merge.
func TestAttentionNothingSeen(t *testing.T) {
	s := attnShapes[0]
	rng := newRand(43)
	c := newCache(rng, s, 600)
	q, rows, _ := queries(rng, s, 2, 600)
	eachPath(t, func(t *testing.T) {
		both := c.attend(t, q, rows, []int32{40, 599}, 600)
		alone := c.attend(t, q, rows[:1], []int32{40}, 41)
		requireSame(t, alone[:s.NumHeads*s.HeadDim], both[:s.NumHeads*s.HeadDim])
	})
}

func TestRoPEPathsEqual(t *testing.T) {
	for _, tc := range []struct{ heads, dim, rot int }{{1, 16, 16}, {3, 64, 64}, {12, 128, 128}, {2, 80, 20}, {2, 96, 64}, {5, 64, 2}, {2, 80, 80}} {
		for _, interleaved := range []bool{false, true} {
			rng := newRand(uint64(tc.rot))
			x, cos, sin := normals(rng, tc.heads*tc.dim), make([]float32, tc.rot/2), make([]float32, tc.rot/2)
			for i := range cos {
				s, c := math.Sincos(float64(i) * 1.7)
				sin[i], cos[i] = float32(s), float32(c)
			}
			x[0] = nan
			want := append([]float32(nil), x...)
			onRef(t, func() { kernels.RoPE(want, tc.heads, tc.dim, tc.rot, interleaved, cos, sin) })
			eachPath(t, func(t *testing.T) {
				got := guarded(len(x))
				copy(got, x)
				kernels.RoPE(got, tc.heads, tc.dim, tc.rot, interleaved, cos, sin)
				requireSame(t, want, got[:len(x)], tc, interleaved)
				requireGuard(t, got, len(x))
			})
		}
	}
}

// TestRoPEMeaning fixes which elements form a pair.
func TestRoPEMeaning(t *testing.T) {
	cos, sin := []float32{0, 1}, []float32{1, 0} // a quarter turn, then none
	for interleaved, want := range map[bool][]float32{
		false: {-3, 2, 1, 4, 9},
		true:  {-2, 1, 3, 4, 9},
	} {
		eachPath(t, func(t *testing.T) {
			x := []float32{1, 2, 3, 4, 9}
			kernels.RoPE(x, 1, 5, 4, interleaved, cos, sin)
			assert.Equal(t, want, x)
		})
	}
}

func TestStoreKVPathsEqual(t *testing.T) {
	const heads, dim = 2, 48
	rng := newRand(51)
	k, v := oddRows(51, 1, heads*dim), normals(rng, heads*dim)
	v[1], v[2], v[3], v[4], v[5] = 65519.9, 65520, 1e-8, 0x1.ffcp-15, nan
	eachPath(t, func(t *testing.T) {
		page := kernels.KVPage{K: make([]uint16, heads*dim*64), V: make([]uint16, heads*dim*64)}
		for i := range page.K {
			page.K[i], page.V[i] = 0xabcd, 0xabcd
		}
		for _, slot := range []int{0, 31, 63} {
			kernels.StoreKV(page, slot, k, v)
		}
		for i := range page.K {
			wantK, wantV := uint16(0xabcd), uint16(0xabcd)
			if slot := i % 64; slot == 0 || slot == 31 || slot == 63 {
				wantK = quant.F32ToF16(k[i/64])
			}
			if slot := i / (heads * dim); slot == 0 || slot == 31 || slot == 63 {
				wantV = quant.F32ToF16(v[i%(heads*dim)])
			}
			require.Equal(t, wantK, page.K[i], "K %d", i)
			require.Equal(t, wantV, page.V[i], "V %d", i)
		}
	})
}

func TestAttnBrokenInvariants(t *testing.T) {
	s := attnShapes[0]
	c := newCache(newRand(1), s, 64)
	q := make([]float32, s.NumHeads*s.HeadDim)
	good := kernels.AttnArgs{
		Shape: s, P1: 64, Pages: c.pages, Q: q, Rows: []int32{0}, Pos: []int32{63},
		O: make([]float32, 3*64), M: make([]float32, 3), L: make([]float32, 3),
	}
	kernels.AttnBlock(&good)
	for name, change := range map[string]func(a *kernels.AttnArgs){
		"shape":    func(a *kernels.AttnArgs) { a.Shape.HeadDim = 65 },
		"heads":    func(a *kernels.AttnArgs) { a.Shape.NumKVHeads = 2 },
		"kv head":  func(a *kernels.AttnArgs) { a.KVHead = 1 },
		"start":    func(a *kernels.AttnArgs) { a.P0 = 64; a.P1 = 128 },
		"too long": func(a *kernels.AttnArgs) { a.P1 = 513 },
		"pages":    func(a *kernels.AttnArgs) { a.P1 = 65 },
		"page": func(a *kernels.AttnArgs) {
			a.Pages = []kernels.AttnPage{{KVPage: kernels.KVPage{K: make([]uint16, 9)}}}
		},
		"packed": func(a *kernels.AttnArgs) { a.Pages = []kernels.AttnPage{{Packed: &kernels.KVPage8{}}} },
		"row":    func(a *kernels.AttnArgs) { a.Rows = []int32{1} },
		"pos":    func(a *kernels.AttnArgs) { a.Pos = nil },
		"o":      func(a *kernels.AttnArgs) { a.O = a.O[:9] },
		"m":      func(a *kernels.AttnArgs) { a.M = a.M[:2] },
	} {
		bad := good
		change(&bad)
		assert.Panics(t, func() { kernels.AttnBlock(&bad) }, name)
	}
	merge := kernels.MergeArgs{Shape: s, NBlocks: 1, O: good.O, M: good.M, L: good.L, Rows: good.Rows, Out: q}
	kernels.AttnMerge(&merge)
	merge.NBlocks = 2
	assert.Panics(t, func() { kernels.AttnMerge(&merge) })
	merge.NBlocks = 0
	assert.Panics(t, func() { kernels.AttnMerge(&merge) })
	assert.Panics(t, func() { kernels.StoreKV(c.pages[0].KVPage, 64, q[:64], q[:64]) })
	assert.Panics(t, func() { kernels.StoreKV(c.pages[0].KVPage, 0, q[:64], q[:32]) })
	assert.Panics(t, func() { kernels.RoPE(q, 1, 64, 66, false, q, q) })
	assert.Panics(t, func() { kernels.RoPE(q[:9], 1, 64, 64, false, q, q) })
}
