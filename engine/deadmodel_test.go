package engine

import (
	"bytes"
	"context"
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
	for name, value := range map[string]byte{"zeros": 0, "ones": 0xFF} {
		t.Run(name, func(t *testing.T) {
			path := write(t, tinymodel.Llama())
			overwrite(t, path, "output_norm.weight", value)
			e, err := Open(context.Background(), path, Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Close()) }()
			ctx := context.Background()
			st, err := e.Submit(ctx, Request{Segments: []Segment{{Text: "ab"}}, MaxTokens: 4})
			require.NoError(t, err)
			_, err = st.Result()
			require.ErrorIs(t, err, ErrDeadModel)
			_, err = e.Score(ctx, []Segment{{Text: "ab"}}, []string{"c", "d"})
			require.ErrorIs(t, err, ErrDeadModel)
			_, err = e.Measure(ctx, Trial{Decode: true, Tokens: 4})
			require.ErrorIs(t, err, ErrDeadModel)
		})
	}
}

// overwrite fills a tensor of a model file with one byte.
func overwrite(t *testing.T, path, tensor string, value byte) {
	t.Helper()
	f, err := gguf.Open(path)
	require.NoError(t, err)
	found, ok := f.Tensor(tensor)
	require.True(t, ok)
	data := bytes.Clone(found.Data)
	require.NoError(t, f.Close())
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(all, data))
	require.NoError(t, os.WriteFile(path, bytes.Replace(all, data, bytes.Repeat([]byte{value}, len(data)), 1), 0o600))
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
		{[]float32{1, -inf}, true},
	} {
		require.Equal(t, c.want, lifeless(c.logits))
	}
}
