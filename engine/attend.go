package engine

import (
	"math"

	"windowseat/engine/kernels"
)

// attnChunk is a run of consecutive rows of one sequence whose attention is
// computed together, so that each KV page is read once for all of them.
type attnChunk struct {
	row0, row1 int
	pages      []*page
	blocks     int // attention blocks of 512 positions that its last row sees
	block0     int // number of blocks of the chunks before it
	query0     int // number of (block, row) pairs of the chunks before it
}

// chunkRows cuts the batch at sequence borders and every attnRows rows.
func chunkRows(rows []row) []attnChunk {
	var out []attnChunk
	blocks, queries := 0, 0
	for i := 0; i < len(rows); {
		j := i + 1
		for j < len(rows) && rows[j].seq == rows[i].seq && j-i < attnRows {
			j++
		}
		n := rows[j-1].pos/kernels.SplitTokens + 1
		out = append(out, attnChunk{row0: i, row1: j, pages: rows[i].seq.pages, blocks: n, block0: blocks, query0: queries})
		blocks += n
		queries += n * (j - i)
		i = j
	}
	return out
}

// attend fills s.attn [T, A*D] with the attention of s.q over the rows' pages of
// one layer. Each (chunk, block of 512 positions, KV head) is a piece of its own,
// so that several workers share even a single long sequence; then each (chunk, KV
// head) merges its blocks in order.
func (m *model) attend(l int, rows []row) {
	s, G := m.s, m.cfg.KVHeads
	chunks := chunkRows(rows)
	last := chunks[len(chunks)-1]
	s.prepareAttention(m.cfg, rows, last.query0+last.blocks*(last.row1-last.row0))
	m.pool.run((last.block0+last.blocks)*G, func(piece, worker int) {
		ch := chunkOf(chunks, piece/G)
		m.attendBlock(l, ch, piece/G-ch.block0, piece%G, worker)
	})
	m.pool.run(len(chunks)*G, func(piece, _ int) {
		ch, h := &chunks[piece/G], piece%G
		o, ml := s.partials(m.cfg, ch, h, 0, ch.blocks)
		kernels.AttnMerge(&kernels.MergeArgs{
			Shape: m.attnShape(), KVHead: h, NBlocks: ch.blocks,
			O: o, M: ml[0], L: ml[1], Rows: s.rows[ch.row0:ch.row1], Out: s.attn,
		})
	})
}

// chunkOf returns the chunk that the block with this number belongs to.
func chunkOf(chunks []attnChunk, block int) *attnChunk {
	lo, hi := 0, len(chunks)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; chunks[mid].block0 <= block {
			lo = mid
		} else {
			hi = mid
		}
	}
	return &chunks[lo]
}

func (m *model) attendBlock(l int, ch *attnChunk, block, h, worker int) {
	const pagesPerBlock = kernels.SplitTokens / kernels.PageTokens
	s := m.s
	p0 := block * kernels.SplitTokens
	p1 := min(p0+kernels.SplitTokens, int(s.pos[ch.row1-1])+1)
	pages := s.pageList[worker][:0]
	first := block * pagesPerBlock
	for _, p := range ch.pages[first:min(first+pagesPerBlock, len(ch.pages))] {
		pages = append(pages, p.layers[l])
	}
	s.pageList[worker] = pages
	o, ml := s.partials(m.cfg, ch, h, block, block+1)
	kernels.AttnBlock(&kernels.AttnArgs{
		Shape: m.attnShape(), KVHead: h, P0: p0, P1: p1, Pages: pages,
		Q: s.q, Rows: s.rows[ch.row0:ch.row1], Pos: s.pos[ch.row0:ch.row1],
		O: o, M: ml[0], L: ml[1],
	})
}

func (m *model) attnShape() kernels.AttnShape {
	return kernels.AttnShape{
		NumHeads: m.cfg.Heads, NumKVHeads: m.cfg.KVHeads, HeadDim: m.cfg.HeadDim,
		Scale: float32(1 / math.Sqrt(float64(m.cfg.HeadDim))),
	}
}

// prepareAttention notes the rows' positions and makes room for the partial
// results of n (block, row) pairs of every head.
func (s *scratch) prepareAttention(c Config, rows []row, n int) {
	for i, r := range rows {
		s.rows[i], s.pos[i] = int32(i), int32(r.pos)
	}
	if need := n * c.Heads; need > len(s.attnM) {
		s.attnO = kernels.AlignedFloats(need * c.HeadDim)
		s.attnM, s.attnL = kernels.AlignedFloats(need), kernels.AlignedFloats(need)
	}
}

// partials returns where blocks [b0, b1) of a chunk and KV head h stand: outputs
// [b1-b0, rows, A/G, D], and maxima and sums [b1-b0, rows, A/G].
func (s *scratch) partials(c Config, ch *attnChunk, h, b0, b1 int) (o []float32, ml [2][]float32) {
	g, n := c.Heads/c.KVHeads, ch.row1-ch.row0
	base := ch.query0*c.Heads + (h*ch.blocks+b0)*n*g
	size := (b1 - b0) * n * g
	o = s.attnO[base*c.HeadDim:][:size*c.HeadDim]
	return o, [2][]float32{s.attnM[base:][:size], s.attnL[base:][:size]}
}
