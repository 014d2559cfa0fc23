//go:build cgo && amd64

package kernels

// #cgo noescape matmul_avx512
// #cgo nocallback matmul_avx512
// #cgo noescape quantize_avx512
// #cgo nocallback quantize_avx512
// #cgo noescape rmsnorm_avx512
// #cgo nocallback rmsnorm_avx512
// #cgo noescape rmsnorm_quantize_avx512
// #cgo nocallback rmsnorm_quantize_avx512
// #cgo noescape swiglu_quantize_avx512
// #cgo nocallback swiglu_quantize_avx512
// #cgo noescape exp_avx512
// #cgo nocallback exp_avx512
// #cgo noescape rope_avx512
// #cgo nocallback rope_avx512
// #cgo noescape store_kv_avx512
// #cgo nocallback store_kv_avx512
// #cgo noescape attn_block_avx512
// #cgo nocallback attn_block_avx512
// #cgo noescape attn_merge_avx512
// #cgo nocallback attn_merge_avx512
// #cgo noescape coarse_matmul_avx512
// #cgo nocallback coarse_matmul_avx512
// #cgo noescape coarse_quantize_avx512
// #cgo nocallback coarse_quantize_avx512
// #cgo noescape coarse_rmsnorm_avx512
// #cgo nocallback coarse_rmsnorm_avx512
// #cgo noescape coarse_swiglu_avx512
// #cgo nocallback coarse_swiglu_avx512
// #cgo noescape peak_dot_avx512
// #cgo nocallback peak_dot_avx512
// #cgo noescape peak_fma_avx512
// #cgo nocallback peak_fma_avx512
// #cgo noescape peak_read_avx512
// #cgo nocallback peak_read_avx512
// #include "kernels.h"
import "C"

// avx512Ops runs the AVX-512 kernels.
var avx512Ops = &ops{
	name: "avx512vnni",
	quantizeActs: func(dst *Acts, x []float32, t0, t1 int) {
		C.quantize_avx512(cActs(dst, t0, t1), floats(x, t0*dst.K))
	},
	rmsNorm: func(dst, x, w []float32, eps float32) {
		C.rmsnorm_avx512(floats(dst, 0), floats(x, 0), floats(w, 0), C.int64_t(len(x)), C.float(eps))
	},
	rmsNormQuantize: func(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
		C.rmsnorm_quantize_avx512(cActs(dst, t0, t1), floats(x, t0*dst.K), floats(w, 0), C.float(eps))
	},
	swiGLUQuantize: func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
		C.swiglu_quantize_avx512(cActsPart(dst, t0, t1, k0, k1), C.int64_t(dst.K/GroupSize), floats(gate, t0*ldx), floats(up, t0*ldx), C.int64_t(ldx))
	},
	matMul: func(a MatMulArgs) { C.matmul_avx512(cMatMul(&a)) },
	rope:   func(a ropeArgs) { C.rope_avx512(cRope(&a)) },
	storeKV: func(page KVPage, slot int, k, v []float32) {
		C.store_kv_avx512(halves(page.K, slot), halves(page.V, slot*len(v)), floats(k, 0), floats(v, 0), C.int64_t(len(k)))
	},
	attnBlock: func(a AttnArgs) { C.attn_block_avx512(cAttn(&a)) },
	attnMerge: func(a MergeArgs) { C.attn_merge_avx512(cMerge(&a)) },
	exp: func(dst, x []float32) {
		C.exp_avx512(floats(dst, 0), floats(x, 0), C.int64_t(len(x)))
	},
	coarse: &grainOps{
		quantizeActs: func(dst *Acts, x []float32, t0, t1 int) {
			C.coarse_quantize_avx512(cActs(dst, t0, t1), floats(x, t0*dst.K))
		},
		rmsNormQuantize: func(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
			C.coarse_rmsnorm_avx512(cActs(dst, t0, t1), floats(x, t0*dst.K), floats(w, 0), C.float(eps))
		},
		swiGLUQuantize: func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
			C.coarse_swiglu_avx512(cActsWide(dst, t0, t1, k0, k1), C.int64_t(dst.K/GroupSize), floats(gate, t0*ldx), floats(up, t0*ldx), C.int64_t(ldx))
		},
		matMul:    func(a MatMulArgs) { C.coarse_matmul_avx512(cMatMul(&a)) },
		attnBlock: func(a AttnArgs) { C.attn_block_avx512(cAttn(&a)) },
	},
	peakDot: func(rounds int64) int { return int(C.peak_dot_avx512(C.int64_t(rounds))) },
	peakRead: func(b []byte) int {
		if len(b)%256 != 0 {
			return peakReadAVX2(b)
		}
		return int(C.peak_read_avx512(bytesOf(b), C.int64_t(len(b))))
	},
}

// peakFMA does n rounds of 256 float multiply-adds on 512 bits.
func peakFMA(n int) float32 { return float32(C.peak_fma_avx512(C.int64_t(n))) }
