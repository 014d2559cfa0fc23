package grammar

// thread is one place in the program: a consuming instruction, the position in
// it, and the counters. Counters that are not in use are zero, so equal places
// are equal values.
type thread struct {
	pc    int32
	sub   int32            // opLit: bytes done; opStr: position in the character; opDFA: state
	count int32            // opStr: characters begun
	ctr   [maxArrays]int32 // items begun, by array depth
}

// enter follows the empty instructions from pc and adds the consuming places
// reached to set, without repeats. th holds the counters.
func (p *program) enter(set []thread, pc int32, th thread) []thread {
	in := &p.code[pc]
	th.pc, th.sub, th.count = pc, 0, 0
	switch in.op {
	case opSplit:
		for _, a := range in.alts {
			set = p.enter(set, a, th)
		}
		return set
	case opEnter:
		a := &p.arrays[in.array]
		th.ctr[a.slot] = 0
		if a.min == 0 {
			set = p.enter(set, a.close, th)
		}
		th.ctr[a.slot] = 1
		return p.enter(set, a.item, th)
	case opNext:
		a := &p.arrays[in.array]
		n := th.ctr[a.slot]
		if n < a.max {
			th.ctr[a.slot] = n + 1
			set = p.enter(set, a.comma, th)
		}
		if n >= a.min {
			th.ctr[a.slot] = 0
			set = p.enter(set, a.close, th)
		}
		return set
	case opDFA:
		if in.dfa.accept[0] {
			set = p.enter(set, in.next, th)
		}
		if in.dfa.toEnd1[0] < 0 {
			return set
		}
	}
	return insert(set, th)
}

func insert(set []thread, th thread) []thread {
	for i := range set {
		if set[i] == th {
			return set
		}
	}
	return append(set, th)
}

// step adds to set the places after byte b.
func (p *program) step(set []thread, th *thread, b byte) []thread {
	in := &p.code[th.pc]
	switch in.op {
	case opLit:
		if in.lit[th.sub] != b {
			return set
		}
		if int(th.sub)+1 == len(in.lit) {
			return p.enter(set, in.next, *th)
		}
		next := *th
		next.sub++
		return insert(set, next)
	case opStr:
		to := textSteps[th.sub][b]
		if to == strClose {
			if th.count < in.min {
				return set
			}
			return p.enter(set, in.next, *th)
		}
		if to == strDead {
			return set
		}
		next := *th
		if th.sub == inText {
			if th.count >= in.max {
				return set
			}
			next.count++
		}
		next.sub = int32(to)
		return insert(set, next)
	case opDFA:
		to := in.dfa.step(th.sub, b)
		if to < 0 {
			return set
		}
		if in.dfa.accept[to] {
			set = p.enter(set, in.next, *th)
		}
		if in.dfa.toEnd1[to] < 0 {
			return set
		}
		next := *th
		next.sub = to
		return insert(set, next)
	}
	return set
}

// stepAll returns the places after byte b from any of the threads, in dst[:0].
func (p *program) stepAll(dst, set []thread, b byte) []thread {
	dst = dst[:0]
	for i := range set {
		dst = p.step(dst, &set[i], b)
	}
	return dst
}

// complete reports whether the value may end here.
func (p *program) complete(set []thread) bool {
	for i := range set {
		if p.code[set[i].pc].op == opAccept {
			return true
		}
	}
	return false
}

// owed is the number of characters that a string still needs.
func (in *instr) owed(th *thread) int32 {
	return max(0, in.min-th.count)
}

// distance returns the bytes of the shortest completion.
func (p *program) distance(th *thread) int64 {
	in := &p.code[th.pc]
	d := in.least
	switch in.op {
	case opLit:
		d -= int64(th.sub)
	case opStr:
		d += textRest[th.sub] + int64(in.owed(th)-in.min)
	case opDFA:
		d += int64(in.dfa.toEnd1[th.sub] - in.dfa.toEnd[0])
	}
	for slot, id := range in.scope {
		a := &p.arrays[id]
		d += int64(max(0, a.min-th.ctr[slot])) * a.cost
	}
	return d
}

// shortest returns the next byte of the canonical shortest completion. It must
// not be called at the end.
func (g *Grammar) shortest(th *thread) byte {
	in := &g.prog.code[th.pc]
	switch in.op {
	case opLit:
		return in.lit[th.sub]
	case opDFA:
		return in.dfa.fill[th.sub]
	}
	if th.sub == inText && in.owed(th) == 0 {
		return '"'
	}
	return g.index.fill[th.sub]
}

// advance returns the place after the next byte of the shortest completion. buf
// is scratch space, returned for reuse.
func (g *Grammar) advance(th thread, buf []thread) (thread, []thread) {
	buf = g.prog.step(buf[:0], &th, g.shortest(&th))
	best := 0
	for i := 1; i < len(buf); i++ {
		if g.prog.distance(&buf[i]) < g.prog.distance(&buf[best]) {
			best = i
		}
	}
	return buf[best], buf
}
