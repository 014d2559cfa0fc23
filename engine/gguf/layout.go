package gguf

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"windowseat/quant"
)

const defaultAlignment = 32

// place is the verified range [start, end) of one tensor in the file.
type place struct {
	start, end int64
}

// otherTypes names the tensor types that exist and are not read here, so that
// the message says what the user downloaded.
// Source: ggml.h of ggml (enum ggml_type), MIT licence.
var otherTypes = map[quant.Type]string{
	4: "Q4_2", 5: "Q4_3", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 15: "Q8_K",
	16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
	22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64",
	29: "IQ1_M", 30: "BF16", 31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8",
	34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4", 40: "NVFP4",
}

// supportedTypes lists the names of the readable tensor types.
func supportedTypes() []string {
	var names []string
	for t := range quant.Type(64) {
		if t.Supported() {
			names = append(names, t.String())
		}
	}
	return names
}

// missing says how many bytes are.
func missing(n int64) string {
	if n == 1 {
		return "1 byte is missing"
	}
	return fmt.Sprintf("%d bytes are missing", n)
}

// tensorBytes returns the stored size, after checking the type, the row length
// and that no product overflows.
func tensorBytes(t *tensorInfo) (int64, error) {
	if !t.typ.Supported() {
		name, ok := otherTypes[t.typ]
		if !ok {
			name = strings.TrimPrefix(t.typ.String(), "type ") // What says "tensor type"
		}
		return 0, &UnsupportedError{
			What: "tensor type", Got: fmt.Sprintf("%s of tensor %q", name, t.name),
			Supported: supportedTypes(),
		}
	}
	cols := t.shape[len(t.shape)-1]
	if cols%t.typ.BlockLen() != 0 {
		return 0, formatErrorf("tensor %q: rows of %d elements are not whole %v blocks of %d", t.name, cols, t.typ, t.typ.BlockLen())
	}
	elems := uint64(1)
	for _, d := range t.shape {
		hi, lo := bits.Mul64(elems, uint64(d))
		// The largest element takes 8 bytes at most; the bound keeps every later
		// product inside an int64.
		if hi != 0 || lo > math.MaxInt64/16 {
			return 0, formatErrorf("tensor %q: shape %v is too large", t.name, t.shape)
		}
		elems = lo
	}
	return int64(elems) / int64(t.typ.BlockLen()) * int64(t.typ.BlockBytes()), nil
}

// layOut checks where the tensors lie and returns their places, in the order of
// the tensor table.
func layOut(h *header, size int64) ([]place, error) {
	if n, ok := h.uint("split.count"); ok && n > 1 {
		return nil, &UnsupportedError{What: "a model split over", Got: strconv.FormatUint(n, 10) + " files", Supported: []string{"one file"}}
	}
	align, err := h.alignment()
	if err != nil {
		return nil, err
	}
	base := (int64(len(h.raw)) + align - 1) / align * align // start of the data section
	places := make([]place, len(h.tensors))
	order := make([]int, len(h.tensors))
	needed := int64(0)
	for i := range h.tensors {
		t := &h.tensors[i]
		if t.offset%uint64(align) != 0 {
			return nil, formatErrorf("tensor %q: offset %d is not a multiple of the alignment %d", t.name, t.offset, align)
		}
		if t.offset > uint64(math.MaxInt64-base-t.nBytes) {
			return nil, formatErrorf("tensor %q: offset %d is outside any file", t.name, t.offset)
		}
		start := base + int64(t.offset)
		places[i] = place{start: start, end: start + t.nBytes}
		needed = max(needed, places[i].end)
		order[i] = i
	}
	if needed > size {
		return nil, &FormatError{
			Reason:  fmt.Sprintf("the file is cut: it has %d bytes, its tensors need %d: %s", size, needed, missing(needed-size)),
			Missing: needed - size,
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(places[a].start, places[b].start) })
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		if places[a].end > places[b].start {
			return nil, formatErrorf("tensors %q and %q overlap", h.tensors[a].name, h.tensors[b].name)
		}
	}
	return places, nil
}

// alignment returns the distance that tensor offsets are multiples of.
func (h *header) alignment() (int64, error) {
	const key = "general.alignment"
	v, ok := h.values[key]
	if !ok {
		return defaultAlignment, nil
	}
	n, _ := h.uint(key)
	if v.typ != typeUint32 || n == 0 || n&(n-1) != 0 {
		return 0, formatErrorf("key %q must be a power of two stored as uint32", key)
	}
	return int64(n), nil
}
