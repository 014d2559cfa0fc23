package grammar

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// nfa is a nondeterministic byte automaton under construction. Besides byte
// edges it has empty edges, and two kinds of guarded empty edges for patterns:
// one that only holds before the first byte, one that only holds after the last.
type nfa struct {
	edges [][]nfaEdge
	eps   [][]nfaEps
	seen  []int32 // by state: the last closure that visited it
	turn  int32   // number of closures
	stack []int32 // scratch of closure
}

type nfaEdge struct {
	lo, hi byte
	to     int32
}

type nfaEps struct {
	guard guard
	to    int32
}

type guard uint8

const (
	always guard = iota
	atStart
	atEnd
)

// state adds a state.
func (n *nfa) state() int32 {
	n.edges = append(n.edges, nil)
	n.eps = append(n.eps, nil)
	return int32(len(n.edges) - 1)
}

func (n *nfa) edge(from int32, lo, hi byte, to int32) {
	n.edges[from] = append(n.edges[from], nfaEdge{lo, hi, to})
}

func (n *nfa) empty(from, to int32, g guard) {
	n.eps[from] = append(n.eps[from], nfaEps{g, to})
}

// closure extends the states over empty edges and sorts them. first and last
// say whether the guarded edges hold.
func (n *nfa) closure(states []int32, first, last bool) []int32 {
	if len(n.seen) < len(n.edges) {
		n.seen = make([]int32, len(n.edges))
	}
	n.turn++
	stack := append(n.stack[:0], states...)
	var out []int32
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.seen[s] == n.turn {
			continue
		}
		n.seen[s] = n.turn
		out = append(out, s)
		for _, e := range n.eps[s] {
			if e.guard == always || e.guard == atStart && first || e.guard == atEnd && last {
				stack = append(stack, e.to)
			}
		}
	}
	n.stack = stack
	slices.Sort(out)
	return out
}

// rows is a deterministic automaton as it is built: state 0 is the start.
type rows struct {
	next   [][256]int32 // -1 = no way on
	accept []bool
}

func (r *rows) add(accept bool) int32 {
	var row [256]int32
	for i := range row {
		row[i] = -1
	}
	r.next = append(r.next, row)
	r.accept = append(r.accept, accept)
	return int32(len(r.next) - 1)
}

// subsets makes n deterministic. work is the effort that may still be spent.
func (n *nfa) subsets(start, final int32, work *int) (*rows, error) {
	r := &rows{}
	ids := map[string]int32{}
	var sets [][]int32
	intern := func(set []int32, first bool) int32 {
		set = n.closure(set, first, false)
		key := subsetKey(set, first)
		if id, ok := ids[key]; ok {
			return id
		}
		_, accept := slices.BinarySearch(n.closure(set, first, true), final)
		id := r.add(accept)
		ids[key] = id
		sets = append(sets, set)
		return id
	}
	intern([]int32{start}, true)
	for i := 0; i < len(sets); i++ {
		starts := n.boundaries(sets[i])
		*work -= 256 + len(starts)*len(sets[i])
		if len(sets) > maxDFAStates || *work < 0 {
			return nil, fmt.Errorf("%w: more than %d states", ErrTooLarge, maxDFAStates)
		}
		for j, b := range starts {
			to := n.targets(sets[i], b)
			if len(to) == 0 {
				continue
			}
			end := 256
			if j+1 < len(starts) {
				end = starts[j+1]
			}
			id := intern(to, false)
			for ; b < end; b++ {
				r.next[i][b] = id
			}
		}
	}
	return r, nil
}

// targets returns the states after byte b from any of the set.
func (n *nfa) targets(set []int32, b int) []int32 {
	var to []int32
	for _, s := range set {
		for _, e := range n.edges[s] {
			if int(e.lo) <= b && b <= int(e.hi) {
				to = append(to, e.to)
			}
		}
	}
	return to
}

