package tokenizer

import (
	"math"
	"strings"
	"sync"
)

// A symbol is a token id, or, from len(tokens) on, a virtual one: a byte or a
// merge result that has no token of its own.

// bpe merges the bytes of a word in the order that the merge list prescribes.
type bpe struct {
	slots     []mergeSlot // open addressing, len a power of two, at most 2/3 full
	shift     uint        // tableShift(len(slots))
	merged    []int32     // rank -> symbol that the merge makes
	byteSym   [256]int32  // symbol a byte begins as
	byteToken [256]int32  // token of a single byte, None if it has none
	nTokens   int32
	virtual   texts // raw bytes of symbol nTokens+i
}

type mergeSlot struct {
	key  uint64 // left symbol << 32 | right symbol, emptySlot if free
	rank uint32
}

const (
	emptySlot = math.MaxUint64
	noRank    = math.MaxUint32
	// shortWord bounds the words merged by scanning, without a heap: n*n/2 steps
	// of a few cycles beat the heap up to about this length.
	shortWord = 64
)

// build reads the merge list of a tokenizer whose spellings are there.
func (b *bpe) build(t *Tokenizer, merges []string) error {
	b.nTokens = int32(t.VocabSize())
	b.virtual = newTexts(0, 0)
	virtualIDs := map[string]int32{}
	var key []byte
	// symbol returns the symbol of the spelling left+right.
	symbol := func(left, right string) int32 {
		key = append(append(key[:0], left...), right...)
		if id := find(&t.ids, &t.spelled, key); id != None && t.plain(id) {
			return id
		}
		if id, ok := virtualIDs[string(key)]; ok {
			return id
		}
		id := b.nTokens + int32(b.virtual.n())
		virtualIDs[string(key)] = id
		b.virtual.blob = appendRaw(b.virtual.blob, string(key))
		b.virtual.end()
		return id
	}
	for x := range 256 {
		s := string(byteToRune[x])
		b.byteSym[x] = symbol(s, "")
		b.byteToken[x] = None
		if b.byteSym[x] < b.nTokens {
			b.byteToken[x] = b.byteSym[x]
		}
	}
	b.slots = make([]mergeSlot, tableSize(len(merges)))
	for i := range b.slots {
		b.slots[i].key = emptySlot
	}
	b.shift = tableShift(len(b.slots))
	b.merged = make([]int32, len(merges))
	for rank, m := range merges {
		// The left part may itself be a space only in damaged files; the search
		// from the second byte on is what llama.cpp does.
		cut := -1
		if len(m) > 1 {
			cut = strings.IndexByte(m[1:], ' ') + 1
		}
		if cut <= 0 || cut == len(m)-1 {
			return formatErrorf("merge %d is %q", rank, m)
		}
		left, right := m[:cut], m[cut+1:]
		b.merged[rank] = symbol(left, right)
		b.insert(pairKey(symbol(left, ""), symbol(right, "")), uint32(rank))
	}
	return nil
}

func pairKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// slot returns where the search for the key begins (Fibonacci hashing).
func (b *bpe) slot(key uint64) int { return int(key * fibonacci >> b.shift) }

// insert adds a merge; the first of two equal ones counts.
func (b *bpe) insert(key uint64, rank uint32) {
	for i := b.slot(key); ; i = (i + 1) & (len(b.slots) - 1) {
		if b.slots[i].key == key {
			return
		}
		if b.slots[i].key == emptySlot {
			b.slots[i] = mergeSlot{key, rank}
			return
		}
	}
}

// rank returns the priority of merging two symbols, noRank if they do not merge.
func (b *bpe) rank(left, right int32) uint32 {
	key := pairKey(left, right)
	for i := b.slot(key); ; i = (i + 1) & (len(b.slots) - 1) {
		s := &b.slots[i]
		if s.key == key {
			return s.rank
		}
		if s.key == emptySlot {
			return noRank
		}
	}
}

// encode appends the tokens of one word.
func (b *bpe) encode(dst []int32, word string) []int32 {
	if len(word) <= shortWord {
		return b.encodeShort(dst, word)
	}
	return b.encodeLong(dst, word)
}

