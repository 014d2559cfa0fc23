package kernels

import (
	"math"
	"unsafe"

	"windowseat/quant"
)

// KVPage8 is a full KV page in 8 bits. A channel is one element of a key head: its
// 64 keys share a scale and an offset, because the K biases of some models (up to
// 354 in Qwen2.5, against a median of 0.7) are nearly constant over positions and
// would take all the bits of a scale per token. A value vector of one head has a
// scale of its own.
//
//	k[j] = fma(KScale, K[j], KMid)      v[i] = VScale * V[i]
type KVPage8 struct {
	K             []int8    // [numKVHeads, headDim, 64]
	V             []int8    // [64, numKVHeads, headDim]
	KScale, KMid  []float32 // [numKVHeads, headDim]
	VScale        []float32 // [numKVHeads, 64]
	heads, length int       // numKVHeads, headDim
}

// KVPage8Bytes returns the size of a page of one layer, a multiple of 64.
func KVPage8Bytes(numKVHeads, headDim int) int {
	return numKVHeads * (2*PageTokens*headDim + 8*headDim + 4*PageTokens)
}

// KVPage8At lays a page over b, KVPage8Bytes long and aligned to 64 bytes.
func KVPage8At(b []byte, numKVHeads, headDim int) KVPage8 {
	checkLen("KVPage8At", len(b), KVPage8Bytes(numKVHeads, headDim))
	n := numKVHeads * headDim
	rest := b
	part := func(size int) unsafe.Pointer {
		p := unsafe.Pointer(unsafe.SliceData(rest))
		rest = rest[size:]
		return p
	}
	return KVPage8{
		K: unsafe.Slice((*int8)(part(n*PageTokens)), n*PageTokens), V: unsafe.Slice((*int8)(part(n*PageTokens)), n*PageTokens),
		KScale: unsafe.Slice((*float32)(part(4*n)), n), KMid: unsafe.Slice((*float32)(part(4*n)), n),
		VScale: unsafe.Slice((*float32)(part(4*PageTokens*numKVHeads)), PageTokens*numKVHeads),
		heads:  numKVHeads, length: headDim,
	}
}

// KVPageAt lays the two halves of an f16 page over k and v, each
// numKVHeads*headDim*64*2 bytes and aligned to 64 bytes.
func KVPageAt(k, v []byte, numKVHeads, headDim int) KVPage {
	n := numKVHeads * headDim * PageTokens
	checkLen("KVPageAt", min(len(k), len(v)), 2*n)
	return KVPage{
		K: unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(k))), n),
		V: unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(v))), n),
	}
}

// PackKV quantizes the keys and values of one head of a full page:
//
//	KMid = (max + min) / 2    KScale = (max - min) / 2 / 127    K[j] = round((k[j] - KMid) / KScale)
//	VScale = max |v| / 127    V[i] = round(v[i] / VScale)
//
// with halves rounded to even, and all quanta 0 where the scale is. Where a value is not
// finite, all quanta are 0 too, KMid is NaN or VScale infinite: nothing that uses the page
// then looks right. It runs once per page, so it has this form only.
func PackKV(dst KVPage8, src KVPage, head int) {
	d, heads := dst.length, dst.heads
	checkLen("PackKV", min(len(src.K), len(src.V)), d*heads*PageTokens)
	var buf [MaxHeadDim]float32
	for c := head * d; c < (head+1)*d; c++ {
		k := buf[:PageTokens]
		low, high := float32(math.Inf(1)), float32(math.Inf(-1))
		for j, h := range src.K[c*PageTokens:][:PageTokens] {
			k[j] = quant.F16ToF32(h)
			low, high = min(low, k[j]), max(high, k[j])
		}
		dst.KMid[c], dst.KScale[c] = (high+low)/2, (high-low)/2/127
		if isInf(low) || isInf(high) || low != low {
			dst.KMid[c], dst.KScale[c] = float32(math.NaN()), 0
		}
		quantize8(dst.K[c*PageTokens:][:PageTokens], k, dst.KMid[c], dst.KScale[c])
	}
	for t := range PageTokens {
		v, most := buf[:d], float32(0)
		for i, h := range src.V[(t*heads+head)*d:][:d] {
			v[i] = quant.F16ToF32(h)
			most = max(most, v[i], -v[i])
		}
		scale := most / 127
		if scale != scale {
			scale = float32(math.Inf(1))
		}
		dst.VScale[head*PageTokens+t] = scale
		quantize8(dst.V[(t*heads+head)*d:][:d], v, 0, scale)
	}
}

func isInf(x float32) bool { return math.IsInf(float64(x), 0) }

func quantize8(dst []int8, x []float32, mid, scale float32) {
	inverse := 1 / scale
	if !(scale > 0) || isInf(scale) || isInf(inverse) {
		clear(dst)
		return
	}
	for i, v := range x {
		q := math.RoundToEven(float64((v - mid) * inverse))
		if math.IsNaN(q) { // the conversion of a NaN differs from CPU to CPU
			q = 0
		}
		dst[i] = int8(min(max(q, -127), 127))
	}
}
