package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class sorts characters as the pre-tokenizer patterns do.
type class uint8

const (
	other  class = iota // everything else, and bytes that are not UTF-8
	letter              // \p{L}
	number              // \p{N}
	space               // \s: White_Space
	end                 // the text ends here
)

// classTableSize bounds the table: no letter, number or space has a code point
// above (the last assigned planes hold private use and selectors).
const classTableSize = 0x40000

// classTable returns the class of every code point below classTableSize.
var classTable = sync.OnceValue(func() *[classTableSize]class {
	var t [classTableSize]class
	fill := func(tab *unicode.RangeTable, c class) {
		for _, r := range tab.R16 {
			for x := int(r.Lo); x <= int(r.Hi); x += int(r.Stride) {
				t[x] = c
			}
		}
		for _, r := range tab.R32 {
			for x := int(r.Lo); x <= int(r.Hi) && x < classTableSize; x += int(r.Stride) {
				t[x] = c
			}
		}
	}
	fill(unicode.L, letter)
	fill(unicode.N, number)
	fill(unicode.White_Space, space)
	// CJK Extension I came with Unicode 15.1, Go has 15.0, llama.cpp 15.1.
	for x := 0x2EBF0; x <= 0x2EE5D; x++ {
		t[x] = letter
	}
	return &t
})

// classAt returns the class of the character at the start of s[i:] and its
// length in bytes: end and 0 if there is none.
func classAt(t *[classTableSize]class, s string, i int) (class, int) {
	if i >= len(s) {
		return end, 0
	}
	if b := s[i]; b < utf8.RuneSelf {
		return t[b], 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n == 1 || r >= classTableSize {
		return other, n
	}
	return t[r], n
}

// run returns the end of the run of characters of class c that begins at i.
func run(t *[classTableSize]class, s string, i int, c class) int {
	for {
		got, n := classAt(t, s, i)
		if got != c {
			return i
		}
		i += n
	}
}
