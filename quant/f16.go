package quant

import "math"

// F16ToF32 decodes an IEEE binary16 value. Every binary16 value is exact in
// binary32; a NaN keeps its payload and becomes quiet, as the CPU instructions do.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	mant := uint32(h & 0x3ff)
	switch {
	case exp == 0x1f && mant != 0:
		return math.Float32frombits(sign | 0x7fc00000 | mant<<13)
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000)
	case exp == 0: // zero or subnormal: mant * 2^-24, exact
		f := float32(mant) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | mant<<13)
}

// F32ToF16 rounds to the nearest binary16 value, ties to even. Values beyond
// 65504 by half a step or more become infinite, and a NaN stays a (quiet) NaN.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00 | uint16(b>>13)&0x3ff
	case b >= 0x477ff000: // 65520, halfway between 65504 and 65536: rounds to infinity
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal, a multiple of 2^-24
		// Adding 0.5 puts 2^-24 at the last mantissa bit, so the addition rounds.
		f = math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-0x3f000000)
	}
	b += 0xfff + (b>>13)&1 // round half to even at bit 13
	return sign | uint16((b-(127-15)<<23)>>13)
}
