package quant

import (
	"encoding/binary"
	"fmt"
	"math"
)

// CanQuantize reports whether Quantize can write the type.
func CanQuantize(t Type) bool { return encoders[t] != nil }

// Quantize encodes src as type t with the simple rounding of GGUF's reference
// encoders (no search for the best scale). It panics if t has no encoder or if
// len(src) is not a multiple of the block length. The values must be finite.
func Quantize(t Type, src []float32) []byte {
	encode, n := encoders[t], t.BlockLen()
	if encode == nil || len(src)%n != 0 {
		panic(fmt.Sprintf("quant: cannot encode %d elements as %v", len(src), t))
	}
	dst := make([]byte, t.RowBytes(len(src)))
	for b := dst; len(src) > 0; src, b = src[n:], b[t.BlockBytes():] {
		encode(b, src[:n])
	}
	return dst
}

var encoders = map[Type]func(dst []byte, src []float32){
	F32:  func(dst []byte, src []float32) { binary.LittleEndian.PutUint32(dst, math.Float32bits(src[0])) },
	F16:  func(dst []byte, src []float32) { putF16(dst, src[0]) },
	Q4_0: encodeQ4x0,
	Q4_1: encodeQ4x1,
	Q5_0: encodeQ5x0,
	Q5_1: encodeQ5x1,
	Q8_0: encodeQ8x0,
	Q4_K: encodeQ4K,
	Q6_K: encodeQ6K,
}

func putF16(b []byte, f float32) { binary.LittleEndian.PutUint16(b, F32ToF16(f)) }

// extremes returns the value of the largest magnitude (the first such), the
// minimum and the maximum.
func extremes(x []float32) (peak, lo, hi float32) {
	lo, hi = x[0], x[0]
	for _, v := range x {
		if abs(v) > abs(peak) {
			peak = v
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return peak, lo, hi
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func inverse(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

// level rounds x half up to an integer and clamps it to [0, top].
func level(x float32, top int) uint8 {
	return uint8(min(max(math.Floor(float64(x)+0.5), 0), float64(top)))
}

// encodeQ4x0 maps the value of the largest magnitude to level 0, that is -8 steps.
func encodeQ4x0(dst []byte, src []float32) {
	peak, _, _ := extremes(src)
	d := peak / -8
	putF16(dst, d)
	id := inverse(d)
	for i := range 16 {
		dst[2+i] = level(float32(src[i]*id)+8, 15) | level(float32(src[i+16]*id)+8, 15)<<4
	}
}

func encodeQ4x1(dst []byte, src []float32) {
	_, lo, hi := extremes(src)
	d := (hi - lo) / 15
	putF16(dst, d)
	putF16(dst[2:], lo)
	id := inverse(d)
	for i := range 16 {
		dst[4+i] = level((src[i]-lo)*id, 15) | level((src[i+16]-lo)*id, 15)<<4
	}
}

// putFive writes the high bits and nibbles of 32 five-bit levels.
func putFive(high, nibbles []byte, q *[32]uint8) {
	var h uint32
	for i, v := range q {
		h |= uint32(v>>4) << i
	}
	binary.LittleEndian.PutUint32(high, h)
	for i := range 16 {
		nibbles[i] = q[i]&15 | q[i+16]&15<<4
	}
}

func encodeQ5x0(dst []byte, src []float32) {
	peak, _, _ := extremes(src)
	d := peak / -16
	putF16(dst, d)
	id := inverse(d)
	var q [32]uint8
	for i, v := range src {
		q[i] = level(float32(v*id)+16, 31)
	}
	putFive(dst[2:6], dst[6:22], &q)
}

func encodeQ5x1(dst []byte, src []float32) {
	_, lo, hi := extremes(src)
	d := (hi - lo) / 31
	putF16(dst, d)
	putF16(dst[2:], lo)
	id := inverse(d)
	var q [32]uint8
	for i, v := range src {
		q[i] = level((v-lo)*id, 31)
	}
	putFive(dst[4:8], dst[8:24], &q)
}

func encodeQ8x0(dst []byte, src []float32) {
	peak, _, _ := extremes(src)
	d := abs(peak) / 127
	putF16(dst, d)
	id := inverse(d)
	for i, v := range src {
		dst[2+i] = byte(int8(math.Round(float64(v * id)))) // half away from zero
	}
}

// encodeQ4K takes each group's range as scale and minimum and rounds both to
// 6 bits of the block's largest; the minimum of a group above zero is 0.
func encodeQ4K(dst []byte, src []float32) {
	var scale, low [8]float32
	for g := range 8 {
		_, lo, hi := extremes(src[32*g:][:32])
		low[g] = -min(lo, 0)
		scale[g] = (max(hi, 0) + low[g]) / 15
	}
	_, _, topScale := extremes(scale[:])
	_, _, topLow := extremes(low[:])
	putF16(dst, topScale/63)
	putF16(dst[2:], topLow/63)
	d, dmin := f16At(dst), f16At(dst[2:])
	for g := range 8 {
		sc, mn := level(scale[g]*inverse(d), 63), level(low[g]*inverse(dmin), 63)
		if g < 4 {
			dst[4+g] |= sc
			dst[8+g] |= mn
		} else {
			dst[8+g] = sc&15 | mn&15<<4
			dst[g] |= sc >> 4 << 6
			dst[4+g] |= mn >> 4 << 6
		}
		id, m := inverse(d*float32(sc)), dmin*float32(mn)
		for j, v := range src[32*g:][:32] {
			dst[16+g/2*32+j] |= level((v+m)*id, 15) << (4 * (g & 1))
		}
	}
}

// encodeQ6K rounds the scale of each 16 elements to 7 bits of the block's largest.
func encodeQ6K(dst []byte, src []float32) {
	var scale [16]float32
	for g := range 16 {
		peak, _, _ := extremes(src[16*g:][:16])
		scale[g] = peak / -32
	}
	top, _, _ := extremes(scale[:])
	putF16(dst[208:], top/-128)
	d := f16At(dst[208:])
	for g := range 16 {
		sc := int8(min(max(math.Round(float64(scale[g]*inverse(d))), -128), 127))
		dst[192+g] = byte(sc)
		id := inverse(d * float32(sc))
		for j := range 16 {
			i := 16*g + j
			q := level(float32(src[i]*id)+32, 63)
			half, c, k := i>>7, i>>5&3, i&31
			dst[64*half+32*(c&1)+k] |= q & 15 << (4 * (c >> 1))
			dst[128+32*half+k] |= q >> 4 << (2 * c)
		}
	}
}
