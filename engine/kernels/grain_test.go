package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// coarseTypes are the formats whose matrices can be multiplied by rows that are not fine.
var coarseTypes = []quant.Type{quant.Q4_K, quant.Q5_K, quant.Q6_K}

// eachWide runs fn for both grains with groups of 128.
func eachWide(t *testing.T, fn func(t *testing.T, g kernels.Grain)) {
	for _, g := range []kernels.Grain{kernels.Medium, kernels.Coarse} {
		t.Run(g.String(), func(t *testing.T) { fn(t, g) })
	}
}

func wideActs(x []float32, tokens, k int, g kernels.Grain) *kernels.Acts {
	a := kernels.NewActs(tokens, k)
	kernels.QuantizeActs(a, x, 0, tokens, g)
	return a
}

// wideProduct is the product of everything, [tokens, rows].
func wideProduct(t testing.TB, w *kernels.Matrix, x *kernels.Acts, g kernels.Grain) []float32 {
	y := guarded(x.Tokens * w.Rows)
	kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: x.Tokens, R1: w.Rows, Y: y, LdY: w.Rows, Grain: g})
	requireGuard(t, y, x.Tokens*w.Rows)
	return y[:x.Tokens*w.Rows]
}

func TestWideActsPathsEqual(t *testing.T) { eachWide(t, wideActsPathsEqual) }

func wideActsPathsEqual(t *testing.T, g kernels.Grain) {
	for _, k := range []int{32, 128, 160, 576, 1536} {
		const tokens = 5
		rng := newRand(uint64(k))
		x, w, up := oddRows(uint64(k), tokens, k), normals(rng, k), normals(rng, tokens*(k+16))
		gate := oddRows(8, tokens, k+32)[:tokens*(k+16)]
		plain, norm, gated := kernels.NewActs(tokens, k), kernels.NewActs(tokens, k), kernels.NewActs(tokens, k)
		onRef(t, func() {
			kernels.QuantizeActs(plain, x, 1, tokens, g)
			kernels.RMSNormQuantize(norm, x, w, 1e-5, 0, tokens, g)
			kernels.SwiGLUQuantize(gated, gate, up, k+16, 1, tokens, 0, k, g)
		})
		eachPath(t, func(t *testing.T) {
			got := kernels.NewActs(tokens, k)
			kernels.QuantizeActs(got, x, 1, 3, g)
			kernels.QuantizeActs(got, x, 3, tokens, g)
			requireSameActs(t, plain, got)
			got = kernels.NewActs(tokens, k)
			kernels.RMSNormQuantize(got, x, w, 1e-5, 0, 1, g)
			kernels.RMSNormQuantize(got, x, w, 1e-5, 1, tokens, g)
			requireSameActs(t, norm, got)
			got = kernels.NewActs(tokens, k)
			cut := k / 2 / kernels.CoarseGroup * kernels.CoarseGroup
			kernels.SwiGLUQuantize(got, gate, up, k+16, 1, tokens, 0, cut, g)
			kernels.SwiGLUQuantize(got, gate[cut:], up[cut:], k+16, 1, 2, cut, k, g)
			kernels.SwiGLUQuantize(got, gate[cut:], up[cut:], k+16, 2, tokens, cut, k, g)
			requireSameActs(t, gated, got)
		})
	}
}

// TestWideActsError: half a step per element, and the sums belong to Q.
func TestWideActsError(t *testing.T) { eachWide(t, wideActsError) }

func wideActsError(t *testing.T, g kernels.Grain) {
	const tokens, k = 2, 320
	x := normals(newRand(3), tokens*k)
	x[7], x[140], x[300] = nan, inf, -inf
	eachPath(t, func(t *testing.T) {
		a := wideActs(x, tokens, k, g)
		for tok := range tokens {
			for c := range (k + 127) / 128 {
				at, sum := tok*k/32+c, int32(0)
				for i := 128 * c; i < min(k, 128*c+128); i++ {
					q, v := a.Q[tok*k+i], float64(x[tok*k+i])
					sum += int32(q)
					if v != v {
						v = 0
					}
					v = min(max(v, -math.MaxFloat32), math.MaxFloat32)
					require.LessOrEqual(t, math.Abs(v-float64(a.Scale[at])*float64(q)), 0.5*float64(a.Scale[at])*(1+1e-4))
				}
				if g == kernels.Coarse {
					require.Equal(t, 0x4b400000-128*sum, a.Start32[at])
				}
			}
			for i := 0; g == kernels.Medium && i < k; i += 32 {
				requireMediumSums(t, a, tok, i)
			}
		}
	})
}

// requireMediumSums checks the sums of 32 columns from k0 in the medium row tok of a.
func requireMediumSums(t *testing.T, a *kernels.Acts, tok, k0 int) {
	t.Helper()
	var sums [2][2]int32 // by 16 columns and by column mod 4
	for i, q := range a.Q[tok*a.K+k0:][:32] {
		sums[i/16][i%4/2] += int32(q)
	}
	at := (tok*a.K + k0) / 32
	for part, s := range sums {
		require.Equal(t, -32*s[0], int32(int16(a.Start16[2*at+part])))
		require.Equal(t, -32*s[1], a.Start16[2*at+part]>>16)
	}
	scale := a.Scale[tok*a.K/32+k0/128]
	require.Equal(t, scale*float32(sums[0][0]+sums[0][1]+sums[1][0]+sums[1][1]), a.ScaleSum[at])
}

