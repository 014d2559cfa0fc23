package engine

import (
	"context"
	"fmt"

	"windowseat/engine/gguf"
	"windowseat/engine/kernels"
	"windowseat/engine/tokenizer"
	"windowseat/quant"
)

// Layer holds the weights of one transformer block. Matrices are [rows, cols],
// packed; vectors are f32.
type Layer struct {
	AttnNorm   []float32       // [H]
	AttnQ      *kernels.Matrix // [A*D, H]
	AttnK      *kernels.Matrix // [G*D, H]
	AttnV      *kernels.Matrix // [G*D, H]
	AttnQBias  []float32       // [A*D] or nil
	AttnKBias  []float32       // [G*D] or nil
	AttnVBias  []float32       // [G*D] or nil
	AttnOutput *kernels.Matrix // [H, A*D]
	FFNNorm    []float32       // [H]
	FFNGate    *kernels.Matrix // [F, H]
	FFNUp      *kernels.Matrix // [F, H]
	FFNDown    *kernels.Matrix // [H, F]
}

// Weights holds a whole model. TokenEmbd stays in the mapped file, in its GGUF
// format: a row is read per token.
type Weights struct {
	TokenEmbd  gguf.Tensor // [V, H]
	OutputNorm []float32   // [H]
	Output     *kernels.Matrix
	RopeFactor []float32 // [RotDim/2] divisor of each frequency, or nil
	Layers     []Layer

	pack    *packStore   // owns what the matrices are mapped from
	release func([]byte) // gives pages of TokenEmbd back
}

// packRows is how many rows one packing piece covers: a multiple of the row tile
// that keeps a piece near a millisecond.
const packRows = 256

// packTask is a matrix without memory, and what its weights are made from.
type packTask struct {
	name    string
	m       *kernels.Matrix
	src     []byte
	release func([]byte) // gives src's pages back once it is packed
}

// binder fetches tensors by name, checks their shapes, and keeps the first error.
type binder struct {
	f     *gguf.File
	tasks []packTask
	err   error
}

func (b *binder) tensor(name string, shape ...int) (gguf.Tensor, bool) {
	t, ok := b.f.Tensor(name)
	if !ok {
		return t, false
	}
	same := len(t.Shape) == len(shape)
	for i := 0; same && i < len(shape); i++ {
		same = t.Shape[i] == shape[i]
	}
	if !same {
		b.fail(formatErrorf("tensor %q has shape %v, the model's header needs %v", name, t.Shape, shape))
		return t, false
	}
	return t, true
}

