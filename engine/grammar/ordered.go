package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the JSON type of a value; a set of kinds is a bit mask.
type kind uint8

const (
	kNull kind = 1 << iota
	kBool
	kNumber
	kString
	kArray
	kObject
)

// value is a JSON value that keeps the order of object members.
type value struct {
	kind kind
	b    bool
	s    string   // text of a string, or the literal of a number
	keys []string // of an object, in document order, no duplicates
	vals []*value // elements, or member values in the order of keys
}

// get returns the member named key, or nil.
func (v *value) get(key string) *value {
	for i, k := range v.keys {
		if k == key {
			return v.vals[i]
		}
	}
	return nil
}

// parseOrdered reads one JSON document. It refuses duplicate member names,
// invalid UTF-8, unpaired surrogate escapes and trailing data.
func parseOrdered(data []byte) (*value, error) {
	if len(data) > maxSchemaBytes {
		return nil, fail(ErrTooLarge, "#", "%d bytes, at most %d", len(data), maxSchemaBytes)
	}
	if !utf8.Valid(data) {
		return nil, fail(ErrSchema, "#", "not valid UTF-8")
	}
	if !json.Valid(data) {
		return nil, fail(ErrSchema, "#", "not valid JSON")
	}
	if err := checkSurrogates(data); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fail(ErrSchema, "#", "data after the schema")
	}
	return v, nil
}

// readValue reads the next value of the stream; depth is its nesting.
func readValue(dec *json.Decoder, depth int) (*value, error) {
	if depth > maxJSONDepth {
		return nil, fail(ErrTooLarge, "#", "nested deeper than %d", maxJSONDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, fail(ErrSchema, "#", "%v", err)
	}
	switch t := tok.(type) {
	case nil:
		return &value{kind: kNull}, nil
	case bool:
		return &value{kind: kBool, b: t}, nil
	case json.Number:
		return &value{kind: kNumber, s: t.String()}, nil
	case string:
		return &value{kind: kString, s: t}, nil
	case json.Delim:
		if t == '{' {
			return readObject(dec, depth)
		}
		return readArray(dec, depth)
	}
	return nil, fail(ErrSchema, "#", "unexpected token %v", tok)
}

func readArray(dec *json.Decoder, depth int) (*value, error) {
	v := &value{kind: kArray}
	for dec.More() {
		e, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		v.vals = append(v.vals, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fail(ErrSchema, "#", "%v", err)
	}
	return v, nil
}

func readObject(dec *json.Decoder, depth int) (*value, error) {
	v := &value{kind: kObject}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, fail(ErrSchema, "#", "%v", err)
		}
		key, ok := tok.(string)
		if !ok {
			return nil, fail(ErrSchema, "#", "member name is not a string")
		}
		if seen[key] {
			return nil, fail(ErrSchema, "#", "member %q twice in one object", key)
		}
		seen[key] = true
		e, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		v.keys = append(v.keys, key)
		v.vals = append(v.vals, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fail(ErrSchema, "#", "%v", err)
	}
	return v, nil
}

// checkSurrogates refuses unpaired \uD800-\uDFFF, which encoding/json would
// silently turn into U+FFFD and so change a key or a constant. Strings that are
// malformed in other ways are left to the decoder.
func checkSurrogates(data []byte) error {
	hex4 := func(at int) int64 {
		if at+6 > len(data) || data[at] != '\\' || data[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(data[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		u := hex4(i)
		switch {
		case u < 0:
			i++
		case u >= 0xD800 && u < 0xDC00:
			if low := hex4(i + 6); low < 0xDC00 || low > 0xDFFF {
				return fail(ErrSchema, "#", "unpaired surrogate at byte %d", i)
			}
			i += 11
		case u >= 0xDC00 && u < 0xE000:
			return fail(ErrSchema, "#", "unpaired surrogate at byte %d", i)
		default:
			i += 5
		}
	}
	return nil
}

// quote returns the JSON string literal of s in the one spelling used in answers.
func quote(s string) []byte {
	out := []byte{'"'}
	for _, r := range s {
		out = appendEscaped(out, r)
	}
	return append(out, '"')
}

// appendEscaped appends one character as it is written inside a JSON string.
func appendEscaped(out []byte, r rune) []byte {
	const short = "\b\f\n\r\t\"\\"
	if i := strings.IndexRune(short, r); i >= 0 {
		return append(out, '\\', `bfnrt"\`[i])
	}
	if r < 0x20 {
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return utf8.AppendRune(out, r)
}

// scalar returns the literal of a value that is no array and no object.
func (v *value) scalar() []byte {
	switch v.kind {
	case kNull:
		return []byte("null")
	case kBool:
		return strconv.AppendBool(nil, v.b)
	case kNumber:
		return []byte(v.s)
	default:
		return quote(v.s)
	}
}

// rat returns the exact number, or false when its literal is too long to be
// evaluated safely (an exponent such as 1e999999999 would fill the memory).
func (v *value) rat() (*big.Rat, bool) {
	if v.kind != kNumber || len(v.s) > 48 {
		return nil, false
	}
	if i := strings.IndexAny(v.s, "eE"); i >= 0 {
		exp, err := strconv.Atoi(v.s[i+1:])
		if err != nil || exp < -30 || exp > 30 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(v.s)
}

// equalValues reports whether a and b are the same JSON value; numbers compare
// by value. Numbers too long to evaluate and very large objects count as equal.
func equalValues(a, b *value) bool {
	if a.kind != b.kind || len(a.vals) != len(b.vals) {
		return false
	}
	switch a.kind {
	case kBool:
		return a.b == b.b
	case kString:
		return a.s == b.s
	case kNumber:
		x, ok1 := a.rat()
		y, ok2 := b.rat()
		return !ok1 || !ok2 || x.Cmp(y) == 0
	case kArray:
		for i := range a.vals {
			if !equalValues(a.vals[i], b.vals[i]) {
				return false
			}
		}
	case kObject:
		for i, k := range a.keys {
			if len(a.keys) > 1<<10 {
				return true // the comparison below is quadratic
			}
			if o := b.get(k); o == nil || !equalValues(a.vals[i], o) {
				return false
			}
		}
	}
	return true
}
