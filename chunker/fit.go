package chunker

import (
	"unicode/utf8"

	"windowseat/document"
	"windowseat/document/sentence"
)

// level is how fine a cut may be.
type level int

const (
	atSentence level = iota
	anyCharacter
)

// fitter finds the longest piece of one block that fits in a number of tokens.
type fitter struct {
	b    document.Block
	o    Options
	ends []int // sentence ends of the whole block, computed once

	// A sentence that is cut over many parts is not counted again as a whole for
	// each: longEnd is the end of the last one that did not fit, longTokens the
	// estimate of what is left of it.
	longEnd, longTokens int
}

func newFitter(b document.Block, o Options) *fitter {
	f := &fitter{b: b, o: o}
	if b.Kind == document.KindTable || b.Kind == document.KindCode {
		f.ends = lineEnds(b.Text)
		return f
	}
	f.ends = ends(sentence.Split(b.Text))
	return f
}

func lineEnds(text string) []int {
	var ends []int
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	if n := len(text); n > 0 && text[n-1] != '\n' {
		ends = append(ends, n)
	}
	return ends
}

// fit returns the end of the longest piece that begins at start and counts at
// most room tokens, with its count; end = start if none does.
func (f *fitter) fit(start, room int, l level) (end, tokens int) {
	prefix := f.o.prefix(f.b, start)
	count := func(end int) int { return f.o.Count(prefix + f.b.Text[start:end] + "\n") }
	for len(f.ends) > 0 && f.ends[0] <= start {
		f.ends = f.ends[1:]
	}
	if len(f.ends) == 0 {
		return start, 0
	}
	if f.ends[0] != f.longEnd || f.longTokens <= 2*room {
		first := 0
		end, tokens = longest(f.ends, room, func(end int) int {
			n := count(end)
			if end == f.ends[0] {
				first = n
			}
			return n
		})
		if end > 0 {
			return end, tokens
		}
		f.longEnd, f.longTokens = f.ends[0], first
	}
	if l == atSentence {
		return start, 0
	}
	end, tokens = f.fitSentence(start, room, count)
	f.longTokens -= tokens
	return end, tokens
}

// fitSentence cuts inside the sentence at start, which does not fit whole.
func (f *fitter) fitSentence(start, room int, count func(end int) int) (end, tokens int) {
	// Look only as far into the sentence as the room can reach: first at eight
	// bytes for a token, then farther while everything that was looked at fits.
	text := f.b.Text[start:f.ends[0]]
	for reach := max(room, 1) * firstReach; ; reach *= 4 {
		near := text
		if reach < len(text) {
			near = text[:runeStart(text, reach)]
		}
		end, tokens := fitInside(near, len(near) < len(text), room, func(n int) int { return count(start + n) })
		if len(near) == len(text) || end < len(near)/2 {
			return start + end, tokens
		}
	}
}

// firstReach is about twice the bytes of a token of running text.
const firstReach = 8

// runeStart is the start of the character that byte i of s belongs to.
func runeStart(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// fitInside cuts within a sentence: behind a clause, else between grapheme
// clusters, else between the runes of a cluster that is too large by itself. torn
// says that text ends somewhere inside the sentence, so that its end is no
// boundary. It returns 0 if not one rune fits.
func fitInside(text string, torn bool, room int, count func(end int) int) (end, tokens int) {
	clauses := ends(sentence.Clauses(text))
	if torn && len(clauses) > 0 {
		clauses = clauses[:len(clauses)-1]
	}
	if end, tokens = longest(clauses, room, count); end > 0 {
		return end, tokens
	}
	if len(clauses) > 0 {
		text, torn = text[:clauses[0]], false
	}
	chars := sentence.Chars(text)
	if torn && len(chars) > 1 {
		chars = chars[:len(chars)-1]
	}
	if end, tokens = longest(chars, room, count); end > 0 || len(chars) == 0 {
		return end, tokens
	}
	return longest(runeEnds(text[:chars[0]]), room, count)
}

func ends(spans []Span) []int {
	out := make([]int, len(spans))
	for i, s := range spans {
		out[i] = s.End
	}
	return out
}

// longest returns the last of the ends whose count is at most room, 0 if the
// first is too large. It probes ever longer pieces, so that the work is within a
// small factor of the answer, and checks its answer by counting; a counter that
// does not grow with the text may get less than the longest, never too much.
func longest(ends []int, room int, count func(int) int) (end, tokens int) {
	lo, n := -1, 0 // ends[lo] fits with n tokens
	step := 1
	hi := len(ends) // first known not to fit
	for lo+1 < hi {
		i := lo + step
		if hi < len(ends) {
			i = (lo + hi) / 2
		}
		i = min(i, hi-1)
		if t := count(ends[i]); t <= room {
			lo, n = i, t
			step *= 2
		} else {
			hi = i
		}
	}
	if lo < 0 {
		return 0, 0
	}
	return ends[lo], n
}

// runeEnds lists the ends of the characters.
func runeEnds(text string) []int {
	var out []int
	for i := range text {
		if i > 0 {
			out = append(out, i)
		}
	}
	return append(out, len(text))
}

// smallest is the count of the first rune of the rest, for the error.
func (f *fitter) smallest(start int) int {
	text := f.b.Text[start:]
	return f.o.Count(f.o.prefix(f.b, start) + text[:runeEnds(text)[0]] + "\n")
}
