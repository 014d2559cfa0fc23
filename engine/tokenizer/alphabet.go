package tokenizer

import "unicode/utf8"

// The GPT-2 byte alphabet spells every byte as one printable character: the
// printable bytes of Latin-1 as themselves, the others as U+0100 and up, in the
// order of their values.
// Source: openai/gpt-2 src/encoder.py (bytes_to_unicode), MIT licence.
var byteToRune, runeToByte = alphabet()

// alphabetEnd is the first code point above the alphabet: 256 + 68 bytes that
// are not printable.
const alphabetEnd = 256 + 68

func alphabet() (to [256]rune, from [alphabetEnd]int16) {
	for i := range from {
		from[i] = -1
	}
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE) {
			r = next
			next++
		}
		to[b] = r
		from[r] = int16(b)
	}
	return to, from
}

// appendRaw appends the bytes that a spelling stands for. Characters outside
// the alphabet, which only a damaged vocabulary has, stand for themselves.
func appendRaw(dst []byte, spelling string) []byte {
	for i, r := range spelling {
		switch {
		case r < alphabetEnd && runeToByte[r] >= 0:
			dst = append(dst, byte(runeToByte[r]))
		case r == utf8.RuneError && spelling[i] != 0xEF: // not valid UTF-8
			dst = append(dst, spelling[i])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
