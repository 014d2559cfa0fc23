package tokenizer

import "unicode/utf8"

// UTF8Stream joins the pieces of generated tokens into whole characters: a
// character may be spread over several tokens. What is held back at the end of
// the stream is half a character and is dropped with the value. Bytes that
// cannot become a character are dropped too; nothing is ever replaced by U+FFFD.
// The zero value is ready for use.
type UTF8Stream struct {
	held [utf8.UTFMax]byte
	n    int
}

// Push adds a piece and returns the characters that are complete now. The piece
// is not retained.
func (s *UTF8Stream) Push(piece []byte) string {
	buf := make([]byte, 0, s.n+len(piece))
	buf = append(append(buf, s.held[:s.n]...), piece...)
	s.n = 0
	out := buf[:0] // never longer than what was read
	for len(buf) > 0 {
		if !utf8.FullRune(buf) {
			s.n = copy(s.held[:], buf)
			break
		}
		r, n := utf8.DecodeRune(buf)
		if r != utf8.RuneError || n > 1 {
			out = append(out, buf[:n]...)
		}
		buf = buf[n:]
	}
	return string(out)
}

// Held returns the number of bytes that wait for the rest of their character.
func (s *UTF8Stream) Held() int { return s.n }
