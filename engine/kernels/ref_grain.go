package kernels

// refGrain returns ops that quantize rows in groups of 128, of which sums writes what the grain
// wants to know beside Q and Scale: q is group number c of row t.
func refGrain(sums func(dst *Acts, q []int8, t, c int), matMul func(a MatMulArgs)) *grainOps {
	quantize := func(dst *Acts, x []float32, t, k0 int) {
		for k := 0; k < len(x); k += CoarseGroup {
			group := x[k:min(k+CoarseGroup, len(x))]
			q, c := dst.Q[t*dst.K+k0+k:][:len(group)], (k0+k)/CoarseGroup
			scale, inv := actScale(group)
			for i, v := range group {
				q[i] = quantizeOne(v, inv)
			}
			dst.Scale[t*dst.K/GroupSize+c] = scale
			sums(dst, q, t, c)
		}
	}
	return &grainOps{
		quantizeActs: func(dst *Acts, x []float32, t0, t1 int) {
			for t := t0; t < t1; t++ {
				quantize(dst, x[t*dst.K:][:dst.K], t, 0)
			}
		},
		rmsNormQuantize: func(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
			row := make([]float32, dst.K)
			for t := t0; t < t1; t++ {
				refRMSNorm(row, x[t*dst.K:][:dst.K], w, eps)
				quantize(dst, row, t, 0)
			}
		},
		swiGLUQuantize: func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
			row := make([]float32, k1-k0)
			for t := t0; t < t1; t++ {
				refSwiGLU(row, gate[t*ldx:], up[t*ldx:])
				quantize(dst, row, t, k0)
			}
		},
		matMul:    matMul,
		attnBlock: refAttnBlock,
	}
}
