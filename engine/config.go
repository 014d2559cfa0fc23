package engine

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"windowseat/engine/gguf"
	"windowseat/engine/plan"
)

// Config holds the dimensions of a model, as its GGUF file states them.
type Config struct {
	Arch          string
	Layers        int
	Hidden        int // H
	FFN           int // F
	Heads         int // A
	KVHeads       int // G
	HeadDim       int // D
	RotDim        int // leading part of a head that RoPE turns
	Vocab         int // V
	TrainContext  int // longest context the model was trained for
	NormEps       float32
	RopeBase      float64
	RopeInterleav bool // pairs (2i, 2i+1) as llama; else (i, i+RotDim/2) as qwen2
	QKVBias       bool // the architecture requires biases on Q, K and V
}

// architectures lists what the forward pass implements.
var architectures = map[string]struct{ interleaved, qkvBias bool }{
	"llama": {interleaved: true},
	"qwen2": {qkvBias: true},
}

func supportedArchitectures() []string { return slices.Sorted(maps.Keys(architectures)) }

func formatErrorf(format string, args ...any) error {
	return &gguf.FormatError{Reason: fmt.Sprintf(format, args...)}
}

// limits keep a hostile header from driving an allocation: each is several times
// what the largest model for such machines has.
const (
	maxLayers  = 512
	maxHidden  = 1 << 16
	maxFFN     = 1 << 18
	maxHeadDim = 256
	maxContext = 1 << 20
)

// configFromGGUF reads and checks the dimensions. It returns a
// *gguf.UnsupportedError for an architecture or a variant that the forward pass
// does not have, and a *gguf.FormatError for values that cannot be.
func configFromGGUF(f *gguf.File) (Config, error) {
	arch, ok := f.String("general.architecture")
	if !ok {
		return Config{}, formatErrorf("general.architecture is missing")
	}
	traits, ok := architectures[arch]
	if !ok {
		return Config{}, &gguf.UnsupportedError{What: "architecture", Got: arch, Supported: supportedArchitectures()}
	}
	c := Config{Arch: arch, RopeInterleav: traits.interleaved, QKVBias: traits.qkvBias}
	r := metaReader{f: f, arch: arch}
	c.Layers = r.dim("block_count", 1, maxLayers)
	c.Hidden = r.dim("embedding_length", 32, maxHidden)
	c.FFN = r.dim("feed_forward_length", 32, maxFFN)
	c.Heads = r.dim("attention.head_count", 1, 1024)
	c.KVHeads = r.dimOr("attention.head_count_kv", c.Heads, 1, 1024)
	c.TrainContext = r.dim("context_length", 1, maxContext)
	c.NormEps = float32(r.float("attention.layer_norm_rms_epsilon", 0))
	c.RopeBase = r.float("rope.freq_base", 10000)
	if r.err != nil {
		return Config{}, r.err
	}
	c.HeadDim = r.dimOr("attention.key_length", c.Hidden/c.Heads, 1, maxHeadDim)
	c.RotDim = r.dimOr("rope.dimension_count", c.HeadDim, 2, maxHeadDim)
	if s, ok := f.String(arch + ".rope.scaling.type"); ok && s != "none" {
		return Config{}, &gguf.UnsupportedError{What: "rope scaling", Got: s, Supported: []string{"none"}}
	}
	if n, ok := f.Uint(arch + ".expert_count"); ok && n > 0 {
		return Config{}, &gguf.UnsupportedError{What: "expert count", Got: fmt.Sprint(n), Supported: []string{"0"}}
	}
	if r.err != nil {
		return Config{}, r.err
	}
	return c, c.check()
}

// check verifies what the kernels and the forward pass rely on.
func (c Config) check() error {
	switch {
	case c.Heads%c.KVHeads != 0:
		return formatErrorf("%d heads cannot share %d KV heads", c.Heads, c.KVHeads)
	case c.HeadDim%16 != 0:
		return &gguf.UnsupportedError{What: "head dim", Got: fmt.Sprint(c.HeadDim), Supported: []string{"multiples of 16"}}
	case c.RotDim%2 != 0 || c.RotDim > c.HeadDim:
		return formatErrorf("rope dimension %d of head dim %d", c.RotDim, c.HeadDim)
	case c.Hidden%32 != 0 || c.FFN%32 != 0 || c.Heads*c.HeadDim%32 != 0:
		return &gguf.UnsupportedError{
			What:      "shape",
			Got:       fmt.Sprintf("hidden size %d, FFN size %d, heads %d x %d", c.Hidden, c.FFN, c.Heads, c.HeadDim),
			Supported: []string{"multiples of 32"},
		}
	case !(c.NormEps > 0 && c.NormEps < 1):
		return formatErrorf("norm epsilon %g", c.NormEps)
	case !(c.RopeBase > 1) || math.IsInf(c.RopeBase, 0):
		return formatErrorf("rope base %g", c.RopeBase)
	}
	return nil
}

// shape is the configuration as the memory plan takes it.
func (c Config) shape(packed int64) plan.Shape {
	return plan.Shape{
		Layers: c.Layers, Hidden: c.Hidden, FFN: c.FFN, Heads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.HeadDim,
		Vocab: c.Vocab, Packed: packed,
	}
}

// metaReader reads "<arch>.<key>" values and keeps the first error.
type metaReader struct {
	f    *gguf.File
	arch string
	err  error
}

func (r *metaReader) fail(key, why string) {
	if r.err == nil {
		r.err = formatErrorf("%s.%s %s", r.arch, key, why)
	}
}

func (r *metaReader) dim(key string, lo, hi int) int {
	v, ok := r.f.Uint(r.arch + "." + key)
	if !ok {
		r.fail(key, "is missing")
		return lo
	}
	if v < uint64(lo) || v > uint64(hi) {
		r.fail(key, fmt.Sprintf("is %d, outside [%d, %d]", v, lo, hi))
		return lo
	}
	return int(v)
}

func (r *metaReader) dimOr(key string, def, lo, hi int) int {
	if _, ok := r.f.Uint(r.arch + "." + key); !ok {
		if def < lo || def > hi {
			r.fail(key, fmt.Sprintf("would be %d, outside [%d, %d]", def, lo, hi))
			return lo
		}
		return def
	}
	return r.dim(key, lo, hi)
}

func (r *metaReader) float(key string, def float64) float64 {
	if v, ok := r.f.Float(r.arch + "." + key); ok {
		return v
	}
	return def
}
