package kernels

import (
	"fmt"
	"unsafe"
)

// cacheLine is the alignment of packed weights and of buffers from AlignedBytes.
const cacheLine = 64

// hugeFrom is the size from which a buffer asks for huge pages: half of one.
const hugeFrom = 1 << 20

// AlignedBytes returns n zeroed bytes that start on a 64-byte boundary. Large
// buffers ask the system for huge pages: streaming weights through pages of 4 KiB
// costs a fifth of the speed in address translation, and the processor's prefetch
// stops at the end of each page.
func AlignedBytes(n int) []byte {
	b := make([]byte, n+cacheLine-1)
	if n >= hugeFrom {
		AdviseHuge(b)
	}
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % cacheLine)
	return b[skip : skip+n : skip+n]
}

// AlignedInt8 returns n zeroed int8 that start on a 64-byte boundary.
func AlignedInt8(n int) []int8 { return aligned[int8](n) }

// AlignedFloats returns n zeroed float32 that start on a 64-byte boundary.
func AlignedFloats(n int) []float32 { return aligned[float32](n) }

// AlignedUint16 returns n zeroed uint16 (float16 bits) that start on a 64-byte boundary.
func AlignedUint16(n int) []uint16 { return aligned[uint16](n) }

func aligned[T int8 | uint16 | float32](n int) []T {
	if n == 0 {
		return []T{}
	}
	var zero T
	b := AlignedBytes(n * int(unsafe.Sizeof(zero)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// broken reports a caller that breaks an op's contract; input never leads here.
func broken(format string, args ...any) {
	panic("kernels: " + fmt.Sprintf(format, args...))
}

func checkLen(what string, have, need int) {
	if have < need {
		broken("%s: length %d, need %d", what, have, need)
	}
}

func checkMultiple(what string, n, of int) {
	if n < 0 || n%of != 0 {
		broken("%s: length %d is not a multiple of %d", what, n, of)
	}
}