func TestWideMatMulPathsEqual(t *testing.T) { eachWide(t, wideMatMulPathsEqual) }

func wideMatMulPathsEqual(t *testing.T, g kernels.Grain) {
	for _, typ := range coarseTypes {
		for i, s := range []struct{ rows, k int }{{1, 256}, {15, 512}, {16, 768}, {33, 1280}, {50, 1536}, {47, 2048}, {20, 8960}} {
			if testing.Short() && s.k > 1536 {
				continue
			}
			rng := newRand(uint64(i))
			w := packed(t, typ, s.rows, s.k, randomWeights(rng, typ, s.rows*s.k))
			tokens := []int{1, 2, 3, 4, 5, 6, 7, 12, 13}
			if s.k == 512 && !testing.Short() {
				tokens = append(tokens, 257, 259, 300)
			}
			for _, n := range tokens {
				var x *kernels.Acts
				var want []float32
				onRef(t, func() {
					x = wideActs(oddRows(uint64(n), n, s.k), n, s.k, g)
					want = wideProduct(t, w, x, g)
				})
				eachPath(t, func(t *testing.T) {
					requireSame(t, want, wideProduct(t, w, x, g), typ, s, n)
				})
			}
		}
	}
}

// TestWideWeights reads every weight back with one activation at a time: it is the
// file's, and if coarse within half a step of its group of 128, and a few hundredths for the
// rounding of slopes; a weight changed by one is seen.
func TestWideWeights(t *testing.T) { eachWide(t, wideWeights) }

func wideWeights(t *testing.T, g kernels.Grain) {
	const rows, k = 16, 512
	for _, typ := range coarseTypes {
		src := randomWeights(newRand(21), typ, rows*k)
		bad := append([]byte(nil), src...)
		bad[integerBytes[typ][1]-1] ^= 8 // the largest bit of an integer of row 0
		eachPath(t, func(t *testing.T) {
			outside := func(truth []byte) (n int) {
				w := packed(t, typ, rows, k, src)
				want := make([]float32, rows*k)
				quant.Dequantize(want, typ, truth)
				x := make([]float32, k)
				for i := range k {
					x[i] = 127
					got := wideProduct(t, w, wideActs(x, 1, k, g), g)
					x[i] = 0
					for r := range rows {
						top := 0.0
						for _, v := range want[r*k+i/128*128:][:128] {
							top = max(top, math.Abs(float64(v)))
						}
						// The bound on the weights that sets the scale may lie above the
						// largest weight that occurs, by up to a step in 15.
						step := top * 1.2 / 127
						if g == kernels.Medium {
							step = top * 1e-5
						}
						if math.Abs(float64(got[r])/127-float64(want[r*k+i])) > 0.54*step {
							n++
						}
					}
				}
				return n
			}
			require.Zero(t, outside(src), typ)
			assert.NotZero(t, outside(bad), "%v: a corrupted weight went unnoticed", typ)
		})
	}
}

func TestWideMatMulNonFinite(t *testing.T) { eachWide(t, wideMatMulNonFinite) }

func wideMatMulNonFinite(t *testing.T, g kernels.Grain) {
	const rows, k, n = 32, 512, 3
	for _, typ := range coarseTypes {
		src := randomWeights(newRand(9), typ, rows*k)
		o := scaleOffsets[typ]
		at := int(typ.RowBytes(3*k)) + o[len(o)-1]
		x := wideActs(oddRows(5, n, k), n, k, g)
		for _, bits := range []byte{0x7c, 0xfc, 0x7e} { // f16 Inf, -Inf, NaN
			src[at], src[at+1] = 0, bits
			w := packed(t, typ, rows, k, src)
			var want []float32
			onRef(t, func() { want = wideProduct(t, w, x, g) })
			require.Zero(t, 0*want[4], "other rows are finite")
			require.True(t, 0*want[3] != 0, "the row of the broken scale is not, and NaN if coarse")
			require.True(t, g != kernels.Coarse || want[3] != want[3])
			eachPath(t, func(t *testing.T) { requireSame(t, want, wideProduct(t, w, x, g), typ) })
		}
	}
}

func TestWideInvariants(t *testing.T) {
	x := make([]float32, 512)
	a := kernels.NewActs(1, 256)
	w := packed(t, quant.Q8_0, 16, 256, make([]byte, quant.Q8_0.RowBytes(16*256)))
	require.False(t, w.Coarsens())
	eachWide(t, func(t *testing.T, g kernels.Grain) {
		require.Panics(t, func() { wideProduct(t, w, a, g) })
		require.Panics(t, func() {
			kernels.SwiGLUQuantize(a, x, x, 256, 0, 1, 32, 256, g)
		}, "parts lie on groups of 128")
	})
}

func TestUseGrain(t *testing.T) {
	t.Cleanup(func() { require.NoError(t, kernels.UseGrain("")) })
	for _, g := range []kernels.Grain{kernels.Fine, kernels.Medium, kernels.Coarse} {
		require.NoError(t, kernels.UseGrain(g.String()))
		require.Equal(t, g, kernels.PromptGrain())
	}
	require.ErrorContains(t, kernels.UseGrain("rough"), "rough")
	require.NoError(t, kernels.UseGrain(""))
	onRef(t, func() { require.Equal(t, kernels.Fine, kernels.PromptGrain()) })
}
