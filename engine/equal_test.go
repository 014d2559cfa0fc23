package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/engine/tinymodel"
)

// onEveryPath runs a test on each kernel path this CPU has.
func onEveryPath(t *testing.T, fn func(t *testing.T)) {
	before := kernels.Active()
	t.Cleanup(func() { require.NoError(t, kernels.Use(before)) })
	for _, name := range kernels.Names() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, kernels.Use(name))
			fn(t)
		})
	}
}

// inGrain runs a test with prompts of one grain.
func inGrain(t *testing.T, g kernels.Grain) {
	require.NoError(t, kernels.UseGrain(g.String()))
	t.Cleanup(func() { require.NoError(t, kernels.UseGrain("")) })
}

// promptGrain is the grain that the path in use chooses for prompts.
func promptGrain(t *testing.T) kernels.Grain {
	require.NoError(t, kernels.UseGrain(""))
	return kernels.PromptGrain()
}

// needsFastKernels skips a test that takes minutes on the reference path. That
// path gives the bits of the others, which TestPrefillEqualsDecode and the tests
// of package kernels check.
func needsFastKernels(t *testing.T) {
	if kernels.Active() == "ref" {
		t.Skip("only the reference kernels are in this build")
	}
}

// Prefill in pieces of any size, on any number of threads and any kernel path,
// gives the bits of decoding one token at a time.
func TestPrefillEqualsDecode(t *testing.T) {
	for _, c := range []struct {
		spec   tinymodel.Spec
		format KVFormat
		grain  kernels.Grain
	}{
		{tinymodel.Qwen(), KVF16, kernels.Fine},
		{tinymodel.Llama(), KVF16, kernels.Fine},
		{tinymodel.Qwen(), KVQ8, kernels.Fine},
		{tinymodel.Qwen(), KVF16, kernels.Medium},
		{tinymodel.Qwen(), KVQ8, kernels.Medium},
		{tinymodel.Qwen(), KVF16, kernels.Coarse},
		{tinymodel.Qwen(), KVQ8, kernels.Coarse},
	} {
		path := write(t, c.spec)
		var want [][]float32
		onEveryPath(t, func(t *testing.T) {
			if c.grain != kernels.Fine && c.grain != promptGrain(t) && kernels.Active() != "ref" {
				t.Skip("the reference computes these products for this path")
			}
			inGrain(t, c.grain)
			tokens, threadCounts, pieces := randomTokens(150, 7), []int{1, 2, 3}, []int{1, 7, 64, 150}
			if kernels.Active() == "ref" { // a hundred times slower: enough to cross a page
				tokens, threadCounts, pieces = tokens[:70], []int{2}, []int{1, 70}
			}
			for _, threads := range threadCounts {
				e, err := Open(context.Background(), path, Options{Threads: threads, KV: c.format})
				require.NoError(t, err)
				defer e.Close()
				for _, piece := range pieces {
					got := engineLogits(e, tokens, piece)
					if want == nil {
						want = got
					}
					require.Equal(t, want[:len(got)], got, "%s, %s, %v, %d threads, pieces of %d", c.spec.Arch, c.format, c.grain, threads, piece)
				}
			}
		})
	}
}

// A long sequence crosses attention blocks of 512 positions.
func TestLongPrefillEqualsDecode(t *testing.T) {
	needsFastKernels(t)
	for _, format := range []KVFormat{KVF16, KVQ8} {
		e := open(t, tinymodel.Qwen(), Options{KV: format})
		tokens := randomTokens(1100, 8)
		require.Equal(t, engineLogits(e, tokens, 1), engineLogits(e, tokens, 256), format)
	}
}

// generateAll submits all prompts at once and returns the answers' tokens.
func generateAll(t *testing.T, e *Engine, prompts []string, s Sampler, n int) [][]int32 {
	t.Helper()
	streams := make([]*Stream, len(prompts))
	for i, p := range prompts {
		var err error
		streams[i], err = e.Submit(context.Background(), Request{Segments: []Segment{{Text: p}}, Sampler: s, MaxTokens: n})
		require.NoError(t, err)
	}
	out := make([][]int32, len(prompts))
	for i, st := range streams {
		r, err := st.Result()
		require.NoError(t, err)
		out[i] = r.Tokens
	}
	return out
}

// The same request gives the same answer alone, in a batch of eight, with and
// without prefix reuse, and however its prefill is cut.
func TestAnswersDoNotDependOnBatchReuseOrPieces(t *testing.T) {
	needsFastKernels(t)
	prompts := make([]string, 8)
	for i := range prompts {
		prompts[i] = fmt.Sprintf("%0200d the rules in common, then part %d: %s", 7, i, string(make([]byte, 10*i)))
	}
	sampler := Sampler{Temperature: 0.9, TopK: 40, TopP: 0.95, Seed: 12}
	path := write(t, tinymodel.Qwen())
	fresh := func() *Engine { return openAt(t, path) }
	alone := make([][]int32, len(prompts))
	for i, p := range prompts {
		alone[i] = generateAll(t, fresh(), []string{p}, sampler, 40)[0]
	}
	require.NotEqual(t, alone[0], alone[1], "the prompts must matter")
	e := fresh()
	require.Equal(t, alone, generateAll(t, e, prompts, sampler, 40), "in a batch")
	require.Positive(t, e.Stats().PrefixNodes)
	require.Equal(t, alone, generateAll(t, e, prompts, sampler, 40), "all prefixes reused")
	for _, threads := range []int{1, 2} {
		for _, piece := range []int{1, 7, 64, 200, 512} {
			e, err := Open(context.Background(), path, Options{PackDir: NoPack, Threads: threads})
			require.NoError(t, err)
			e.sched.piece = piece
			require.Equal(t, alone, generateAll(t, e, prompts, sampler, 40), "pieces of %d, %d threads", piece, threads)
			require.NoError(t, e.Close())
		}
	}
}

