package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// product runs MatMul over everything and returns Y, [tokens, rows].
func product(t testing.TB, w *kernels.Matrix, x *kernels.Acts) []float32 {
	y := guarded(x.Tokens * w.Rows)
	kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: x.Tokens, R1: w.Rows, Y: y, LdY: w.Rows})
	requireGuard(t, y, x.Tokens*w.Rows)
	return y[:x.Tokens*w.Rows]
}

func packed(t testing.TB, typ quant.Type, rows, cols int, src []byte) *kernels.Matrix {
	w, err := kernels.Pack(typ, rows, cols, src)
	require.NoError(t, err)
	return w
}

// fits reports whether a matrix of the type can have k columns.
func fits(typ quant.Type, k int) bool { return k%typ.BlockLen() == 0 }

// TestMatMulPathsEqual demands bit-equal results of all paths, for small and
// model shapes, all token counts that select another inner loop, and ragged rows.
func TestMatMulPathsEqual(t *testing.T) {
	shapes := []struct{ rows, k int }{
		{1, 32},
		{15, 64},
		{16, 96},
		{17, 256},
		{33, 256},
		{47, 512},
		{48, 768},
		{50, 1280},
		{18, 576},
		{20, 896},
		{16, 1536},
		{34, 2048},
	}
	if !testing.Short() {
		shapes = append(shapes, []struct{ rows, k int }{{16, 4864}, {17, 8960}}...)
	}
	for _, typ := range weightTypes {
		t.Run(typ.String(), func(t *testing.T) {
			for i, s := range shapes {
				if !fits(typ, s.k) {
					continue
				}
				rng := newRand(uint64(i))
				w := packed(t, typ, s.rows, s.k, randomWeights(rng, typ, s.rows*s.k))
				tokens := []int{1, 2, 3, 4, 5, 6, 7, 9, 12, 13}
				if testing.Short() && s.k >= 512 {
					tokens = []int{1, 3, 5, 9}
				}
				if s.k == 256 && s.rows == 33 {
					tokens = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 64, 97, 200}
				} else if s.k >= 1536 {
					tokens = []int{1, 3, 7, 8}
				}
				for _, n := range tokens {
					x, _ := randomActs(t, rng, n, s.k)
					var want []float32
					onRef(t, func() { want = product(t, w, x) })
					eachPath(t, func(t *testing.T) {
						requireSame(t, want, product(t, w, x), s.rows, s.k, n)
					})
				}
			}
		})
	}
}

// TestMatMulSplits demands that any split of tokens and rows, with bias and
// accumulation, gives the bits of one call, and writes nothing outside its range.
func TestMatMulSplits(t *testing.T) {
	const rows, k, tokens, ld = 75, 512, 23, 80
	for _, typ := range []quant.Type{quant.Q4_K, quant.Q6_K, quant.Q5_0, quant.Q4_1, quant.Q8_0, quant.F16} {
		rng := newRand(3)
		w := packed(t, typ, rows, k, randomWeights(rng, typ, rows*k))
		x, _ := randomActs(t, rng, tokens, k)
		bias, old := normals(rng, rows), normals(rng, tokens*ld)
		run := func(t *testing.T, cutsT, cutsR []int) []float32 {
			y := append([]float32(nil), old...)
			for i := range cutsT[1:] {
				for j := range cutsR[1:] {
					a := kernels.MatMulArgs{W: w, X: x, T0: cutsT[i], T1: cutsT[i+1], R0: cutsR[j], R1: cutsR[j+1], Y: y, LdY: ld, Bias: bias, Add: true}
					kernels.MatMul(&a)
				}
			}
			return y
		}
		var want []float32
		onRef(t, func() { want = run(t, []int{0, tokens}, []int{0, rows}) })
		for i := range old {
			if i%ld >= rows {
				require.Equal(t, old[i], want[i], "written beyond the rows")
			}
		}
		eachPath(t, func(t *testing.T) {
			requireSame(t, want, run(t, []int{0, tokens}, []int{0, rows}), typ)
			requireSame(t, want, run(t, []int{0, 1, 3, 9, 16, 23}, []int{0, 16, 64, rows}), typ)
			requireSame(t, want, run(t, []int{0, 0, 23, 23}, []int{0, 48, 48, rows}), typ)
			part := guarded(tokens * 32)
			kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: tokens, R0: 48, R1: rows, Y: part, LdY: 32, Y0: 48, Bias: bias})
			whole := guarded(tokens * ld)
			kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: tokens, R1: rows, Y: whole, LdY: ld, Bias: bias})
			for i := range tokens {
				requireSame(t, whole[i*ld+48:][:rows-48], part[i*32:][:rows-48], typ)
			}
		})
	}
}

