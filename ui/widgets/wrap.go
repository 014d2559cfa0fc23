package widgets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
)

// maxLineRunes bounds a line whose runes have no width (combining marks, a broken
// font), so that such text still becomes many short lines.
const maxLineRunes = 1000

// Span is a range of bytes, [Start, End), of a text.
type Span struct{ Start, End int }

// Metrics measures runes in one text size and style and remembers the results:
// asking the toolkit costs a shaping run.
type Metrics struct {
	size  float32
	style fyne.TextStyle
	ascii [utf8.RuneSelf]float32 // width per ASCII rune, 0 = not measured yet
	han   float32                // all Han characters are equally wide
	other map[rune]float32
}

// NewMetrics returns metrics for text of that size (in Fyne's units) and style.
func NewMetrics(size float32, style fyne.TextStyle) *Metrics {
	return &Metrics{size: size, style: style, other: map[rune]float32{}}
}

// Rune returns the width of r in Fyne's units.
func (m *Metrics) Rune(r rune) float32 {
	switch {
	case r == '\t':
		return tabSpaces * m.Rune(' ')
	case r < utf8.RuneSelf:
		if m.ascii[r] == 0 {
			m.ascii[r] = m.measure(printableRune(r))
		}
		return m.ascii[r]
	case isHan(r):
		if m.han == 0 {
			m.han = m.measure('中')
		}
		return m.han
	}
	w, ok := m.other[r]
	if !ok {
		w = m.measure(printableRune(r))
		m.other[r] = w
	}
	return w
}

func (m *Metrics) measure(r rune) float32 {
	return fyne.MeasureText(string(r), m.size, m.style).Width
}

// Wrap cuts text into lines that are at most width wide; a line holds at least one
// rune. Lines break at "\n", after spaces and hyphens, and beside Chinese, Japanese
// and Korean characters, but not before closing and after opening punctuation; a
// word longer than the line is cut. Spans are in order, and what lies between them
// is only the line break itself and the spaces in front of it. Empty lines are
// empty spans; the empty text is one empty line.
func Wrap(text string, width float32, m *Metrics) []Span {
	var spans []Span
	for start := 0; start <= len(text); {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += start
		}
		spans = wrapParagraph(spans, text, Span{start, end}, width, m)
		start = end + 1
	}
	return spans
}

// wrapParagraph appends the lines of text[p.Start:p.End], which holds no "\n".
func wrapParagraph(spans []Span, text string, p Span, width float32, m *Metrics) []Span {
	var (
		start   = p.Start // of the current line
		brk     = -1      // last place where the line may break
		brkW    float32   // width of the line up to brk
		lineW   float32
		nRunes  int
		prev    rune
		hasPrev bool
	)
	for i := p.Start; i < p.End; {
		r, n := utf8.DecodeRuneInString(text[i:p.End])
		if hasPrev && canBreak(prev, r) {
			brk, brkW = i, lineW
		}
		w := m.Rune(r)
		// A space may hang over the edge, it is trimmed when the line breaks; a mark
		// belongs to the rune in front of it.
		hangs := r == ' ' || r == '\t' || joins(r)
		for start < i && ((lineW+w > width && !hangs) || nRunes >= maxLineRunes) {
			if brk <= start {
				brk, brkW = i, lineW
			}
			spans = append(spans, trimSpan(text, Span{start, brk}))
			start, lineW, nRunes = brk, lineW-brkW, utf8.RuneCountInString(text[brk:i])
			brk, brkW = -1, 0
		}
		lineW += w
		nRunes++
		prev, hasPrev = r, true
		i += n
	}
	return append(spans, trimSpan(text, Span{start, p.End}))
}

func trimSpan(text string, s Span) Span {
	for s.End > s.Start && (text[s.End-1] == ' ' || text[s.End-1] == '\t' || text[s.End-1] == '\r') {
		s.End--
	}
	return s
}

// canBreak says whether a line may end after a and the next begin with b.
func canBreak(a, b rune) bool {
	// The first two cases are the usual ones and spare the tables below.
	switch {
	case isHan(a) && isHan(b):
		return true
	case isASCIILetter(a) && isASCIILetter(b):
		return false
	case b == ' ' || b == '\t' || joins(b) || a == zeroWidthJoiner:
		return false
	case a == ' ' || a == '\t':
		return true
	case strings.ContainsRune(noLineStart, b) || strings.ContainsRune(noLineEnd, a):
		return false
	case a == '-' || a == '/':
		return unicode.IsLetter(b)
	}
	return isWide(a) || isWide(b)
}

const (
	tabSpaces       = 4
	zeroWidthJoiner = 0x200D
	// Punctuation that Chinese and Latin typesetting keep at its neighbour.
	noLineStart = "，。、；：？！）】》〉」』〕’”…—～·％℃,.;:?!)]}%'\"ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
	noLineEnd   = "（【《〈「『〔‘“([{$¥￥#＃"
)

// joins reports whether r belongs to the rune in front of it.
func joins(r rune) bool {
	if r < 0x300 || isHan(r) {
		return false
	}
	return unicode.In(r, unicode.Mn, unicode.Me) || r == zeroWidthJoiner ||
		(r >= 0xFE00 && r <= 0xFE0F) || (r >= 0x1F3FB && r <= 0x1F3FF)
}

func isASCIILetter(r rune) bool { return (r|0x20) >= 'a' && (r|0x20) <= 'z' }

// isHan reports whether r is an ideograph, all of which share one width.
func isHan(r rune) bool {
	return (r >= 0x4E00 && r <= 0x9FFF) || (r >= 0x3400 && r <= 0x4DBF) || (r >= 0x20000 && r <= 0x323AF)
}

// isWide reports whether lines may break on both sides of r.
func isWide(r rune) bool {
	switch {
	case r < 0x2E80:
		return false
	case r <= 0xD7A3: // CJK radicals to Hangul syllables
		return true
	case r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE4F, r >= 0xFF00 && r <= 0xFFEF:
		return true
	}
	return r >= 0x1F000 && r <= 0x3FFFF // emoji, rare ideographs
}

// printable returns text as it can be drawn on one line: tabs become spaces, and
// control characters, which fonts have no picture for, the replacement character.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == '\t' || printableRune(r) != r }) && utf8.ValidString(text) {
		return text
	}
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return printableRune(r)
	}, text), "\t", strings.Repeat(" ", tabSpaces))
}

func printableRune(r rune) rune {
	if r == '\t' || r == '\n' {
		return ' '
	}
	if unicode.IsControl(r) {
		return utf8.RuneError
	}
	return r
}
