//go:build cgo && (amd64 || arm64)

package kernels

// #cgo CFLAGS: -O3 -std=c11 -Wall -Wextra -Werror
// #include "kernels.h"
import "C"

import "unsafe"

// The functions here give the operands as C sees them: pointers to the first
// element to use. The structs go to C by value, so C can keep nothing and no Go
// memory that holds pointers is passed.

// at is the address of s[i].
func at[T any](s []T, i int) unsafe.Pointer { return unsafe.Pointer(&s[i]) }

func floats(s []float32, i int) *C.float { return (*C.float)(at(s, i)) }

func ints(s []int32, i int) *C.int32_t { return (*C.int32_t)(at(s, i)) }

func halves(s []uint16, i int) *C.uint16_t { return (*C.uint16_t)(at(s, i)) }

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(at(b, 0)) }

func cBool(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

func cMatMul(a *MatMulArgs) C.struct_matmul_args {
	w, x, groups := a.W, a.X, a.X.K/GroupSize
	c := C.struct_matmul_args{
		w:           (*C.uint8_t)(at(w.data, a.R0/RowTile*w.tileBytes)),
		tile_bytes:  C.int64_t(w.tileBytes),
		quant_bytes: C.int64_t(w.quantBytes),
		k:           C.int64_t(x.K),
		q:           (*C.int8_t)(at(x.Q, a.T0*x.K)),
		scale:       floats(x.Scale, a.T0*groups),
		scale_sum:   floats(x.ScaleSum, a.T0*groups),
		start16:     ints(x.Start16, 2*a.T0*groups),
		start32:     ints(x.Start32, a.T0*groups),
		y:           floats(a.Y, a.T0*a.LdY+a.R0-a.Y0),
		ldy:         C.int64_t(a.LdY),
		tokens:      C.int64_t(a.T1 - a.T0),
		rows:        C.int64_t(a.R1 - a.R0),
		codec:       C.int32_t(w.Codec),
		scaling:     C.int32_t(w.Scaling),
		offset:      C.int32_t(w.Offset),
		add:         cBool(a.Add),
	}
	if a.Bias != nil {
		c.bias = floats(a.Bias, a.R0)
	}
	return c
}

func cActs(a *Acts, t0, t1 int) C.struct_acts {
	groups := a.K / GroupSize
	return C.struct_acts{
		q:         (*C.int8_t)(at(a.Q, t0*a.K)),
		scale:     floats(a.Scale, t0*groups),
		scale_sum: floats(a.ScaleSum, t0*groups),
		sum:       ints(a.Sum, 2*t0*groups),
		start16:   ints(a.Start16, 2*t0*groups),
		start32:   ints(a.Start32, t0*groups),
		k:         C.int64_t(a.K),
		rows:      C.int64_t(t1 - t0),
	}
}

// cActsPart is columns [k0, k1) of rows [t0, t1); they lie as far apart as whole rows.
func cActsPart(a *Acts, t0, t1, k0, k1 int) C.struct_acts {
	g := (t0*a.K + k0) / GroupSize
	return C.struct_acts{
		q:         (*C.int8_t)(at(a.Q, t0*a.K+k0)),
		scale:     floats(a.Scale, g),
		scale_sum: floats(a.ScaleSum, g),
		sum:       ints(a.Sum, 2*g),
		start16:   ints(a.Start16, 2*g),
		start32:   ints(a.Start32, g),
		k:         C.int64_t(k1 - k0),
		rows:      C.int64_t(t1 - t0),
	}
}

// cActsWide is cActsPart in a grain with groups of 128: k0 lies on one of them.
func cActsWide(a *Acts, t0, t1, k0, k1 int) C.struct_acts {
	c, at := cActsPart(a, t0, t1, k0, k1), t0*a.K/GroupSize+k0/CoarseGroup
	c.scale, c.start32 = floats(a.Scale, at), ints(a.Start32, at)
	return c
}

func cAttn(a *AttnArgs) C.struct_attn_args {
	s := a.Shape
	g := s.NumHeads / s.NumKVHeads
	c := C.struct_attn_args{
		v_stride:  C.int64_t(s.NumKVHeads * s.HeadDim),
		p0:        C.int64_t(a.P0),
		p1:        C.int64_t(a.P1),
		n_queries: C.int64_t(len(a.Rows)),
		group:     C.int64_t(g),
		head_dim:  C.int64_t(s.HeadDim),
		q:         floats(a.Q, a.KVHead*g*s.HeadDim),
		q_stride:  C.int64_t(s.NumHeads * s.HeadDim),
		rows:      ints(a.Rows, 0),
		pos:       ints(a.Pos, 0),
		o:         floats(a.O, 0),
		m:         floats(a.M, 0),
		l:         floats(a.L, 0),
		scale:     C.float(s.Scale),
		coarse:    cBool(a.Grain == Coarse),
	}
	for i := range (a.P1 - a.P0 + PageTokens - 1) / PageTokens {
		c.page[i] = cAttnPage(&a.Pages[i], a.KVHead, s.HeadDim)
	}
	return c
}

func cAttnPage(p *AttnPage, head, dim int) C.struct_attn_page {
	k, v := head*dim*PageTokens, head*dim
	if p.Packed == nil {
		return C.struct_attn_page{k: at(p.K, k), v: at(p.V, v)}
	}
	q := p.Packed
	return C.struct_attn_page{
		k: at(q.K, k), v: at(q.V, v),
		k_scale: floats(q.KScale, head*dim), k_mid: floats(q.KMid, head*dim), v_scale: floats(q.VScale, head*PageTokens),
	}
}

func cMerge(a *MergeArgs) C.struct_merge_args {
	s := a.Shape
	g := s.NumHeads / s.NumKVHeads
	return C.struct_merge_args{
		o:          floats(a.O, 0),
		m:          floats(a.M, 0),
		l:          floats(a.L, 0),
		rows:       ints(a.Rows, 0),
		out:        floats(a.Out, a.KVHead*g*s.HeadDim),
		out_stride: C.int64_t(s.NumHeads * s.HeadDim),
		n_blocks:   C.int64_t(a.NBlocks),
		n_queries:  C.int64_t(len(a.Rows)),
		group:      C.int64_t(g),
		head_dim:   C.int64_t(s.HeadDim),
	}
}

func cRope(a *ropeArgs) C.struct_rope_args {
	return C.struct_rope_args{
		x:           floats(a.x, 0),
		n_heads:     C.int64_t(a.nHeads),
		head_dim:    C.int64_t(a.headDim),
		rot_half:    C.int64_t(a.rotHalf),
		cos:         floats(a.cos, 0),
		sin:         floats(a.sin, 0),
		interleaved: cBool(a.interleaved),
	}
}
