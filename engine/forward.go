package engine

import (
	"math"
	"slices"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// model is a loaded model with the workers and the scratch to run it. Only the
// scheduler goroutine calls forward.
type model struct {
	cfg  Config
	w    *Weights
	pool *pool
	s    *scratch
	freq []float64 // [RotDim/2] RoPE angle per position

	promptGrain kernels.Grain // of prompt rows, where the weights can have it, and of attention
	mixed       bool          // prompts and answers are computed in different grains
	embedded    int           // rows of the embedding read since its pages were given back
	whole       []part        // the batch, if all is fine
	split       []part        // the batch, if prompt rows are not
}

// part is rows [t0, t1) of a batch that are of one grain. What a model generated is always
// fine: its rows come a few at a time. Prompts may not be, however few their rows are:
// nothing depends on how a prompt was cut.
type part struct {
	t0, t1 int
	grain  kernels.Grain
}

func newModel(cfg Config, w *Weights, p *pool) *model {
	m := &model{cfg: cfg, w: w, pool: p, s: newScratch(cfg, maxRows, p.n), promptGrain: kernels.PromptGrain()}
	m.mixed = m.promptGrain == kernels.Coarse // attention, whatever the weights are
	for i := range w.Layers {
		m.mixed = m.mixed || m.promptGrain != kernels.Fine && slices.ContainsFunc(w.Layers[i].matrices(), (*kernels.Matrix).Coarsens)
	}
	m.freq = make([]float64, cfg.RotDim/2)
	for i := range m.freq {
		m.freq[i] = math.Pow(cfg.RopeBase, -2*float64(i)/float64(cfg.RotDim))
		if w.RopeFactor != nil {
			m.freq[i] /= float64(w.RopeFactor[i])
		}
	}
	return m
}

// forward computes the rows, at most maxRows, and calls emit(i, logits) for each
// row i whose logits are wanted, in order. logits is [V] f32, valid during the
// call only. Keys and values land in the rows' pages; sequence lengths are the
// caller's to advance. Between layers it asks stop, if there is one, and gives up
// when that says so: it returns false, and nothing counts as computed.
func (m *model) forward(rows []row, stop func() bool, emit func(i int, logits []float32)) bool {
	m.pool.short = len(rows) <= streamRows
	m.cut(rows)
	m.embed(rows)
	if m.pool.fault.Load() {
		return true // the caller asks
	}
	plan := planAttention(rows)
	m.s.growPartials(m.cfg, plan.pairs)
	for l := range m.w.Layers {
		if stop != nil && stop() {
			return false
		}
		m.attention(l, rows, &plan)
		m.feedForward(l, len(rows))
	}
	m.head(rows, emit)
	m.vanished()
	return true
}

// vanished reports whether mapped weights are gone: then what was computed is worth
// nothing, and pool.fault is set for the caller.
func (m *model) vanished() bool {
	if m.w.pack.lost() {
		m.pool.fault.Store(true)
	}
	return m.pool.fault.Load()
}

// embedRows is after how many rows of the embedding its pages are given back. The system
// maps at least sixteen pages around each that is read, so that the tokens of a long prompt
// would bring all of it in: 180 MB on 1.5B. To map them again takes 2 us a row.
const embedRows = 64

// embed fills the residual stream with the rows' token embeddings and computes
// the rotary angles of their positions.
func (m *model) embed(rows []row) {
	H, half := m.cfg.Hidden, m.cfg.RotDim/2
	rowBytes := m.w.TokenEmbd.Type.RowBytes(H)
	one := func(t int) {
		src := m.w.TokenEmbd.Data[int64(rows[t].token)*rowBytes:][:rowBytes]
		quant.Dequantize(m.s.x[t*H:][:H], m.w.TokenEmbd.Type, src)
		for i, f := range m.freq {
			sin, cos := math.Sincos(float64(rows[t].pos) * f)
			m.s.sin[t*half+i], m.s.cos[t*half+i] = float32(sin), float32(cos)
		}
	}
	const piece = 4
	for t0 := 0; t0 < len(rows); t0 += embedRows {
		t1 := min(t0+embedRows, len(rows))
		m.pool.run((t1-t0+piece-1)/piece, func(i, _ int) {
			for t := t0 + i*piece; t < min(t0+(i+1)*piece, t1); t++ {
				one(t)
			}
		})
		if m.embedded += t1 - t0; m.embedded >= embedRows {
			m.embedded = 0
			m.w.release(m.w.TokenEmbd.Data)
		}
	}
}

// attention adds one layer's attention to the residual stream.
func (m *model) attention(l int, rows []row, plan *attnPlan) {
	c, s, w := m.cfg, m.s, &m.w.Layers[l]
	T, D := len(rows), c.HeadDim
	qkv, o := m.parts(w.AttnQ, w.AttnK, w.AttnV), m.parts(w.AttnOutput)
	m.rmsNorm(s.normed, w.AttnNorm, T, qkv)
	m.matMul(T, qkv,
		kernels.MatMulArgs{W: w.AttnQ, X: s.normed, Y: s.q, LdY: c.Heads * D, Bias: w.AttnQBias},
		kernels.MatMulArgs{W: w.AttnK, X: s.normed, Y: s.k, LdY: c.KVHeads * D, Bias: w.AttnKBias},
		kernels.MatMulArgs{W: w.AttnV, X: s.normed, Y: s.v, LdY: c.KVHeads * D, Bias: w.AttnVBias})
	qDim, kvDim, half := c.Heads*D, c.KVHeads*D, c.RotDim/2
	m.each(T, func(t int) {
		cos, sin := s.cos[t*half:][:half], s.sin[t*half:][:half]
		k := s.k[t*kvDim:][:kvDim]
		kernels.RoPE(s.q[t*qDim:][:qDim], c.Heads, D, c.RotDim, c.RopeInterleav, cos, sin)
		kernels.RoPE(k, c.KVHeads, D, c.RotDim, c.RopeInterleav, cos, sin)
		r := rows[t]
		kernels.StoreKV(r.seq.pages[r.pos/kernels.PageTokens].layers[l], r.pos%kernels.PageTokens, k, s.v[t*kvDim:][:kvDim])
	})
	m.pack(l, plan)
	m.attend(l, plan)
	m.ranges(T, o, func(t0, t1 int, g kernels.Grain) { kernels.QuantizeActs(s.attnQ, s.attn, t0, t1, g) })
	m.matMul(T, o, kernels.MatMulArgs{W: w.AttnOutput, X: s.attnQ, Y: s.x, LdY: c.Hidden, Add: true})
}

// feedForward adds one layer's SwiGLU block to the residual stream. A piece is a
// run of rows of gate and up, which are joined and quantized while they are in the
// cache: written out whole they would be 18 MB for 256 tokens of the 1.5B model.
func (m *model) feedForward(l, T int) {
	c, s, w := m.cfg, m.s, &m.w.Layers[l]
	in, out, unit := m.parts(w.FFNGate, w.FFNUp), m.parts(w.FFNDown), kernels.GroupSize
	for _, p := range out {
		unit = max(unit, p.grain.Group())
	}
	m.rmsNorm(s.normed, w.FFNNorm, T, in)
	n := m.pieceRows(T, c.FFN, gateRows, int(w.FFNGate.Bytes()+w.FFNUp.Bytes())/c.FFN, unit)
	m.pool.runs((c.FFN+n-1)/n, max(1, min(streamPieces, gateRows/n)), func(from, to, worker int) {
		buf, r0, r1 := &s.gateUp[worker], from*n, min(to*n, c.FFN)
		for _, p := range in {
			a := kernels.MatMulArgs{
				W: w.FFNGate, X: s.normed, T0: p.t0, T1: p.t1, R0: r0, R1: r1,
				Y: buf.gate, LdY: gateRows, Y0: r0, Grain: p.grain,
			}
			kernels.MatMul(&a)
			a.W, a.Y = w.FFNUp, buf.up
			kernels.MatMul(&a)
		}
		for _, p := range out {
			kernels.SwiGLUQuantize(s.ffn, buf.gate, buf.up, gateRows, p.t0, p.t1, r0, r1, p.grain)
		}
	})
	m.matMul(T, out, kernels.MatMulArgs{W: w.FFNDown, X: s.ffn, Y: s.x, LdY: c.Hidden, Add: true})
}

// head runs the rows whose logits are wanted through the output matrix.
func (m *model) head(rows []row, emit func(i int, logits []float32)) {
	c, s := m.cfg, m.s
	var wanted []int
	for i, r := range rows {
		if r.logits {
			wanted = append(wanted, i)
		}
	}
	for len(wanted) > 0 {
		n := min(len(wanted), logitRows)
		for j, i := range wanted[:n] {
			copy(s.last[j*c.Hidden:][:c.Hidden], s.x[i*c.Hidden:][:c.Hidden])
		}
		kernels.RMSNormQuantize(s.lastQ, s.last, m.w.OutputNorm, c.NormEps, 0, n, kernels.Fine)
		m.matMul(n, []part{{0, n, kernels.Fine}}, kernels.MatMulArgs{W: m.w.Output, X: s.lastQ, Y: s.logits, LdY: c.Vocab})
		if m.vanished() {
			return
		}
		for j, i := range wanted[:n] {
			emit(i, s.logits[j*c.Vocab:][:c.Vocab])
		}
		wanted = wanted[n:]
	}
}

func (m *model) rmsNorm(dst *kernels.Acts, w []float32, T int, parts []part) {
	m.ranges(T, parts, func(t0, t1 int, g kernels.Grain) {
		kernels.RMSNormQuantize(dst, m.s.x, w, m.cfg.NormEps, t0, t1, g)
	})
}

// cut finds the parts of a batch.
func (m *model) cut(rows []row) {
	m.whole, m.split = append(m.whole[:0], part{0, len(rows), kernels.Fine}), m.split[:0]
	for i, r := range rows {
		g := m.promptGrain
		if r.answer {
			g = kernels.Fine
		}
		if n := len(m.split); n > 0 && m.split[n-1].grain == g {
			m.split[n-1].t1++
			continue
		}
		m.split = append(m.split, part{i, i + 1, g})
	}
}

// parts returns those of the batch for the product with matrices that share their
// activations.
func (m *model) parts(ws ...*kernels.Matrix) []part {
	for _, w := range ws {
		if !w.Coarsens() {
			return m.whole
		}
	}
	return m.split
}

// each calls fn for every row, in parallel when there are enough to share.
func (m *model) each(T int, fn func(t int)) {
	m.ranges(T, m.whole, func(t0, t1 int, _ kernels.Grain) {
		for t := t0; t < t1; t++ {
			fn(t)
		}
	})
}

// ranges calls fn for runs of rows that make up [0, T), each within one part.
func (m *model) ranges(T int, parts []part, fn func(t0, t1 int, g kernels.Grain)) {
	const rowsPerPiece = 4
	m.pool.run((T+rowsPerPiece-1)/rowsPerPiece, func(piece, _ int) {
		for _, p := range parts {
			t0, t1 := max(p.t0, piece*rowsPerPiece), min(p.t1, (piece+1)*rowsPerPiece)
			if t0 < t1 {
				fn(t0, t1, p.grain)
			}
		}
	})
}

// matMul runs several products over the same T rows as one parallel loop. A piece
// is a run of weight rows of one product, for all T tokens: weights are read from memory
// once.
func (m *model) matMul(T int, parts []part, args ...kernels.MatMulArgs) {
	total, size := 0, int64(0)
	for _, a := range args {
		total += a.W.Rows
		size += a.W.Bytes()
	}
	rows := m.pieceRows(T, total, 256, int(size)/total, kernels.RowTile)
	var starts []int // first piece of each product
	pieces := 0
	for _, a := range args {
		starts = append(starts, pieces)
		pieces += (a.W.Rows + rows - 1) / rows
	}
	m.pool.runs(pieces, streamPieces, func(from, to, _ int) {
		for i, a := range args {
			a.R0 = max(from-starts[i], 0) * rows
			a.R1 = min((to-starts[i])*rows, a.W.Rows)
			for _, p := range parts {
				if a.R0 < a.R1 {
					a.T0, a.T1, a.Grain = p.t0, p.t1, p.grain
					kernels.MatMul(&a)
				}
			}
		}
	})
}

// streamRows is up to how many tokens a product waits for memory rather than for
// arithmetic, and streamBytes the weights of a piece then: five microseconds, so
// that at the end no worker waits longer for another. Away from the end streamPieces
// go together: between two calls the memory rests for some 300 ns.
const (
	streamRows   = 16
	streamBytes  = 64 << 10
	streamPieces = 4
)

// pieceRows chooses how many weight rows of rowBytes each a piece covers: about
// eight pieces per worker, so that a late worker costs an eighth of its share, and
// no more than most. It is a multiple of unit, and of two row tiles for more than a
// few tokens, since the kernels then take tiles in pairs.
func (m *model) pieceRows(T, total, most, rowBytes, unit int) int {
	n := min(total/(8*m.pool.n), most)
	if T <= streamRows {
		n = min(n, streamBytes/rowBytes)
	}
	if T > 4 {
		unit = max(unit, 2*kernels.RowTile)
	}
	return max(n-n%unit, unit)
}
