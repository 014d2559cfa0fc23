// Package tinymodel writes random language models small enough for unit tests: a
// megabyte, made in milliseconds, the same bytes every time. Their answers mean
// nothing; their shapes, formats and files are real.
package tinymodel

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"windowseat/engine/gguf"
	"windowseat/quant"
)

// Spec describes a random model small enough for unit tests. Weights are
// drawn from a seeded generator, so every run sees the same model.
type Spec struct {
	Arch                    string
	Layers, Hidden, FFN     int
	Heads, KVHeads, HeadDim int
	Context                 int
	Tied                    bool           // no output.weight: the embedding serves
	Types                   []quant.Type   // cycled through the matrices
	Corrupt                 string         // tensor whose first weights are changed
	Skip                    string         // tensor left out
	Meta                    map[string]any // replaces or adds metadata
}

// Qwen returns a small qwen2 model: K-quants, biases, grouped heads.
func Qwen() Spec {
	return Spec{
		Arch: "qwen2", Layers: 2, Hidden: 256, FFN: 512, Heads: 4, KVHeads: 2, HeadDim: 64, Context: 2048,
		Types: []quant.Type{quant.Q4_K, quant.Q6_K, quant.Q5_0, quant.Q8_0, quant.Q4_1},
	}
}

// Llama returns a small llama model: odd sizes, tied embeddings, float matrices.
func Llama() Spec {
	return Spec{
		Arch: "llama", Layers: 2, Hidden: 192, FFN: 320, Heads: 3, KVHeads: 3, HeadDim: 64, Context: 2048, Tied: true,
		Types: []quant.Type{quant.Q4_1, quant.F16, quant.Q4_0, quant.Q8_0, quant.F32},
	}
}

// chatML is the template that many fine-tunes carry; package chat knows it.
const chatML = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}" +
	"{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

// vocab returns one token per byte, a few merges, and three control tokens.
func vocab() (tokens []string, types []int32, merges []string) {
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE) {
			r = next
			next++
		}
		tokens = append(tokens, string(r))
	}
	merges = []string{"t h", "th e", "i n", "a n", "Ġ the"}
	tokens = append(tokens, "th", "the", "in", "an", "Ġthe")
	for range tokens {
		types = append(types, 1)
	}
	tokens = append(tokens, "<|endoftext|>", "<|im_start|>", "<|im_end|>")
	return tokens, append(types, 3, 3, 3), merges
}

func (s Spec) metadata(tokens []string, types []int32, merges []string) []gguf.KV {
	kv := []gguf.KV{
		{Key: "general.architecture", Value: s.Arch},
		{Key: "general.name", Value: "tiny " + s.Arch},
		{Key: s.Arch + ".block_count", Value: uint32(s.Layers)},
		{Key: s.Arch + ".context_length", Value: uint32(s.Context)},
		{Key: s.Arch + ".embedding_length", Value: uint32(s.Hidden)},
		{Key: s.Arch + ".feed_forward_length", Value: uint32(s.FFN)},
		{Key: s.Arch + ".attention.head_count", Value: uint32(s.Heads)},
		{Key: s.Arch + ".attention.head_count_kv", Value: uint32(s.KVHeads)},
		{Key: s.Arch + ".attention.layer_norm_rms_epsilon", Value: float32(1e-6)},
		{Key: s.Arch + ".rope.freq_base", Value: float32(10000)},
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "qwen2"},
		{Key: "tokenizer.ggml.tokens", Value: tokens},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.merges", Value: merges},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(len(tokens) - 1)},
		{Key: "tokenizer.ggml.bos_token_id", Value: uint32(len(tokens) - 3)},
		{Key: "tokenizer.ggml.add_bos_token", Value: false},
		{Key: "tokenizer.chat_template", Value: chatML},
	}
	extra := maps.Clone(s.Meta)
	for i := range kv {
		if v, ok := extra[kv[i].Key]; ok {
			kv[i].Value = v
			delete(extra, kv[i].Key)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(extra)) {
		kv = append(kv, gguf.KV{Key: k, Value: extra[k]})
	}
	return kv
}

// writer collects the tensors of a spec.
type writer struct {
	spec    Spec
	rng     *rand.Rand
	tensors []gguf.Tensor
	nth     int
}

func (w *writer) add(name string, typ quant.Type, scale, offset float32, shape ...int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = offset + scale*float32(w.rng.NormFloat64())
	}
	if name == w.spec.Corrupt {
		for i := range 32 {
			v[i] = -v[i] + 0.5
		}
	}
	if name != w.spec.Skip {
		w.tensors = append(w.tensors, gguf.Tensor{Name: name, Type: typ, Shape: shape, Data: quant.Quantize(typ, v)})
	}
}

func (w *writer) matrix(name string, rows, cols int) {
	typ := w.spec.Types[w.nth%len(w.spec.Types)]
	w.nth++
	if cols%typ.BlockLen() != 0 {
		typ = quant.Q8_0
	}
	w.add(name, typ, float32(1/math.Sqrt(float64(cols))), 0, rows, cols)
}

// Write makes the file at path.
func (s Spec) Write(path string) error {
	tokens, types, merges := vocab()
	w := &writer{spec: s, rng: rand.New(rand.NewPCG(1, 2))}
	w.add("token_embd.weight", quant.Q8_0, 1, 0, len(tokens), s.Hidden)
	w.vector("output_norm.weight", s.Hidden)
	for l := range s.Layers {
		w.layer(fmt.Sprintf("blk.%d.", l))
	}
	if !s.Tied {
		w.matrix("output.weight", len(tokens), s.Hidden)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(gguf.Write(f, s.metadata(tokens, types, merges), w.tensors), f.Close())
}

func (w *writer) layer(p string) {
	s := w.spec
	q, kv := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	w.vector(p+"attn_norm.weight", s.Hidden)
	w.matrix(p+"attn_q.weight", q, s.Hidden)
	w.matrix(p+"attn_k.weight", kv, s.Hidden)
	w.matrix(p+"attn_v.weight", kv, s.Hidden)
	w.matrix(p+"attn_output.weight", s.Hidden, q)
	if s.Arch == "qwen2" {
		w.add(p+"attn_q.bias", quant.F32, 0.5, 0, q)
		w.add(p+"attn_k.bias", quant.F32, 0.5, 0, kv)
		w.add(p+"attn_v.bias", quant.F32, 0.5, 0, kv)
	}
	w.vector(p+"ffn_norm.weight", s.Hidden)
	w.matrix(p+"ffn_gate.weight", s.FFN, s.Hidden)
	w.matrix(p+"ffn_up.weight", s.FFN, s.Hidden)
	w.matrix(p+"ffn_down.weight", s.Hidden, s.FFN)
}

func (w *writer) vector(name string, n int) { w.add(name, quant.F32, 0.1, 1, n) }
