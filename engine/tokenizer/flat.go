package tokenizer

import (
	"encoding/binary"
	"slices"
)

// The flat form is a sequence of little-endian 32-bit words:
//
//	magic, counts (see flatCounts), bos, eos, addBOS
//	name of the pre-tokenizer, bytes, zeros up to a whole word
//	types [tokens]
//	spelled, pieces, virtual: ends without the first [n], then the bytes up to a whole word
//	ids [idSlots], whole [wholeSlots]: numbers of tokens, None where free
//	merges [mergeSlots] of left, right, rank; rank is noRank where free
//	merged [merges], byteSym [256], byteToken [256], ends [ends]
//
// Who stores it keeps FlatVersion beside it.
const flatMagic = 0x314b4f54 // "TOK1"

// FlatVersion numbers what New makes of a vocabulary. It changes whenever the same
// vocabulary would give other tables, be it by their form, by the hash, or by a new
// spelling in endSpellings.
const FlatVersion = 1

// flatCounts are the lengths of the lists, in the order that they are stored in.
type flatCounts struct {
	tokens, merges, virtual, idSlots, wholeSlots, mergeSlots, ends, preBytes int
}

func (c *flatCounts) all() []*int {
	return []*int{&c.tokens, &c.merges, &c.virtual, &c.idSlots, &c.wholeSlots, &c.mergeSlots, &c.ends, &c.preBytes}
}

// flatWriter appends words.
type flatWriter struct{ b []byte }

func (w *flatWriter) word(x uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, x) }

func (w *flatWriter) ints(list []int32) {
	for _, x := range list {
		w.word(uint32(x))
	}
}

func (w *flatWriter) bytes(b []byte) {
	w.b = append(w.b, b...)
	for len(w.b)%4 != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *flatWriter) texts(t *texts) {
	for _, e := range t.ends[1:] {
		w.word(e)
	}
	w.bytes(t.blob)
}

// AppendFlat appends the tokenizer's tables to dst, whose length must be a multiple
// of 4. FromFlat reads them.
func (t *Tokenizer) AppendFlat(dst []byte) []byte {
	w := &flatWriter{dst}
	ends := make([]int32, 0, len(t.ends))
	for id := range t.ends {
		ends = append(ends, id)
	}
	slices.Sort(ends)
	c := flatCounts{
		tokens: t.VocabSize(), merges: len(t.bpe.merged), virtual: t.bpe.virtual.n(), idSlots: len(t.ids.slots),
		wholeSlots: len(t.whole.slots), mergeSlots: len(t.bpe.slots), ends: len(ends), preBytes: len(t.preName),
	}
	w.word(flatMagic)
	for _, n := range c.all() {
		w.word(uint32(*n))
	}
	addBOS := int32(0)
	if t.addBOS {
		addBOS = 1
	}
	w.ints([]int32{t.bos, t.eos, addBOS})
	w.bytes([]byte(t.preName))
	for _, typ := range t.types {
		w.word(uint32(typ))
	}
	w.texts(&t.spelled)
	w.texts(&t.pieces)
	w.texts(&t.bpe.virtual)
	w.ints(t.ids.slots)
	w.ints(t.whole.slots)
	for _, s := range t.bpe.slots {
		w.ints([]int32{int32(s.key >> 32), int32(s.key)})
		if s.key == emptySlot {
			w.word(noRank)
		} else {
			w.word(s.rank)
		}
	}
	w.ints(t.bpe.merged)
	w.ints(t.bpe.byteSym[:])
	w.ints(t.bpe.byteToken[:])
	w.ints(ends)
	return w.b
}

// flatReader takes words from the front, and keeps the first error.
type flatReader struct {
	b   []byte
	err error
}

func (r *flatReader) fail(what string) {
	if r.err == nil {
		r.err = formatErrorf("flat tables: %s", what)
	}
}

// take returns the next n bytes and steps over what fills up the last word.
func (r *flatReader) take(n int, what string) []byte {
	full := (n + 3) / 4 * 4
	if n < 0 || full > len(r.b) {
		r.fail(what + " are cut")
	}
	if r.err != nil {
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[full:]
	return b
}

// ints reads n numbers, each in [lo, hi).
func (r *flatReader) ints(n, lo, hi int, what string) []int32 {
	b := r.take(4*n, what)
	if r.err != nil {
		return nil
	}
	list := make([]int32, n)
	bad := false
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		bad = bad || int(list[i]) < lo || int(list[i]) >= hi
	}
	if bad {
		r.fail(what + " are out of range")
	}
	return list
}

// maxFlat bounds counts, so that their products stay small.
const maxFlat = 1 << 28

