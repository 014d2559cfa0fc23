package grammar

import (
	"bytes"
	"slices"
)

// Vocab is a vocabulary as this package sees it. Pieces are raw bytes, not the
// printable stand-ins of byte-level BPE.
type Vocab interface {
	VocabSize() int
	// Piece returns the bytes of a token; they are copied.
	Piece(id int32) []byte
	// IsControl reports tokens that are never part of a text.
	IsControl(id int32) bool
	// IsEOG reports tokens that end a generation.
	IsEOG(id int32) bool
}

// VocabIndex is what grammars need to know about a vocabulary. It is immutable
// and shared by all grammars of a model.
type VocabIndex struct {
	size   int
	words  int // uint64 words of a mask
	eog    []int32
	pieces [][]byte  // [size], nil for tokens that are never written
	single [256]bool // the byte is a token of its own
	fill   [nText]byte
	spells bool // all bytes that strings and structure need are tokens

	encoder Encoder // nil if the Vocab is none

	main  *trie
	terms [][]int32 // by term of main: tokens with this piece

	// Tokens by what they do inside a string (textClass).
	inside  []bucket   // end at a boundary, by ascending n
	upTo    []bucket   // the same, accumulated: all with at most n characters; all have bits
	partial []bucket   // end within a character
	rests   *trie      // what follows the closing quote
	closers [][]quoted // by term of rests: tokens, by ascending n
}

// bucket is a set of tokens that begin n characters and end at a position within
// a character. It has bits if it is large, and ids otherwise.
type bucket struct {
	n, at int32
	ids   []int32
	bits  []uint64
}

// quoted is a token that closes the string after n characters.
type quoted struct{ n, id int32 }

// denseAt is the number of tokens from which a set is stored as bits: a list of
// 32-bit ids takes as much memory as the bits for 1/32 of the vocabulary.
func (x *VocabIndex) denseAt() int { return max(64, x.size/32) }

// NewVocabIndex reads the vocabulary once. It keeps v only if it is an Encoder.
func NewVocabIndex(v Vocab) *VocabIndex {
	x := &VocabIndex{size: v.VocabSize()}
	x.words = (x.size + 63) / 64
	x.encoder, _ = v.(Encoder)
	x.pieces = make([][]byte, x.size)
	var ids []int32
	for id := range int32(x.size) {
		if v.IsEOG(id) {
			x.eog = append(x.eog, id)
			continue
		}
		piece := v.Piece(id)
		if v.IsControl(id) || len(piece) == 0 || len(piece) > maxPieceBytes {
			continue
		}
		x.pieces[id] = bytes.Clone(piece)
		ids = append(ids, id)
		if len(piece) == 1 {
			x.single[piece[0]] = true
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return bytes.Compare(x.pieces[a], x.pieces[b]) })
	keys, groups := uniqueKeys(ids, func(id int32) []byte { return x.pieces[id] })
	x.main, x.terms = newTrie(keys), groups

	x.fill, x.spells = textFill(&x.single)
	for b := byte(0x20); b < 0x7F; b++ {
		x.spells = x.spells && x.single[b]
	}
	x.classifyAll(ids)
	return x
}

// MaskWords returns the length of a mask: one bit per token.
func (x *VocabIndex) MaskWords() int { return x.words }

// classifyAll sorts the tokens by what they do inside a string.
func (x *VocabIndex) classifyAll(ids []int32) {
	type place struct{ at, n int32 }
	open := map[place][]int32{}
	var closing []int32
	rest := map[int32]textClass{}
	for _, id := range ids {
		c := classify(x.pieces[id])
		switch {
		case !c.valid:
		case c.closed:
			closing = append(closing, id)
			rest[id] = c
		default:
			open[place{c.at, c.n}] = append(open[place{c.at, c.n}], id)
		}
	}
	for p, list := range open {
		b := x.bucket(p.n, p.at, list)
		if p.at == inText {
			x.inside = append(x.inside, b)
		} else {
			x.partial = append(x.partial, b)
		}
	}
	byCount := func(a, b bucket) int { return int(a.n-b.n)*int(nText) + int(a.at-b.at) }
	slices.SortFunc(x.inside, byCount)
	slices.SortFunc(x.partial, byCount)
	sum := make([]uint64, x.words)
	for _, b := range x.inside {
		b.or(sum)
		x.upTo = append(x.upTo, bucket{n: b.n, bits: slices.Clone(sum)})
	}

	slices.SortFunc(closing, func(a, b int32) int {
		if c := bytes.Compare(rest[a].rest, rest[b].rest); c != 0 {
			return c
		}
		return int(rest[a].n - rest[b].n)
	})
	keys, groups := uniqueKeys(closing, func(id int32) []byte { return rest[id].rest })
	x.rests = newTrie(keys)
	for _, g := range groups {
		list := make([]quoted, len(g))
		for i, id := range g {
			list[i] = quoted{rest[id].n, id}
		}
		x.closers = append(x.closers, list)
	}
}

func (x *VocabIndex) bucket(n, at int32, ids []int32) bucket {
	b := bucket{n: n, at: at}
	if len(ids) < x.denseAt() {
		b.ids = ids
		return b
	}
	b.bits = make([]uint64, x.words)
	setBits(b.bits, ids)
	return b
}

// or adds the tokens to a mask.
func (b *bucket) or(dst []uint64) {
	setBits(dst, b.ids)
	for i, w := range b.bits {
		dst[i] |= w
	}
}

func setBits(dst []uint64, ids []int32) {
	for _, id := range ids {
		dst[id>>6] |= 1 << (id & 63)
	}
}

// upToCount returns the tokens that stay in the string and begin at most n
// characters, nil if there are none.
func (x *VocabIndex) upToCount(n int32) []uint64 {
	i, found := slices.BinarySearchFunc(x.upTo, n, func(b bucket, n int32) int { return int(b.n - n) })
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	return x.upTo[i].bits
}
