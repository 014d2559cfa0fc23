package engine

import "windowseat/engine/kernels"

// prefixTree remembers computed pages by the tokens that led to them, so that a
// request whose prompt begins like an earlier one computes only what differs.
// Each node is one page; a path from the root spells a prefix. It is owned by the
// scheduler goroutine.
type prefixTree struct {
	root  prefixNode
	pool  *pagePool
	clock int64
	nodes int
}

// prefixNode holds one reference to its page, whose first len(tokens) positions
// are valid. Only the last node of a path may hold fewer than a page's tokens.
type prefixNode struct {
	parent   *prefixNode
	children []*prefixNode
	tokens   []int32
	page     *page
	used     int64
}

func newPrefixTree(pool *pagePool) *prefixTree { return &prefixTree{pool: pool} }

// commonPrefix returns how many leading tokens a and b share.
func commonPrefix(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// child returns the child of n that shares most of the tokens, and how many.
func (n *prefixNode) child(tokens []int32) (best *prefixNode, shared int) {
	for _, c := range n.children {
		if k := commonPrefix(c.tokens, tokens); k > shared {
			best, shared = c, k
		}
	}
	return best, shared
}

// usable is child for a sequence that goes on from there: part of a packed page is
// of no use, since what is appended must stand beside f16 values.
func (n *prefixNode) usable(tokens []int32) (best *prefixNode, shared int) {
	best, shared = n.child(tokens)
	if best != nil && shared < kernels.PageTokens && best.page.layers == nil {
		return nil, 0
	}
	return best, shared
}

// match returns how many leading tokens are held, and how many of their full pages
// somebody else uses as well, so that they cannot be evicted anyway.
func (t *prefixTree) match(tokens []int32) (held, pinned int) {
	for n := &t.root; ; {
		c, shared := n.usable(tokens[held:])
		held += shared
		if c == nil || shared < kernels.PageTokens {
			return held, pinned
		}
		if c.page.refs > 1 {
			pinned++
		}
		n = c
	}
}

// adopt gives an empty sequence the pages of its longest held prefix, at most
// limit positions, and returns how many positions those cover.
func (t *prefixTree) adopt(s *sequence, limit int) int {
	t.clock++
	want := s.tokens[:limit]
	for n := &t.root; ; {
		c, shared := n.usable(want[s.length:])
		if c == nil || shared == 0 {
			return s.length
		}
		c.used = t.clock
		c.page.refs++
		s.pages = append(s.pages, c.page)
		s.length += shared
		if shared < kernels.PageTokens {
			return s.length
		}
		n = c
	}
}

// insert remembers the first n computed positions of a sequence. Pages that the
// tree already holds for the same tokens are kept in place of the sequence's.
func (t *prefixTree) insert(s *sequence, n int) {
	t.clock++
	at := &t.root
	for from := 0; from < n; from += kernels.PageTokens {
		part := s.tokens[from:min(from+kernels.PageTokens, n)]
		c, shared := at.child(part)
		if c == nil || shared < len(part) {
			c = t.add(at, c, shared, part, s.pages[from/kernels.PageTokens])
		}
		if own := &s.pages[from/kernels.PageTokens]; *own != c.page && len(part) == kernels.PageTokens {
			t.pool.release(*own) // same tokens, same bytes: hold one copy
			c.page.refs++
			*own = c.page
		}
		c.used = t.clock
		at = c
	}
}

// add puts a page under parent. A partly filled leaf that the new tokens extend
// is replaced, so that a growing conversation leaves one node behind, not many.
func (t *prefixTree) add(parent, near *prefixNode, shared int, tokens []int32, p *page) *prefixNode {
	p.refs++
	own := append([]int32(nil), tokens...)
	if near != nil && shared == len(near.tokens) && len(near.children) == 0 {
		t.pool.release(near.page)
		near.page, near.tokens = p, own
		return near
	}
	n := &prefixNode{parent: parent, tokens: own, page: p}
	parent.children = append(parent.children, n)
	t.nodes++
	return n
}

// evict drops the leaf that was unused longest among those whose page nobody
// else holds, and reports whether there was one.
func (t *prefixTree) evict() bool {
	var oldest *prefixNode
	t.root.walk(func(n *prefixNode) {
		if len(n.children) == 0 && n.page.refs == 1 && (oldest == nil || n.used < oldest.used) {
			oldest = n
		}
	})
	if oldest == nil {
		return false
	}
	t.remove(oldest)
	return true
}

// evictable returns how many blocks would come free if all unused prefixes left.
func (t *prefixTree) evictable() int {
	n := 0
	t.root.walk(func(c *prefixNode) {
		if c.page.refs == 1 {
			n += len(c.page.blocks)
		}
	})
	return n
}

func (t *prefixTree) remove(n *prefixNode) {
	t.pool.release(n.page)
	t.nodes--
	siblings := n.parent.children
	for i, c := range siblings {
		if c == n {
			siblings[i] = siblings[len(siblings)-1]
			n.parent.children = siblings[:len(siblings)-1]
			return
		}
	}
}

// clear forgets everything.
func (t *prefixTree) clear() {
	t.root.walk(func(n *prefixNode) { t.pool.release(n.page) })
	t.root.children, t.nodes = nil, 0
}

// walk visits all nodes below n, children before parents.
func (n *prefixNode) walk(visit func(*prefixNode)) {
	for _, c := range n.children {
		c.walk(visit)
		visit(c)
	}
}
