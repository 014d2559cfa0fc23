package kernels

// KVPage holds keys and values of 64 consecutive positions of one layer.
type KVPage struct {
	K []uint16 // [numKVHeads, headDim, 64] f16: transposed, so that positions lie in the lanes
	V []uint16 // [64, numKVHeads, headDim] f16
}

// AttnShape is what all attention calls of a model have in common. HeadDim is a
// multiple of 16, at most MaxHeadDim; NumHeads is a multiple of NumKVHeads.
type AttnShape struct {
	NumHeads, NumKVHeads, HeadDim int
	Scale                         float32 // of the scores, usually 1/sqrt(HeadDim)
}

// MaxHeadDim is the largest head dimension that the attention ops take.
const MaxHeadDim = 256

// AttnPage is a page in one of its two forms.
type AttnPage struct {
	KVPage          // f16, not looked at if Packed is there
	Packed *KVPage8 // 8 bits, or nil
}

// AttnArgs are the operands of AttnBlock; g is NumHeads/NumKVHeads.
type AttnArgs struct {
	Shape  AttnShape
	KVHead int        // the head of K and V; serves query heads [KVHead*g, KVHead*g+g)
	P0, P1 int        // positions; P0 is a multiple of SplitTokens, P1 <= P0+SplitTokens
	Pages  []AttnPage // the pages that cover [P0, P1), in order, in either form
	Q      []float32  // [rows, NumHeads*HeadDim] rotated queries
	Rows   []int32    // [nQ] the row of Q of each query
	Pos    []int32    // [nQ] the last position that each query sees
	O      []float32  // out [nQ, g, HeadDim] sum of exp(s-m)*v, not normalized
	M      []float32  // out [nQ, g] largest score, -Inf if no position is seen
	L      []float32  // out [nQ, g] sum of exp(s-m)
	Grain  Grain      // Coarse: in 8 bits to the pages before that of a query's position; else exact
}

// AttnBlock computes the attention of nQ queries to the positions [P0, P1) that
// each of them sees, for the query heads of one KV head.
//
// It starts from m = -Inf, l = 0, o = 0 and goes page by page; a page of which a
// query sees nothing is skipped for it. Positions seen form a prefix 0..n-1 of a page:
//
//	qs[d] = q[d] * Scale
//	s[j]  = 0; s[j] = fma(qs[d], k[d][j], s[j]) for d = 0, 1, ...
//	mp[i] = -Inf; mp[i] = s[j] > mp[i] ? s[j] : mp[i] for j = i, i+16, ...
//	m'    = max(m, tree of max over mp), the second of max(a, b) only if b > a
//	c     = exp(m - m')                  p[j] = exp(s[j] - m')
//	ls[i] = 0; ls[i] = ls[i] + p[j] for j = i, i+16, ...
//	l     = fma(l, c, tree(ls))
//	o[d]  = o[d] * c; o[d] = fma(p[j], v[j][d], o[d]) for j = 0, 1, ...
//
// A NaN score counts as exp 0, since Exp32(NaN) is 0.
//
// The integers of a packed page are converted to f32 and nothing else. The scales of
// its keys are folded into the query and those of its values into the weights. Its
// offsets, which may be far larger than what differs between positions, are summed apart
// and added once, so that they cost each score one rounding of its own size:
//
//	qk[d] = qs[d] * KScale[d]
//	b[i]  = 0; b[i] = fma(qs[d], KMid[d], b[i]) for d = i, i+16, ...
//	s[j]  = 0; s[j] = fma(qk[d], K[d][j], s[j]) for d = 0, 1, ...; s[j] = s[j] + tree(b)
//	m', c, p, ls, l as above
//	o[d]  = o[d] * c; o[d] = fma(p[j] * VScale[j], V[j][d], o[d]) for j = 0, 1, ...
//
// Coarse queries multiply integers in the pages [start, start+64), start+64 <= min(pos, P1),
// for which K, V and their scales are what PackKV makes of the page, or has made. Which
// pages these are depends on the query alone. With qk, b, m', c, p, l as above:
//
//	a = max |qk|, or 0    e = 127 / a, but 0 for a < 2^-100 or infinite    Q[d] = round(qk[d] * e)
//	s[j] = fma(sum of Q[d] * K[d][j], a / 127, tree(b))
//	w[j] = p[j] * VScale[j]
//	z = max w, or 0       e = 255 / z, but 0 for z < 2^-100 or infinite    W[j] = round(w[j] * e)
//	o[d] = o[d] * c; o[d] = fma(sum of W[j] * V[j][d], z / 255, o[d])
//
// with halves rounded to even.
func AttnBlock(a *AttnArgs) {
	a.Shape.check()
	s, nQ, g := a.Shape, len(a.Rows), a.Shape.NumHeads/a.Shape.NumKVHeads
	if a.KVHead < 0 || a.KVHead >= s.NumKVHeads {
		broken("AttnBlock: KV head %d of %d", a.KVHead, s.NumKVHeads)
	}
	if a.P0 < 0 || a.P0%SplitTokens != 0 || a.P1 < a.P0 || a.P1 > a.P0+SplitTokens {
		broken("AttnBlock: positions [%d, %d)", a.P0, a.P1)
	}
	checkLen("AttnBlock Pages", len(a.Pages), (a.P1-a.P0+PageTokens-1)/PageTokens)
	for _, p := range a.Pages {
		p.check(s)
	}
	checkLen("AttnBlock Pos", len(a.Pos), nQ)
	checkLen("AttnBlock O", len(a.O), nQ*g*s.HeadDim)
	checkLen("AttnBlock M, L", min(len(a.M), len(a.L)), nQ*g)
	checkRows("AttnBlock Q", a.Rows, len(a.Q), s.NumHeads*s.HeadDim)
	switch {
	case nQ == 0:
	case a.Grain == Coarse:
		Coarse.ops().attnBlock(*a)
	default:
		active.Load().attnBlock(*a)
	}
}

