// Package kernels holds the arithmetic of the engine: packed weight matrices,
// int8 activations, normalization, rotary embedding, attention over KV pages.
// Each operation has one plain Go form (ref.go: the truth, and the build
// without cgo) and C forms per instruction set, chosen once at start.
//
// # Numerics: every path gives the same bits
//
// All operations are defined down to the order of each floating-point
// operation, so the reference, AVX2, AVX-VNNI, AVX-512 and NEON paths give byte-equal
// results, for any batch size, any split of rows, tokens or threads. Products of the
// formats with sub-scales are defined in three grains (Grain): a path has its own
// way of multiplying prompts fast, and UseGrain makes all take the same.
//
//   - integer dot products per group are exact, so their order is free;
//   - a float sum runs sequentially over groups (or head dims, or positions)
//     with one fused multiply-add per step and one accumulator per output
//     element; sixteen outputs sit in the sixteen lanes of a register, so no
//     horizontal reduction is part of any sum over K;
//   - horizontal sums (RMSNorm, softmax denominator) use sixteen accumulators
//     by index modulo 16 and then the fixed tree ((i, i+8), (i, i+4), (i, i+2), (i, i+1));
//   - exp is one polynomial, written out in ref.go;
//   - each op's comment gives its formula; every product, sum and quotient there
//     is one correctly rounded float32 operation, and fma(a, b, c) is a*b+c with
//     a single rounding.
//
// Only the payload of a NaN is left open: where one path gives NaN, all do.
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
