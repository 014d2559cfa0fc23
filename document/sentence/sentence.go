// Package sentence finds sentence, clause and character boundaries in Chinese and
// English text, for cutting and for citing. It works on bytes offsets of UTF-8,
// accepts any bytes (an invalid byte is a character of its own), keeps no state
// and allocates only its results.
//
// Rules: 。！？；… and their half-width forms end a sentence, with the closing
// quotes and brackets behind them; "." ends one before a space unless it closes an
// abbreviation, an initial or a list number, or a lower-case letter follows; "!"
// and "?" unless a letter or digit follows (a URL); a line break always does.
package sentence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Span is a range of bytes [Start, End).
type Span struct{ Start, End int }

// Split cuts text into sentences. The spans touch and cover the text: white space
// behind a sentence belongs to it. An empty text has none.
func Split(text string) []Span {
	var out []Span
	start := 0
	for start < len(text) {
		end := Next(text, start)
		out = append(out, Span{start, end})
		start = end
	}
	return out
}

// Next returns the end of the sentence that begins at start, white space behind
// it included; len(text) for the last.
func Next(text string, start int) int {
	for i := start; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		next := i + n
		if r == '\n' {
			return skipSpace(text, next)
		}
		if isTerminal(r) {
			run := skipTerminals(text, next)
			end := skipClosers(text, run)
			if ends(text, start, i, run, end, r) {
				return skipSpace(text, end)
			}
			next = run
		}
		i = next
	}
	return len(text)
}

// Clauses cuts text behind clause punctuation (，、：, and the like) in the same
// touching manner; for a sentence too long to stay whole.
func Clauses(text string) []Span {
	var out []Span
	start := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if !isClauseEnd(r) || (r < utf8.RuneSelf && i < len(text) && !isSpaceAt(text, i)) {
			continue
		}
		i = skipSpace(text, skipClosers(text, i))
		out = append(out, Span{start, i})
		start = i
	}
	if start < len(text) {
		out = append(out, Span{start, len(text)})
	}
	return out
}

// maxChar bounds a user-perceived character, in bytes. Honest ones stay far below
// (a family emoji has 25, and the Stream-Safe Text Format of UAX 15 allows 30 marks
// on a letter); without a bound, a million marks in a row are one character, and
// looking for its end again and again takes quadratic time.
const maxChar = 256

// NextChar returns the end of the user-perceived character (grapheme cluster,
// UAX 29, of at most 256 bytes) that begins at i.
func NextChar(text string, i int) int {
	window := text[i:]
	if len(window) > maxChar {
		end := maxChar
		for end > maxChar-utf8.UTFMax && !utf8.RuneStart(window[end]) {
			end--
		}
		window = window[:end]
	}
	it := graphemes.FromString(window)
	if it.Next() {
		return i + it.End()
	}
	return len(text)
}

// Chars lists the ends of all user-perceived characters of text.
func Chars(text string) []int {
	out := make([]int, 0, len(text)/3+1)
	for i := 0; i < len(text); {
		i = NextChar(text, i)
		out = append(out, i)
	}
	return out
}

func isClauseEnd(r rune) bool { return strings.ContainsRune("，、：,;:—》）)", r) }

func isTerminal(r rune) bool {
	switch r {
	case '。', '！', '？', '；', '…', '｡', '．', '‼', '⁇', '.', '!', '?':
		return true
	}
	return false
}

// skipTerminals passes a run such as "！！" or "?!" or "......".
func skipTerminals(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isTerminal(r) {
			break
		}
		i += n
	}
	return i
}

func skipClosers(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune("”’」』）】》〉\"')]*_", r) {
			break
		}
		i += n
	}
	return i
}

func skipSpace(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}

func isSpaceAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}

// ends decides whether the terminal run [at, run), closers up to end, ends the
// sentence that began at start. first is the run's first character.
func ends(text string, start, at, run, end int, first rune) bool {
	if end >= len(text) {
		return true
	}
	if hasWide(text[at:run]) {
		return true
	}
	follow, _ := utf8.DecodeRuneInString(text[end:])
	space := unicode.IsSpace(follow)
	if !space {
		// No space behind: only between Chinese characters, as "结束.然后".
		prev, _ := utf8.DecodeLastRuneInString(text[start:at])
		return unicode.Is(unicode.Han, follow) && (first != '.' || unicode.Is(unicode.Han, prev))
	}
	if first != '.' {
		return true
	}
	after, _ := utf8.DecodeRuneInString(text[skipSpace(text, end):])
	if strings.Contains(text[end:skipSpace(text, end)], "\n") {
		return true
	}
	if unicode.IsLower(after) {
		return false
	}
	return run-at > 1 || end > run || !isAbbreviation(text[start:at], after)
}

// hasWide reports whether the run holds a terminal that needs no space.
func hasWide(run string) bool {
	for _, r := range run {
		if r >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// abbreviations that are followed by a capital or a digit without ending a
// sentence, lower case, without the last dot.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "sr": true, "jr": true,
	"gen": true, "sen": true, "rep": true, "rev": true, "hon": true, "capt": true, "lt": true, "col": true,
	"vs": true, "e.g": true, "i.e": true, "cf": true, "al": true, "approx": true, "dept": true, "est": true,
	"fig": true, "no": true, "nos": true, "vol": true, "pp": true, "sec": true, "ch": true, "eq": true, "ref": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true, "sep": true,
	"sept": true, "oct": true, "nov": true, "dec": true,
}

// numbered abbreviations count only before a digit: "No. 5", but "I said no."
var numbered = map[string]bool{
	"no": true, "nos": true, "fig": true, "vol": true, "pp": true, "sec": true, "ch": true, "eq": true, "ref": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true, "sep": true,
	"sept": true, "oct": true, "nov": true, "dec": true, "est": true,
}

// isAbbreviation looks at the word before the dot: an abbreviation, an initial
// ("J."), or the number of a list item at the start of the sentence ("3.").
func isAbbreviation(before string, after rune) bool {
	at := strings.LastIndexFunc(before, func(r rune) bool {
		return unicode.IsSpace(r) || r == '(' || r == '"' || r == '“' || unicode.Is(unicode.Han, r)
	})
	word := before
	if at >= 0 {
		_, n := utf8.DecodeRuneInString(before[at:])
		word = before[at+n:]
	}
	if word == "" {
		return false
	}
	if r, n := utf8.DecodeRuneInString(word); n == len(word) && unicode.IsUpper(r) && r != 'I' {
		return true
	}
	if strings.TrimLeft(word, "0123456789") == "" {
		return strings.TrimSpace(before[:len(before)-len(word)]) == ""
	}
	low := strings.ToLower(word)
	if numbered[low] {
		return unicode.IsDigit(after)
	}
	return abbreviations[low]
}
