package engine

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/tinymodel"
	"windowseat/quant"
)

// oracle is the slow, independent forward pass: float64 on dequantized weights,
// one position at a time over plain arrays. It shares nothing with the engine but
// the file reader and the block formats.
type oracle struct {
	t      testing.TB
	f      *gguf.File
	s      tinymodel.Spec
	base   float64       // of RoPE
	eps    float64       // of RMSNorm
	k, v   [][][]float64 // [layer][position][G*D]
	matrix map[string][][]float64
}

func newOracle(t testing.TB, s tinymodel.Spec, path string) *oracle {
	f, err := gguf.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return &oracle{
		t: t, f: f, s: s, base: 10000, eps: 1e-6,
		k: make([][][]float64, s.Layers), v: make([][][]float64, s.Layers), matrix: map[string][][]float64{},
	}
}

func (o *oracle) rows(name string) [][]float64 {
	if m, ok := o.matrix[name]; ok {
		return m
	}
	t, ok := o.f.Tensor(name)
	require.True(o.t, ok, name)
	cols := t.Shape[len(t.Shape)-1]
	n := 1
	if len(t.Shape) == 2 {
		n = t.Shape[0]
	}
	flat := make([]float32, n*cols)
	quant.Dequantize(flat, t.Type, t.Data)
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, cols)
		for j := range m[i] {
			m[i][j] = float64(flat[i*cols+j])
		}
	}
	o.matrix[name] = m
	return m
}

func (o *oracle) mul(name, bias string, x []float64) []float64 {
	w := o.rows(name)
	y := make([]float64, len(w))
	for i, row := range w {
		for j, v := range row {
			y[i] += v * x[j]
		}
		if bias != "" {
			y[i] += o.rows(bias)[0][i]
		}
	}
	return y
}

func (o *oracle) norm(name string, x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	r := 1 / math.Sqrt(sum/float64(len(x))+o.eps)
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * r * o.rows(name)[0][i]
	}
	return y
}

func (o *oracle) rope(x []float64, pos int) {
	d := o.s.HeadDim
	for h := 0; h < len(x); h += d {
		for i := range d / 2 {
			a, b := h+i, h+i+d/2
			if o.s.Arch == "llama" {
				a, b = h+2*i, h+2*i+1
			}
			sin, cos := math.Sincos(float64(pos) * math.Pow(o.base, -2*float64(i)/float64(d)))
			x[a], x[b] = x[a]*cos-x[b]*sin, x[a]*sin+x[b]*cos
		}
	}
}

// next appends one token and returns the logits after it.
func (o *oracle) next(id int32) []float64 {
	pos, s := len(o.k[0]), o.s
	x := append([]float64(nil), o.rows("token_embd.weight")[id]...)
	add := func(y []float64) {
		for i := range x {
			x[i] += y[i]
		}
	}
	for l := range s.Layers {
		p := fmt.Sprintf("blk.%d.", l)
		bias := func(name string) string {
			if s.Arch == "qwen2" {
				return p + name
			}
			return ""
		}
		n := o.norm(p+"attn_norm.weight", x)
		q := o.mul(p+"attn_q.weight", bias("attn_q.bias"), n)
		k := o.mul(p+"attn_k.weight", bias("attn_k.bias"), n)
		v := o.mul(p+"attn_v.weight", bias("attn_v.bias"), n)
		o.rope(q, pos)
		o.rope(k, pos)
		o.k[l], o.v[l] = append(o.k[l], k), append(o.v[l], v)
		add(o.mul(p+"attn_output.weight", "", o.attend(l, q)))
		n = o.norm(p+"ffn_norm.weight", x)
		gate, up := o.mul(p+"ffn_gate.weight", "", n), o.mul(p+"ffn_up.weight", "", n)
		for i, g := range gate {
			up[i] *= g / (1 + math.Exp(-g))
		}
		add(o.mul(p+"ffn_down.weight", "", up))
	}
	out := "output.weight"
	if s.Tied {
		out = "token_embd.weight"
	}
	return o.mul(out, "", o.norm("output_norm.weight", x))
}

