package kernels

// refMedium defines the medium products.
var refMedium = refGrain(mediumGroup, refMediumMatMul)

// mediumGroup fills what a medium row has beside Q and Scale, for group number c of row t.
func mediumGroup(dst *Acts, q []int8, t, c int) {
	scale := dst.Scale[t*dst.K/GroupSize+c]
	for k := 0; k < len(q); k += GroupSize {
		g, all := (t*dst.K+c*CoarseGroup+k)/GroupSize, int32(0)
		for part := range 2 {
			var sums [2]int32
			for i, v := range q[k+16*part:][:16] {
				sums[i/2%2] += int32(v)
			}
			all += sums[0] + sums[1]
			dst.Start16[2*g+part] = -32*sums[0]&0xffff | -32*sums[1]<<16
		}
		dst.ScaleSum[g] = scale * float32(all)
	}
}

func refMediumMatMul(a MatMulArgs) {
	w := newRowDecoder(a.W)
	for r := a.R0; r < a.R1; r++ {
		w.decode(a.W, r)
		for t := a.T0; t < a.T1; t++ {
			a.put(t, r, w.mediumDot(a.W, a.X, t))
		}
	}
}

// mediumDot is the sum over K of the row and token t of x.
func (w *rowDecoder) mediumDot(m *Matrix, x *Acts, t int) float32 {
	var acc float32
	for c, d := range w.d {
		var sum int32
		for k := c * CoarseGroup; k < (c+1)*CoarseGroup; k += 16 {
			sum += w.sub[k/16] * dotInt(w.q[k:k+16], x.Q[t*x.K+k:])
		}
		acc = FMA32(float32(float32(sum)*d), x.Scale[t*x.K/GroupSize+c], acc)
		for g := c * CoarseGroup / GroupSize; m.Scaling == ScaleK && g < (c+1)*CoarseGroup/GroupSize; g++ {
			acc = FMA32(w.mw[2*g], x.ScaleSum[t*x.K/GroupSize+g], acc)
		}
	}
	return acc
}
