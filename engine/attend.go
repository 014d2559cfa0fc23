package engine

import (
	"math"
	"slices"
	"unsafe"

	"windowseat/engine/kernels"
)

// fewPairs is how many (block, row) pairs are merged by the caller: calling the
// other workers takes as long, a microsecond or two.
const fewPairs = 16

const pagesPerBlock = kernels.SplitTokens / kernels.PageTokens

// attnChunk is a run of consecutive rows of one sequence. Its partial results lie
// together, so that one call merges them.
type attnChunk struct {
	row0, row1 int
	pages      []*page // up to that of the last row
	blocks     int     // attention blocks of 512 positions that its last row sees
	query0     int     // number of (block, row) pairs of the chunks before it
}

// attnUnit is one block of 512 positions and the rows that attend to it through
// the same pages: those of one chunk, or of several sequences that share a prefix,
// whose pages are then read once for all of them.
type attnUnit struct {
	block  int
	pages  []*page
	own    bool  // the last page is the rows' own and also packed: they read it in f16
	answer bool  // the rows were generated
	chunks []int // indices of the chunks
	rows   []int32
	pos    []int32 // last position that each row sees
}

// attnPlan is how a batch's attention is cut into pieces. It is the same for all
// layers.
type attnPlan struct {
	chunks []attnChunk
	units  []attnUnit
	pairs  int     // (block, row) pairs in all
	filled []*page // that this batch fills and that have a packed form
}

// planAttention cuts the batch at sequence borders and every attnRows rows, and
// joins what reads the same pages.
func planAttention(rows []row) attnPlan {
	var p attnPlan
	for i := 0; i < len(rows); {
		j := i + 1
		for j < len(rows) && rows[j].seq == rows[i].seq && rows[j].answer == rows[i].answer && j-i < attnRows && !rows[j-1].fills() {
			j++
		}
		n := rows[j-1].pos/kernels.SplitTokens + 1
		pages := rows[i].seq.pages[:rows[j-1].pos/kernels.PageTokens+1]
		p.chunks = append(p.chunks, attnChunk{row0: i, row1: j, pages: pages, blocks: n, query0: p.pairs})
		if rows[j-1].fills() {
			p.filled = append(p.filled, pages[len(pages)-1])
		}
		p.pairs += n * (j - i)
		i = j
	}
	for c := range p.chunks {
		for b := range p.chunks[c].blocks {
			p.join(c, b, rows)
		}
	}
	return p
}

// fills reports whether a row fills a page that is then packed. Rows behind it
// read that page's packed form, so a chunk ends there.
func (r row) fills() bool {
	return r.pos%kernels.PageTokens == kernels.PageTokens-1 && r.seq.pages[r.pos/kernels.PageTokens].packed != nil
}

// join adds block b of chunk c to the unit that reads the same pages, if there is
// one with room, or makes a new one.
func (p *attnPlan) join(c, b int, rows []row) {
	ch := &p.chunks[c]
	pages := ch.pages[b*pagesPerBlock : min((b+1)*pagesPerBlock, len(ch.pages))]
	own := b == ch.blocks-1 && pages[len(pages)-1].packed != nil
	answer := rows[ch.row0].answer
	var u *attnUnit
	for i := range p.units {
		v := &p.units[i]
		if v.block == b && v.own == own && v.answer == answer && len(v.rows)+ch.row1-ch.row0 <= attnRows && slices.Equal(v.pages, pages) {
			u = v
			break
		}
	}
	if u == nil {
		p.units = append(p.units, attnUnit{block: b, pages: pages, own: own, answer: answer})
		u = &p.units[len(p.units)-1]
	}
	u.chunks = append(u.chunks, c)
	for r := ch.row0; r < ch.row1; r++ {
		u.rows = append(u.rows, int32(r))
		u.pos = append(u.pos, int32(rows[r].pos))
	}
}

// attend fills s.attn [T, A*D] with the attention of s.q over the rows' pages of
// one layer. Each (unit, KV head) is a piece of its own, so that several workers
// share even a single long sequence; then each (chunk, KV head) merges its blocks
// in order.
func (m *model) attend(l int, p *attnPlan) {
	s, G := m.s, m.cfg.KVHeads
	m.pool.run(len(p.units)*G, func(piece, worker int) {
		m.attendUnit(l, p, &p.units[piece/G], piece%G, worker)
	})
	merge := func(piece, _ int) {
		ch, h := &p.chunks[piece/G], piece%G
		o := s.partials(m.cfg, ch, h, 0, ch.blocks)
		kernels.AttnMerge(&kernels.MergeArgs{
			Shape: m.attnShape(), KVHead: h, NBlocks: ch.blocks,
			O: o.o, M: o.m, L: o.l, Rows: s.rows[ch.row0:ch.row1], Out: s.attn,
		})
	}
	if p.pairs <= fewPairs {
		for piece := range len(p.chunks) * G {
			merge(piece, 0)
		}
		return
	}
	m.pool.run(len(p.chunks)*G, merge)
}

