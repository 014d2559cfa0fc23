package grammar

import (
	"fmt"
	"regexp/syntax"
	"unicode/utf8"
)

// patternRows builds the automaton of the string contents (between the quotes,
// as they are written in JSON) that match the expression. As in a validator the
// expression may match anywhere unless it is anchored.
//
// The syntax is that of Go's regexp without flags, word boundaries and line
// anchors. Control characters other than those with a short escape are not
// written, nor is white space that ECMA 262 and Go classify differently.
func patternRows(expr string, work *int) (*rows, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("%w: pattern: %s", ErrUnsupported, syntaxCode(err))
	}
	b := &patternBuilder{nfa: &nfa{}}
	start, before, body, final := b.nfa.state(), b.nfa.state(), b.nfa.state(), b.nfa.state()
	b.nfa.empty(start, body, always)
	b.anything(start, before)
	b.anything(before, before)
	b.nfa.empty(before, body, always)
	if err := b.expr(re.Simplify(), body, final); err != nil {
		return nil, err
	}
	b.anything(final, final)
	return b.nfa.subsets(start, final, work)
}

type patternBuilder struct {
	nfa *nfa
}

// expr adds the ways of re from one state to another.
func (b *patternBuilder) expr(re *syntax.Regexp, from, to int32) error {
	if len(b.nfa.edges) > maxNFAStates {
		return fmt.Errorf("%w: pattern", ErrTooLarge)
	}
	if re.Flags&syntax.FoldCase != 0 {
		return fmt.Errorf("%w: pattern: case folding", ErrUnsupported)
	}
	switch re.Op {
	case syntax.OpNoMatch:
	case syntax.OpEmptyMatch:
		b.nfa.empty(from, to, always)
	case syntax.OpBeginText:
		b.nfa.empty(from, to, atStart)
	case syntax.OpEndText:
		b.nfa.empty(from, to, atEnd)
	case syntax.OpLiteral:
		for i, r := range re.Rune {
			next := to
			if i+1 < len(re.Rune) {
				next = b.nfa.state()
			}
			b.char(from, r, next)
			from = next
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			b.runes(from, re.Rune[i], re.Rune[i+1], to)
		}
	case syntax.OpAnyCharNotNL:
		b.runes(from, '\n'+1, utf8.MaxRune, to)
	case syntax.OpAnyChar:
		b.anything(from, to)
	default:
		return b.compound(re, from, to)
	}
	return nil
}

// compound adds the operators that have operands.
func (b *patternBuilder) compound(re *syntax.Regexp, from, to int32) error {
	switch re.Op {
	case syntax.OpCapture:
		return b.expr(re.Sub[0], from, to)
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			next := to
			if i+1 < len(re.Sub) {
				next = b.nfa.state()
			}
			if err := b.expr(sub, from, next); err != nil {
				return err
			}
			from = next
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if err := b.expr(sub, from, to); err != nil {
				return err
			}
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		// An own pair of states keeps the loop apart from other ways.
		in, out := b.nfa.state(), b.nfa.state()
		b.nfa.empty(from, in, always)
		b.nfa.empty(out, to, always)
		if re.Op != syntax.OpPlus {
			b.nfa.empty(in, out, always)
		}
		if re.Op != syntax.OpQuest {
			b.nfa.empty(out, in, always)
		}
		return b.expr(re.Sub[0], in, out)
	default:
		return fmt.Errorf("%w: pattern: %v", ErrUnsupported, re.Op)
	}
	return nil
}

// anything adds any one character.
func (b *patternBuilder) anything(from, to int32) { b.runes(from, 0, utf8.MaxRune, to) }

// ambiguous lists the white space on which \s and \S differ between ECMA 262
// (§22.2.2.9, WhiteSpace and LineTerminator) and Go, as ranges.
var ambiguous = [][2]rune{
	{0x0B, 0x0B},
	{0xA0, 0xA0},
	{0x1680, 0x1680},
	{0x2000, 0x200A},
	{0x2028, 0x2029},
	{0x202F, 0x202F},
	{0x205F, 0x205F},
	{0x3000, 0x3000},
	{0xD800, 0xDFFF},
	{0xFEFF, 0xFEFF},
}

// runes adds the characters lo to hi, without the ambiguous ones if the range
// is more than one character.
func (b *patternBuilder) runes(from int32, lo, hi rune, to int32) {
	if lo == hi {
		b.char(from, lo, to)
		return
	}
	for _, gap := range ambiguous {
		if gap[1] < lo || gap[0] > hi {
			continue
		}
		b.span(from, lo, gap[0]-1, to)
		lo = gap[1] + 1
	}
	b.span(from, lo, hi, to)
}

// span adds the characters lo to hi: the escaped ones singly, the rest as bytes.
func (b *patternBuilder) span(from int32, lo, hi rune, to int32) {
	for lo <= hi && lo < 0x80 {
		b.char(from, lo, to)
		lo++
	}
	for _, seg := range [][2]rune{{0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, utf8.MaxRune}} {
		if l, h := max(lo, seg[0]), min(hi, seg[1]); l <= h {
			b.sequences(from, []byte(string(l)), []byte(string(h)), to)
		}
	}
}

// char adds one character as it is written in a JSON string.
func (b *patternBuilder) char(from int32, r rune, to int32) {
	text := appendEscaped(nil, r)
	if len(text) > 2 && text[0] == '\\' || !utf8.ValidRune(r) {
		return // a control character without a short escape
	}
	for i, c := range text {
		next := to
		if i+1 < len(text) {
			next = b.nfa.state()
		}
		b.nfa.edge(from, c, c, next)
		from = next
	}
}

// sequences adds the UTF-8 encodings between lo and hi, which are equally long.
func (b *patternBuilder) sequences(from int32, lo, hi []byte, to int32) {
	if len(lo) == 1 {
		b.nfa.edge(from, lo[0], hi[0], to)
		return
	}
	if lo[0] == hi[0] {
		next := b.nfa.state()
		b.nfa.edge(from, lo[0], lo[0], next)
		b.sequences(next, lo[1:], hi[1:], to)
		return
	}
	first, last := lo[0], hi[0]
	if !all(lo[1:], 0x80) {
		b.sequences(from, lo, append([]byte{first}, fill(len(lo)-1, 0xBF)...), to)
		first++
	}
	if !all(hi[1:], 0xBF) {
		last--
		b.sequences(from, append([]byte{hi[0]}, fill(len(lo)-1, 0x80)...), hi, to)
	}
	if first <= last {
		next := b.nfa.state()
		b.nfa.edge(from, first, last, next)
		b.sequences(next, fill(len(lo)-1, 0x80), fill(len(lo)-1, 0xBF), to)
	}
}

func all(s []byte, b byte) bool {
	for _, c := range s {
		if c != b {
			return false
		}
	}
	return true
}

func fill(n int, b byte) []byte {
	s := make([]byte, n)
	for i := range s {
		s[i] = b
	}
	return s
}