func (b *binder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// matrix describes a weight matrix and queues it for packing.
func (b *binder) matrix(name string, rows, cols int) *kernels.Matrix {
	t, ok := b.tensor(name, rows, cols)
	if !ok {
		b.fail(formatErrorf("tensor %q is missing", name))
		return nil
	}
	return b.pack(t)
}

func (b *binder) pack(t gguf.Tensor) *kernels.Matrix {
	m, err := kernels.Describe(t.Type, t.Shape[0], t.Shape[1])
	if err != nil {
		b.fail(fmt.Errorf("tensor %q: %w", t.Name, err))
		return nil
	}
	b.tasks = append(b.tasks, packTask{t.Name, m, t.Data, b.f.Release})
	return m
}

// vector reads a vector of any supported type as f32. Its elements must be finite: one
// that is not makes everything behind it NaN.
func (b *binder) vector(name string, n int) []float32 {
	v := b.optionalVector(name, n)
	if v == nil {
		b.fail(formatErrorf("tensor %q is missing", name))
	}
	return v
}

func (b *binder) optionalVector(name string, n int) []float32 {
	t, ok := b.tensor(name, n)
	if !ok {
		return nil
	}
	v := make([]float32, n)
	quant.Dequantize(v, t.Type, t.Data)
	for i, x := range v {
		if x-x != 0 {
			b.fail(formatErrorf("tensor %q: element %d is no finite number", name, i))
			break
		}
	}
	return v
}

func (b *binder) layer(i int, c Config) Layer {
	name := func(s string) string { return fmt.Sprintf("blk.%d.%s", i, s) }
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	bias := b.optionalVector
	if c.QKVBias {
		bias = b.vector
	}
	return Layer{
		AttnNorm:   b.vector(name("attn_norm.weight"), c.Hidden),
		AttnQ:      b.matrix(name("attn_q.weight"), q, c.Hidden),
		AttnK:      b.matrix(name("attn_k.weight"), kv, c.Hidden),
		AttnV:      b.matrix(name("attn_v.weight"), kv, c.Hidden),
		AttnQBias:  bias(name("attn_q.bias"), q),
		AttnKBias:  bias(name("attn_k.bias"), kv),
		AttnVBias:  bias(name("attn_v.bias"), kv),
		AttnOutput: b.matrix(name("attn_output.weight"), c.Hidden, q),
		FFNNorm:    b.vector(name("ffn_norm.weight"), c.Hidden),
		FFNGate:    b.matrix(name("ffn_gate.weight"), c.FFN, c.Hidden),
		FFNUp:      b.matrix(name("ffn_up.weight"), c.FFN, c.Hidden),
		FFNDown:    b.matrix(name("ffn_down.weight"), c.Hidden, c.FFN),
	}
}

// loadWeights binds every tensor of the model and makes the matrices ready from
// ps or on p, calling progress with packed and total GGUF bytes. Vocab is taken
// from the embedding and must equal the tokenizer's.
func loadWeights(ctx context.Context, f *gguf.File, c *Config, p *pool, ps *packStore, tok *tokenizer.Tokenizer, progress func(done, total int64)) (*Weights, error) {
	embd, ok := f.Tensor("token_embd.weight")
	if !ok || len(embd.Shape) != 2 || embd.Shape[1] != c.Hidden {
		return nil, formatErrorf("tensor %q is missing or not [vocab, %d]", "token_embd.weight", c.Hidden)
	}
	c.Vocab = embd.Shape[0]
	if tok.VocabSize() != c.Vocab {
		return nil, formatErrorf("the tokenizer has %d tokens, the embedding %d", tok.VocabSize(), c.Vocab)
	}
	b := &binder{f: f}
	w := &Weights{
		TokenEmbd:  embd,
		release:    f.Release,
		OutputNorm: b.vector("output_norm.weight", c.Hidden),
		RopeFactor: b.optionalVector("rope_freqs.weight", c.RotDim/2),
		Layers:     make([]Layer, c.Layers),
	}
	for i := range w.Layers {
		w.Layers[i] = b.layer(i, *c)
	}
	if _, ok := f.Tensor("output.weight"); ok {
		w.Output = b.matrix("output.weight", c.Vocab, c.Hidden)
	} else { // tied embeddings
		w.Output = b.pack(embd)
	}
	if b.err != nil {
		return nil, b.err
	}
	if err := ps.ready(ctx, b.tasks, tok, p, progress); err != nil {
		return nil, err
	}
	w.pack = ps
	if p.fault.Load() {
		return nil, ErrModelFile
	}
	return w, nil
}

// packAll packs into memory.
func packAll(ctx context.Context, tasks []packTask, p *pool, progress func(done, total int64)) error {
	var done, total int64
	for _, t := range tasks {
		total += int64(len(t.src))
	}
	for _, t := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		packParallel(t.m, t.src, p)
		t.release(t.src)
		done += int64(len(t.src))
		progress(done, total)
	}
	return nil
}

// matrices returns those that every token is multiplied with, in their order.
func (w *Weights) matrices() []*kernels.Matrix {
	var all []*kernels.Matrix
	for i := range w.Layers {
		all = append(all, w.Layers[i].matrices()...)
	}
	return append(all, w.Output)
}

func (l *Layer) matrices() []*kernels.Matrix {
	return []*kernels.Matrix{l.AttnQ, l.AttnK, l.AttnV, l.AttnOutput, l.FFNGate, l.FFNUp, l.FFNDown}
}

// body returns the number of weights in the matrices of the layers.
func (w *Weights) body() int64 {
	n := int64(0)
	for _, m := range w.matrices() {
		if m != w.Output {
			n += int64(m.Rows) * int64(m.Cols)
		}
	}
	return n
}

// bytes returns the size of all packed matrices and vectors.
func (w *Weights) bytes() int64 {
	n := 4 * int64(len(w.OutputNorm))
	for _, m := range w.matrices() {
		n += m.Bytes()
	}
	for _, l := range w.Layers {
		n += 4 * int64(len(l.AttnNorm)+len(l.FFNNorm)+len(l.AttnQBias)+len(l.AttnKBias)+len(l.AttnVBias))
	}
	return n
}