// boundaries returns the bytes at which the reachable set may change, sorted.
func (n *nfa) boundaries(set []int32) []int {
	starts := []int{0}
	for _, s := range set {
		for _, e := range n.edges[s] {
			starts = append(starts, int(e.lo))
			if e.hi < 255 {
				starts = append(starts, int(e.hi)+1)
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

func subsetKey(set []int32, first bool) string {
	key := make([]byte, 0, 4*len(set)+1)
	for _, s := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	if first {
		key = append(key, 1)
	}
	return string(key)
}

// trieRows is the automaton of a finite set of literals.
func trieRows(lits [][]byte) (*rows, error) {
	r := &rows{}
	r.add(false)
	for _, lit := range lits {
		s := int32(0)
		for _, b := range lit {
			if r.next[s][b] < 0 {
				if len(r.next) >= maxDFAStates {
					return nil, fmt.Errorf("%w: more than %d bytes of constants", ErrTooLarge, maxDFAStates)
				}
				id := r.add(false)
				r.next[s][b] = id
			}
			s = r.next[s][b]
		}
		r.accept[s] = true
	}
	return r, nil
}

// dfa is the finished form. Every state can still be completed with bytes that
// the vocabulary has as tokens of their own.
type dfa struct {
	class    [256]uint8 // byte to column
	nClasses int
	next     []int32 // [states, nClasses], -1 = no way on
	accept   []bool  // [states]
	toEnd    []int32 // [states] bytes to the nearest accepting state, 0 if accepting
	toEnd1   []int32 // [states] the same with at least one byte; -1 if no way on
	fill     []byte  // [states] first byte of the way that toEnd1 counts
}

const unreachable = 1 << 29

// finish drops the states that cannot be completed and packs the columns. It
// returns ErrUnsatisfiable if nothing is accepted at all, and ErrVocab if nothing
// can be spelled with the given single bytes.
func (r *rows) finish(single *[256]bool) (*dfa, error) {
	all := [256]bool{}
	for i := range all {
		all[i] = true
	}
	if r.distances(&all)[0] >= unreachable {
		return nil, fmt.Errorf("%w: no text matches", ErrUnsatisfiable)
	}
	toEnd := r.distances(single)
	if toEnd[0] >= unreachable {
		return nil, fmt.Errorf("%w: a byte is missing", ErrVocab)
	}
	d := &dfa{accept: r.accept, toEnd: toEnd}
	for s := range r.next {
		best, fill := int32(-1), byte(0)
		for b, to := range r.next[s] {
			if to >= 0 && toEnd[to] >= unreachable {
				r.next[s][b] = -1
				continue
			}
			if to >= 0 && single[b] && (best < 0 || toEnd[to]+1 < best) {
				best, fill = toEnd[to]+1, byte(b)
			}
		}
		d.toEnd1 = append(d.toEnd1, best)
		d.fill = append(d.fill, fill)
	}
	r.pack(d)
	return d, nil
}

// distances returns for each state the bytes to the nearest accepting state,
// using the given bytes only: a breadth-first search backward from the end.
func (r *rows) distances(usable *[256]bool) []int32 {
	dist := make([]int32, len(r.next))
	sources := make([][]int32, len(r.next))
	var queue []int32
	for s := range r.next {
		if r.accept[s] {
			queue = append(queue, int32(s))
		} else {
			dist[s] = unreachable
		}
		last := int32(-1)
		for b, to := range r.next[s] {
			if to >= 0 && to != last && usable[b] {
				sources[to] = append(sources[to], int32(s))
				last = to
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		to := queue[i]
		for _, s := range sources[to] {
			if dist[s] == unreachable {
				dist[s] = dist[to] + 1
				queue = append(queue, s)
			}
		}
	}
	return dist
}

// pack groups bytes with equal columns: all bytes start in one class, and each
// row splits the classes in which it differs.
func (r *rows) pack(d *dfa) {
	reps := []byte{0}     // first byte of each class
	parents := []uint8{0} // class that it was split from
	for s := range r.next {
		row := &r.next[s]
		old := len(reps)
		for b := range 256 {
			c := d.class[b]
			if row[b] == row[reps[c]] {
				continue
			}
			// A class made by this row may hold the byte already.
			to := slices.IndexFunc(reps[old:], func(rep byte) bool {
				return row[rep] == row[b] && parents[d.class[rep]] == c
			})
			if to < 0 {
				to = len(reps) - old
				reps = append(reps, byte(b))
				parents = append(parents, c)
			}
			d.class[b] = uint8(old + to)
		}
	}
	d.nClasses = len(reps)
	d.next = make([]int32, 0, len(r.next)*d.nClasses)
	for s := range r.next {
		for _, b := range reps {
			d.next = append(d.next, r.next[s][b])
		}
	}
}

// step returns the state after b, or -1.
func (d *dfa) step(state int32, b byte) int32 {
	return d.next[int(state)*d.nClasses+int(d.class[b])]
}