func TestReuseComputesOnlyTheTail(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{})
	prefix := string(make([]byte, 1000))
	run := func(tail string) Result {
		st, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: prefix}, {Text: tail}}, MaxTokens: 1})
		require.NoError(t, err)
		r, err := st.Result()
		require.NoError(t, err)
		return r
	}
	require.Zero(t, run("abc").ReusedTokens)
	rows := e.Stats().Rows
	r := run("xyz")
	require.Equal(t, 1000, r.ReusedTokens)
	require.EqualValues(t, 3, e.Stats().Rows-rows)
}

// Score sums what LogProbs gives, and costs its tails only.
func TestScore(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{})
	prompt := []Segment{{Text: string(make([]byte, 500))}}
	continuations := []string{"yes", "no", "perhaps the longest of all of them"}
	got, err := e.Score(context.Background(), prompt, continuations)
	require.NoError(t, err)
	rows := e.Stats().Rows
	require.LessOrEqual(t, rows, int64(500+3*64+2+1+33), "the prompt is computed once, up to a page")
	for i, c := range continuations {
		ids := e.Tokens(append(prompt, Segment{Text: c}))
		probs, err := e.LogProbs(context.Background(), ids, 500)
		require.NoError(t, err)
		sum := 0.0
		for _, p := range probs {
			sum += float64(p)
		}
		require.Equal(t, float32(sum), got[i])
		require.Negative(t, got[i])
	}
}

// The probabilities of all one-token continuations add up to one.
func TestScoreIsAProbability(t *testing.T) {
	e := open(t, tinymodel.Llama(), Options{})
	logits := engineLogits(e, randomTokens(30, 9), 30)[29]
	sum := 0.0
	for id := range logits {
		sum += exp64(logProb(logits, int32(id)))
	}
	require.InDelta(t, 1, sum, 1e-4)
}

func TestConcurrentUse(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{})
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			st, err := e.Submit(ctx, Request{Segments: []Segment{{Text: fmt.Sprint("question ", i)}}, MaxTokens: 30})
			if err != nil {
				t.Error(err)
				return
			}
			if i%3 == 0 {
				st.Next()
				cancel()
			}
			_, err = st.Result()
			if i%3 != 0 && err != nil {
				t.Error(err)
			}
			_ = e.Stats()
		}()
	}
	wg.Wait()
	st := e.Stats()
	require.Zero(t, st.Active)
	require.Zero(t, st.Waiting)
}

// A forward pass that is broken off between layers, and then done again, leaves no
// trace in what follows.
func TestBrokenOffPassLeavesNoTrace(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{})
	tokens := randomTokens(90, 5)
	want := engineLogits(e, tokens, 90)
	seq := &sequence{tokens: tokens}
	pp, err := newPagePool(e.info.Config, KVF16, 0, len(tokens))
	require.NoError(t, err)
	defer pp.mem.free()
	require.True(t, seq.prepare(pp, len(tokens)))
	rows := make([]row, len(tokens))
	for i, id := range tokens {
		rows[i] = row{seq: seq, pos: i, token: id, logits: true}
	}
	asked := 0
	second := func() bool { asked++; return asked == 2 }
	require.False(t, e.sched.m.forward(rows, second, func(int, []float32) { t.Error("no logits of half a pass") }))
	var got [][]float32
	require.True(t, e.sched.m.forward(rows, func() bool { return false }, func(_ int, logits []float32) {
		got = append(got, append([]float32(nil), logits...))
	}))
	require.Equal(t, want, got)
}

// A step is given up for an urgent request unless it serves one, and for a task that
// was cancelled.
func TestUrgentBreaksOffPrefill(t *testing.T) {
	s := &scheduler{} // one that runs would take the tasks
	slow := &task{seq: sequence{tokens: make([]int32, 300)}, ctx: context.Background()}
	hurry := &task{seq: sequence{tokens: make([]int32, 300)}, ctx: context.Background(), priority: Urgent}
	s.owner = []*task{slow, slow}
	require.False(t, s.interrupted(), "nothing waits")
	s.inbox = []*task{slow}
	require.False(t, s.interrupted(), "nothing urgent waits")
	s.inbox = []*task{hurry}
	require.True(t, s.interrupted())
	s.owner = []*task{slow, hurry}
	require.False(t, s.interrupted(), "the step is urgent itself")
	s.owner = []*task{slow, {seq: sequence{tokens: make([]int32, 3)}, ctx: context.Background()}}
	require.True(t, s.interrupted(), "also when a decode rides along")
	s.inbox = nil
	ctx, cancel := context.WithCancel(context.Background())
	s.owner = []*task{{seq: sequence{tokens: make([]int32, 300)}, ctx: ctx}}
	require.False(t, s.interrupted())
	cancel()
	require.True(t, s.interrupted())
}
