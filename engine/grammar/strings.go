package grammar

// Positions within a character of a JSON string body. A character begins at
// inText and is counted there.
const (
	inText    int32 = iota
	utf1            // one continuation byte is missing
	utf2            // two
	utf3            // three
	utfE0           // after 0xE0: A0-BF, so that the form is not overlong
	utfED           // after 0xED: 80-9F, so that it is no surrogate
	utfF0           // after 0xF0: 90-BF
	utfF4           // after 0xF4: 80-8F, up to U+10FFFF
	escape          // after "\"
	hex4            // after "\u"
	hexD            // after "\uD": 0-7 is a character, 8-B a high surrogate
	hex3            // three hex digits are missing
	hex2            // two
	hex1            // one
	high2           // high surrogate, two hex digits are missing
	high1           // one
	pairSlash       // high surrogate complete: "\"
	pairU           // "u"
	pairD           // "D"
	pairC           // "C" to "F", then two hex digits
	nText
)

const (
	strDead  int8 = -1 // the byte is not valid here
	strClose int8 = -2 // the closing quote
)

// textSteps is the automaton of the string body. Source: RFC 8259 §7, RFC 3629 §4.
var textSteps = buildTextSteps()

// textRest is the number of bytes that complete the character at a position.
var textRest = buildTextRest()

func buildTextSteps() *[nText][256]int8 {
	var t [nText][256]int8
	for s := range t {
		for b := range t[s] {
			t[s][b] = strDead
		}
	}
	set := func(from int32, lo, hi byte, to int32) {
		for b := int(lo); b <= int(hi); b++ {
			t[from][b] = int8(to)
		}
	}
	hex := func(from, to int32) {
		set(from, '0', '9', to)
		set(from, 'a', 'f', to)
		set(from, 'A', 'F', to)
	}
	set(inText, 0x20, 0x7F, inText)
	t[inText]['"'] = strClose
	t[inText]['\\'] = int8(escape)
	set(inText, 0xC2, 0xDF, utf1)
	set(inText, 0xE1, 0xEF, utf2)
	set(inText, 0xF1, 0xF3, utf3)
	set(inText, 0xE0, 0xE0, utfE0)
	set(inText, 0xED, 0xED, utfED)
	set(inText, 0xF0, 0xF0, utfF0)
	set(inText, 0xF4, 0xF4, utfF4)
	set(utf1, 0x80, 0xBF, inText)
	set(utf2, 0x80, 0xBF, utf1)
	set(utf3, 0x80, 0xBF, utf2)
	set(utfE0, 0xA0, 0xBF, utf1)
	set(utfED, 0x80, 0x9F, utf1)
	set(utfF0, 0x90, 0xBF, utf2)
	set(utfF4, 0x80, 0x8F, utf2)

	for _, b := range []byte(`"\/bfnrt`) {
		t[escape][b] = int8(inText)
	}
	t[escape]['u'] = int8(hex4)
	hex(hex4, hex3)
	t[hex4]['d'], t[hex4]['D'] = int8(hexD), int8(hexD)
	set(hexD, '0', '7', hex2)
	set(hexD, '8', '9', high2)
	for _, b := range []byte("abAB") {
		t[hexD][b] = int8(high2)
	}
	hex(hex3, hex2)
	hex(hex2, hex1)
	hex(hex1, inText)
	hex(high2, high1)
	hex(high1, pairSlash)
	t[pairSlash]['\\'] = int8(pairU)
	t[pairU]['u'] = int8(pairD)
	t[pairD]['d'], t[pairD]['D'] = int8(pairC), int8(pairC)
	for _, b := range []byte("cdefCDEF") {
		t[pairC][b] = int8(hex2)
	}
	return &t
}

func buildTextRest() *[nText]int64 {
	var rest [nText]int64
	for s := inText + 1; s < nText; s++ {
		rest[s] = unreachable
	}
	// At most nText rounds: a round settles at least one position.
	for range nText {
		for s := inText + 1; s < nText; s++ {
			for _, to := range textSteps[s] {
				if to >= 0 {
					rest[s] = min(rest[s], rest[to]+1)
				}
			}
		}
	}
	return &rest
}

// textFill returns for each position a byte that shortens the way to its end and
// that is a token of its own, and whether there is one for every position. For
// inText it is the character that fills a string up to its least length: spaces,
// because vocabularies have long runs of them.
func textFill(single *[256]bool) (fill [nText]byte, ok bool) {
	ok = single[' '] && single['"']
	fill[inText] = ' '
	for s := inText + 1; s < nText; s++ {
		found := false
		for b, to := range textSteps[s] {
			if to >= 0 && single[b] && textRest[to] == textRest[s]-1 {
				fill[s], found = byte(b), true
				break
			}
		}
		ok = ok && found
	}
	return fill, ok
}

// textClass is what a token does that starts inside a string at a boundary
// between characters.
type textClass struct {
	valid  bool
	closed bool  // it holds the closing quote
	at     int32 // position after the token, if not closed
	n      int32 // characters begun
	rest   []byte
}

// classify runs a piece through the string body.
func classify(piece []byte) textClass {
	at, n := inText, int32(0)
	for i, b := range piece {
		to := textSteps[at][b]
		switch {
		case to == strDead:
			return textClass{}
		case to == strClose:
			return textClass{valid: true, closed: true, n: n, rest: piece[i+1:]}
		case at == inText:
			n++
		}
		at = int32(to)
	}
	return textClass{valid: true, at: at, n: n}
}
