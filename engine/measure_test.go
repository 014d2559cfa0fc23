package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/tinymodel"
)

// What bench measures goes through the scheduler: the depth is computed once, the
// measured tokens always.
func TestMeasure(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{Context: 384, KVSeqs: 5})
	ctx := context.Background()
	rows := func(tr Trial) (Measurement, int64) {
		before := e.Stats().Rows
		m, err := e.Measure(ctx, tr)
		require.NoError(t, err)
		require.LessOrEqual(t, m.First, m.Took)
		return m, e.Stats().Rows - before
	}
	m, n := rows(Trial{Tokens: 100, Depth: 200, Seed: 1})
	require.EqualValues(t, 300, n)
	require.Empty(t, m.Steps)
	for seed := range uint64(3) {
		_, n = rows(Trial{Tokens: 100, Depth: 200, Seed: 2 + seed})
		require.EqualValues(t, 101, n, "the last token of the depth for its logits, then the prompt")
	}
	m, n = rows(Trial{Decode: true, Tokens: 20, Batch: 4, Seed: 1})
	require.EqualValues(t, 80, n)
	require.Len(t, m.Steps, 19)

	_, n = rows(Trial{Decode: true, Tokens: 20, Batch: 4, Depth: 192, Shared: true, Seed: 1})
	require.EqualValues(t, 1+4*20, n, "all share what the trials of depth 200 computed")
	_, n = rows(Trial{Decode: true, Tokens: 20, Batch: 2, Depth: 192, Seed: 1})
	require.EqualValues(t, 1+192+2*20, n, "the first sequence has what all shared, the other has not")

	_, err := e.Measure(ctx, Trial{Tokens: 600})
	require.ErrorIs(t, err, ErrContextFull)
	_, err = e.Measure(ctx, Trial{Tokens: 1, Depth: 200, Batch: 100})
	require.ErrorContains(t, err, "MiB of KV cache")
	_, err = e.Measure(ctx, Trial{})
	require.Error(t, err)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = e.Measure(cancelled, Trial{Tokens: 100, Seed: 9})
	require.ErrorIs(t, err, context.Canceled)

	l := e.MeasureLimits()
	require.Positive(t, l.ReadPerSec)
	require.Positive(t, l.MultiplyPerSec)
}
