package grammar

import "math"

// unspellable is the need of a place that cannot be completed.
const unspellable = math.MaxInt32

// maxNeeds bounds the memo of needs; it is dropped when full (56 bytes a place).
const maxNeeds = 1 << 18

// place is a thread reduced to what the shortest completion depends on: counters
// become what is still owed. With room it is also the key of the mask cache.
type place struct {
	pc, sub    int32
	owed, room int32 // characters that a string needs, and may still take
	items      [maxArrays]items
}

// items is what an array still needs and may take.
type items struct{ owed, room int32 }

// place returns the place without room.
func (p *program) place(th *thread) place {
	in := &p.code[th.pc]
	k := place{pc: th.pc, sub: th.sub}
	if in.op == opStr {
		k.owed = in.owed(th)
	}
	for slot, id := range in.scope {
		k.items[slot].owed = max(0, p.arrays[id].min-th.ctr[slot])
	}
	return k
}

// needAll returns the least need of the threads, unspellable for an empty set.
func (g *Grammar) needAll(set []thread) int32 {
	best := int32(unspellable)
	for i := range set {
		best = min(best, g.need(&set[i]))
	}
	return best
}

// need returns the tokens of the best cut of the shortest completion.
func (g *Grammar) need(th *thread) int32 {
	key := g.prog.place(th)
	g.needMu.Lock()
	defer g.needMu.Unlock()
	if n, ok := g.needs[key]; ok {
		return n
	}
	if len(g.needs) > maxNeeds {
		clear(g.needs)
	}
	w := wayOn{g: g, threads: []thread{*th}, keys: []place{key}}
	return w.solve()
}

// wayOn is the canonical shortest completion from a place, extended as far as
// it is looked at.
type wayOn struct {
	g       *Grammar
	threads []thread
	keys    []place
	text    []byte // text[i] leads from threads[i] to threads[i+1]
	buf     []thread
}

// extend makes threads[i] available; false if the completion ends before.
func (w *wayOn) extend(i int) bool {
	for len(w.threads) <= i {
		last := w.threads[len(w.threads)-1]
		if w.g.prog.code[last.pc].op == opAccept {
			return false
		}
		w.text = append(w.text, w.g.shortest(&last))
		var next thread
		next, w.buf = w.g.advance(last, w.buf)
		w.threads = append(w.threads, next)
		w.keys = append(w.keys, w.g.prog.place(&next))
	}
	return true
}

// solve fills the memo for all places on the way up to the first known one, from
// the end to the start, and returns the need of the start.
func (w *wayOn) solve() int32 {
	known := 0
	for ; w.extend(known); known++ {
		if _, ok := w.g.needs[w.keys[known]]; ok {
			break
		}
		if w.g.prog.code[w.threads[known].pc].op == opAccept {
			w.g.needs[w.keys[known]] = 0
			break
		}
	}
	for i := known - 1; i >= 0; i-- {
		w.g.needs[w.keys[i]] = w.cut(i)
	}
	return w.g.needs[w.keys[0]]
}

// cut returns the need of place i when those of all later places are known.
func (w *wayOn) cut(i int) int32 {
	best := int32(unspellable)
	t := w.g.index.main
	node := int32(-1)
	for j := i; w.extend(j + 1); j++ {
		if node = t.child(node, w.text[j]); node < 0 {
			break
		}
		if t.nodes[node].term < 0 {
			continue
		}
		if n, ok := w.g.needs[w.keys[j+1]]; ok && n < best-1 {
			best = n + 1
		}
	}
	return best
}
