//go:build cgo && amd64

package kernels

// #cgo CFLAGS: -O3 -std=c11 -Wall -Wextra -Werror
// #cgo noescape matmul_avx512
// #cgo nocallback matmul_avx512
// #include "kernels.h"
import "C"

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// nativePaths returns the C paths that this CPU can run, the best first.
func nativePaths() []*ops {
	var found []*ops
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512VNNI && x.HasFMA && x.HasF16C {
		p := *refOps
		p.name = "avx512vnni"
		p.matMul = func(a *MatMulArgs) { C.matmul_avx512(cMatMul(a)) }
		found = append(found, &p)
	}
	return found
}

// cMatMul gives the operands as C sees them: all pointers at the first token and row.
func cMatMul(a *MatMulArgs) C.struct_matmul_args {
	w, x, groups := a.W, a.X, a.X.K/GroupSize
	c := C.struct_matmul_args{
		w:           (*C.uint8_t)(at(w.data, a.R0/RowTile*w.tileBytes)),
		tile_bytes:  C.int64_t(w.tileBytes),
		quant_bytes: C.int64_t(w.quantBytes),
		k:           C.int64_t(x.K),
		q:           (*C.int8_t)(at(x.Q, a.T0*x.K)),
		scale:       (*C.float)(at(x.Scale, a.T0*groups)),
		scale_sum:   (*C.float)(at(x.ScaleSum, a.T0*groups)),
		bias16:      (*C.int32_t)(at(x.Bias16, 2*a.T0*groups)),
		bias32:      (*C.int32_t)(at(x.Bias32, a.T0*groups)),
		y:           (*C.float)(at(a.Y, a.T0*a.LdY+a.R0)),
		ldy:         C.int64_t(a.LdY),
		tokens:      C.int64_t(a.T1 - a.T0),
		rows:        C.int64_t(a.R1 - a.R0),
		codec:       C.int32_t(w.Codec),
		scaling:     C.int32_t(w.Scaling),
		offset:      C.int32_t(w.Offset),
	}
	if a.Bias != nil {
		c.bias = (*C.float)(at(a.Bias, a.R0))
	}
	if a.Add {
		c.add = 1
	}
	return c
}

// at is the address of s[i].
func at[T any](s []T, i int) unsafe.Pointer { return unsafe.Pointer(&s[i]) }