// encodeShort merges by repeated search for the best pair; leftmost wins a tie.
func (b *bpe) encodeShort(dst []int32, word string) []int32 {
	var sym [shortWord]int32
	var ranks [shortWord]uint32 // ranks[i]: merging sym[i] with sym[i+1]
	n := len(word)
	for i := range n {
		sym[i] = b.byteSym[word[i]]
	}
	for i := range n - 1 {
		ranks[i] = b.rank(sym[i], sym[i+1])
	}
	for n > 1 {
		best, at := uint32(noRank), 0
		for i, r := range ranks[:n-1] {
			if r < best {
				best, at = r, i
			}
		}
		if best == noRank {
			break
		}
		sym[at] = b.merged[best]
		copy(sym[at+1:n-1], sym[at+2:n])
		copy(ranks[at:n-2], ranks[at+1:n-1])
		n--
		if at > 0 {
			ranks[at-1] = b.rank(sym[at-1], sym[at])
		}
		if at < n-1 {
			ranks[at] = b.rank(sym[at], sym[at+1])
		}
	}
	for _, s := range sym[:n] {
		dst = b.emit(dst, s)
	}
	return dst
}

// link is one symbol of a long word in a doubly linked list.
type link struct {
	sym, prev, next int32  // next is the word's length at the end, prev -1 at the start
	rank            uint32 // of merging with next
}

// workspace is reused between long words.
type workspace struct {
	links []link
	queue []uint64 // heap of rank << 32 | position
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// keepWorkspace bounds what the pool holds on to (links; 16 bytes each).
const keepWorkspace = 1 << 16

// encodeLong merges with a heap. An entry is stale when the rank at its position
// has changed since; positions are the first byte of a symbol, so equal ranks
// are taken from left to right.
func (b *bpe) encodeLong(dst []int32, word string) []int32 {
	w := workspaces.Get().(*workspace)
	n := int32(len(word))
	w.links, w.queue = w.links[:0], w.queue[:0]
	for i := range n {
		w.links = append(w.links, link{sym: b.byteSym[word[i]], prev: i - 1, next: i + 1, rank: noRank})
	}
	for i := range n - 1 {
		r := b.rank(w.links[i].sym, w.links[i+1].sym)
		w.links[i].rank = r
		if r != noRank {
			w.queue = append(w.queue, uint64(r)<<32|uint64(i))
		}
	}
	heapify(w.queue)
	for len(w.queue) > 0 {
		var top uint64
		top, w.queue = popMin(w.queue)
		b.merge(w, int32(uint32(top)), uint32(top>>32))
	}
	for i := int32(0); i < n; i = w.links[i].next {
		dst = b.emit(dst, w.links[i].sym)
	}
	if cap(w.links) <= keepWorkspace {
		workspaces.Put(w)
	}
	return dst
}

// merge joins the symbol at position i with the next one, if that still has the rank.
func (b *bpe) merge(w *workspace, i int32, rank uint32) {
	l := &w.links[i]
	if l.rank != rank {
		return
	}
	n := int32(len(w.links))
	gone := &w.links[l.next]
	gone.rank = noRank // its own entries are stale from now on
	l.sym = b.merged[rank]
	l.next = gone.next
	l.rank = noRank
	if l.next < n {
		w.links[l.next].prev = i
		b.offer(w, i)
	}
	if l.prev >= 0 {
		b.offer(w, l.prev)
	}
}

// offer computes the rank at position i and queues it.
func (b *bpe) offer(w *workspace, i int32) {
	l := &w.links[i]
	l.rank = b.rank(l.sym, w.links[l.next].sym)
	if l.rank != noRank {
		w.queue = pushMin(w.queue, uint64(l.rank)<<32|uint64(i))
	}
}

// emit appends the token of a symbol; a virtual one is spelled in bytes.
func (b *bpe) emit(dst []int32, sym int32) []int32 {
	if sym < b.nTokens {
		return append(dst, sym)
	}
	for _, x := range b.virtual.at(sym - b.nTokens) {
		if id := b.byteToken[x]; id != None {
			dst = append(dst, id)
		}
	}
	return dst
}

func heapify(h []uint64) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		siftDown(h, i)
	}
}

func popMin(h []uint64) (uint64, []uint64) {
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	siftDown(h, 0)
	return top, h
}

func siftDown(h []uint64, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if h[i] <= h[c] {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

func pushMin(h []uint64, x uint64) []uint64 {
	h = append(h, x)
	for i := len(h) - 1; i > 0; {
		p := (i - 1) / 2
		if h[p] <= h[i] {
			break
		}
		h[p], h[i] = h[i], h[p]
		i = p
	}
	return h
}
