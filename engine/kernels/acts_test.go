package kernels_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
)

var (
	inf = float32(math.Inf(1))
	nan = float32(math.NaN())
)

// odd are values at the edges of what float32 arithmetic can meet.
var odd = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 1e-45, -1e-40, 1e-30, 0x1p-100, 0x1p-101, 3e38, -3.4e38,
	inf, -inf, nan, 0.5, 1.5, 2.5, 88, 88.5, 89, 104, -87, -87.001, -88, -104, 1e-8,
}

func requireSameActs(t testing.TB, want, got *kernels.Acts) {
	t.Helper()
	require.Equal(t, want.Q, got.Q)
	requireSame(t, want.Scale, got.Scale)
	requireSame(t, want.ScaleSum, got.ScaleSum)
	require.Equal(t, want.Sum, got.Sum)
	require.Equal(t, want.Start16, got.Start16)
	require.Equal(t, want.Start32, got.Start32)
}

// oddRows is tokens x k of normals with odd values strewn in and one zero group.
func oddRows(seed uint64, tokens, k int) []float32 {
	rng := newRand(seed)
	x := normals(rng, tokens*k)
	for range len(x) / 40 {
		x[rng.IntN(len(x))] = odd[rng.IntN(len(odd))]
	}
	clear(x[:32])
	return x
}

func TestQuantizeActsPathsEqual(t *testing.T) {
	for _, k := range []int{32, 64, 96, 576, 1536} {
		const tokens = 5
		x := oddRows(uint64(k), tokens, k)
		want := kernels.NewActs(tokens, k)
		onRef(t, func() { kernels.QuantizeActs(want, x, 1, tokens, kernels.Fine) })
		eachPath(t, func(t *testing.T) {
			got := kernels.NewActs(tokens, k)
			kernels.QuantizeActs(got, x, 1, 3, kernels.Fine)
			kernels.QuantizeActs(got, x, 3, tokens, kernels.Fine)
			requireSameActs(t, want, got)
			assert.Equal(t, make([]int8, k), got.Q[:k], "row 0 is not in the range")
		})
	}
}

// TestQuantizeActsError: half a step per element, and the sums belong to Q.
func TestQuantizeActsError(t *testing.T) {
	const tokens, k = 3, 256
	x := normals(newRand(2), tokens*k)
	x[7], x[40], x[70] = nan, inf, -inf
	clear(x[96:128])
	eachPath(t, func(t *testing.T) {
		a := kernels.NewActs(tokens, k)
		kernels.QuantizeActs(a, x, 0, tokens, kernels.Fine)
		for g := range tokens * k / 32 {
			var sums [2]int32
			scale := float64(a.Scale[g])
			for i := range 32 {
				q, v := a.Q[32*g+i], float64(x[32*g+i])
				sums[i/16] += int32(q)
				if v != v {
					v = 0
				}
				v = min(max(v, -math.MaxFloat32), math.MaxFloat32)
				require.LessOrEqual(t, math.Abs(v-scale*float64(q)), 0.5*scale*(1+1e-4), "group %d element %d", g, i)
			}
			require.Equal(t, sums[:], a.Sum[2*g:2*g+2])
			require.Equal(t, a.Scale[g]*float32(sums[0]+sums[1]), a.ScaleSum[g])
			require.Equal(t, []int32{0x4b400000 - 128*sums[0], 0x4b400000 - 128*sums[1]}, a.Start16[2*g:2*g+2])
			require.Equal(t, 0x4b400000-128*(sums[0]+sums[1]), a.Start32[g])
		}
		assert.Zero(t, a.Scale[3], "all-zero group")
		assert.Equal(t, int8(127), a.Q[40])
		assert.Equal(t, int8(-127), a.Q[70])
	})
}

func TestRMSNormPathsEqual(t *testing.T) {
	for _, n := range []int{16, 32, 48, 128, 576, 896, 1536} {
		rng := newRand(uint64(n))
		w := normals(rng, n)
		rows := [][]float32{normals(rng, n), make([]float32, n), oddRows(1, 1, n+32)[32:]}
		for i := range rows[0] {
			rows[0][i] *= 100
		}
		for i, x := range rows {
			want := make([]float32, n)
			onRef(t, func() { kernels.RMSNorm(want, x, w, 1e-6) })
			eachPath(t, func(t *testing.T) {
				got := guarded(n)
				kernels.RMSNorm(got[:n], x, w, 1e-6)
				requireSame(t, want, got[:n], n, i)
				requireGuard(t, got, n)
				same := append([]float32(nil), x...)
				kernels.RMSNorm(same, same, w, 1e-6)
				requireSame(t, want, same, "in place")
			})
		}
	}
}

