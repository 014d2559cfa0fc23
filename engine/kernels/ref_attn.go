package kernels

import (
	"math"

	"windowseat/quant"
)

var negInf = float32(math.Inf(-1))

func refAttnBlock(a AttnArgs) {
	s := a.Shape
	g := s.NumHeads / s.NumKVHeads
	for i, row := range a.Rows {
		for j := range g {
			out := i*g + j
			st := attnState{m: negInf, o: a.O[out*s.HeadDim:][:s.HeadDim]}
			clear(st.o)
			q := a.Q[(int(row)*s.NumHeads+a.KVHead*g+j)*s.HeadDim:][:s.HeadDim]
			for n, page := range a.Pages {
				start := a.P0 + n*PageTokens
				seen := min(int(a.Pos[i])+1, a.P1) - start
				switch {
				case a.Grain == Coarse && start+PageTokens <= min(int(a.Pos[i]), a.P1):
					st.addPage(&a, page.coarse(&a), q, PageTokens)
				case seen <= 0:
				case page.Packed != nil:
					st.addPage(&a, page.Packed, q, min(seen, PageTokens))
				default:
					st.addPage(&a, &page.KVPage, q, min(seen, PageTokens))
				}
			}
			a.M[out], a.L[out] = st.m, st.l
		}
	}
}

// attnState is the online softmax of one query head.
type attnState struct {
	m, l float32
	o    []float32 // [headDim]
}

// refPage is a page in one of the forms that the reference multiplies.
type refPage interface {
	// scores sets p[j] to the score of position j.
	scores(p, q []float32, a *AttnArgs)
	weigh(o, p []float32, a *AttnArgs)
}

// addPage adds the first n positions of a page.
func (st *attnState) addPage(a *AttnArgs, page refPage, q []float32, n int) {
	var p [PageTokens]float32
	page.scores(p[:n], q, a)
	var top [16]float32
	for i := range top {
		top[i] = negInf
	}
	for j, s := range p[:n] {
		top[j%16] = greater(top[j%16], s)
	}
	m := greater(st.m, treeMax(top))
	var sum [16]float32
	for j := range n {
		p[j] = Exp32(p[j] - m)
		sum[j%16] += p[j]
	}
	c := Exp32(st.m - m)
	st.m, st.l = m, FMA32(st.l, c, treeSum(sum))
	for d := range st.o {
		st.o[d] *= c
	}
	page.weigh(st.o, p[:n], a)
}

func (page *KVPage) scores(p, q []float32, a *AttnArgs) {
	k := page.K[a.KVHead*len(q)*PageTokens:]
	for j := range p {
		for d, v := range q {
			p[j] = FMA32(float32(v*a.Shape.Scale), quant.F16ToF32(k[d*PageTokens+j]), p[j])
		}
	}
}

func (page *KVPage) weigh(o, p []float32, a *AttnArgs) {
	for j, w := range p {
		v := page.V[(j*a.Shape.NumKVHeads+a.KVHead)*len(o):]
		for d := range o {
			o[d] = FMA32(w, quant.F16ToF32(v[d]), o[d])
		}
	}
}

func (page *KVPage8) scores(p, q []float32, a *AttnArgs) {
	first := a.KVHead * len(q) // channel
	k := page.K[first*PageTokens:]
	var b [16]float32
	for d, v := range q {
		qs := v * a.Shape.Scale
		b[d%16] = FMA32(qs, page.KMid[first+d], b[d%16])
		qk := qs * page.KScale[first+d]
		for j := range p {
			p[j] = FMA32(qk, float32(k[d*PageTokens+j]), p[j])
		}
	}
	mid := treeSum(b)
	for j := range p {
		p[j] += mid
	}
}

func (page *KVPage8) weigh(o, p []float32, a *AttnArgs) {
	for j, w := range p {
		w *= page.VScale[a.KVHead*PageTokens+j]
		v := page.V[(j*a.Shape.NumKVHeads+a.KVHead)*len(o):]
		for d := range o {
			o[d] = FMA32(w, float32(v[d]), o[d])
		}
	}
}

func refAttnMerge(a MergeArgs) {
	s := a.Shape
	g, nQ := s.NumHeads/s.NumKVHeads, len(a.Rows)
	for i, row := range a.Rows {
		for j := range g {
			m := negInf
			for b := range a.NBlocks {
				m = greater(m, a.M[(b*nQ+i)*g+j])
			}
			var l float32
			out := a.Out[(int(row)*s.NumHeads+a.KVHead*g+j)*s.HeadDim:][:s.HeadDim]
			clear(out)
			for b := range a.NBlocks {
				at := (b*nQ+i)*g + j
				e := Exp32(a.M[at] - m)
				l = FMA32(a.L[at], e, l)
				for d := range out {
					out[d] = FMA32(a.O[at*s.HeadDim+d], e, out[d])
				}
			}
			for d := range out {
				out[d] /= l
			}
		}
	}
}
