package document

import (
	"strings"
	"unicode"
)

// label is a possible speaker label at the start of a line: "张伟：好" or
// "- **Ann Lee:** fine".
type label struct {
	name  string
	class nameClass
	text  string // what follows, trimmed
}

// splitLabel looks for a speaker label. Bullets, quote marks and bold marks around
// the name are markup; unpaired ones mean that it is no label.
func splitLabel(s string) (label, bool) {
	s = trimMarkers(s)
	bold := ""
	for _, b := range []string{"**", "__"} {
		if rest, ok := strings.CutPrefix(s, b); ok {
			bold, s = b, rest
		}
	}
	at, width := findColon(s)
	if at <= 0 {
		return label{}, false
	}
	name, text := s[:at], s[at+width:]
	if bold != "" {
		if n, ok := strings.CutSuffix(strings.TrimSpace(name), bold); ok {
			name = n // **Name**: text
		} else if t, ok := strings.CutPrefix(text, bold); ok {
			text = t // **Name:** text
		} else {
			return label{}, false
		}
	}
	name = strings.TrimSpace(name)
	if width == 1 && !colonFits(name, text) {
		return label{}, false
	}
	class := classifyName(name)
	return label{name: name, class: class, text: strings.TrimSpace(text)}, class != notName
}

// trimMarkers removes quote marks and one bullet: "> - 张伟：" and "*熊博：".
func trimMarkers(s string) string {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, ">") {
		s = strings.TrimSpace(s[1:])
	}
	for _, b := range []string{"- ", "* ", "+ ", "• ", "· ", "•", "●", "○", "– "} {
		if rest, ok := strings.CutPrefix(s, b); ok {
			return strings.TrimSpace(rest)
		}
	}
	if len(s) > 1 && s[0] == '*' && s[1] != '*' && unicode.Is(unicode.Han, firstRune(s[1:])) {
		return s[1:]
	}
	return s
}

// findColon returns the byte offset and width of the first colon within the
// length that a label can have, or -1.
func findColon(s string) (at, width int) {
	n := 0
	for i, r := range s {
		switch r {
		case ':':
			return i, 1
		case '：':
			return i, 3
		}
		if n++; n > maxNameRunes+8 {
			break
		}
	}
	return -1, 0
}

// colonFits tells a label's ":" from that of a URL, a time or a ratio.
func colonFits(name, text string) bool {
	if text == "" {
		return true
	}
	r := firstRune(text)
	if r == '/' || r == '\\' || r == ':' {
		return false
	}
	if unicode.IsDigit(r) && unicode.IsDigit(lastRune(name)) {
		return false
	}
	return unicode.IsSpace(r) || isCJK(r) || strings.ContainsRune("\"“‘«(（*", r) || hasHan(name)
}
