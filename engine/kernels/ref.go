package kernels

import (
	"math"

	"windowseat/quant"
)

// refOps is the reference path: plain Go, any platform. It defines the results;
// it is written for reading, not for speed.
var refOps = &ops{
	name:            "ref",
	quantizeActs:    refQuantizeActs,
	rmsNorm:         refRMSNorm,
	rmsNormQuantize: refRMSNormQuantize,
	swiGLUQuantize:  refSwiGLUQuantize,
	matMul:          refMatMul,
	rope:            refRoPE,
	storeKV:         refStoreKV,
	attnBlock:       refAttnBlock,
	attnMerge:       refAttnMerge,
	exp:             refExp,
	peakDot:         refPeakDot,
	peakRead:        refPeakRead,
}

// FMA32 returns a*b+c rounded once to float32, as the CPU instructions do.
//
// The product is exact in float64. The sum may not be: then it is rounded to odd
// (of the two float64 around the exact sum, the one whose last bit is set), which
// keeps what the final rounding to float32 needs to know. Rounding twice to
// nearest instead, as float32(math.FMA(...)) does, can be off by one bit.
func FMA32(a, b, c float32) float32 {
	p, z := float64(float64(a)*float64(b)), float64(c)
	s := p + z
	// TwoSum (Knuth): err is what s lacks, exactly.
	pp := s - z
	err := (p - pp) + (z - (s - pp))
	if err == 0 || err != err || math.IsInf(s, 0) { // exact, or Inf or NaN
		return float32(s)
	}
	bits := math.Float64bits(s)
	if bits&1 == 0 {
		if (err > 0) == (s > 0) {
			bits++ // away from zero
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

// The polynomial of Exp32, fitted here to the least relative error (3.1e-9 before
// rounding) on |r| <= ln(2)/2: exp(r) ~ 1 + r + r^2 (e2 + e3 r + ... + e6 r^4).
const (
	expLow  = -87.0 // below, exp is 0; exp(-87) is still a normal number
	expHigh = 88.0  // above, exp(88) is returned, which is finite
	log2e   = 1.44269504
	ln2High = 0x1.62e4p-1 // 15 bits, so that n*ln2High is exact
	ln2Low  = 1.428606765330187e-06

	e2 = 0x1.fffffcp-2
	e3 = 0x1.555492p-3
	e4 = 0x1.5558f4p-5
	e5 = 0x1.123a2p-7
	e6 = 0x1.6a23c6p-10
)

// Exp32 returns e**x, within 2 ulp for x in [-87, 88]. It is 0 below and for NaN,
// and stays at exp(88), about 1.65e38, above. Exp32(0) is exactly 1.
//
//	n = round to nearest even(x * log2e)
//	r = fma(n, -ln2High, x); r = fma(n, -ln2Low, r)
//	p = e6; p = fma(p, r, e5); ... e4, e3, e2; p = fma(p, r, 1); p = fma(p, r, 1)
//	exp = p * 2^n
func Exp32(x float32) float32 {
	if !(x >= expLow) {
		return 0
	}
	x = min(x, expHigh)
	n := float32(math.RoundToEven(float64(float32(x * log2e))))
	r := FMA32(n, -ln2High, x)
	r = FMA32(n, -ln2Low, r)
	p := float32(e6)
	for _, c := range [...]float32{e5, e4, e3, e2, 1, 1} {
		p = FMA32(p, r, c)
	}
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func refExp(dst, x []float32) {
	for i, v := range x {
		dst[i] = Exp32(v)
	}
}

// treeSum adds sixteen accumulators in the one order that all paths use.
func treeSum(a [16]float32) float32 {
	for step := 8; step > 0; step /= 2 {
		for i := range step {
			a[i] += a[i+step]
		}
	}
	return a[0]
}

// greater is max as the CPU instructions define it: b only if b > a, so a if
// either is NaN.
func greater(a, b float32) float32 {
	if b > a {
		return b
	}
	return a
}

// treeMax is the largest of sixteen values, in the order of treeSum.
func treeMax(a [16]float32) float32 {
	for step := 8; step > 0; step /= 2 {
		for i := range step {
			a[i] = greater(a[i], a[i+step])
		}
	}
	return a[0]
}

// finite maps NaN to 0 and infinities to the largest finite values.
func finite(x float32) float32 {
	if x != x {
		return 0
	}
	return min(max(x, -maxFinite), maxFinite)
}

func refQuantizeActs(dst *Acts, x []float32, t0, t1 int) {
	for t := t0; t < t1; t++ {
		quantizeRow(dst, x[t*dst.K:][:dst.K], t, 0)
	}
}

// quantizeRow quantizes x into row t of dst from column k0.
func quantizeRow(dst *Acts, x []float32, t, k0 int) {
	for g := range len(x) / GroupSize {
		i := (t*dst.K+k0)/GroupSize + g
		q := dst.Q[i*GroupSize:][:GroupSize]
		scale, inv := actScale(x[g*GroupSize:][:GroupSize])
		var sum [2]int32
		for k, v := range x[g*GroupSize:][:GroupSize] {
			q[k] = quantizeOne(v, inv)
			sum[k/16] += int32(q[k])
		}
		dst.Scale[i], dst.ScaleSum[i] = scale, scale*float32(sum[0]+sum[1])
		dst.Sum[2*i], dst.Sum[2*i+1] = sum[0], sum[1]
		dst.Start16[2*i], dst.Start16[2*i+1] = dotBase-128*sum[0], dotBase-128*sum[1]
		dst.Start32[i] = dotBase - 128*(sum[0]+sum[1])
	}
}

// actScale returns the scale of a group of activations and what to multiply them by.
func actScale(x []float32) (scale, inverse float32) {
	var amax float32
	for _, v := range x {
		amax = max(amax, finite(v), -finite(v))
	}
	if amax >= tinyGroup {
		return amax / 127, 127 / amax
	}
	return 0, 0
}

func quantizeOne(v, inverse float32) int8 {
	return int8(math.RoundToEven(float64(float32(finite(v) * inverse))))
}

func refRMSNorm(dst, x, w []float32, eps float32) {
	var ss [16]float32
	for i, v := range x {
		ss[i%16] = FMA32(v, v, ss[i%16])
	}
	mean := treeSum(ss) / float32(len(x))
	r := 1 / sqrt32(mean+eps)
	for i, v := range x {
		dst[i] = float32(v*r) * w[i]
	}
}

// sqrt32 is correctly rounded: float64 has more than twice the bits.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func refRMSNormQuantize(dst *Acts, x, w []float32, eps float32, t0, t1 int) {
	row := make([]float32, dst.K)
	for t := t0; t < t1; t++ {
		refRMSNorm(row, x[t*dst.K:][:dst.K], w, eps)
		quantizeRow(dst, row, t, 0)
	}
}

func refSwiGLUQuantize(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int) {
	row := make([]float32, k1-k0)
	for t := t0; t < t1; t++ {
		refSwiGLU(row, gate[t*ldx:], up[t*ldx:])
		quantizeRow(dst, row, t, k0)
	}
}

func refSwiGLU(dst, gate, up []float32) {
	for i := range dst {
		dst[i] = float32(gate[i]/(1+Exp32(-gate[i]))) * up[i]
	}
}

func refRoPE(a ropeArgs) {
	first, second, step := 0, a.rotHalf, 1
	if a.interleaved {
		second, step = 1, 2
	}
	for h := range a.nHeads {
		x := a.x[h*a.headDim:][:a.headDim]
		for i := range a.rotHalf {
			p, q := &x[first+i*step], &x[second+i*step]
			u, v, c, s := *p, *q, a.cos[i], a.sin[i]
			*p = FMA32(u, c, -float32(v*s))
			*q = FMA32(u, s, float32(v*c))
		}
	}
}

func refStoreKV(page KVPage, slot int, k, v []float32) {
	for i := range k {
		page.K[i*PageTokens+slot] = quant.F32ToF16(k[i])
		page.V[slot*len(v)+i] = quant.F32ToF16(v[i])
	}
}