// TestRMSNormOracle: n/16+4 roundings in the sum, and a few after it.
func TestRMSNormOracle(t *testing.T) {
	const n = 896
	rng := newRand(4)
	x, w := normals(rng, n), normals(rng, n)
	want := func(x []float32) []float64 {
		var ss float64
		for _, v := range x {
			ss += float64(v) * float64(v)
		}
		y := make([]float64, n)
		for i, v := range x {
			y[i] = float64(v) / math.Sqrt(ss/n+1e-6) * float64(w[i])
		}
		return y
	}
	bad := append([]float32(nil), x...)
	bad[100] += 0.01
	eachPath(t, func(t *testing.T) {
		got := make([]float32, n)
		kernels.RMSNorm(got, x, w, 1e-6)
		outside := func(y []float64) (n int) {
			for i, v := range y {
				if math.Abs(v-float64(got[i])) > 0x1p-24*(896/16+8)*math.Abs(v) {
					n++
				}
			}
			return n
		}
		assert.Zero(t, outside(want(x)))
		assert.NotZero(t, outside(want(bad)))
	})
}

func TestFusedQuantizePathsEqual(t *testing.T) {
	for _, k := range []int{32, 64, 576, 1536} {
		const tokens = 4
		rng := newRand(uint64(k))
		w, x, up := normals(rng, k), normals(rng, tokens*k), normals(rng, tokens*(k+16))
		gate := oddRows(8, tokens, k+32)[:tokens*(k+16)]
		norm, swiglu := kernels.NewActs(tokens, k), kernels.NewActs(tokens, k)
		onRef(t, func() {
			kernels.RMSNormQuantize(norm, x, w, 1e-5, 0, tokens, kernels.Fine)
			kernels.SwiGLUQuantize(swiglu, gate, up, k+16, 0, tokens, 0, k, kernels.Fine)
		})
		eachPath(t, func(t *testing.T) {
			got := kernels.NewActs(tokens, k)
			kernels.RMSNormQuantize(got, x, w, 1e-5, 0, 1, kernels.Fine)
			kernels.RMSNormQuantize(got, x, w, 1e-5, 1, tokens, kernels.Fine)
			requireSameActs(t, norm, got)
			got = kernels.NewActs(tokens, k)
			kernels.SwiGLUQuantize(got, gate, up, k+16, 0, 3, 0, k, kernels.Fine)
			kernels.SwiGLUQuantize(got, gate, up, k+16, 3, tokens, 0, k, kernels.Fine)
			requireSameActs(t, swiglu, got)

			// Fused means: the same as the steps one by one.
			plain, steps := make([]float32, tokens*k), kernels.NewActs(tokens, k)
			for i := range tokens {
				kernels.RMSNorm(plain[i*k:][:k], x[i*k:][:k], w, 1e-5)
			}
			kernels.QuantizeActs(steps, plain, 0, tokens, kernels.Fine)
			requireSameActs(t, norm, steps)
		})
	}
}

// TestSwiGLUQuantize: parts by columns give the bits of the whole.
func TestSwiGLUQuantize(t *testing.T) {
	const tokens, k = 5, 160
	gate, up := oddRows(71, tokens, k), oddRows(72, tokens, k)
	want := kernels.NewActs(tokens, k)
	onRef(t, func() { kernels.SwiGLUQuantize(want, gate, up, k, 0, tokens, 0, k, kernels.Fine) })
	eachPath(t, func(t *testing.T) {
		got := kernels.NewActs(tokens, k)
		for _, c := range [][2]int{{0, 64}, {64, 64}, {64, 160}} {
			kernels.SwiGLUQuantize(got, gate[c[0]:], up[c[0]:], k, 0, tokens, c[0], c[1], kernels.Fine)
		}
		requireSameActs(t, want, got)
		require.Panics(t, func() { kernels.SwiGLUQuantize(got, gate, up, k, 0, tokens, 16, 32, kernels.Fine) })
		require.Panics(t, func() { kernels.SwiGLUQuantize(got, gate, up, k, 0, tokens, 128, 192, kernels.Fine) })
		require.Panics(t, func() { kernels.SwiGLUQuantize(got, gate[:9], up, k, 0, tokens, 0, 64, kernels.Fine) })
	})
}

// TestSwiGLUOracle compares with float64 within the quantization step.
func TestSwiGLUOracle(t *testing.T) {
	const k = 320
	rng := newRand(6)
	gate, up := normals(rng, k), normals(rng, k)
	eachPath(t, func(t *testing.T) {
		a := kernels.NewActs(1, k)
		kernels.SwiGLUQuantize(a, gate, up, k, 0, 1, 0, k, kernels.Fine)
		for i := range k {
			g := float64(gate[i])
			want, scale := g/(1+math.Exp(-g))*float64(up[i]), float64(a.Scale[i/32])
			require.InDelta(t, want, scale*float64(a.Q[i]), 0.501*scale, "element %d", i)
		}
	})
}

func TestExpPathsEqual(t *testing.T) {
	rng := newRand(12)
	x := append([]float32(nil), odd...)
	for range 4000 {
		x = append(x, float32(rng.NormFloat64()*40))
	}
	for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 33, len(x)} {
		want := make([]float32, n)
		for i, v := range x[:n] {
			want[i] = kernels.Exp32(v)
		}
		eachPath(t, func(t *testing.T) {
			got := guarded(n)
			kernels.Exp(got[:n], x[:n])
			requireSame(t, want, got[:n])
			requireGuard(t, got, n)
		})
	}
}

