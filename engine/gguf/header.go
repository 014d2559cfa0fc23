package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"windowseat/quant"
)

// Limits on the header. Real headers are 2 to 20 MB, nearly all of it vocabulary.
const (
	maxHeaderBytes = 256 << 20
	maxKeyBytes    = 65535 // the format's own limit
	maxNameBytes   = 64    // the format's own limit for tensor names
	maxDims        = 4     // the format's own limit
	maxNesting     = 4     // arrays of arrays; no known file nests at all
	readStep       = 1 << 20
)

// valueType is the type tag of a metadata value.
type valueType uint32

const (
	typeUint8 valueType = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

// fixedSize returns the stored bytes of a scalar, 0 for strings, arrays and
// unknown types.
func (t valueType) fixedSize() int {
	switch t {
	case typeUint8, typeInt8, typeBool:
		return 1
	case typeUint16, typeInt16:
		return 2
	case typeUint32, typeInt32, typeFloat32:
		return 4
	case typeUint64, typeInt64, typeFloat64:
		return 8
	}
	return 0
}

// value locates one verified metadata value inside header.raw.
type value struct {
	typ   valueType
	elem  valueType // of an array
	count int       // of an array
	off   int       // first byte of the scalar, string length or first element
}

// tensorInfo is one row of the tensor table.
type tensorInfo struct {
	name   string
	typ    quant.Type
	shape  []int // outermost first
	nBytes int64
	offset uint64 // from the start of the data section
}

// header is the verified content before the data section.
type header struct {
	version int
	raw     string // all header bytes; the values point into it
	keys    []string
	values  map[string]value
	tensors []tensorInfo
}

// cursor reads the header front to back into one growing buffer. No length from
// the file is believed before it was compared with what the file still holds.
type cursor struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	pos  int
}

// left returns the bytes between the cursor and the end of the file.
func (c *cursor) left() uint64 { return uint64(c.size) - uint64(c.pos) }

// take returns the next n bytes, valid until the next call.
func (c *cursor) take(n uint64, what string) ([]byte, error) {
	if n > c.left() {
		missing := int64(min(n-c.left(), math.MaxInt64))
		return nil, &FormatError{
			Reason: fmt.Sprintf("%s at byte %d needs %d bytes more than the file has: the file is cut or a length is wrong",
				what, c.pos, missing),
			Missing: missing,
		}
	}
	if n > maxHeaderBytes-uint64(c.pos) {
		return nil, formatErrorf("%s at byte %d: the header is larger than %d MiB", what, c.pos, maxHeaderBytes>>20)
	}
	end := c.pos + int(n)
	if end > len(c.buf) {
		if err := c.fill(end); err != nil {
			return nil, err
		}
	}
	b := c.buf[c.pos:end]
	c.pos = end
	return b, nil
}

// room checks that count entries of at least the given size can still follow.
func (c *cursor) room(count, least uint64, what string) error {
	if count <= c.left()/least {
		return nil
	}
	// At most 2^64-1 entries: cap the product where it would overflow.
	missing := int64(min(count, math.MaxInt64/64)*least - c.left())
	return &FormatError{
		Reason: fmt.Sprintf("%s: %d entries cannot fit in the %d bytes left in the file: the file is cut or the count is wrong",
			what, count, c.left()),
		Missing: missing,
	}
}

// fill reads on until the buffer holds at least end bytes, at least doubling it
// so that the total cost stays linear.
func (c *cursor) fill(end int) error {
	have := len(c.buf)
	want := int(min(int64(max(end, 2*have, have+readStep)), c.size))
	c.buf = slices.Grow(c.buf, want-have)[:want]
	n, err := c.r.ReadAt(c.buf[have:], int64(have))
	if n == want-have {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return &FormatError{Reason: "the file became shorter while it was read", Missing: int64(want - have - n)}
	}
	return fmt.Errorf("gguf: reading header: %w", err)
}