// integerBytes is where a block holds its integers.
var integerBytes = map[quant.Type][2]int{
	quant.F32: {0, 4}, quant.F16: {0, 2},
	quant.Q4_0: {2, 18}, quant.Q4_1: {4, 20}, quant.Q5_0: {2, 22}, quant.Q5_1: {4, 24}, quant.Q8_0: {2, 34},
	quant.Q4_K: {16, 144}, quant.Q5_K: {16, 176}, quant.Q6_K: {0, 192},
}

// exact is the product in float64 of the decoded weights and activations of one
// token, with the bound on what MatMul may differ from it.
//
// The integers are exact, so only float rounding counts: at most 4 roundings
// within a group (scale, product, its use; 32 for float weights) and 2 per group
// in the sum, each 2^-24 of the magnitudes added. Those are scale*q and the
// minimum apart, which may cancel in w: the minimum is what a weight decodes to
// when all integers of its block are zero.
func exact(typ quant.Type, src []byte, rows, k int, acts *kernels.Acts, tok int) (y, bound []float64) {
	w, least := make([]float32, rows*k), make([]float32, rows*k)
	quant.Dequantize(w, typ, src)
	zeroed := append([]byte(nil), src...)
	for at := 0; at < len(src); at += typ.BlockBytes() {
		clear(zeroed[at+integerBytes[typ][0] : at+integerBytes[typ][1]])
	}
	quant.Dequantize(least, typ, zeroed)
	y, bound = make([]float64, rows), make([]float64, rows)
	eps := 0x1p-24 * float64(2*k/32+4)
	if typ == quant.F32 || typ == quant.F16 {
		eps = 0x1p-24 * float64(2*k/32+32)
	}
	for r := range rows {
		for i := range k {
			x := float64(acts.Scale[(tok*k+i)/32]) * float64(acts.Q[tok*k+i])
			wi, mi := float64(w[r*k+i]), float64(least[r*k+i])
			y[r] += wi * x
			bound[r] += eps * math.Abs(x) * (math.Abs(wi-mi) + math.Abs(mi))
		}
	}
	return y, bound
}

// TestMatMulOracle compares with float64 on weights decoded by package quant, and
// shows that one integer changed by one step would be noticed.
func TestMatMulOracle(t *testing.T) {
	const rows, k, tokens = 19, 1024, 7
	for _, typ := range weightTypes {
		t.Run(typ.String(), func(t *testing.T) {
			rng := newRand(11)
			src := randomWeights(rng, typ, rows*k)
			acts, _ := randomActs(t, rng, tokens, k)
			bad := append([]byte(nil), src...)
			flipOne(bad, typ, acts)
			eachPath(t, func(t *testing.T) {
				got := product(t, packed(t, typ, rows, k, src), acts)
				outside := func(src []byte) (n int) {
					for tok := range tokens {
						want, bound := exact(typ, src, rows, k, acts, tok)
						for r := range rows {
							if !(math.Abs(float64(got[tok*rows+r])-want[r]) <= bound[r]) {
								n++
							}
						}
					}
					return n
				}
				require.Zero(t, outside(src))
				assert.NotZero(t, outside(bad), "one corrupted weight went unnoticed")
			})
		})
	}
}

// flipOne changes the lowest bit of one integer of the first block (a middle bit
// of a float weight): the one that meets the largest activation of token 0.
func flipOne(b []byte, typ quant.Type, acts *kernels.Acts) {
	if typ == quant.F32 || typ == quant.F16 {
		b[typ.BlockBytes()-1] ^= 2
		return
	}
	before, after := make([]float32, typ.BlockLen()), make([]float32, typ.BlockLen())
	quant.Dequantize(before, typ, b)
	var best, at int
	for i := integerBytes[typ][0]; i < integerBytes[typ][1]; i++ {
		b[i] ^= 1
		quant.Dequantize(after, typ, b)
		b[i] ^= 1
		for j := range before {
			if q := int(acts.Q[j]); before[j] != after[j] && q*q > best {
				best, at = q*q, i
			}
		}
	}
	b[at] ^= 1
}