// check panics unless the page holds keys and values of the shape.
func (p *AttnPage) check(s AttnShape) {
	n := s.NumKVHeads * s.HeadDim
	if q := p.Packed; q != nil {
		checkLen("AttnBlock packed page", min(len(q.K), len(q.V)), n*PageTokens)
		checkLen("AttnBlock packed scales", min(len(q.KScale), len(q.KMid), len(q.VScale)/PageTokens*s.HeadDim), n)
		return
	}
	checkLen("AttnBlock page", min(len(p.K), len(p.V)), n*PageTokens)
}

// MergeArgs are the operands of AttnMerge; g is NumHeads/NumKVHeads.
type MergeArgs struct {
	Shape   AttnShape
	KVHead  int
	NBlocks int
	O       []float32 // [NBlocks, nQ, g, HeadDim] from AttnBlock, in order of position
	M, L    []float32 // [NBlocks, nQ, g]
	Rows    []int32   // [nQ] the row of Out of each query
	Out     []float32 // [rows, NumHeads*HeadDim]; only the heads of KVHead are written
}

// AttnMerge combines the blocks of each query and query head:
//
//	m = -Inf; m = M[b] > m ? M[b] : m for each block b
//	l = 0, o = 0; for each b: e = exp(M[b] - m), l = fma(L[b], e, l), o[d] = fma(O[b][d], e, o[d])
//	out[d] = o[d] / l
//
// A query that sees no position at all gives NaN.
func AttnMerge(a *MergeArgs) {
	a.Shape.check()
	s, nQ, g := a.Shape, len(a.Rows), a.Shape.NumHeads/a.Shape.NumKVHeads
	if a.KVHead < 0 || a.KVHead >= s.NumKVHeads || a.NBlocks < 1 {
		broken("AttnMerge: KV head %d of %d, %d blocks", a.KVHead, s.NumKVHeads, a.NBlocks)
	}
	checkLen("AttnMerge O", len(a.O), a.NBlocks*nQ*g*s.HeadDim)
	checkLen("AttnMerge M, L", min(len(a.M), len(a.L)), a.NBlocks*nQ*g)
	checkRows("AttnMerge Out", a.Rows, len(a.Out), s.NumHeads*s.HeadDim)
	if nQ > 0 {
		active.Load().attnMerge(*a)
	}
}

// check panics unless the shape is one that the ops can run.
func (s AttnShape) check() {
	if s.NumKVHeads < 1 || s.NumHeads < 1 || s.NumHeads%s.NumKVHeads != 0 ||
		s.HeadDim < 16 || s.HeadDim%16 != 0 || s.HeadDim > MaxHeadDim {
		broken("attention shape %+v", s)
	}
}

func checkRows(what string, rows []int32, have, rowLen int) {
	for _, r := range rows {
		if r < 0 || (int(r)+1)*rowLen > have {
			broken("%s: row %d of %d elements in %d", what, r, rowLen, have)
		}
	}
}

// StoreKV writes one position's keys and values, k and v [numKVHeads*headDim],
// to a page at slot (position modulo 64), rounded to f16 (nearest even).
func StoreKV(page KVPage, slot int, k, v []float32) {
	if slot < 0 || slot >= PageTokens || len(k) != len(v) {
		broken("StoreKV: slot %d, %d keys, %d values", slot, len(k), len(v))
	}
	checkMultiple("StoreKV", len(k), 16)
	checkLen("StoreKV page", min(len(page.K), len(page.V)), len(k)*PageTokens)
	if len(k) > 0 {
		active.Load().storeKV(page, slot, k, v)
	}
}

// ropeArgs are the operands of RoPE.
type ropeArgs struct {
	x                        []float32 // [nHeads, headDim]
	nHeads, headDim, rotHalf int
	interleaved              bool
	cos, sin                 []float32 // [rotHalf]
}

// RoPE rotates the first rotDim elements of each head of one token in place; cos
// and sin, [rotDim/2], are those of its position. A pair (a, b) is elements i and
// i+rotDim/2 (half-split, as qwen2 has it), or 2i and 2i+1 (interleaved, llama):
//
//	a' = fma(a, cos[i], -(b*sin[i]))      b' = fma(a, sin[i], b*cos[i])
func RoPE(x []float32, nHeads, headDim, rotDim int, interleaved bool, cos, sin []float32) {
	if nHeads < 0 || rotDim < 0 || rotDim%2 != 0 || rotDim > headDim {
		broken("RoPE: %d heads, rotating %d of %d", nHeads, rotDim, headDim)
	}
	checkLen("RoPE x", len(x), nHeads*headDim)
	checkLen("RoPE cos, sin", min(len(cos), len(sin)), rotDim/2)
	if nHeads > 0 && rotDim > 0 {
		active.Load().rope(ropeArgs{x, nHeads, headDim, rotDim / 2, interleaved, cos, sin})
	}
}