// TestExpAccuracy bounds the error by 2 units in the last place over the range.
func TestExpAccuracy(t *testing.T) {
	for x := float32(-87); x <= 88; x += 0.00371 {
		want := math.Exp(float64(x))
		ulp := float64(math.Nextafter32(float32(want), inf)) - float64(float32(want))
		require.InDelta(t, want, float64(kernels.Exp32(x)), 2*ulp, "exp(%v)", x)
	}
	assert.Equal(t, float32(1), kernels.Exp32(0))
	assert.Zero(t, kernels.Exp32(-87.01))
	assert.Zero(t, kernels.Exp32(-inf))
	assert.Zero(t, kernels.Exp32(nan))
	assert.Equal(t, kernels.Exp32(88), kernels.Exp32(inf))
}

// TestFMA32 compares with exact arithmetic, on values chosen so that rounding
// twice would go wrong, and on random ones.
func TestFMA32(t *testing.T) {
	exact := func(a, b, c float32) float32 {
		f := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
		p := f(a)
		p.Add(p.Mul(p, f(b)), f(c))
		r, _ := p.Float32()
		return r
	}
	check := func(a, b, c float32) {
		t.Helper()
		want, got := exact(a, b, c), kernels.FMA32(a, b, c)
		if want == 0 && got == 0 {
			return // big.Float has no signed zero rules of its own
		}
		require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%x*%x+%x: %x, %x", a, b, c, want, got)
	}
	// The product is one float64 step beside the middle of two float32 values, and
	// the addend decides: rounding to float64 first loses it.
	a, b := float32(1+0x1p-12), float32(1+0x1p-12) // 1 + 2^-11 + 2^-24: a tie in float32
	for _, tiny := range []float32{0x1p-80, -0x1p-80, 0x1p-149, -0x1p-149, 0} {
		check(a, b, tiny)
		check(-a, b, tiny)
		check(a*0x1p-60, b*0x1p-66, tiny)
	}
	assert.NotEqual(t, kernels.FMA32(a, b, 0x1p-80), float32(math.FMA(float64(a), float64(b), 0x1p-80)),
		"this case shows why float64 is not enough")
	rng := newRand(13)
	n := 200000
	if testing.Short() {
		n = 20000
	}
	for range n {
		v := [3]float32{}
		for i := range v {
			v[i] = math.Float32frombits(rng.Uint32())
			if v[i] != v[i] || v[i] > 1e38 || v[i] < -1e38 {
				v[i] = float32(rng.NormFloat64())
			}
		}
		check(v[0], v[1], v[2])
		check(v[0], v[1], -v[0]*v[1])
		check(v[0], v[1], float32(rng.NormFloat64())*v[0]*v[1])
	}
	assert.Equal(t, inf, kernels.FMA32(inf, 1, 1))
	for _, v := range [][3]float32{{inf, 0, 1}, {inf, 1, -inf}, {nan, 1, 1}, {1, 1, nan}} {
		got := kernels.FMA32(v[0], v[1], v[2])
		assert.True(t, got != got, "%v", v)
	}
}

func TestActsBrokenInvariants(t *testing.T) {
	a, x := kernels.NewActs(2, 64), make([]float32, 128)
	for name, fn := range map[string]func(){
		"too many rows":  func() { kernels.QuantizeActs(a, x, 0, 3, kernels.Fine) },
		"short x":        func() { kernels.QuantizeActs(a, x[:127], 0, 2, kernels.Fine) },
		"odd K":          func() { kernels.QuantizeActs(kernels.NewActs(1, 33), x, 0, 1, kernels.Fine) },
		"norm length":    func() { kernels.RMSNorm(x[:8], x[:8], x[:8], 1) },
		"norm weight":    func() { kernels.RMSNorm(x[:16], x[:16], x[:8], 1) },
		"fused weight":   func() { kernels.RMSNormQuantize(a, x, x[:32], 1, 0, 2, kernels.Fine) },
		"gate":           func() { kernels.SwiGLUQuantize(a, x[:100], x, 64, 0, 2, 0, 64, kernels.Fine) },
		"ldx":            func() { kernels.SwiGLUQuantize(a, x, x, 32, 0, 2, 0, 64, kernels.Fine) },
		"exp":            func() { kernels.Exp(x[:1], x[:2]) },
		"negative start": func() { kernels.QuantizeActs(a, x, -1, 2, kernels.Fine) },
	} {
		assert.Panics(t, fn, name)
	}
	kernels.QuantizeActs(a, nil, 0, 0, kernels.Fine)
	kernels.SwiGLUQuantize(a, nil, nil, 64, 1, 1, 0, 64, kernels.Fine)
	kernels.RMSNormQuantize(a, nil, x, 1, 0, 0, kernels.Fine)
	kernels.RMSNorm(nil, nil, nil, 1)
}
