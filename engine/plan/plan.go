// Package plan says in bytes what a model needs in memory, before anything of it is
// loaded: for the list of models, and for the engine, which refuses what does not
// fit. The engine's tests compare it with what is then allocated.
package plan

import "cmp"

// Shape is what a plan needs to know of a model.
type Shape struct {
	Layers, Hidden, FFN, Heads, KVHeads, HeadDim, Vocab int

	// Packed is the size of the matrices as the engine keeps them; the embedding
	// stays in the file, of which a row is read per token.
	Packed int64
}

// Options are the settings that need memory.
type Options struct {
	Context int   // tokens per sequence
	KVBytes int64 // budget of the KV cache; 0: KVSeqs contexts
	KVSeqs  int   // 0: DefaultKVContexts
	KV8     bool  // 8-bit KV pages
	Threads int   // 0: 2
}

// Memory is a plan in bytes.
type Memory struct {
	Weights int64
	KV      int64 // the whole page pool
	Scratch int64 // activations, logits, and the attention of the deepest position
	Program int64 // the program itself, the vocabulary and its index
}

// Total is the sum.
func (m Memory) Total() int64 { return m.Weights + m.KV + m.Scratch + m.Program }

// mappedLeast is how much of mapped weights should be in memory at a time: some layers.
const mappedLeast = 64 << 20

// Least is what must be there for the model to run at all: weights that are mapped can
// be read again each time they are needed, at the speed of the disk.
func (m Memory) Least() int64 { return m.Total() - m.Weights + min(m.Weights, mappedLeast) }

// What the engine computes at once; its own constants are these.
const (
	PageTokens        = 64  // positions of a KV page
	BlockTokens       = 512 // positions of an attention block
	BatchRows         = 256 // rows of a forward pass
	LogitRows         = 16  // rows of logits at once
	GateRows          = 128 // rows of gate and up that a worker joins at once
	AttnRows          = 32  // query rows of an attention unit
	DefaultKVContexts = 2   // whole contexts that the KV cache holds
)

// Measured with the models of the catalogue (peak resident memory of windowseat
// perplexity, contexts of 512 to 2,048): what the program holds beside its model, and
// per entry of the vocabulary the tokenizer's tables and the pages of the embedding
// that are read.
const (
	programBytes = 45 << 20
	perToken     = 320
)

// Of plans a model.
func Of(s Shape, o Options) Memory {
	return Memory{
		Weights: s.Packed, KV: KVBytes(s, o), Scratch: ScratchBytes(s, o),
		Program: programBytes + perToken*int64(s.Vocab),
	}
}

// BlockBytes is the size of a block of the page pool: a page, or under KV8 a packed
// page, of which an f16 page takes two.
func BlockBytes(s Shape, kv8 bool) int64 {
	if kv8 {
		// per layer and head: K and V in a byte each, scale and offset of each K
		// channel, a scale of each V vector
		return int64(s.Layers) * int64(s.KVHeads) * int64(2*PageTokens*s.HeadDim+8*s.HeadDim+4*PageTokens)
	}
	return int64(s.Layers) * int64(s.KVHeads) * int64(s.HeadDim) * PageTokens * 4
}

// Blocks is how many blocks a sequence of n tokens can come to hold at once: its
// pages, the copy of a partly shared page, and under KV8 both forms of the pages
// that one batch fills.
func Blocks(n int, kv8 bool) int {
	pages := (n + PageTokens - 1) / PageTokens
	if kv8 {
		return pages + 2*min(pages, BatchRows/PageTokens+1) + 2
	}
	return pages + 1
}

// KVBytes is the size of the page pool: the budget, but one whole context at least.
func KVBytes(s Shape, o Options) int64 {
	block := BlockBytes(s, o.KV8)
	budget := o.KVBytes
	if budget <= 0 {
		budget = int64(cmp.Or(o.KVSeqs, DefaultKVContexts)) * int64(o.Context) * (block / PageTokens)
	}
	return block * max(budget/block, int64(Blocks(o.Context, o.KV8)))
}

// ScratchBytes is the working memory of a forward pass at the end of a context.
func ScratchBytes(s Shape, o Options) int64 {
	const float = 4
	threads := int64(o.Threads)
	if threads <= 0 {
		threads = 2
	}
	h, f, v := int64(s.Hidden), int64(s.FFN), int64(s.Vocab)
	q, kv := int64(s.Heads*s.HeadDim), int64(s.KVHeads*s.HeadDim)
	quantized := func(k int64) int64 { return k + k/32*28 } // int8, and seven words per group of 32
	row := float*(h+2*q+2*kv+int64(s.HeadDim)) + quantized(h) + quantized(q) + quantized(f)
	logits := LogitRows * (float*(v+h) + quantized(h))
	blocks := int64((o.Context + BlockTokens - 1) / BlockTokens)
	attention := float * int64(s.Heads) * int64(s.HeadDim+2) * BatchRows * blocks
	worker := float*2*BatchRows*GateRows + float*AttnRows*(q/max(int64(s.KVHeads), 1)+2)
	return BatchRows*row + logits + attention + threads*worker
}
