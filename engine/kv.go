package engine

import "windowseat/engine/kernels"

// page is 64 positions of KV cache in all layers. Sequences and the prefix tree
// share pages by reference; a page with more than one reference is never written
// to beyond what its sharers have read, it is copied first.
type page struct {
	layers []kernels.KVPage // [Layers]
	refs   int
}

// pagePool hands out pages within a budget and takes them back. It is owned by
// the scheduler goroutine.
type pagePool struct {
	cfg    Config
	budget int // pages
	made   int
	free   []*page
}

func newPagePool(cfg Config, budget int) *pagePool {
	return &pagePool{cfg: cfg, budget: budget}
}

// available returns how many pages can be taken before any is given back.
func (pp *pagePool) available() int { return pp.budget - pp.made + len(pp.free) }

// used returns the number of pages that somebody holds.
func (pp *pagePool) used() int { return pp.made - len(pp.free) }

// take returns a page with one reference, or nil when the budget is used up.
// Its contents are undefined.
func (pp *pagePool) take() *page {
	if n := len(pp.free); n > 0 {
		p := pp.free[n-1]
		pp.free = pp.free[:n-1]
		p.refs = 1
		return p
	}
	if pp.made == pp.budget {
		return nil
	}
	pp.made++
	n := pp.cfg.KVHeads * pp.cfg.HeadDim * kernels.PageTokens
	p := &page{layers: make([]kernels.KVPage, pp.cfg.Layers), refs: 1}
	slab := kernels.AlignedUint16(2 * n * pp.cfg.Layers) // [Layers, K then V, n] f16
	for i := range p.layers {
		p.layers[i] = kernels.KVPage{K: slab[2*i*n:][:n:n], V: slab[(2*i+1)*n:][:n:n]}
	}
	return p
}

// release drops one reference.
func (pp *pagePool) release(p *page) {
	p.refs--
	if p.refs == 0 {
		pp.free = append(pp.free, p)
	}
}

// copyInto makes dst's contents those of src.
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
// and writable: new ones are taken, a shared last page is copied. It returns
// false, with nothing changed but possibly some pages added, when the pool is
// empty.
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
	return true
}

// drop gives all pages back.
func (s *sequence) drop(pp *pagePool) {
	for _, p := range s.pages {
		pp.release(p)
	}
	s.pages, s.length = nil, 0
}
