package quant

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Dequantize decodes len(dst) elements of type t from src into dst. It panics
// if the type is not supported, if len(dst) is not a multiple of the block
// length, or if src is shorter than t.RowBytes(len(dst)): readers of files
// check all three first.
//
// Products and sums are float32 operations in the order written in the layout
// comments below, never fused.
func Dequantize(dst []float32, t Type, src []byte) {
	n, size := t.BlockLen(), t.BlockBytes()
	if n == 0 || len(dst)%n != 0 || int64(len(src)) < t.RowBytes(len(dst)) {
		panic(fmt.Sprintf("quant: cannot decode %d elements of %v from %d bytes", len(dst), t, len(src)))
	}
	decode := decoders[t]
	for ; len(dst) > 0; dst, src = dst[n:], src[size:] {
		decode(dst[:n], src[:size])
	}
}

// decoders holds one block decoder per type: dst has the block's elements, src its bytes.
var decoders = map[Type]func(dst []float32, src []byte){
	F32:  decodeF32,
	F16:  decodeF16,
	Q4_0: decodeQ4x0,
	Q4_1: decodeQ4x1,
	Q5_0: decodeQ5x0,
	Q5_1: decodeQ5x1,
	Q8_0: decodeQ8x0,
	Q4_K: decodeQ4K,
	Q5_K: decodeQ5K,
	Q6_K: decodeQ6K,
}

func f16At(b []byte) float32 { return F16ToF32(binary.LittleEndian.Uint16(b)) }

func decodeF32(dst []float32, src []byte) {
	dst[0] = math.Float32frombits(binary.LittleEndian.Uint32(src))
}

func decodeF16(dst []float32, src []byte) { dst[0] = f16At(src) }

// decodeQ4x0: d f16, 16 bytes of nibbles. Byte i holds element i (low) and
// element i+16 (high). w = d * (q-8).
func decodeQ4x0(dst []float32, src []byte) {
	d := f16At(src)
	for i, b := range src[2:18] {
		dst[i] = d * float32(int(b&15)-8)
		dst[i+16] = d * float32(int(b>>4)-8)
	}
}

// decodeQ4x1: d f16, m f16, nibbles as Q4_0. w = d*q + m.
func decodeQ4x1(dst []float32, src []byte) {
	d, m := f16At(src), f16At(src[2:])
	for i, b := range src[4:20] {
		dst[i] = float32(d*float32(b&15)) + m
		dst[i+16] = float32(d*float32(b>>4)) + m
	}
}

// decodeQ5x0: d f16, 32 high bits (bit i of a little-endian uint32 belongs to
// element i), nibbles as Q4_0. w = d * (q-16).
func decodeQ5x0(dst []float32, src []byte) {
	d, high := f16At(src), binary.LittleEndian.Uint32(src[2:])
	for i, b := range src[6:22] {
		dst[i] = d * float32(int(b&15)+int(high>>i&1)<<4-16)
		dst[i+16] = d * float32(int(b>>4)+int(high>>(i+16)&1)<<4-16)
	}
}

// decodeQ5x1: d f16, m f16, high bits and nibbles as Q5_0. w = d*q + m.
func decodeQ5x1(dst []float32, src []byte) {
	d, m, high := f16At(src), f16At(src[2:]), binary.LittleEndian.Uint32(src[4:])
	for i, b := range src[8:24] {
		dst[i] = float32(d*float32(int(b&15)+int(high>>i&1)<<4)) + m
		dst[i+16] = float32(d*float32(int(b>>4)+int(high>>(i+16)&1)<<4)) + m
	}
}

// decodeQ8x0: d f16, 32 int8. w = d * q.
func decodeQ8x0(dst []float32, src []byte) {
	d := f16At(src)
	for i, b := range src[2:34] {
		dst[i] = d * float32(int8(b))
	}
}

// KScales unpacks the 12 bytes of Q4_K and Q5_K that hold eight 6-bit scales
// and eight 6-bit minimums, one pair per 32 elements: bytes 0..3 and 4..7 hold
// scale and minimum of groups 0..3 in their low 6 bits; bytes 8..11 hold the low
// 4 bits of scale (low nibble) and minimum (high nibble) of groups 4..7, whose
// upper 2 bits are the upper 2 bits of bytes 0..3 and 4..7.
func KScales(b []byte) (scales, mins [8]uint8) {
	for g := range 4 {
		scales[g], mins[g] = b[g]&63, b[g+4]&63
		scales[g+4] = b[g+8]&15 | b[g]>>6<<4
		mins[g+4] = b[g+8]>>4 | b[g+4]>>6<<4
	}
	return scales, mins
}

// decodeQ4K: d f16, dmin f16, 12 bytes of sub-scales (KScales), 128 bytes of
// nibbles. Byte 32*i+j holds element 64*i+j (low) and 64*i+32+j (high).
// w = (d*scale)*q - dmin*min.
func decodeQ4K(dst []float32, src []byte) {
	d, dmin := f16At(src), f16At(src[2:])
	scales, mins := KScales(src[4:16])
	for g := range 8 {
		dw, mw := d*float32(scales[g]), dmin*float32(mins[g])
		for j, b := range src[16+g/2*32:][:32] {
			q := b >> (4 * (g & 1)) & 15
			dst[32*g+j] = float32(dw*float32(q)) - mw
		}
	}
}

// decodeQ5K: as Q4_K with 32 bytes of high bits between sub-scales and nibbles:
// bit g of byte j belongs to element 32*g+j.
func decodeQ5K(dst []float32, src []byte) {
	d, dmin := f16At(src), f16At(src[2:])
	scales, mins := KScales(src[4:16])
	for g := range 8 {
		dw, mw := d*float32(scales[g]), dmin*float32(mins[g])
		for j, b := range src[48+g/2*32:][:32] {
			q := b>>(4*(g&1))&15 | src[16+j]>>g&1<<4
			dst[32*g+j] = float32(dw*float32(q)) - mw
		}
	}
}

// decodeQ6K: 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 int8
// scales (one per 16 elements), d f16. In each half of 128 elements, element
// 32*c+j (c 0..3) has its low bits in byte 32*(c&1)+j of the half's 64 (low
// nibble for c < 2, else high), and its high bits in pair c of byte j of the
// half's 32. w = (d*scale) * (q-32).
func decodeQ6K(dst []float32, src []byte) {
	d := f16At(src[208:])
	for i := range 256 {
		dw := d * float32(int8(src[192+i/16]))
		dst[i] = dw * float32(int(Q6At(src, i))-32)
	}
}

// Q6At returns the 6-bit value (0..63) of element i of a Q6_K block.
func Q6At(block []byte, i int) uint8 {
	half, c, j := i>>7, i>>5&3, i&31
	low := block[64*half+32*(c&1)+j] >> (4 * (c >> 1)) & 15
	return low | block[128+32*half+j]>>(2*c)&3<<4
}
