package engine

import (
	"windowseat/engine/kernels"
	"windowseat/engine/plan"
)

// KVFormat says how full pages of the KV cache are kept.
type KVFormat string

// The formats. Pages that are not full are f16 in both.
const (
	KVF16 KVFormat = "f16"
	KVQ8  KVFormat = "q8" // about half the memory; see kernels.KVPage8
)

// page is 64 positions of KV cache in all layers. Sequences and the prefix tree
// share pages by reference; a page with more than one reference is never written
// to beyond what its sharers have read, it is copied first.
//
// Under KVQ8 a page has its f16 form until it is full, both forms during the batch
// that fills it, and the packed form alone from then on. A row reads its own page
// in f16 and all earlier ones packed, whatever batch they were computed in, so
// results do not depend on how a prompt was cut.
type page struct {
	layers []kernels.KVPage  // [Layers], nil once packed
	packed []kernels.KVPage8 // [Layers], nil until the page fills
	blocks []int             // of the arena: those of layers, then that of packed
	refs   int
}

// pagePool hands out pages within a budget and takes them back. It is owned by
// the scheduler goroutine. Its memory is cut into blocks: a packed page is one, an
// f16 page one as well, or two under KVQ8, keys and values apart.
type pagePool struct {
	cfg    Config
	format KVFormat
	mem    arena
	block  int // bytes
	blocks int
	free   []int
}

// newPagePool makes a pool of at most budget bytes, but room for one whole context
// of the given tokens in any case.
func newPagePool(cfg Config, format KVFormat, budget int64, context int) (*pagePool, error) {
	pp := &pagePool{cfg: cfg, format: format, block: blockBytes(cfg, format)}
	pp.blocks = max(int(budget/int64(pp.block)), pp.needed(context))
	mem, err := newArena(int64(pp.blocks)*int64(pp.block), "KV cache")
	if err != nil {
		return nil, err
	}
	pp.mem = mem
	for i := pp.blocks - 1; i >= 0; i-- { // low ones first: memory is touched as it is needed
		pp.free = append(pp.free, i)
	}
	return pp, nil
}

// blockBytes is the size of a block: a multiple of 64.
func blockBytes(c Config, format KVFormat) int {
	return int(plan.BlockBytes(c.shape(0), format == KVQ8))
}

// f16Blocks is how many blocks an f16 page takes.
func (pp *pagePool) f16Blocks() int {
	if pp.format == KVQ8 {
		return 2
	}
	return 1
}

// needed returns how many blocks a sequence of n tokens can come to hold at once.
func (pp *pagePool) needed(n int) int {
	return plan.Blocks(n, pp.format == KVQ8)
}

// bytes returns the size of the pool.
func (pp *pagePool) bytes() int64 { return int64(pp.blocks) * int64(pp.block) }

// available returns how many blocks can be taken before any is given back.
func (pp *pagePool) available() int { return len(pp.free) }

// used returns the number of blocks that somebody holds.
func (pp *pagePool) used() int { return pp.blocks - len(pp.free) }

// take returns an f16 page with one reference, or nil when too few blocks are
// left. Its contents are undefined.
func (pp *pagePool) take() *page {
	n := pp.f16Blocks()
	if len(pp.free) < n {
		return nil
	}
	p := &page{layers: make([]kernels.KVPage, pp.cfg.Layers), refs: 1}
	for range n {
		p.blocks = append(p.blocks, pp.pop())
	}
	half := pp.cfg.KVHeads * pp.cfg.HeadDim * kernels.PageTokens * 2 // bytes of K, or of V
	k := pp.at(p.blocks[0])
	v := k[half*pp.cfg.Layers:]
	if n == 2 {
		v = pp.at(p.blocks[1])
	}
	for i := range p.layers {
		p.layers[i] = kernels.KVPageAt(k[i*half:][:half], v[i*half:][:half], pp.cfg.KVHeads, pp.cfg.HeadDim)
	}
	return p
}

func (pp *pagePool) pop() int {
	b := pp.free[len(pp.free)-1]
	pp.free = pp.free[:len(pp.free)-1]
	return b
}

func (pp *pagePool) at(block int) []byte { return pp.mem.mem[block*pp.block:][:pp.block] }

// startPacking gives a page that is about to fill room for its packed form. It
// returns false when no block is left.
func (pp *pagePool) startPacking(p *page) bool {
	if p.packed != nil || pp.format != KVQ8 {
		return true
	}
	if len(pp.free) == 0 {
		return false
	}
	b := pp.pop()
	p.blocks = append(p.blocks, b)
	p.packed = make([]kernels.KVPage8, pp.cfg.Layers)
	size := kernels.KVPage8Bytes(pp.cfg.KVHeads, pp.cfg.HeadDim)
	for i := range p.packed {
		p.packed[i] = kernels.KVPage8At(pp.at(b)[i*size:][:size], pp.cfg.KVHeads, pp.cfg.HeadDim)
	}
	return true
}

// finishPacking drops the f16 form of a page that is full and packed.
func (pp *pagePool) finishPacking(p *page) {
	if p.packed == nil || p.layers == nil {
		return
	}
	last := len(p.blocks) - 1
	pp.free = append(pp.free, p.blocks[:last]...)
	p.layers, p.blocks = nil, []int{p.blocks[last]}
}

// release drops one reference.
func (pp *pagePool) release(p *page) {
	p.refs--
	if p.refs == 0 {
		pp.free = append(pp.free, p.blocks...)
		p.layers, p.packed, p.blocks = nil, nil, nil
	}
}

// copyFrom makes p's contents those of src; both are f16.
func (p *page) copyFrom(src *page) {
	for i := range p.layers {
		copy(p.layers[i].K, src.layers[i].K)
		copy(p.layers[i].V, src.layers[i].V)
	}
}

// sequence is a run of positions with their pages. The first `length` positions
// hold computed keys and values of tokens[:length].
type sequence struct {
	tokens []int32
	length int
	pages  []*page
}

// prepare makes the pages that positions [length, length+n) fall into present
// and writable: new ones are taken, a shared last page is copied, those that fill
// get room for their packed form. It returns false, with nothing changed but
// possibly some pages added, when the pool is empty.
func (s *sequence) prepare(pp *pagePool, n int) bool {
	first := s.length / kernels.PageTokens
	last := (s.length + n - 1) / kernels.PageTokens
	if first < len(s.pages) && s.pages[first].refs > 1 {
		own := pp.take()
		if own == nil {
			return false
		}
		own.copyFrom(s.pages[first])
		pp.release(s.pages[first])
		s.pages[first] = own
	}
	for len(s.pages) <= last {
		p := pp.take()
		if p == nil {
			return false
		}
		s.pages = append(s.pages, p)
	}
	for i := first; (i+1)*kernels.PageTokens <= s.length+n; i++ {
		if !pp.startPacking(s.pages[i]) {
			return false
		}
	}
	return true
}

// advance counts positions up to n as computed, and drops the f16 form of pages
// that are full.
func (s *sequence) advance(pp *pagePool, n int) {
	for i := s.length / kernels.PageTokens; (i+1)*kernels.PageTokens <= n; i++ {
		pp.finishPacking(s.pages[i])
	}
	s.length = n
}

// held returns how many blocks the sequence's pages take.
func (s *sequence) held() int {
	n := 0
	for _, p := range s.pages {
		n += len(p.blocks)
	}
	return n
}

// drop gives all pages back.
func (s *sequence) drop(pp *pagePool) {
	for _, p := range s.pages {
		pp.release(p)
	}
	s.pages, s.length = nil, 0
}
