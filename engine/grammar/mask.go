package grammar

import (
	"cmp"
	"slices"
)

// maxCacheIDs bounds the token ids held by the mask cache (4 bytes each), and
// maxCacheEntries the entries, which take a few hundred bytes besides.
const (
	maxCacheIDs     = 1 << 23
	maxCacheEntries = 1 << 13
)

// group is a set of tokens after which the shortest completion needs the same
// number of tokens. It has bits or ids, which may be shared with the VocabIndex.
type group struct {
	need int32
	ids  []int32
	bits []uint64
}

// entry is what a thread allows, by ascending need.
type entry struct {
	groups []group
	held   int // ids that are not shared
}

// entry returns the tokens that the thread allows, from the cache if possible.
func (g *Grammar) entry(th *thread) *entry {
	key := g.maskKey(th)
	g.cacheMu.RLock()
	e := g.cache[key]
	g.cacheMu.RUnlock()
	if e != nil {
		return e
	}
	e = g.build(th)
	g.cacheMu.Lock()
	defer g.cacheMu.Unlock()
	if g.cacheIDs += e.held; g.cacheIDs > maxCacheIDs || len(g.cache) >= maxCacheEntries {
		clear(g.cache)
		g.cacheIDs = e.held
	}
	g.cache[key] = e
	return e
}

// maskKey reduces a thread to what the next token can tell apart: no token
// begins more characters of a string, or more items, than it has bytes.
func (g *Grammar) maskKey(th *thread) place {
	k := g.prog.place(th)
	in := &g.prog.code[th.pc]
	longest := int32(g.index.main.depth)
	if in.op == opStr {
		k.room = min(in.max-th.count, longest)
	}
	for slot, id := range in.scope {
		k.items[slot].room = min(g.prog.arrays[id].max-th.ctr[slot], longest)
	}
	return k
}

// build computes an entry.
func (g *Grammar) build(th *thread) *entry {
	b := entryBuilder{g: g, byNeed: map[int32][]int32{}}
	in := &g.prog.code[th.pc]
	switch {
	case in.op == opAccept:
	case in.op == opStr && th.sub == inText:
		b.inside(th, in)
		b.closing(th, in)
	default:
		g.prog.walk(g.index.main, []thread{*th}, func(term int32, set []thread) {
			n := g.needAll(set)
			b.byNeed[n] = append(b.byNeed[n], g.index.terms[term]...)
		})
	}
	return b.finish()
}

type entryBuilder struct {
	g      *Grammar
	shared []group
	byNeed map[int32][]int32
}

// inside adds the tokens that stay in the string.
func (b *entryBuilder) inside(th *thread, in *instr) {
	x := b.g.index
	room := in.max - th.count
	after := func(bk *bucket) int32 {
		next := *th
		next.count += bk.n
		next.sub = bk.at
		return b.g.need(&next)
	}
	if in.owed(th) == 0 {
		// The need does not depend on the number of characters.
		if bits := x.upToCount(room); bits != nil {
			b.shared = append(b.shared, group{need: after(&x.inside[0]), bits: bits})
		}
	} else {
		b.buckets(x.inside, room, after)
	}
	b.buckets(x.partial, room, after)
}

func (b *entryBuilder) buckets(list []bucket, room int32, after func(*bucket) int32) {
	for i := range list {
		bk := &list[i]
		if bk.n > room {
			break
		}
		b.shared = append(b.shared, group{need: after(bk), ids: bk.ids, bits: bk.bits})
	}
}

// closing adds the tokens that close the string.
func (b *entryBuilder) closing(th *thread, in *instr) {
	x := b.g.index
	owed, room := in.owed(th), in.max-th.count
	after := b.g.prog.enter(nil, in.next, *th)
	b.g.prog.walk(x.rests, after, func(term int32, set []thread) {
		n := b.g.needAll(set)
		for _, q := range x.closers[term] {
			if owed <= q.n && q.n <= room {
				b.byNeed[n] = append(b.byNeed[n], q.id)
			}
		}
	})
}

// finish sorts the groups by need.
func (b *entryBuilder) finish() *entry {
	e := &entry{groups: b.shared}
	for need, ids := range b.byNeed {
		bk := b.g.index.bucket(0, 0, ids)
		e.groups = append(e.groups, group{need: need, ids: bk.ids, bits: bk.bits})
		e.held += min(len(ids), 2*b.g.index.words)
	}
	slices.SortStableFunc(e.groups, func(x, y group) int { return cmp.Compare(x.need, y.need) })
	return e
}

// set makes dst the tokens after which at most limit more are needed.
func (e *entry) set(dst []uint64, limit int32) {
	if len(e.groups) == 0 || e.groups[0].bits == nil || e.groups[0].need > limit {
		clear(dst)
		e.or(dst, 0, limit)
		return
	}
	copy(dst, e.groups[0].bits) // a group has bits or ids
	e.or(dst, 1, limit)
}

// or adds such tokens to dst, from a group on.
func (e *entry) or(dst []uint64, from int, limit int32) {
	for i := from; i < len(e.groups) && e.groups[i].need <= limit; i++ {
		setBits(dst, e.groups[i].ids)
		for j, w := range e.groups[i].bits {
			dst[j] |= w
		}
	}
}
