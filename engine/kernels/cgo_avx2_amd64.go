//go:build cgo && amd64

package kernels

// #cgo noescape matmul_avx2
// #cgo nocallback matmul_avx2
// #cgo noescape quantize_avx2
// #cgo nocallback quantize_avx2
// #cgo noescape rmsnorm_avx2
// #cgo nocallback rmsnorm_avx2
// #cgo noescape rmsnorm_quantize_avx2
// #cgo nocallback rmsnorm_quantize_avx2
// #cgo noescape swiglu_quantize_avx2
// #cgo nocallback swiglu_quantize_avx2
// #cgo noescape medium_matmul_avx2
// #cgo nocallback medium_matmul_avx2
// #cgo noescape wide_quantize_avx2
// #cgo nocallback wide_quantize_avx2
// #cgo noescape wide_rmsnorm_avx2
// #cgo nocallback wide_rmsnorm_avx2
// #cgo noescape wide_swiglu_avx2
// #cgo nocallback wide_swiglu_avx2
// #cgo noescape exp_avx2
// #cgo nocallback exp_avx2
// #cgo noescape rope_avx2
// #cgo nocallback rope_avx2
// #cgo noescape store_kv_avx2
// #cgo nocallback store_kv_avx2
// #cgo noescape attn_block_avx2
// #cgo nocallback attn_block_avx2
// #cgo noescape attn_merge_avx2
// #cgo nocallback attn_merge_avx2
// #cgo noescape peak_dot_avx2
// #cgo nocallback peak_dot_avx2
// #cgo noescape peak_read_avx2
// #cgo nocallback peak_read_avx2
// #cgo noescape matmul_avxvnni
// #cgo nocallback matmul_avxvnni
// #cgo noescape coarse_matmul_avxvnni
// #cgo nocallback coarse_matmul_avxvnni
// #cgo noescape attn_coarse_avxvnni
// #cgo nocallback attn_coarse_avxvnni
// #cgo noescape peak_dot_avxvnni
// #cgo nocallback peak_dot_avxvnni
// #include "kernels.h"
import "C"

// avx2Ops runs the AVX2 kernels.
var avx2Ops = &ops{
	name: "avx2",
	quantizeActs: func(dst *Acts, x []float32, t0, t1 int) {
		C.quantize_avx2(cActs(dst, t0, t1), floats(x, t0*dst.K))
	},
	rmsNorm: func(dst, x, w []float32, eps float32) {
		C.rmsnorm_avx2(floats(dst, 0), floats(x, 0), floats(w, 0), C.int64_t(len(x)), C.float(eps))
	},
	rmsNormQuantize: func(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
		C.rmsnorm_quantize_avx2(cActs(dst, t0, t1), floats(x, t0*dst.K), floats(w, 0), C.float(eps))
	},
	swiGLUQuantize: func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
		C.swiglu_quantize_avx2(cActsPart(dst, t0, t1, k0, k1), C.int64_t(dst.K/GroupSize), floats(gate, t0*ldx), floats(up, t0*ldx), C.int64_t(ldx))
	},
	matMul: func(a MatMulArgs) { C.matmul_avx2(cMatMul(&a)) },
	medium: wideAVX2(Medium, func(a MatMulArgs) { C.medium_matmul_avx2(cMatMul(&a)) }),
	rope:   func(a ropeArgs) { C.rope_avx2(cRope(&a)) },
	storeKV: func(page KVPage, slot int, k, v []float32) {
		C.store_kv_avx2(halves(page.K, slot), halves(page.V, slot*len(v)), floats(k, 0), floats(v, 0), C.int64_t(len(k)))
	},
	attnBlock: func(a AttnArgs) { C.attn_block_avx2(cAttn(&a)) },
	attnMerge: func(a MergeArgs) { C.attn_merge_avx2(cMerge(&a)) },
	exp: func(dst, x []float32) {
		C.exp_avx2(floats(dst, 0), floats(x, 0), C.int64_t(len(x)))
	},
	peakDot:  func(rounds int64) int { return int(C.peak_dot_avx2(C.int64_t(rounds))) },
	peakRead: peakReadAVX2,
}

// wideAVX2 returns ops of a grain with groups of 128.
func wideAVX2(g Grain, matMul func(a MatMulArgs)) *grainOps {
	grain := C.int32_t(g)
	return &grainOps{
		quantizeActs: func(dst *Acts, x []float32, t0, t1 int) {
			C.wide_quantize_avx2(cActsWide(dst, t0, t1, 0, dst.K), grain, floats(x, t0*dst.K))
		},
		rmsNormQuantize: func(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
			C.wide_rmsnorm_avx2(cActsWide(dst, t0, t1, 0, dst.K), grain, floats(x, t0*dst.K), floats(w, 0), C.float(eps))
		},
		swiGLUQuantize: func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
			C.wide_swiglu_avx2(cActsWide(dst, t0, t1, k0, k1), grain, C.int64_t(dst.K/GroupSize), floats(gate, t0*ldx), floats(up, t0*ldx), C.int64_t(ldx))
		},
		matMul: matMul,
	}
}

func peakReadAVX2(b []byte) int { return int(C.peak_read_avx2(bytesOf(b), C.int64_t(len(b)))) }

// avxvnniOps is avx2Ops with the matrix products of AVX-VNNI, for processors that have no
// AVX-512.
var avxvnniOps = func() *ops {
	o := *avx2Ops
	o.name, o.medium = "avxvnni", nil
	o.coarse = wideAVX2(Coarse, func(a MatMulArgs) { C.coarse_matmul_avxvnni(cMatMul(&a)) })
	o.coarse.attnBlock = func(a AttnArgs) { C.attn_coarse_avxvnni(cAttn(&a)) }
	o.matMul = func(a MatMulArgs) { C.matmul_avxvnni(cMatMul(&a)) }
	o.peakDot = func(rounds int64) int { return int(C.peak_dot_avxvnni(C.int64_t(rounds))) }
	return &o
}()
