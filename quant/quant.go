// Package quant defines the weight block formats of GGUF files: the size of a
// block, its layout, and plain Go decoding that serves as the truth for every
// kernel. It knows nothing about files, tensors or instruction sets.
//
// All functions are pure and safe for concurrent use.
//
// The layouts follow the GGUF specification and its reference implementation
// (ggml, MIT licence); the code here is our own.
package quant

import "fmt"

// Type is a GGUF tensor type. The values are those stored in the file.
type Type uint32

// The types this program can read. Everything else is refused by name.
const (
	F32  Type = 0
	F16  Type = 1
	Q4_0 Type = 2
	Q4_1 Type = 3
	Q5_0 Type = 6
	Q5_1 Type = 7
	Q8_0 Type = 8
	Q4_K Type = 12
	Q5_K Type = 13
	Q6_K Type = 14
)

// traits of one type: elements and bytes per block.
type traits struct {
	name       string
	blockLen   int
	blockBytes int
}

var table = map[Type]traits{
	F32:  {"F32", 1, 4},
	F16:  {"F16", 1, 2},
	Q4_0: {"Q4_0", 32, 18},
	Q4_1: {"Q4_1", 32, 20},
	Q5_0: {"Q5_0", 32, 22},
	Q5_1: {"Q5_1", 32, 24},
	Q8_0: {"Q8_0", 32, 34},
	Q4_K: {"Q4_K", 256, 144},
	Q5_K: {"Q5_K", 256, 176},
	Q6_K: {"Q6_K", 256, 210},
}

// Supported reports whether the type can be read.
func (t Type) Supported() bool { _, ok := table[t]; return ok }

// String returns the GGUF name, or "type N" for one that is not supported.
func (t Type) String() string {
	if tr, ok := table[t]; ok {
		return tr.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// BlockLen returns the number of elements that share one block, 0 if unsupported.
func (t Type) BlockLen() int { return table[t].blockLen }

// BlockBytes returns the stored size of one block, 0 if unsupported.
func (t Type) BlockBytes() int { return table[t].blockBytes }

// RowBytes returns the stored size of n elements; n must be a multiple of
// BlockLen (the GGUF reader checks it).
func (t Type) RowBytes(n int) int64 {
	tr := table[t]
	if tr.blockLen == 0 {
		return 0
	}
	return int64(n) / int64(tr.blockLen) * int64(tr.blockBytes)
}