func (o *oracle) attend(l int, q []float64) []float64 {
	d, group := o.s.HeadDim, o.s.Heads/o.s.KVHeads
	out := make([]float64, len(q))
	for h := range o.s.Heads {
		scores, sum := make([]float64, len(o.k[l])), 0.0
		for j, k := range o.k[l] {
			for i := range d {
				scores[j] += q[h*d+i] * k[h/group*d+i]
			}
			scores[j] = math.Exp(scores[j] / math.Sqrt(float64(d)))
			sum += scores[j]
		}
		for j, v := range o.v[l] {
			for i := range d {
				out[h*d+i] += scores[j] / sum * v[h/group*d+i]
			}
		}
	}
	return out
}

// engineLogits runs tokens through the forward pass in pieces and returns the
// logits of every position.
func engineLogits(e *Engine, tokens []int32, piece int) [][]float32 {
	seq := &sequence{tokens: tokens}
	pp, err := newPagePool(e.info.Config, e.info.KV, 0, len(tokens))
	if err != nil {
		panic(err)
	}
	defer pp.mem.free()
	var out [][]float32
	for seq.length < len(tokens) {
		n := min(piece, len(tokens)-seq.length)
		if !seq.prepare(pp, n) {
			panic("the pool is too small")
		}
		var rows []row
		for p := seq.length; p < seq.length+n; p++ {
			rows = append(rows, row{seq: seq, pos: p, token: tokens[p], logits: true})
		}
		e.sched.m.forward(rows, nil, func(_ int, logits []float32) {
			out = append(out, append([]float32(nil), logits...))
		})
		seq.advance(pp, seq.length+n)
	}
	return out
}

// deviation returns the root mean square difference of logits, in units of the
// spread (standard deviation) of the oracle's logits.
func deviation(want [][]float64, got [][]float32) float64 {
	diff, spread := 0.0, 0.0
	for t := range want {
		mean := 0.0
		for _, v := range want[t] {
			mean += v / float64(len(want[t]))
		}
		for i, v := range want[t] {
			spread += (v - mean) * (v - mean)
			diff += (v - float64(got[t][i])) * (v - float64(got[t][i]))
		}
	}
	return math.Sqrt(diff / spread)
}

// oracleTolerance bounds the difference that int8 activations make. A group's
// values are rounded to steps of amax/127, an error of amax/(127*sqrt(12)) r.m.s.;
// with amax about 2.2 standard deviations in groups of 32 normal values that is
// 0.5 % per product. Seven products in each of two layers and the head add up to
// sqrt(15)*0.5 % = 2 % of the logits' spread. Measured: 1.0 %.
const oracleTolerance = 0.02

func TestForwardMatchesOracle(t *testing.T) {
	for _, spec := range []tinymodel.Spec{tinymodel.Qwen(), tinymodel.Llama()} {
		t.Run(spec.Arch, func(t *testing.T) {
			path := write(t, spec)
			o := newOracle(t, spec, path)
			tokens := randomTokens(80, 5) // crosses a page
			var want [][]float64
			for _, id := range tokens {
				want = append(want, o.next(id))
			}
			e := openAt(t, path)
			diff := deviation(want, engineLogits(e, tokens, 33))
			t.Logf("deviation: %.4f of the spread", diff)
			require.Less(t, diff, oracleTolerance)
		})
	}
}

// One changed block of 32 weights must be seen, wherever it is.
func TestOracleSeesCorruptedWeights(t *testing.T) {
	for _, name := range []string{"blk.0.attn_q.weight", "blk.1.attn_k.bias", "blk.1.ffn_down.weight", "output_norm.weight"} {
		t.Run(name, func(t *testing.T) {
			good, bad := tinymodel.Qwen(), tinymodel.Qwen()
			bad.Corrupt = name
			o := newOracle(t, good, write(t, good))
			tokens := randomTokens(40, 6)
			var want [][]float64
			for _, id := range tokens {
				want = append(want, o.next(id))
			}
			diff := deviation(want, engineLogits(open(t, bad, Options{}), tokens, 40))
			t.Logf("deviation: %.4f of the spread", diff)
			require.Greater(t, diff, oracleTolerance)
		})
	}
}

func openAt(t testing.TB, path string) *Engine {
	t.Helper()
	e, err := Open(context.Background(), path, Options{PackDir: NoPack}) // leaves nothing in a folder of models
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}