func (r *flatReader) texts(n int, what string) texts {
	t := texts{ends: make([]uint32, 1, 1+min(n, len(r.b)/4))}
	b := r.take(4*n, what)
	for i := 0; 4*i < len(b); i++ {
		e := binary.LittleEndian.Uint32(b[4*i:])
		if e < t.ends[i] || e > maxFlat {
			r.fail(what + " do not ascend")
			break
		}
		t.ends = append(t.ends, e)
	}
	if r.err == nil {
		t.blob = r.take(int(t.ends[n]), what)
	}
	return t
}

// index reads a table over n texts. Without a free slot a search would not end.
func (r *flatReader) index(size, n int, what string) index {
	x := index{r.ints(size, int(None), n, what)}
	if r.err == nil && (!isTable(size) || !slices.Contains(x.slots, None)) {
		r.fail(what + " are no table")
	}
	return x
}

// isTable reports whether a hash table can have this size.
func isTable(size int) bool { return size >= 16 && size&(size-1) == 0 }

func (r *flatReader) counts() (c flatCounts) {
	if b := r.take(4, "magic"); r.err == nil && binary.LittleEndian.Uint32(b) != flatMagic {
		r.fail("no magic")
	}
	for _, n := range c.all() {
		if list := r.ints(1, 0, maxFlat, "counts"); r.err == nil {
			*n = int(list[0])
		}
	}
	if r.err == nil && (c.tokens == 0 || c.tokens > maxTokens) {
		r.fail("no tokens")
	}
	return c
}

func (r *flatReader) merges(b *bpe, size, merges int) {
	raw := r.take(12*size, "merges")
	if r.err == nil && !isTable(size) {
		r.fail("merges are no table")
	}
	if r.err != nil {
		return
	}
	b.slots, b.shift = make([]mergeSlot, size), tableShift(size)
	free := false
	for i := range b.slots {
		w := raw[12*i:][:12]
		s := mergeSlot{
			key:  uint64(binary.LittleEndian.Uint32(w))<<32 | uint64(binary.LittleEndian.Uint32(w[4:])),
			rank: binary.LittleEndian.Uint32(w[8:]),
		}
		switch {
		case s.key == emptySlot:
			free, s.rank = true, 0
		case s.rank >= uint32(merges):
			r.fail("merges are out of range")
		}
		b.slots[i] = s
	}
	if !free {
		r.fail("merges are no table")
	}
}

// FromFlat builds the tokenizer that AppendFlat stored. Every length and number is
// checked, so that a damaged or hostile b gives an error or wrong tokens, and no
// other harm. Errors are *gguf.FormatError or *gguf.UnsupportedError. b is retained.
func FromFlat(b []byte) (*Tokenizer, error) {
	r := &flatReader{b: b}
	c := r.counts()
	t := &Tokenizer{classes: classTable(), ends: map[int32]bool{}}
	head := r.ints(3, int(None), max(c.tokens, 2), "special tokens")
	t.preName = string(r.take(c.preBytes, "pre-tokenizer"))
	b = r.take(4*c.tokens, "types")
	if r.err != nil {
		return nil, r.err
	}
	t.bos, t.eos, t.addBOS = head[0], head[1], head[2] == 1
	t.types = make([]Type, c.tokens)
	for i := range t.types {
		t.types[i] = Type(binary.LittleEndian.Uint32(b[4*i:]))
	}
	t.spelled, t.pieces = r.texts(c.tokens, "spellings"), r.texts(c.tokens, "pieces")
	p := &t.bpe
	p.nTokens, p.virtual = int32(c.tokens), r.texts(c.virtual, "symbols")
	t.ids = r.index(c.idSlots, c.tokens, "ids")
	if c.wholeSlots > 0 {
		t.whole = r.index(c.wholeSlots, c.tokens, "words")
	}
	r.merges(p, c.mergeSlots, c.merges)
	p.merged = r.ints(c.merges, 0, c.tokens+c.virtual, "results of merges")
	copy(p.byteSym[:], r.ints(256, 0, c.tokens+c.virtual, "bytes"))
	copy(p.byteToken[:], r.ints(256, int(None), c.tokens, "bytes"))
	for _, id := range r.ints(c.ends, 0, c.tokens, "ends") {
		t.ends[id] = true
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := t.findPre(); err != nil {
		return nil, err
	}
	if max(t.bos, t.eos) >= p.nTokens || t.pre.wholeWords != (c.wholeSlots > 0) || len(r.b) != 0 {
		return nil, formatErrorf("flat tables: they do not fit together")
	}
	t.findSpecials()
	return t, nil
}
