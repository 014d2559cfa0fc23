package engine

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the guard against loops of lines and sentences. loops finds cycles of
// tokens; a loop may also come back in other tokens, with a number that counts up,
// or with white space between that varies.
const (
	unitMinRunes  = 6  // shorter lines and sentences come back in honest text: 同意。
	unitRepeats   = 5  // a line or sentence, or a group of them, to the letter
	countedRepeat = 12 // the same with other figures in it: days and weeks are honest
	unitMaxPeriod = 4  // lines or sentences of a group
	unitMaxBytes  = 4096
)

// repeatGuard watches the text of one answer for lines and sentences that come back.
type repeatGuard struct {
	unit    []byte   // the line or sentence that is not yet complete
	exact   []uint64 // hashes of the last ones, oldest first
	counted []uint64 // the same with all figures alike
}

var repeatSeed = maphash.MakeSeed()

// push takes the next piece of text, whole characters, and reports whether the
// answer has fallen into a loop.
func (g *repeatGuard) push(text string) bool {
	for i, r := range text {
		g.unit = append(g.unit, text[i:i+utf8.RuneLen(r)]...)
		if endsUnit(r) || len(g.unit) >= unitMaxBytes {
			if g.close() {
				return true
			}
		}
	}
	return false
}

func endsUnit(r rune) bool { return r == '\n' || strings.ContainsRune("。！？!?；;", r) }

// close ends a unit and looks for a cycle behind it.
func (g *repeatGuard) close() bool {
	unit := normalUnit(string(g.unit))
	g.unit = g.unit[:0]
	if utf8.RuneCountInString(unit) < unitMinRunes || isRow(unit) {
		return false
	}
	g.exact = keepLast(append(g.exact, maphash.String(repeatSeed, unit)), unitRepeats*unitMaxPeriod)
	g.counted = keepLast(append(g.counted, maphash.String(repeatSeed, foldFigures(unit))), countedRepeat*unitMaxPeriod)
	return cycles(g.exact, unitRepeats) || cycles(g.counted, countedRepeat)
}

// isRow: cells of a table differ in a figure or a word and are honest.
func isRow(unit string) bool { return strings.ContainsAny(unit, "|\t") }

func keepLast(s []uint64, n int) []uint64 { return s[max(0, len(s)-n):] }

// cycles reports whether the units end in a group of up to unitMaxPeriod that is
// there n times.
func cycles(units []uint64, n int) bool {
	for period := 1; period <= unitMaxPeriod && n*period <= len(units); period++ {
		last, i := units[len(units)-n*period:], period
		for i < len(last) && last[i] == last[i-period] {
			i++
		}
		if i == len(last) {
			return true
		}
	}
	return false
}

// normalUnit is a line or sentence without its list mark and with single spaces.
func normalUnit(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "")
	}
	mark := strings.TrimLeft(s, "0123456789[](（）)-*•#")
	mark = strings.TrimLeft(mark, ".、:：) ")
	if mark == "" {
		return s
	}
	return mark
}

// foldFigures makes all figures one.
func foldFigures(s string) string {
	var b strings.Builder
	in := false
	for _, r := range s {
		figure := unicode.IsDigit(r) || strings.ContainsRune("零一二三四五六七八九十百", r)
		if !figure {
			b.WriteRune(r)
		} else if !in {
			b.WriteByte('0')
		}
		in = figure
	}
	return b.String()
}
