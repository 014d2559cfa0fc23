//go:build cgo && arm64

package kernels

// #cgo noescape matmul_neon
// #cgo nocallback matmul_neon
// #cgo noescape matmul_neondot
// #cgo nocallback matmul_neondot
// #cgo noescape matmul_neoni8mm
// #cgo nocallback matmul_neoni8mm
// #cgo noescape peak_dot_neoni8mm
// #cgo nocallback peak_dot_neoni8mm
// #cgo noescape quantize_neon
// #cgo nocallback quantize_neon
// #cgo noescape rmsnorm_neon
// #cgo nocallback rmsnorm_neon
// #cgo noescape rmsnorm_quantize_neon
// #cgo nocallback rmsnorm_quantize_neon
// #cgo noescape swiglu_quantize_neon
// #cgo nocallback swiglu_quantize_neon
// #cgo noescape exp_neon
// #cgo nocallback exp_neon
// #cgo noescape rope_neon
// #cgo nocallback rope_neon
// #cgo noescape store_kv_neon
// #cgo nocallback store_kv_neon
// #cgo noescape attn_block_neon
// #cgo nocallback attn_block_neon
// #cgo noescape attn_merge_neon
// #cgo nocallback attn_merge_neon
// #cgo noescape peak_dot_neon
// #cgo nocallback peak_dot_neon
// #cgo noescape peak_dot_neondot
// #cgo nocallback peak_dot_neondot
// #cgo noescape peak_read_neon
// #cgo nocallback peak_read_neon
// #include "kernels.h"
import "C"

// neonOps runs the NEON kernels, which need nothing beyond ARMv8.0.
var neonOps = &ops{
	name: "neon",
	quantizeActs: func(dst *Acts, x []float32, t0, t1 int) {
		C.quantize_neon(cActs(dst, t0, t1), floats(x, t0*dst.K))
	},
	rmsNorm: func(dst, x, w []float32, eps float32) {
		C.rmsnorm_neon(floats(dst, 0), floats(x, 0), floats(w, 0), C.int64_t(len(x)), C.float(eps))
	},
	rmsNormQuantize: func(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
		C.rmsnorm_quantize_neon(cActs(dst, t0, t1), floats(x, t0*dst.K), floats(w, 0), C.float(eps))
	},
	swiGLUQuantize: func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
		C.swiglu_quantize_neon(cActsPart(dst, t0, t1, k0, k1), C.int64_t(dst.K/GroupSize), floats(gate, t0*ldx), floats(up, t0*ldx), C.int64_t(ldx))
	},
	matMul: func(a MatMulArgs) { C.matmul_neon(cMatMul(&a)) },
	rope:   func(a ropeArgs) { C.rope_neon(cRope(&a)) },
	storeKV: func(page KVPage, slot int, k, v []float32) {
		C.store_kv_neon(halves(page.K, slot), halves(page.V, slot*len(v)), floats(k, 0), floats(v, 0), C.int64_t(len(k)))
	},
	attnBlock: func(a AttnArgs) { C.attn_block_neon(cAttn(&a)) },
	attnMerge: func(a MergeArgs) { C.attn_merge_neon(cMerge(&a)) },
	exp: func(dst, x []float32) {
		C.exp_neon(floats(dst, 0), floats(x, 0), C.int64_t(len(x)))
	},
	peakDot:  func(rounds int64) int { return int(C.peak_dot_neon(C.int64_t(rounds))) },
	peakRead: func(b []byte) int { return int(C.peak_read_neon(bytesOf(b), C.int64_t(len(b)))) },
}

// neondotOps is neonOps with the matrix products of the dot-product extension.
var neondotOps = func() *ops {
	o := *neonOps
	o.name = "neondot"
	o.matMul = func(a MatMulArgs) { C.matmul_neondot(cMatMul(&a)) }
	o.peakDot = func(rounds int64) int { return int(C.peak_dot_neondot(C.int64_t(rounds))) }
	return &o
}()

// neoni8mmOps is neonOps with the matrix products of the matrix-multiply extension.
var neoni8mmOps = func() *ops {
	o := *neonOps
	o.name = "neoni8mm"
	o.matMul = func(a MatMulArgs) { C.matmul_neoni8mm(cMatMul(&a)) }
	o.peakDot = func(rounds int64) int { return int(C.peak_dot_neoni8mm(C.int64_t(rounds))) }
	return &o
}()