// TestMatMulSeesEveryWeight flips each bit of one row's integers in turn: the
// result of that row, and of no other, must change on every path.
func TestMatMulSeesEveryWeight(t *testing.T) {
	const rows, row = 16, 5
	for _, typ := range weightTypes[2:] {
		k := max(32, typ.BlockLen())
		rng := newRand(5)
		src := randomWeights(rng, typ, rows*k)
		acts, _ := randomActs(t, rng, 1, k)
		for i := range acts.Q { // no zero activation, or a change would not show
			if acts.Q[i] == 0 {
				acts.Q[i] = 1
			}
		}
		eachPath(t, func(t *testing.T) {
			want := product(t, packed(t, typ, rows, k, src), acts)
			size := typ.BlockBytes()
			for at := range size {
				bad := append([]byte(nil), src...)
				bad[row*size+at] ^= 1
				got := product(t, packed(t, typ, rows, k, bad), acts)
				for r := range rows {
					require.Equal(t, r == row, want[r] != got[r], "%v byte %d row %d", typ, at, r)
				}
			}
		})
	}
}

// TestMatMulNonFinite: infinite and NaN scales of a broken file give the same
// infinities and NaN on all paths.
func TestMatMulNonFinite(t *testing.T) {
	const rows, k = 32, 512
	for _, typ := range weightTypes {
		rng := newRand(9)
		src := randomWeights(rng, typ, rows*k)
		at := typ.RowBytes(3 * k)
		if o := scaleOffsets[typ]; o != nil {
			at += int64(o[len(o)-1])
		} else {
			at += int64(typ.BlockBytes()) - 2
		}
		for _, bits := range []byte{0x7c, 0xfc, 0x7e} { // f16 Inf, -Inf, NaN; large or NaN in f32
			src[at], src[at+1] = 0, bits
			w := packed(t, typ, rows, k, src)
			for _, n := range []int{1, 9} {
				acts, _ := randomActs(t, rng, n, k)
				var want []float32
				onRef(t, func() { want = product(t, w, acts) })
				eachPath(t, func(t *testing.T) { requireSame(t, want, product(t, w, acts), typ) })
			}
		}
	}
}

func TestMatMulBrokenInvariants(t *testing.T) {
	w := packed(t, quant.Q8_0, 40, 64, make([]byte, quant.Q8_0.RowBytes(40*64)))
	good := kernels.MatMulArgs{W: w, X: kernels.NewActs(2, 64), T1: 2, R1: 40, Y: make([]float32, 80), LdY: 40}
	kernels.MatMul(&good)
	for name, change := range map[string]func(a *kernels.MatMulArgs){
		"tokens":      func(a *kernels.MatMulArgs) { a.T1 = 3 },
		"order":       func(a *kernels.MatMulArgs) { a.T0 = 3 },
		"row start":   func(a *kernels.MatMulArgs) { a.R0 = 8 },
		"row end":     func(a *kernels.MatMulArgs) { a.R1 = 24 },
		"rows":        func(a *kernels.MatMulArgs) { a.R1 = 48 },
		"columns":     func(a *kernels.MatMulArgs) { a.X = kernels.NewActs(2, 32) },
		"short y":     func(a *kernels.MatMulArgs) { a.Y = a.Y[:79] },
		"overlapping": func(a *kernels.MatMulArgs) { a.LdY = 39 },
		"bias":        func(a *kernels.MatMulArgs) { a.Bias = make([]float32, 39) },
		"acts":        func(a *kernels.MatMulArgs) { a.X.Sum = a.X.Sum[:7] },
	} {
		bad := good
		bad.X = kernels.NewActs(2, 64)
		change(&bad)
		assert.Panics(t, func() { kernels.MatMul(&bad) }, name)
	}
}
