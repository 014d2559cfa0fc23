// Package kernels holds the arithmetic of the engine: packed weight matrices,
// int8 activations, normalization, rotary embedding, attention over KV pages.
// Each operation has one plain Go form (ref.go: the truth, and the build
// without cgo) and C forms per instruction set, chosen once at start.
//
// # Numerics: every path gives the same bits
//
// All operations are defined down to the order of each floating-point
// operation, so the reference, AVX2 and AVX-512 (and later NEON) paths give
// byte-equal results, for any batch size, any split of rows, tokens or threads:
//
//   - integer dot products per group are exact, so their order is free;
//   - a float sum runs sequentially over groups (or head dims, or positions)
//     with one fused multiply-add per step and one accumulator per output
//     element; sixteen outputs sit in the sixteen lanes of a register, so no
//     horizontal reduction is part of any sum over K;
//   - horizontal sums (RMSNorm, softmax denominator) use sixteen accumulators
//     by index modulo 16 and then the fixed tree ((i, i+8), (i, i+4), (i, i+2), (i, i+1));
//   - exp is one polynomial, written out in ref.go.
//
// # Ownership and concurrency
//
// Go owns all memory; C keeps no pointer, allocates nothing, and starts no
// thread. Operations on disjoint ranges of the same output may run concurrently.
// Lengths are checked in the Go wrappers, which panic on a broken invariant:
// these are never reached by file or user input.
package kernels

// GroupSize is the number of elements along K that share one activation scale,
// and the finest weight group except Q6_K's (16).
const GroupSize = 32

// RowTile is the number of weight rows interleaved in the pack: one 512-bit
// register holds four consecutive K of sixteen rows.
const RowTile = 16

// PageTokens is the number of positions in a KV page.
const PageTokens = 64

// SplitTokens is the number of positions that one attention block covers. The
// online softmax runs page by page within a block; blocks are then merged in
// order. Fixed in absolute positions, so that results do not depend on batch.
const SplitTokens = 512

// Acts is a batch of activations quantized to int8 with one scale per group of 32.
// x[t,k] ~ Scale[t,k/32] * Q[t,k]
type Acts struct {
	Tokens, K int       // K is a multiple of 32
	Q         []int8    // [Tokens, K]
	Scale     []float32 // [Tokens, K/32]; amax/127, and 0 for an all-zero group
	Sum       []int32   // [Tokens, K/16]; sums of Q over 16 elements, for the min terms
}

// NewActs allocates room for maxTokens rows of k elements.
func NewActs(maxTokens, k int) *Acts {
	return &Acts{
		Tokens: maxTokens, K: k,
		Q:     AlignedInt8(maxTokens * k),
		Scale: make([]float32, maxTokens*k/GroupSize),
		Sum:   make([]int32, maxTokens*k/16),
	}
}
