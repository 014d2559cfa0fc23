package document

import (
	"strings"
	"unicode"
)

// line is one line of the decoded text without its end.
type line struct {
	no   int // 1-based
	text string
}

// splitLines splits at LF, CRLF, CR, NEL, LS and PS, in any mixture. CR CR LF, a
// known fault of double conversion, is one end if every LF of the text has it.
func splitLines(text string) []line {
	if strings.ContainsAny(text, "\r\u0085\u2028\u2029") {
		if n := strings.Count(text, "\r\r\n"); n > 0 && n == strings.Count(text, "\n") {
			text = strings.ReplaceAll(text, "\r\r\n", "\n")
		}
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	}
	lines := make([]line, 0, strings.Count(text, "\n")+1)
	for no := 1; ; no++ {
		head, rest, more := strings.Cut(text, "\n")
		lines = append(lines, line{no: no, text: head})
		if !more {
			return lines
		}
		text = rest
	}
}

// blank reports whether the line has no visible character.
func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

// indentOf is the width of the leading white space: tab 4, ideographic space 2.
func indentOf(s string) int {
	w := 0
	for _, r := range s {
		switch {
		case r == '\t':
			w += 4
		case r == '\u3000':
			w += 2
		case r == ' ' || r == '\u00a0':
			w++
		default:
			return w
		}
	}
	return w
}

// isCJK reports whether words of the script are written without spaces.
func isCJK(r rune) bool {
	return unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) ||
		(r >= 0x3000 && r <= 0x303F) || (r >= 0xFF00 && r <= 0xFF65)
}

// joinGlue is what stands between two lines of one sentence once they are joined:
// nothing between two CJK characters, else a space.
func joinGlue(left, right string) string {
	if left == "" || right == "" {
		return ""
	}
	l, r := lastRune(left), firstRune(right)
	if unicode.IsSpace(l) || unicode.IsSpace(r) || (isCJK(l) && isCJK(r)) {
		return ""
	}
	return " "
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
