package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/quant"
)

// tinySpec describes a random model small enough for unit tests. Weights are
// drawn from a seeded generator, so every run sees the same model.
type tinySpec struct {
	arch                    string
	layers, hidden, ffn     int
	heads, kvHeads, headDim int
	context                 int
	tied                    bool
	types                   []quant.Type // cycled through the matrices
	corrupt                 string       // tensor whose first weight block is changed
	skip                    string       // tensor left out
	meta                    map[string]any
}

func tinyQwen() tinySpec {
	return tinySpec{
		arch: "qwen2", layers: 2, hidden: 256, ffn: 512, heads: 4, kvHeads: 2, headDim: 64, context: 2048,
		types: []quant.Type{quant.Q4_K, quant.Q6_K, quant.Q5_0, quant.Q8_0, quant.Q4_1},
	}
}

func tinyLlama() tinySpec {
	return tinySpec{
		arch: "llama", layers: 2, hidden: 192, ffn: 320, heads: 3, kvHeads: 3, headDim: 64, context: 2048, tied: true,
		types: []quant.Type{quant.Q4_1, quant.F16, quant.Q4_0, quant.Q8_0, quant.F32},
	}
}

const tinyChatML = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}" +
	"{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

// tinyVocab returns one token per byte, a few merges, and three control tokens.
func tinyVocab() (tokens []string, types []int32, merges []string) {
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

func (s tinySpec) metadata(tokens []string, types []int32, merges []string) []gguf.KV {
	kv := []gguf.KV{
		{Key: "general.architecture", Value: s.arch},
		{Key: "general.name", Value: "tiny " + s.arch},
		{Key: s.arch + ".block_count", Value: uint32(s.layers)},
		{Key: s.arch + ".context_length", Value: uint32(s.context)},
		{Key: s.arch + ".embedding_length", Value: uint32(s.hidden)},
		{Key: s.arch + ".feed_forward_length", Value: uint32(s.ffn)},
		{Key: s.arch + ".attention.head_count", Value: uint32(s.heads)},
		{Key: s.arch + ".attention.head_count_kv", Value: uint32(s.kvHeads)},
		{Key: s.arch + ".attention.layer_norm_rms_epsilon", Value: float32(1e-6)},
		{Key: s.arch + ".rope.freq_base", Value: float32(10000)},
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "qwen2"},
		{Key: "tokenizer.ggml.tokens", Value: tokens},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.merges", Value: merges},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(len(tokens) - 1)},
		{Key: "tokenizer.ggml.bos_token_id", Value: uint32(len(tokens) - 3)},
		{Key: "tokenizer.ggml.add_bos_token", Value: false},
		{Key: "tokenizer.chat_template", Value: tinyChatML},
	}
	for i := range kv {
		if v, ok := s.meta[kv[i].Key]; ok {
			kv[i].Value = v
			delete(s.meta, kv[i].Key)
		}
	}
	for k, v := range s.meta {
		kv = append(kv, gguf.KV{Key: k, Value: v})
	}
	return kv
}

// tinyWriter collects the tensors of a spec.
type tinyWriter struct {
	spec    tinySpec
	rng     *rand.Rand
	tensors []gguf.Tensor
	nth     int
}

func (w *tinyWriter) add(name string, typ quant.Type, scale, offset float32, shape ...int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = offset + scale*float32(w.rng.NormFloat64())
	}
	if name == w.spec.corrupt {
		for i := range 32 {
			v[i] = -v[i] + 0.5
		}
	}
	if name != w.spec.skip {
		w.tensors = append(w.tensors, gguf.Tensor{Name: name, Type: typ, Shape: shape, Data: quant.Quantize(typ, v)})
	}
}

func (w *tinyWriter) matrix(name string, rows, cols int) {
	typ := w.spec.types[w.nth%len(w.spec.types)]
	w.nth++
	if cols%typ.BlockLen() != 0 {
		typ = quant.Q8_0
	}
	w.add(name, typ, float32(1/math.Sqrt(float64(cols))), 0, rows, cols)
}

// write makes the file in a temporary folder and returns its path.
func (s tinySpec) write(t testing.TB) string {
	t.Helper()
	tokens, types, merges := tinyVocab()
	w := &tinyWriter{spec: s, rng: rand.New(rand.NewPCG(1, 2))}
	vec := func(name string, n int) { w.add(name, quant.F32, 0.1, 1, n) }
	bias := func(name string, n int) { w.add(name, quant.F32, 0.5, 0, n) }
	q, kv := s.heads*s.headDim, s.kvHeads*s.headDim
	w.add("token_embd.weight", quant.Q8_0, 1, 0, len(tokens), s.hidden)
	vec("output_norm.weight", s.hidden)
	for l := range s.layers {
		p := "blk." + string(rune('0'+l)) + "."
		vec(p+"attn_norm.weight", s.hidden)
		w.matrix(p+"attn_q.weight", q, s.hidden)
		w.matrix(p+"attn_k.weight", kv, s.hidden)
		w.matrix(p+"attn_v.weight", kv, s.hidden)
		w.matrix(p+"attn_output.weight", s.hidden, q)
		if s.arch == "qwen2" {
			bias(p+"attn_q.bias", q)
			bias(p+"attn_k.bias", kv)
			bias(p+"attn_v.bias", kv)
		}
		vec(p+"ffn_norm.weight", s.hidden)
		w.matrix(p+"ffn_gate.weight", s.ffn, s.hidden)
		w.matrix(p+"ffn_up.weight", s.ffn, s.hidden)
		w.matrix(p+"ffn_down.weight", s.hidden, s.ffn)
	}
	if !s.tied {
		w.matrix("output.weight", len(tokens), s.hidden)
	}
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, gguf.Write(f, s.metadata(tokens, types, merges), w.tensors))
	require.NoError(t, f.Close())
	return path
}

// open loads the model, and closes it when the test ends.
func (s tinySpec) open(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := Open(context.Background(), s.write(t), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// randomTokens returns n ids that are not control tokens.
func randomTokens(n int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 3))
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(rng.IntN(261))
	}
	return ids
}
