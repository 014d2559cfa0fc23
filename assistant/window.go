package assistant

import (
	"strings"
	"unicode/utf8"

	"windowseat/prompts"
)

// How much text around a candidate the model sees: whole turns, but of long ones
// only the sentences nearest to the candidate.
const (
	turnsBefore    = 1
	turnsFarBefore = 3 // of a candidate that points back: "我来吧"
	turnsAfter     = 1
	turnsCorrect   = 4   // turns after a candidate in which its deadline may be corrected
	linesPerTurn   = 3   // of a neighbouring turn
	linesAround    = 3   // of the candidate's own turn, on each side
	maxLineRunes   = 160 // of a neighbouring sentence; the candidate itself is never cut
	windowTokenCap = 420
)

// marker stands before the sentence that is judged.
const marker = "▶"

// window is what the model sees of a candidate.
type window struct {
	rows   []string // one per line of the prompt, with line feeds
	marked int      // index of the candidate's row
	first  int      // first and last line of the transcript shown
	last   int
}

// windowOf builds the text around a candidate, cut down to maxTokens by leaving
// out the farthest rows first. The candidate's row is repeated at the end, where a
// small model looks first. count may be nil for no bound.
func windowOf(c candidate, before, after int, count func(string) int, maxTokens int) window {
	t := c.script
	from, to := spanOfTurns(t, c, before, after)
	w := window{first: from, last: to}
	i := from
	for i <= to {
		switch {
		case i == c.first:
			w.marked = len(w.rows)
			w.rows = append(w.rows, marker+label(t, i)+c.text()+"\n")
			i = c.last + 1
		default:
			j := i
			for j < to && j+1 != c.first && t.lines[j+1].block == t.lines[i].block {
				j++
			}
			w.rows = append(w.rows, row(t, c, i, j))
			i = j + 1
		}
	}
	w = w.fit(count, maxTokens)
	if w.marked != len(w.rows)-1 {
		w.rows = append(w.rows[:len(w.rows):len(w.rows)], w.rows[w.marked])
	}
	return w
}

// turnsBack is how many turns before a candidate the model needs to see.
func turnsBack(c candidate) int {
	if pointsBack(c) {
		return turnsFarBefore
	}
	return turnsBefore
}

// spanOfTurns returns the lines from which to which the window reaches.
func spanOfTurns(t *transcript, c candidate, before, after int) (from, to int) {
	from, to = c.first, c.last
	for turns := 0; from > 0; from-- {
		if t.lines[from-1].block != t.lines[from].block {
			if turns == before {
				break
			}
			turns++
		}
	}
	for turns := 0; to < len(t.lines)-1; to++ {
		if t.lines[to+1].block != t.lines[to].block {
			if turns == after {
				break
			}
			turns++
		}
	}
	return from, to
}

// row joins lines i to j of one turn; a long turn gives its nearest sentences.
func row(t *transcript, c candidate, i, j int) string {
	limit := linesPerTurn
	if t.lines[i].block == t.lines[c.first].block {
		limit = linesAround
	}
	cutHead, cutTail := false, false
	if j-i >= limit {
		if j < c.first {
			i, cutHead = j-limit+1, true
		} else {
			j, cutTail = i+limit-1, true
		}
	}
	var b strings.Builder
	b.WriteString(label(t, i))
	if cutHead {
		b.WriteString("…")
	}
	for k := i; k <= j; k++ {
		b.WriteString(shorten(t.lines[k].text, maxLineRunes))
		if t.lang == LangEn && k < j {
			b.WriteString(" ")
		}
	}
	if cutTail {
		b.WriteString("…")
	}
	b.WriteString("\n")
	return b.String()
}

func shorten(s string, maxRunes int) string {
	if utf8.RuneCountInString(s) <= maxRunes {
		return s
	}
	return string([]rune(s)[:maxRunes]) + "…"
}

// label is the speaker's name as a prefix, in the punctuation of the transcript.
func label(t *transcript, i int) string {
	name := t.lines[i].speaker
	switch {
	case name == "":
		return ""
	case t.lang == LangEn:
		return name + ": "
	}
	return name + "："
}

// fit drops rows, farthest first, until the window counts at most maxTokens. The
// candidate's own row stays.
func (w window) fit(count func(string) int, maxTokens int) window {
	if count == nil {
		return w
	}
	total := 0
	tokens := make([]int, len(w.rows))
	for i, r := range w.rows {
		tokens[i] = count(r)
		total += tokens[i]
	}
	lo, hi := 0, len(w.rows)-1
	for total > maxTokens && (lo < w.marked || hi > w.marked) {
		if w.marked-lo >= hi-w.marked {
			total -= tokens[lo]
			lo++
		} else {
			total -= tokens[hi]
			hi--
		}
	}
	w.rows, w.marked = w.rows[lo:hi+1], w.marked-lo
	return w
}

// promptOf is the prompt of a kind over document text. The text goes only into
// Part: it is data.
func promptOf(kind prompts.Kind, lang string, part []string) (Prompt, error) {
	text, err := prompts.Get(kind, lang)
	if err != nil {
		return Prompt{}, err
	}
	p := Prompt{System: text.System, Tail: text.Tail, Part: part}
	if n := len(part); n > 0 && p.Tail == "" { // end as the examples end
		p.Part = append(part[:n-1:n-1], strings.TrimRight(part[n-1], "\n"))
	}
	for _, e := range text.Examples {
		p.Examples = append(p.Examples, Exchange(e))
	}
	return p, nil
}
