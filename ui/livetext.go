package ui

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// readable turns what a model has written so far into text for people. Answers come
// as JSON by the task's schema: strings that are values are kept, one thing per
// line; keys, numbers, true, false, null and brackets are not for reading. An answer
// that is not JSON is kept as it is. The end may be cut off anywhere.
func readable(answer string) string {
	trimmed := strings.TrimSpace(answer)
	if !looksLikeJSON(trimmed) {
		return trimmed
	}
	var out []value
	object := 0
	for i := 0; i < len(trimmed); {
		if trimmed[i] != '"' {
			if trimmed[i] == '{' {
				object++
			}
			i++
			continue
		}
		before := trimmed[:i]
		s, next, _ := jsonString(trimmed, i+1)
		i = next
		after := strings.TrimLeft(trimmed[i:], " \n\t\r")
		if strings.HasPrefix(after, ":") || (after == "" && keyComes(before)) {
			continue // a key, or the beginning of one
		}
		if s = strings.TrimSpace(s); s != "" && !isNumber(s) {
			out = append(out, value{s, object})
		}
	}
	return joinShort(out)
}

// shortRunes is the length up to which a value is put beside the one before: an owner
// or a date belongs to its todo, a sentence stands by itself.
const shortRunes = 20

// value is a string of an answer and the number of the object that it stands in.
type value struct {
	text   string
	object int
}

func joinShort(values []value) string {
	var b strings.Builder
	for i, v := range values {
		switch {
		case i == 0:
		case v.object == values[i-1].object && utf8.RuneCountInString(v.text) <= shortRunes:
			b.WriteString(" · ")
		default:
			b.WriteByte('\n')
		}
		b.WriteString(v.text)
	}
	return b.String()
}

// looksLikeJSON also takes answers whose beginning was given to the model, such as
// `true,"action":"…`.
func looksLikeJSON(s string) bool {
	return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") || strings.HasPrefix(s, `"`) ||
		strings.Contains(s, `":`) || strings.HasPrefix(s, "true") || strings.HasPrefix(s, "false")
}

// keyComes reports whether a string that begins behind this JSON would be a key.
func keyComes(before string) bool {
	before = strings.TrimRight(before, " \n\t\r")
	if strings.HasSuffix(before, "{") {
		return true
	}
	if !strings.HasSuffix(before, ",") {
		return false
	}
	// After a comma, a key in an object and a value in an array.
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case '}', ']':
			depth++
		case '{', '[':
			if depth == 0 {
				return before[i] == '{'
			}
			depth--
		}
	}
	return true
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// jsonString decodes the string that begins at s[i], behind its opening quote, and
// returns the offset after it and whether its closing quote was there.
func jsonString(s string, i int) (text string, next int, closed bool) {
	var b strings.Builder
	for i < len(s) {
		switch c := s[i]; {
		case c == '"':
			return b.String(), i + 1, true
		case c == '\\':
			r, n := jsonEscape(s[i:])
			if n == 0 {
				return b.String(), len(s), false // cut off inside the escape
			}
			b.WriteRune(r)
			i += n
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 && i+utf8.UTFMax > len(s) {
				return b.String(), len(s), false // cut off inside a character
			}
			b.WriteRune(r)
			i += n
		}
	}
	return b.String(), i, false
}

// jsonEscape decodes the escape at the start of s; n is 0 when it is incomplete.
func jsonEscape(s string) (r rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case 'n', 'r':
		return '\n', 2
	case 't', 'b', 'f':
		return ' ', 2
	case 'u':
		if len(s) < 6 {
			return 0, 0
		}
		v, err := strconv.ParseUint(s[2:6], 16, 32)
		if err != nil {
			return utf8.RuneError, 6
		}
		if v >= 0xD800 && v < 0xDC00 { // the first half of a pair
			if len(s) < 12 {
				return 0, 0
			}
			low, err := strconv.ParseUint(strings.TrimPrefix(s[6:12], `\u`), 16, 32)
			if err == nil && low >= 0xDC00 && low < 0xE000 {
				return rune((v-0xD800)<<10 | (low - 0xDC00) + 0x10000), 12
			}
		}
		return rune(v), 6
	}
	return rune(s[1]), 2
}
