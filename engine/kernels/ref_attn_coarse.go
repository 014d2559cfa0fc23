package kernels

import "math"

// coarsePage is a page in 8 bits that is multiplied in integers.
type coarsePage struct{ *KVPage8 }

// coarse returns the page in 8 bits as it is, or the KV head of it packed.
func (p *AttnPage) coarse(a *AttnArgs) coarsePage {
	if p.Packed != nil {
		return coarsePage{p.Packed}
	}
	s := a.Shape
	q := KVPage8At(AlignedBytes(KVPage8Bytes(s.NumKVHeads, s.HeadDim)), s.NumKVHeads, s.HeadDim)
	PackKV(q, p.KVPage, a.KVHead)
	return coarsePage{&q}
}

func (page coarsePage) scores(p, q []float32, a *AttnArgs) {
	first := a.KVHead * len(q) // channel
	k := page.K[first*PageTokens:]
	var b [16]float32
	var qk [MaxHeadDim]float32
	for d, v := range q {
		qs := v * a.Shape.Scale
		b[d%16] = FMA32(qs, page.KMid[first+d], b[d%16])
		qk[d] = qs * page.KScale[first+d]
	}
	ints, scale := integers(qk[:len(q)], 127)
	mid := treeSum(b)
	for j := range p {
		var sum int32
		for d, i := range ints {
			sum += i * int32(k[d*PageTokens+j])
		}
		p[j] = FMA32(float32(sum), scale, mid)
	}
}

func (page coarsePage) weigh(o, p []float32, a *AttnArgs) {
	var w [PageTokens]float32
	for j := range p {
		w[j] = p[j] * page.VScale[a.KVHead*PageTokens+j]
	}
	ints, scale := integers(w[:], 255)
	for d := range o {
		var sum int32
		for j, i := range ints {
			sum += i * int32(page.V[(j*a.Shape.NumKVHeads+a.KVHead)*len(o)+d])
		}
		o[d] = FMA32(float32(sum), scale, o[d])
	}
}

// integers returns x as integers of at most top, and their scale. A NaN becomes 0: in a
// query, the score is NaN by its other terms; PackKV makes no scale of values NaN.
func integers(x []float32, top float32) (ints []int32, scale float32) {
	var most, inverse float32
	for _, v := range x {
		most = greater(most, abs32(v))
	}
	if most >= tinyGroup && finite(most) == most {
		inverse = top / most
	}
	ints = make([]int32, len(x))
	for i, v := range x {
		if inverse > 0 && v == v { // rounded once, by the addition of 1.5 * 2^23
			ints[i] = int32(math.Float32bits(FMA32(v, inverse, 0x1.8p23)) - dotBase)
		}
	}
	return ints, most / top
}
