package kernels

import "math"

// refCoarse defines the coarse products.
var refCoarse = refGrain(coarsenGroup, refCoarseMatMul)

// coarsenGroup fills what a coarse row has beside Q and Scale, for group number c of row t.
func coarsenGroup(dst *Acts, q []int8, t, c int) {
	sum := int32(0)
	for _, v := range q {
		sum += int32(v)
	}
	dst.Start32[t*dst.K/GroupSize+c] = dotBase - 128*sum
}

func refCoarseMatMul(a MatMulArgs) {
	fine := newRowDecoder(a.W)
	w := coarseRow{q: make([]int32, a.W.Cols), scale: make([]float32, (a.W.Cols+CoarseGroup-1)/CoarseGroup)}
	for r := a.R0; r < a.R1; r++ {
		fine.decode(a.W, r)
		w.from(fine, a.W)
		for t := a.T0; t < a.T1; t++ {
			a.put(t, r, w.dot(a.X, t))
		}
	}
}

// coarseRow is one weight row in 8 bits.
type coarseRow struct {
	q     []int32   // [cols]
	scale []float32 // [ceil(cols/128)]
}

// from fills w from a decoded row of m.
func (w *coarseRow) from(fine *rowDecoder, m *Matrix) {
	part, most := 16, float32(0) // what shares a scale, and the largest integer beside a minimum
	if m.Scaling == ScaleK {
		part, most = 32, 15
		if m.Codec == Codec5 {
			most = 31
		}
	}
	for c := range w.scale {
		k0, k1 := c*CoarseGroup, min((c+1)*CoarseGroup, len(w.q))
		var top, bad float32
		for k := k0; k < k1; k += part {
			dw, mw := fine.dw[k/16], fine.mw[k/16]
			if m.Scaling == ScaleK {
				top = max(top, abs32(mw), abs32(FMA32(dw, most, mw)))
			} else {
				top = max(top, 32*abs32(dw))
			}
			bad += 0*dw + 0*mw
		}
		inverse := float32(0)
		if top >= tinyGroup {
			inverse = 127 * 256 / top
		}
		w.scale[c] = float32(top*(1./127)) + bad
		for k := k0; k < k1; k++ {
			// rowDecoder has taken the offset of Q6_K from q already.
			first := k / part * part
			a, b := roundEven(fine.dw[first/16]*inverse), roundEven(fine.mw[first/16]*inverse)
			w.q[k] = (fine.q[k]*a + b + 128) >> 8
		}
	}
}

// dot is the sum over K of the row and token t of x.
func (w *coarseRow) dot(x *Acts, t int) float32 {
	var acc float32
	for c, s := range w.scale {
		k0, k1 := c*CoarseGroup, min((c+1)*CoarseGroup, len(w.q))
		sum := dotInt(w.q[k0:k1], x.Q[t*x.K+k0:])
		acc = FMA32(scaled(sum, s), x.Scale[t*x.K/GroupSize+c], acc)
	}
	return acc
}

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// roundEven rounds to the nearest integer; what is no number becomes one that nobody uses.
func roundEven(x float32) int32 {
	if x != x {
		return 0
	}
	return int32(math.RoundToEven(float64(x)))
}
