package document

import (
	"strings"
	"unicode/utf8"

	"windowseat/document/sentence"
)

// maxBlockRunes is the length above which a block is cut at a sentence end, so
// that a citation stays a place one can look at.
const maxBlockRunes = 2000

// maxTableRunes: tables and code stay whole longer, since a part without its
// head says little.
const maxTableRunes = 20000

// splitLongBlocks cuts blocks that are too long. No text is dropped except white
// space at a cut; times and the rest of the place are carried on.
func splitLongBlocks(blocks []Block) []Block {
	out := blocks[:0:0]
	for i, b := range blocks {
		limit := maxBlockRunes
		if b.Kind == KindTable || b.Kind == KindCode {
			limit = maxTableRunes
		}
		if len(b.Text) <= limit || utf8.RuneCountInString(b.Text) <= limit {
			if out != nil {
				out = append(out, b)
			}
			continue
		}
		if out == nil {
			out = append(make([]Block, 0, len(blocks)+1), blocks[:i]...)
		}
		out = append(out, splitBlock(b, limit)...)
	}
	if out == nil {
		return blocks
	}
	return out
}

// splitBlock cuts one block into pieces of at most limit runes.
func splitBlock(b Block, limit int) []Block {
	ends := cutPoints(b.Text, limit, b.Kind == KindTable || b.Kind == KindCode)
	var out []Block
	start, lineNo, counted := 0, b.Place.Line, 0
	for _, end := range ends {
		text := strings.TrimRight(b.Text[start:end], " \t\n\u3000")
		lead := len(text) - len(strings.TrimLeft(text, " \t\n\u3000"))
		if b.Kind == KindCode || b.Kind == KindTable {
			lead = 0
		}
		piece := b
		piece.Text = text[lead:]
		lineNo += strings.Count(b.Text[counted:start+lead], "\n")
		counted = start + lead
		piece.Place.Line = lineNo
		piece.Cues = cutCues(b.Cues, start+lead, end)
		if n := len(piece.Cues); n > 0 {
			piece.Place.Start, piece.Place.End = piece.Cues[0].Start, piece.Cues[n-1].End
		}
		if piece.Text != "" {
			out = append(out, piece)
		}
		start = end
	}
	return out
}

// cutPoints returns the ends of pieces of at most limit runes: at sentence ends
// (line ends if byLine), else behind clauses, else between characters.
func cutPoints(text string, limit int, byLine bool) []int {
	var ends []int
	start, last, runes := 0, 0, 0 // of the piece; its last good end and length there
	for last < len(text) {
		end := sentence.Next(text, last)
		if byLine {
			end = len(text)
			if i := strings.IndexByte(text[last:], '\n'); i >= 0 {
				end = last + i + 1
			}
		}
		n := utf8.RuneCountInString(text[last:end])
		switch {
		case runes+n <= limit:
			last, runes = end, runes+n
		case last > start:
			ends = append(ends, last)
			start, runes = last, 0
		default:
			for _, size := range cutSentence(text[start:end], limit) {
				start += size
				ends = append(ends, start)
			}
			last = start
		}
	}
	if last > start {
		ends = append(ends, last)
	}
	return ends
}

// cutSentence cuts a sentence longer than limit and returns the lengths of its
// pieces, the last one included.
func cutSentence(s string, limit int) []int {
	var lens []int
	for s != "" {
		n := prefixRunes(s, limit)
		if n < len(s) {
			n = clauseEnd(s, n)
		}
		lens = append(lens, n)
		s = s[n:]
	}
	return lens
}

// prefixRunes is the length in bytes of the first n runes, without a torn
// grapheme cluster.
func prefixRunes(s string, n int) int {
	at := 0
	for at < len(s) {
		end := sentence.NextChar(s, at)
		n -= utf8.RuneCountInString(s[at:end])
		if n < 0 && at > 0 {
			return at
		}
		if n < 0 {
			// A cluster longer than the limit: cut between its runes.
			_, w := utf8.DecodeRuneInString(s)
			return w
		}
		at = end
	}
	return at
}

// clauseEnd is the last clause boundary in s[:n] if it is in the second half,
// else the last space, else n.
func clauseEnd(s string, n int) int {
	best := 0
	for _, c := range sentence.Clauses(s[:n]) {
		if c.End < n && c.End > n/2 {
			best = c.End
		}
	}
	if best == 0 {
		best = strings.LastIndexByte(s[:n], ' ') + 1
	}
	if best <= n/2 {
		return n
	}
	return best
}

// cutCues keeps the cues that touch [from, to), with offsets from there.
func cutCues(cues []Cue, from, to int) []Cue {
	var out []Cue
	for i, c := range cues {
		end := to
		if i+1 < len(cues) {
			end = cues[i+1].Offset
		}
		if c.Offset >= to || end <= from {
			continue
		}
		c.Offset = max(0, c.Offset-from)
		out = append(out, c)
	}
	return out
}
