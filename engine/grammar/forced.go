package grammar

import (
	"bytes"
	"slices"
)

// Encoder is what a Vocab may also be: a tokenizer that cuts a text canonically.
// It must be safe for concurrent use; the VocabIndex keeps it.
type Encoder interface {
	Encode(dst []int32, text string) []int32
}

// maxForced bounds the bytes looked ahead by one call of Forced.
const maxForced = 1 << 10

// Forced appends to dst the tokens that must follow, so that they can be
// prefilled instead of decoded, and returns it. It moves nothing. The forced
// bytes are cut by the Vocab if it is an Encoder, else by longest match. The cut
// stops before the first byte at which an allowed token begins that reaches beyond
// the forced bytes, so that the model sees no boundary that its tokenizer would
// not make. The result keeps within the budget.
func (m *Matcher) Forced(dst []int32) []int32 {
	text := m.forcedText()
	safe := m.uncrossed(text)
	if safe == 0 {
		return dst
	}
	probe := m.Clone()
	for _, id := range m.g.index.cut(text) {
		if safe -= len(m.g.index.pieces[id]); safe < 0 || probe.Accept(id) != nil {
			break
		}
		dst = append(dst, id)
	}
	return dst
}

// uncrossed returns how many bytes of the forced text no token can join with
// what comes after the text.
func (m *Matcher) uncrossed(text []byte) int {
	set := m.set
	for i := range text {
		if m.g.crosses(text[i:], set) {
			return i
		}
		set = m.g.prog.stepAll(nil, set, text[i])
	}
	return len(text)
}

// forcedText returns the bytes on which there is no choice.
func (m *Matcher) forcedText() []byte {
	var text []byte
	set := slices.Clone(m.set)
	var next []thread
	for len(text) < maxForced && !m.ended {
		b, ok := m.g.prog.onlyByte(set)
		if !ok {
			break
		}
		text = append(text, b)
		next = m.g.prog.stepAll(next, set, b)
		set, next = next, set
	}
	return text
}

// onlyByte returns the byte that must follow, and whether there is just one.
func (p *program) onlyByte(set []thread) (only byte, ok bool) {
	var buf []thread
	for i := range set {
		th := &set[i]
		in := &p.code[th.pc]
		switch in.op {
		case opAccept:
			return 0, false
		case opLit:
			if ok && in.lit[th.sub] != only {
				return 0, false
			}
			only, ok = in.lit[th.sub], true
			continue
		}
		for b := range 256 {
			if buf = p.step(buf[:0], th, byte(b)); len(buf) == 0 {
				continue
			}
			if ok && byte(b) != only {
				return 0, false
			}
			only, ok = byte(b), true
		}
	}
	return only, ok
}

// cut returns tokens that spell the text, or its start.
func (x *VocabIndex) cut(text []byte) []int32 {
	if x.encoder != nil {
		ids := x.encoder.Encode(nil, string(text))
		rest := text
		for i, id := range ids {
			if id < 0 || int(id) >= x.size || len(x.pieces[id]) == 0 || !bytes.HasPrefix(rest, x.pieces[id]) {
				return ids[:i]
			}
			rest = rest[len(x.pieces[id]):]
		}
		return ids
	}
	var ids []int32
	for len(text) > 0 {
		id, n := x.longestMatch(text)
		if n == 0 {
			break
		}
		ids = append(ids, id)
		text = text[n:]
	}
	return ids
}

// longestMatch returns the longest token at the start of the text and its length
// in bytes, 0 if there is none.
func (x *VocabIndex) longestMatch(text []byte) (id int32, n int) {
	node := int32(-1)
	for i, b := range text {
		if node = x.main.child(node, b); node < 0 {
			break
		}
		if term := x.main.nodes[node].term; term >= 0 {
			id, n = x.terms[term][0], i+1
		}
	}
	return id, n
}

// crosses reports whether the set allows a token that begins with all of the
// text and is longer.
func (g *Grammar) crosses(text []byte, set []thread) bool {
	t := g.index.main
	node := int32(-1)
	for _, b := range text {
		if node = t.child(node, b); node < 0 {
			return false
		}
		set = g.prog.stepAll(nil, set, b)
	}
	return g.extends(node, set)
}

// extends reports whether a token below the trie node fits.
func (g *Grammar) extends(node int32, set []thread) bool {
	t := g.index.main
	for c := node + 1; c < t.nodes[node].skip; c = t.nodes[c].skip {
		next := g.prog.stepAll(nil, set, t.nodes[c].b)
		if len(next) > 0 && (t.nodes[c].term >= 0 || g.extends(c, next)) {
			return true
		}
	}
	return false
}
