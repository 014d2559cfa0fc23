package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// KV is one metadata entry to write. Value is a bool, string, float32, float64,
// an integer of a fixed width, or a slice of one of these.
type KV struct {
	Key   string
	Value any
}

// Write writes a little-endian version 3 file with the given metadata and
// tensors, in that order. The data section follows general.alignment if it is
// among the metadata (as uint32), else 32. Each tensor's data must have exactly
// the size of its type and shape. The arguments are not retained.
//
// It checks what it writes with the reader's own rules, and returns the same
// errors; the header is built in memory first, so a refused file leaves w untouched.
func Write(w io.Writer, meta []KV, tensors []Tensor) error {
	align := uint64(defaultAlignment)
	for _, kv := range meta {
		if a, ok := kv.Value.(uint32); ok && kv.Key == "general.alignment" && a > 0 {
			align = uint64(a)
		}
	}
	head := []byte("GGUF")
	head = binary.LittleEndian.AppendUint32(head, 3)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(tensors)))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(meta)))
	for _, kv := range meta {
		var err error
		head = appendString(head, kv.Key)
		if head, err = appendValue(head, kv.Value); err != nil {
			return fmt.Errorf("gguf: key %q: %w", kv.Key, err)
		}
	}
	offset := uint64(0)
	for _, t := range tensors {
		head = appendString(head, t.Name)
		head = binary.LittleEndian.AppendUint32(head, uint32(len(t.Shape)))
		for _, d := range slices.Backward(t.Shape) {
			head = binary.LittleEndian.AppendUint64(head, uint64(d))
		}
		head = binary.LittleEndian.AppendUint32(head, uint32(t.Type))
		head = binary.LittleEndian.AppendUint64(head, offset)
		offset += (uint64(len(t.Data)) + align - 1) / align * align
	}
	pad := func(n uint64) []byte { return make([]byte, (align-n%align)%align) }
	base := append(head, pad(uint64(len(head)))...)
	if err := verify(base, int64(uint64(len(base))+offset), tensors); err != nil {
		return err
	}
	if _, err := w.Write(base); err != nil {
		return fmt.Errorf("gguf: %w", err)
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return fmt.Errorf("gguf: %w", err)
		}
		if _, err := w.Write(pad(uint64(len(t.Data)))); err != nil {
			return fmt.Errorf("gguf: %w", err)
		}
	}
	return nil
}

// verify reads the header back and compares the tensor sizes.
func verify(head []byte, size int64, tensors []Tensor) error {
	h, err := readHeader(bytes.NewReader(head), int64(len(head)))
	if err != nil {
		return err
	}
	for i, t := range tensors {
		if int64(len(t.Data)) != h.tensors[i].nBytes {
			return formatErrorf("tensor %q: %d bytes of data, its shape needs %d", t.Name, len(t.Data), h.tensors[i].nBytes)
		}
	}
	_, err = layOut(h, size)
	return err
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}

// appendValue appends the type tag and the value.
func appendValue(b []byte, v any) ([]byte, error) {
	if s, ok := v.(string); ok {
		b = binary.LittleEndian.AppendUint32(b, uint32(typeString))
		return appendString(b, s), nil
	}
	if list, ok := v.([]string); ok {
		b = appendArrayHead(b, typeString, len(list))
		for _, s := range list {
			b = appendString(b, s)
		}
		return b, nil
	}
	typ, count := scalarType(v)
	switch {
	case typ == typeArray:
		return nil, fmt.Errorf("cannot store a %T", v)
	case count < 0:
		b = binary.LittleEndian.AppendUint32(b, uint32(typ))
	default:
		b = appendArrayHead(b, typ, count)
	}
	return binary.Append(b, binary.LittleEndian, v)
}

func appendArrayHead(b []byte, elem valueType, count int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(typeArray))
	b = binary.LittleEndian.AppendUint32(b, uint32(elem))
	return binary.LittleEndian.AppendUint64(b, uint64(count))
}

// scalarType returns the type tag of a fixed-size value and -1, or of a slice's
// elements and its length; typeArray for anything else.
func scalarType(v any) (valueType, int) {
	switch v := v.(type) {
	case bool:
		return typeBool, -1
	case uint8:
		return typeUint8, -1
	case int8:
		return typeInt8, -1
	case uint16:
		return typeUint16, -1
	case int16:
		return typeInt16, -1
	case uint32:
		return typeUint32, -1
	case int32:
		return typeInt32, -1
	case uint64:
		return typeUint64, -1
	case int64:
		return typeInt64, -1
	case float32:
		return typeFloat32, -1
	case float64:
		return typeFloat64, -1
	case []bool:
		return typeBool, len(v)
	case []uint8:
		return typeUint8, len(v)
	case []int8:
		return typeInt8, len(v)
	case []uint16:
		return typeUint16, len(v)
	case []int16:
		return typeInt16, len(v)
	case []uint32:
		return typeUint32, len(v)
	case []int32:
		return typeInt32, len(v)
	case []uint64:
		return typeUint64, len(v)
	case []int64:
		return typeInt64, len(v)
	case []float32:
		return typeFloat32, len(v)
	case []float64:
		return typeFloat64, len(v)
	}
	return typeArray, 0
}