func (c *cursor) u32(what string) (uint32, error) {
	b, err := c.take(4, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (c *cursor) u64(what string) (uint64, error) {
	b, err := c.take(8, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// str reads a string of at most limit bytes. The result is valid until the next read.
func (c *cursor) str(what string, limit uint64) ([]byte, error) {
	n, err := c.u64(what)
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, formatErrorf("%s at byte %d is %d bytes long, at most %d are allowed", what, c.pos, n, limit)
	}
	return c.take(n, what)
}

// readHeader parses and verifies magic, version, metadata and tensor table.
func readHeader(r io.ReaderAt, size int64) (*header, error) {
	c := &cursor{r: r, size: size}
	version, err := readVersion(c)
	if err != nil {
		return nil, err
	}
	nTensors, err := c.u64("tensor count")
	if err != nil {
		return nil, err
	}
	nKeys, err := c.u64("key count")
	if err != nil {
		return nil, err
	}
	// The smallest entries: a key of one byte with a one-byte value, a name of
	// one byte with one dimension. Divide, so that nothing can overflow.
	const minKV, minTensor = 8 + 1 + 4 + 1, 8 + 1 + 4 + 8 + 4 + 8
	if err := c.room(nKeys, minKV, "the list of keys"); err != nil {
		return nil, err
	}
	if err := c.room(nTensors, minTensor, "the tensor table"); err != nil {
		return nil, err
	}
	h := &header{version: version, values: map[string]value{}}
	for range nKeys {
		if err := h.readKey(c); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for range nTensors {
		t, err := readTensorInfo(c)
		if err != nil {
			return nil, err
		}
		if seen[t.name] {
			return nil, formatErrorf("tensor %q is listed twice", t.name)
		}
		seen[t.name] = true
		h.tensors = append(h.tensors, t)
	}
	h.raw = string(c.buf[:c.pos])
	return h, nil
}

// readVersion checks the magic and returns the version, 2 or 3.
func readVersion(c *cursor) (int, error) {
	magic, err := c.take(4, "magic")
	if err != nil {
		return 0, err
	}
	if string(magic) == "FUGG" {
		return 0, &UnsupportedError{What: "byte order", Got: "big-endian", Supported: []string{"little-endian"}}
	}
	if string(magic) != "GGUF" {
		return 0, formatErrorf("not a GGUF file: it begins with %q", magic)
	}
	v, err := c.u32("version")
	if err != nil {
		return 0, err
	}
	if v != 0 && v&0xffff == 0 {
		// A big-endian file has the same magic and its version the other way round.
		return 0, &UnsupportedError{What: "byte order", Got: "big-endian", Supported: []string{"little-endian"}}
	}
	if v != 2 && v != 3 {
		return 0, &UnsupportedError{What: "version", Got: strconv.FormatUint(uint64(v), 10), Supported: []string{"2", "3"}}
	}
	return int(v), nil
}

func (h *header) readKey(c *cursor) error {
	b, err := c.str("key", maxKeyBytes)
	if err != nil {
		return err
	}
	key := string(b)
	if key == "" {
		return formatErrorf("empty key at byte %d", c.pos)
	}
	if _, dup := h.values[key]; dup {
		return formatErrorf("key %q is listed twice", key)
	}
	what := "value of key " + strconv.Quote(key)
	tag, err := c.u32(what)
	if err != nil {
		return err
	}
	v, err := readValue(c, valueType(tag), what, 0)
	if err != nil {
		return err
	}
	h.keys = append(h.keys, key)
	h.values[key] = v
	return nil
}

// readValue verifies one value and steps over it.
func readValue(c *cursor, typ valueType, what string, depth int) (value, error) {
	v := value{typ: typ, off: c.pos}
	if n := typ.fixedSize(); n > 0 {
		b, err := c.take(uint64(n), what)
		if err == nil && typ == typeBool {
			err = checkBools(b, what)
		}
		return v, err
	}
	switch typ {
	case typeString:
		_, err := c.str(what, maxHeaderBytes)
		return v, err
	case typeArray:
		return readArray(c, what, depth)
	}
	return v, formatErrorf("%s has the unknown type %d", what, typ)
}

func readArray(c *cursor, what string, depth int) (value, error) {
	if depth >= maxNesting {
		return value{}, formatErrorf("%s: arrays are nested deeper than %d", what, maxNesting)
	}
	tag, err := c.u32(what)
	if err != nil {
		return value{}, err
	}
	count, err := c.u64(what)
	if err != nil {
		return value{}, err
	}
	elem := valueType(tag)
	size := elem.fixedSize()
	least := uint64(size) // the smallest stored element
	switch elem {
	case typeString:
		least = 8
	case typeArray:
		least = 12
	}
	if least == 0 {
		return value{}, formatErrorf("%s: array of the unknown type %d", what, tag)
	}
	if err := c.room(count, least, what); err != nil {
		return value{}, err
	}
	v := value{typ: typeArray, elem: elem, count: int(count), off: c.pos}
	if size > 0 {
		b, err := c.take(count*uint64(size), what)
		if err == nil && elem == typeBool {
			err = checkBools(b, what)
		}
		return v, err
	}
	for range count {
		if _, err := readValue(c, elem, what, depth+1); err != nil {
			return value{}, err
		}
	}
	return v, nil
}

func checkBools(b []byte, what string) error {
	for _, x := range b {
		if x > 1 {
			return formatErrorf("%s: a bool is stored as %d", what, x)
		}
	}
	return nil
}

// readTensorInfo reads one row of the tensor table and checks its shape.
func readTensorInfo(c *cursor) (tensorInfo, error) {
	var t tensorInfo
	b, err := c.str("tensor name", maxNameBytes)
	if err != nil {
		return t, err
	}
	t.name = string(b)
	if t.name == "" {
		return t, formatErrorf("empty tensor name at byte %d", c.pos)
	}
	what := "tensor " + strconv.Quote(t.name)
	nDims, err := c.u32(what)
	if err != nil {
		return t, err
	}
	if nDims == 0 || nDims > maxDims {
		return t, formatErrorf("%s has %d dimensions, 1 to %d are allowed", what, nDims, maxDims)
	}
	t.shape = make([]int, nDims)
	for i := range t.shape {
		d, err := c.u64(what)
		if err != nil {
			return t, err
		}
		if d == 0 || d > math.MaxInt64 || int64(d) > math.MaxInt {
			return t, formatErrorf("%s: dimension %d is %d", what, i, d)
		}
		t.shape[len(t.shape)-1-i] = int(d) // innermost first in the file
	}
	typ, err := c.u32(what)
	if err != nil {
		return t, err
	}
	t.typ = quant.Type(typ)
	if t.nBytes, err = tensorBytes(&t); err != nil {
		return t, err
	}
	t.offset, err = c.u64(what)
	return t, err
}
