package gguf

import (
	"math"
)

// String returns the string value of the key. It reports false when the key is
// missing or of another type, as all typed getters do.
func (f *File) String(key string) (string, bool) {
	v, ok := f.head.values[key]
	if !ok || v.typ != typeString {
		return "", false
	}
	s, _ := f.head.stringAt(v.off)
	return s, true
}

// Uint returns the value of a key of any integer type, if it is not negative.
func (f *File) Uint(key string) (uint64, bool) { return f.head.uint(key) }

// Float returns the value of a key of a floating-point type.
func (f *File) Float(key string) (float64, bool) {
	v, ok := f.head.values[key]
	if !ok {
		return 0, false
	}
	return f.head.floatAt(v.typ, v.off)
}

// Bool returns the value of a bool key.
func (f *File) Bool(key string) (value, ok bool) {
	v, ok := f.head.values[key]
	if !ok || v.typ != typeBool {
		return false, false
	}
	return f.head.raw[v.off] == 1, true
}

// Strings returns an array of strings. The slice is the caller's; the strings
// share the header's memory. It costs one pass over the array.
func (f *File) Strings(key string) ([]string, bool) {
	v, ok := f.array(key)
	if !ok || v.elem != typeString {
		return nil, false
	}
	out := make([]string, v.count)
	off := v.off
	for i := range out {
		out[i], off = f.head.stringAt(off)
	}
	return out, true
}

// Ints returns an array of any integer type as int32. It reports false if a
// value does not fit.
func (f *File) Ints(key string) ([]int32, bool) {
	v, ok := f.array(key)
	if !ok {
		return nil, false
	}
	out := make([]int32, v.count)
	size := v.elem.fixedSize()
	for i := range out {
		n, ok := f.head.intAt(v.elem, v.off+i*size)
		if !ok || n < math.MinInt32 || n > math.MaxInt32 {
			return nil, false
		}
		out[i] = int32(n)
	}
	return out, true
}

// Floats returns an array of a floating-point type as float32.
func (f *File) Floats(key string) ([]float32, bool) {
	v, ok := f.array(key)
	if !ok {
		return nil, false
	}
	out := make([]float32, v.count)
	size := v.elem.fixedSize()
	for i := range out {
		x, ok := f.head.floatAt(v.elem, v.off+i*size)
		if !ok {
			return nil, false
		}
		out[i] = float32(x)
	}
	return out, true
}

// array returns the located array of scalars or strings.
func (f *File) array(key string) (value, bool) {
	v, ok := f.head.values[key]
	return v, ok && v.typ == typeArray && v.elem != typeArray
}

// uint returns a non-negative integer of any width.
func (h *header) uint(key string) (uint64, bool) {
	v, ok := h.values[key]
	if !ok {
		return 0, false
	}
	if v.typ == typeUint64 {
		return h.bitsAt(v.off, 8), true
	}
	n, ok := h.intAt(v.typ, v.off)
	return uint64(n), ok && n >= 0
}

// bitsAt returns n little-endian bytes at off. The range was verified by readHeader.
func (h *header) bitsAt(off, n int) uint64 {
	var x uint64
	for i := n - 1; i >= 0; i-- {
		x = x<<8 | uint64(h.raw[off+i])
	}
	return x
}

// intAt returns the integer of the given type at off, false if the type is not
// an integer or the value exceeds an int64.
func (h *header) intAt(t valueType, off int) (int64, bool) {
	switch t {
	case typeUint8, typeUint16, typeUint32:
		return int64(h.bitsAt(off, t.fixedSize())), true
	case typeUint64:
		x := h.bitsAt(off, 8)
		return int64(x), x <= math.MaxInt64
	case typeInt8:
		return int64(int8(h.bitsAt(off, 1))), true
	case typeInt16:
		return int64(int16(h.bitsAt(off, 2))), true
	case typeInt32:
		return int64(int32(h.bitsAt(off, 4))), true
	case typeInt64:
		return int64(h.bitsAt(off, 8)), true
	}
	return 0, false
}

// floatAt returns the floating-point number of the given type at off.
func (h *header) floatAt(t valueType, off int) (float64, bool) {
	switch t {
	case typeFloat32:
		return float64(math.Float32frombits(uint32(h.bitsAt(off, 4)))), true
	case typeFloat64:
		return math.Float64frombits(h.bitsAt(off, 8)), true
	}
	return 0, false
}

// stringAt returns the string whose length field is at off, and where it ends.
func (h *header) stringAt(off int) (s string, end int) {
	start := off + 8
	end = start + int(h.bitsAt(off, 8))
	return h.raw[start:end], end
}
