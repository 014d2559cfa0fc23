package engine

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/tinymodel"
)

// A model whose weights were overwritten must not answer: an empty answer would look
// like one that found nothing.
func TestDeadModel(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"norm_of_zeros": func(t *testing.T, path string) {
			change(t, path, "output_norm.weight", func(b []byte) { clear(b) })
		},
		"one_scale_of_a_layer": func(t *testing.T, path string) { nanScale(t, path, "blk.0.attn_output.weight", 0) },
		"all_ones": func(t *testing.T, path string) {
			change(t, path, "blk.1.attn_output.weight", func(b []byte) { copy(b, bytes.Repeat([]byte{0xFF}, len(b))) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, tinymodel.Llama())
			damage(t, path)
			e, err := Open(t.Context(), path, Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Close()) }()
			ctx := t.Context()
			st, err := e.Submit(ctx, Request{Segments: []Segment{{Text: "ab"}}, MaxTokens: 4})
			require.NoError(t, err)
			_, err = st.Result()
			require.ErrorIs(t, err, ErrDeadModel)
			_, err = e.Score(ctx, []Segment{{Text: "ab"}}, []string{"c", "d"})
			require.ErrorIs(t, err, ErrDeadModel)
			_, err = e.LogProbs(ctx, []int32{1, 2, 3, 4}, 1)
			require.ErrorIs(t, err, ErrDeadModel)
			_, err = e.Measure(ctx, Trial{Decode: true, Tokens: 4})
			require.ErrorIs(t, err, ErrDeadModel)
		})
	}
}

// One logit that is no number leaves no softmax, wherever in the vocabulary it is: it is
// none of the sixteen that are looked at before sampling.
func TestOneDeadLogit(t *testing.T) {
	path := write(t, tinymodel.Llama())
	const token, rowBlocks = 5, 192 / 32 // tied: a row of the embedding in Q8_0
	nanScale(t, path, "token_embd.weight", token*rowBlocks*34)
	e, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	logits := engineLogits(e, []int32{40, 41}, 1)
	require.False(t, lifeless(logits[0]), "this would be met before")
	_, err = e.LogProbs(t.Context(), []int32{40, 41, 42}, 1)
	require.ErrorIs(t, err, ErrDeadModel)
	_, err = e.Score(t.Context(), []Segment{{Text: "ab"}}, []string{"cd", "d"})
	require.ErrorIs(t, err, ErrDeadModel)
}

// Norms and biases are few and read when the model is opened: what is wrong is named.
func TestVectorsAreFinite(t *testing.T) {
	for _, name := range []string{"output_norm.weight", "blk.1.ffn_norm.weight", "blk.0.attn_k.bias"} {
		path := write(t, tinymodel.Qwen())
		change(t, path, name, func(b []byte) { copy(b[4*7:], []byte{0, 0, 0x80, 0x7F}) }) // f32 +Inf
		_, err := Open(t.Context(), path, Options{})
		var fe *gguf.FormatError
		require.ErrorAs(t, err, &fe)
		require.ErrorContains(t, err, `tensor "`+name+`": element 7 is no finite number`)
	}
}

// nanScale makes the f16 scale of the block at a byte of a tensor NaN.
func nanScale(t *testing.T, path, tensor string, at int) {
	t.Helper()
	change(t, path, tensor, func(b []byte) { copy(b[at:], []byte{0x00, 0x7E}) })
}

// change lets edit change the data of a tensor of a model file.
func change(t *testing.T, path, tensor string, edit func(data []byte)) {
	t.Helper()
	f, err := gguf.Open(path)
	require.NoError(t, err)
	found, ok := f.Tensor(tensor)
	require.True(t, ok)
	data := bytes.Clone(found.Data)
	require.NoError(t, f.Close())
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.Index(all, data)
	require.Equal(t, 1, bytes.Count(all, data))
	edit(all[at:][:len(data)])
	require.NoError(t, os.WriteFile(path, all, 0o600))
}

func TestLifeless(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	same := make([]float32, 1000)
	for i := range same {
		same[i] = 3
	}
	one := append([]float32(nil), same...)
	one[997] = 4
	for _, c := range []struct {
		logits []float32
		want   bool
	}{
		{same, true},
		{one, false},
		{[]float32{1, 2}, false},
		{[]float32{1}, false},
		{[]float32{nan, nan}, true},
		{[]float32{inf, 1}, true},
		{[]float32{1, -inf}, false},
		{[]float32{-inf, 1}, false},
		{[]float32{-inf, -inf}, true},
	} {
		require.Equal(t, c.want, lifeless(c.logits))
	}
}

func TestLogProbsWithoutSoftmax(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, logits := range [][]float32{{1, nan, 2}, {nan, 1}, {1, inf}, {-inf, -inf}} {
		_, ok := logProbs(logits, 0)
		require.False(t, ok, logits)
	}
	p, ok := logProbs([]float32{-inf, 3, -inf}, 1, 0)
	require.True(t, ok)
	require.Equal(t, []float32{0, -inf}, p)
}
