package kernels

// MatMulArgs are the operands of MatMul.
type MatMulArgs struct {
	W      *Matrix
	X      *Acts
	T0, T1 int       // tokens: rows of X and Y
	R0, R1 int       // weight rows; R0 is a multiple of 16, R1 too or W.Rows
	Y      []float32 // [>= T1, LdY]; token t's output for row r at Y[t*LdY+r-Y0]
	LdY    int       // >= R1-Y0
	Y0     int       // the row that Y's first column is for, <= R0
	Bias   []float32 // [W.Rows] or nil
	Add    bool      // add to what Y holds
	Grain  Grain     // of rows [T0, T1) of X; Fine unless W.Coarsens()
}

// MatMul computes y[t,r] = sum_k W[r,k] x[t,k] (+ Bias[r]) (+ old y if Add) for
// tokens [T0, T1) and weight rows [R0, R1).
//
// Starting from acc = 0, each group g along K (of 32 elements, 16 in Q6_K) adds, in
// order, with sx the Scale of its activations and exact integer sums over the group:
//
//	integers, w = dw*(q-offset) + mw, where dw and mw are
//	  Q4_0, Q5_0, Q8_0: d, 0       Q4_1, Q5_1: d, m
//	  Q6_K: d*scale, 0             Q4_K, Q5_K: d*scale, -dmin*min
//	    u = fma(B + sum (q-offset)*x, dw, -B*dw)     B = 1.5 * 2^23
//	    acc = fma(u, sx, acc)
//	    acc = fma(mw, X.ScaleSum[t,g], acc)          (formats with a minimum)
//	floats
//	    u = 0; u = fma(w[k], float(x[k]), u) for each k
//	    acc = fma(u, sx, acc)
//
// and at the end y = acc, y = y + Bias[r], y = old + y.
//
// The first line of the integers is float(sum)*dw rounded once, in one instruction
// less: B + sum and B*dw are both exact (|sum| < 2^22, and dw has at most 19 bits).
// Only for an infinite dw, which no sound file has, it is NaN.
//
// Coarse rows meet other weights and longer groups. For each row of W and group of 128, with
// dw and mw of its parts of 32 (16 in Q6_K) as above, most the largest q, 15 or 31, and
// inverse = 127*256/top, or 0 if top < 2^-100:
//
//	K formats: top = max(|mw|, |fma(dw, most, mw)|)    Q6_K: top = 32 * max |dw|
//	a = round to nearest even(dw*inverse)              b = the same of mw*inverse; Q6_K: b = -32*a
//	w = (q*a + b + 128) >> 8                           an integer within [-127, 127]
//	s = top * (1/127)                                  NaN if any dw or mw is infinite or NaN
//	u = fma(B + sum w*x, s, -B*s)
//	acc = fma(u, sx, acc)
//
// Medium rows have such groups and the file's weights. For each group of 128, with d and dmin of
// the 256 columns around it, the scale and min of each 32 of its columns (scale of each 16 in Q6_K):
//
//	I = sum scale*(q-offset)*x                      an integer within 2^27
//	u = float32(I)*d
//	acc = fma(u, sx, acc)
//	acc = fma(mw, X.ScaleSum[t,g], acc)             (Q4_K, Q5_K; each 32 columns, in order)
func MatMul(a *MatMulArgs) {
	if a.T0 < 0 || a.T0 > a.T1 || a.R0 < 0 || a.R0 > a.R1 || a.R1 > a.W.Rows || a.Y0 < 0 || a.Y0 > a.R0 {
		broken("MatMul: tokens [%d, %d), rows [%d, %d) of %d", a.T0, a.T1, a.R0, a.R1, a.W.Rows)
	}
	if a.R0%RowTile != 0 || a.R1%RowTile != 0 && a.R1 != a.W.Rows {
		broken("MatMul: rows [%d, %d) do not lie on tiles of %d", a.R0, a.R1, RowTile)
	}
	if a.Grain != Fine && !a.W.Coarsens() {
		broken("MatMul: no %v product of %v weights", a.Grain, a.W.Type)
	}
	if a.X.K != a.W.Cols {
		broken("MatMul: %d activations for %d columns", a.X.K, a.W.Cols)
	}
	if a.T0 == a.T1 || a.R0 == a.R1 {
		return
	}
	a.X.check("MatMul X", a.T0, a.T1)
	checkLen("MatMul LdY", a.LdY, a.R1-a.Y0)
	checkLen("MatMul Y", len(a.Y), (a.T1-1)*a.LdY+a.R1-a.Y0)
	if a.Bias != nil {
		checkLen("MatMul Bias", len(a.Bias), a.W.Rows)
	}
	if a.Grain != Fine {
		a.Grain.ops().matMul(*a)
		return
	}
	active.Load().matMul(*a)
}

// Coarsens reports whether the matrix can be multiplied by medium and coarse rows: its format
// has sub-scales, which make fine products of many rows slower.
func (m *Matrix) Coarsens() bool { return m.Scaling == ScaleK || m.Scaling == ScaleQ6K }
