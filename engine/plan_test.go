package engine

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/engine/plan"
	"windowseat/engine/tinymodel"
)

func bytesOf[T any](all ...[]T) (n int64) {
	for _, s := range all {
		var zero T
		n += int64(len(s)) * int64(unsafe.Sizeof(zero))
	}
	return n
}

func actsBytes(all ...*kernels.Acts) (n int64) {
	for _, a := range all {
		n += bytesOf(a.Q) + bytesOf(a.Scale, a.ScaleSum) + bytesOf(a.Sum, a.Start16, a.Start32)
	}
	return n
}

// allocated is what the scratch holds, with the attention of the last position.
func (s *scratch) allocated(c Config, context int) int64 {
	s.growPartials(c, maxRows*((context+kernels.SplitTokens-1)/kernels.SplitTokens))
	n := bytesOf(s.x, s.q, s.k, s.v, s.attn, s.cos, s.sin, s.logits, s.last) + actsBytes(s.normed, s.attnQ, s.ffn, s.lastQ)
	n += bytesOf(s.part.o, s.part.m, s.part.l)
	for _, g := range s.gateUp {
		n += bytesOf(g.gate, g.up)
	}
	for _, w := range s.worker {
		n += bytesOf(w.aside.o, w.aside.m, w.aside.l)
	}
	return n
}

// The plan says what is then allocated: weights and page pool to the byte or nearly
// so, scratch within two per cent.
func TestPlanIsWhatIsAllocated(t *testing.T) {
	for _, spec := range []tinymodel.Spec{tinymodel.Qwen(), tinymodel.Llama()} {
		for _, o := range []Options{
			{Context: 512, Threads: 1},
			{Context: 2048, Threads: 2},
			{Context: 1024, Threads: 2, KV: KVQ8},
			{Context: 512, Threads: 1, KVBytes: 1},
			{Context: 512, Threads: 1, KVBytes: 64 << 20, KV: KVQ8},
		} {
			e := open(t, spec, o)
			p := e.Info().Plan
			require.Equal(t, e.Info().KVBytes, p.KV)
			require.Equal(t, e.sched.pool.bytes(), p.KV)
			require.InEpsilon(t, e.Info().WeightBytes, p.Weights, 0.05)
			require.InEpsilon(t, e.sched.m.s.allocated(e.info.Config, e.info.Context), p.Scratch, 0.02)
		}
	}
}

// A model that would not fit is refused before it is loaded.
func TestRefusesWhatDoesNotFit(t *testing.T) {
	path := write(t, tinymodel.Qwen())
	e := open(t, tinymodel.Qwen(), Options{Context: 512})
	need := e.Info().Plan.Total()
	loaded := false
	_, err := Open(context.Background(), path, Options{Context: 512, FreeMemory: need - 1, Progress: func(int64, int64) { loaded = true }})
	var full *MemoryError
	require.ErrorAs(t, err, &full)
	require.ErrorIs(t, err, ErrMemory)
	require.Equal(t, need, full.Plan.Total())
	require.False(t, loaded)
	fits, err := Open(context.Background(), path, Options{Context: 512, FreeMemory: need})
	require.NoError(t, err)
	require.NoError(t, fits.Close())
}

// Weights that do not all fit are mapped or refused, never packed into memory.
func TestSlowNeedsAMap(t *testing.T) {
	full := &MemoryError{}
	s := &packStore{unmapped: full}
	m := &kernels.Matrix{Rows: 16, Cols: 32}
	require.ErrorIs(t, s.ready(context.Background(), []packTask{{m: m}}, nil, nil, nil), ErrMemory)
	_, err := Open(context.Background(), write(t, tinymodel.Qwen()), Options{Context: 512, FreeMemory: 1 << 20, Slow: true})
	require.ErrorIs(t, err, ErrMemory, "less than what must be there beside the weights")
}

func TestPlanLeast(t *testing.T) {
	m := plan.Memory{Weights: 1 << 30, KV: 2 << 20, Scratch: 3 << 20, Program: 4 << 20}
	require.EqualValues(t, (64+2+3+4)<<20, m.Least())
	m.Weights = 1 << 20
	require.Equal(t, m.Total(), m.Least())
}

func TestPlanGrowsWithWhatIsAsked(t *testing.T) {
	s := plan.Shape{Layers: 28, Hidden: 1536, FFN: 8960, Heads: 12, KVHeads: 2, HeadDim: 128, Vocab: 151936, Packed: 980 << 20}
	small, large := plan.Of(s, plan.Options{Context: 2048}), plan.Of(s, plan.Options{Context: 8192})
	require.Less(t, small.KV, large.KV)
	require.Less(t, small.Scratch, large.Scratch)
	require.Less(t, plan.Of(s, plan.Options{Context: 8192, KV8: true}).KV, large.KV*6/10)
}