// pack writes the packed form of one layer of the pages that the batch fills.
func (m *model) pack(l int, p *attnPlan) {
	G := m.cfg.KVHeads
	m.pool.run(len(p.filled)*G, func(piece, _ int) {
		pg := p.filled[piece/G]
		kernels.PackKV(pg.packed[l], pg.layers[l], piece%G)
	})
}

// attendUnit computes one unit for one KV head. A unit of one chunk writes where
// the merge will look; one of several writes aside, and its rows are copied there.
func (m *model) attendUnit(l int, p *attnPlan, u *attnUnit, h, worker int) {
	s, w := m.s, &m.s.worker[worker]
	w.pages = w.pages[:0]
	for i, pg := range u.pages {
		if pg.packed == nil || u.own && i == len(u.pages)-1 {
			w.pages = append(w.pages, kernels.AttnPage{KVPage: pg.layers[l]})
		} else {
			w.pages = append(w.pages, kernels.AttnPage{Packed: &pg.packed[l]})
		}
	}
	out := w.aside
	if len(u.chunks) == 1 {
		out = s.partials(m.cfg, &p.chunks[u.chunks[0]], h, u.block, u.block+1)
	}
	p0, grain := u.block*kernels.SplitTokens, m.promptGrain
	if u.answer {
		grain = kernels.Fine
	}
	kernels.AttnBlock(&kernels.AttnArgs{
		Shape: m.attnShape(), KVHead: h, P0: p0, P1: min(p0+kernels.SplitTokens, int(slices.Max(u.pos))+1), Pages: w.pages, Grain: grain,
		Q: s.q, Rows: u.rows, Pos: u.pos, O: out.o, M: out.m, L: out.l,
	})
	if len(u.chunks) == 1 {
		return
	}
	g, from := m.cfg.Heads/m.cfg.KVHeads, 0
	for _, c := range u.chunks {
		to := s.partials(m.cfg, &p.chunks[c], h, u.block, u.block+1)
		copy(to.o, out.o[from*g*m.cfg.HeadDim:])
		copy(to.m, out.m[from*g:])
		copy(to.l, out.l[from*g:])
		from += p.chunks[c].row1 - p.chunks[c].row0
	}
}

func (m *model) attnShape() kernels.AttnShape {
	return kernels.AttnShape{
		NumHeads: m.cfg.Heads, NumKVHeads: m.cfg.KVHeads, HeadDim: m.cfg.HeadDim,
		Scale: float32(1 / math.Sqrt(float64(m.cfg.HeadDim))),
	}
}

// partial is room for unmerged attention of n queries of g heads.
type partial struct {
	o []float32 // [n, g, D]
	m []float32 // [n, g] largest scores
	l []float32 // [n, g] sums
}

// attnWorker is one worker's scratch of attendUnit.
type attnWorker struct {
	pages []kernels.AttnPage
	aside partial // for attnRows queries of one KV head
}

func newAttnWorkers(c Config, n int) []attnWorker {
	w := make([]attnWorker, n)
	for i := range w {
		q := attnRows * c.Heads / c.KVHeads
		w[i].aside = partial{kernels.AlignedFloats(q * c.HeadDim), kernels.AlignedFloats(q), kernels.AlignedFloats(q)}
	}
	return w
}

// growPartials makes room for n (block, row) pairs of every head. It grows with each
// attention block of a long prompt: on the heap what it leaves behind would wait for the
// collector, 57 MB on a 1.5B model by 4,096 tokens.
func (s *scratch) growPartials(c Config, n int) {
	need := n * c.Heads
	if need <= len(s.part.m) {
		return
	}
	s.free()
	all := s.floats(need * (c.HeadDim + 2))
	s.part = partial{all[:need*c.HeadDim], all[need*c.HeadDim:][:need], all[need*(c.HeadDim+1):][:need]}
}

// floats returns memory that free gives back at once, or some of the heap's where the
// system has none to give.
func (s *scratch) floats(n int) []float32 {
	mem, err := newArena(int64(n)*4, "working memory")
	if err != nil {
		return kernels.AlignedFloats(n)
	}
	s.partMem = mem
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(mem.mem))), n)
}

// free gives back what growPartials made.
func (s *scratch) free() {
	s.part = partial{}
	s.partMem.free()
}

// partials returns where blocks [b0, b1) of a chunk and KV head h stand, block by
// block.
func (s *scratch) partials(c Config, ch *attnChunk, h, b0, b1 int) partial {
	g, n := c.Heads/c.KVHeads, ch.row1-ch.row0
	base := ch.query0*c.Heads + (h*ch.blocks+b0)*n*g
	size := (b1 - b0) * n * g
	return partial{s.part.o[base*c.HeadDim:][:size*c.HeadDim], s.part.m[base:][:size], s.part.l[base:][:size]}
}
