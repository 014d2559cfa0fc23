package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The benchmarks here measure what the assistant lives on, through the public API
// and on the real models: passes over a shared part, answers side by side, judgements.
//
// Run: WINDOWSEAT_MODELS=DIR go test -tags nogui -run '^$' -bench 'Passes|Together|Judgements|Mask' -benchtime 1x ./engine

// benchModels are those that are measured: the answers of the smallest say nothing.
var benchModels = realModels[1:]

func eachModel(b *testing.B, o Options, fn func(b *testing.B, e *Engine)) {
	o.PackDir = NoPack // nothing is left beside the models
	for _, name := range benchModels {
		b.Run(name, func(b *testing.B) {
			e, err := Open(context.Background(), modelFile(b, name), o)
			require.NoError(b, err)
			defer e.Close()
			require.NoError(b, e.WarmUp(context.Background()))
			fn(b, e)
		})
	}
}

// text returns about n tokens that differ by seed.
func text(e *Engine, n, seed int) string {
	var s strings.Builder
	for i := 0; e.CountTokens(s.String()) < n; i++ {
		fmt.Fprintf(&s, "Point %d of list %d: the harbour office wants %d crates by noon. ", i, seed, (i*37+seed*11)%900)
	}
	return s.String()
}

func result(b *testing.B, e *Engine, r Request) Result {
	st, err := e.Submit(context.Background(), r)
	require.NoError(b, err)
	res, err := st.Result()
	require.NoError(b, err)
	return res
}

// BenchmarkPasses: the time to the first token of three passes over one part of
// 6,000 tokens, each with a tail of 64 of its own.
func BenchmarkPasses(b *testing.B) {
	eachModel(b, Options{}, func(b *testing.B, e *Engine) {
		part := text(e, 6000, 1)
		for b.Loop() {
			e.ForgetPrefixes()
			for i := range 3 {
				r := result(b, e, Request{Segments: []Segment{{Text: part}, {Text: text(e, 64, 100+i)}}, MaxTokens: 1})
				b.ReportMetric(r.Prefill.Seconds(), fmt.Sprintf("s/pass%d", i+1))
				b.ReportMetric(float64(r.PromptTokens-r.ReusedTokens), fmt.Sprintf("new%d", i+1))
			}
		}
	})
}

// BenchmarkTogether: tokens per second of 1, 2, 4 and 8 answers side by side, behind
// prompts of 200 and 1,500 tokens of their own, and behind 6,000 that they share.
func BenchmarkTogether(b *testing.B) {
	eachModel(b, Options{KVBytes: 1 << 30}, func(b *testing.B, e *Engine) {
		shared := text(e, 6000, 1)
		for _, depth := range []int{200, 1500, 6000} {
			for _, n := range []int{1, 2, 4, 8} {
				b.Run(fmt.Sprintf("depth%d/sequences%d", depth, n), func(b *testing.B) {
					for b.Loop() {
						b.ReportMetric(together(b, e, n, depth, shared), "tok/s")
					}
				})
			}
		}
	})
}

// together prefills n prompts, then measures 32 tokens of each side by side.
func together(b *testing.B, e *Engine, n, depth int, shared string) float64 {
	const tokens = 32
	prompts := make([]*Session, n)
	for i := range prompts {
		prompts[i] = e.NewSession()
		segs := []Segment{{Text: text(e, depth, i+2)}}
		if depth == 6000 {
			segs = []Segment{{Text: shared}, {Text: fmt.Sprint("Number ", i)}}
		}
		require.NoError(b, prompts[i].Append(segs))
		require.NoError(b, prompts[i].Prefill(context.Background()))
	}
	start := time.Now()
	streams := make([]*Stream, n)
	for i, s := range prompts {
		var err error
		// A high temperature, so that no answer ends early.
		streams[i], err = s.Generate(context.Background(), Request{MaxTokens: tokens, Sampler: Sampler{Temperature: 2, Seed: uint64(i)}})
		require.NoError(b, err)
	}
	total := 0
	for _, st := range streams {
		r, err := st.Result()
		require.NoError(b, err)
		total += len(r.Tokens)
	}
	return float64(total) / time.Since(start).Seconds()
}

// BenchmarkJudgements: judgements per second of Score, "yes" against "no" behind a
// tail of 30 tokens: 16 questions over each of 8 windows of 300 tokens, whose rules
// of 300 tokens are shared. ideal/s is what prefill at full speed would allow: each
// window's and each tail's tokens computed once.
func BenchmarkJudgements(b *testing.B) {
	eachModel(b, Options{}, func(b *testing.B, e *Engine) {
		rules := text(e, 300, 1)
		prefill := result(b, e, Request{Segments: []Segment{{Text: text(e, 1500, 50)}}, MaxTokens: 1})
		perSec := float64(prefill.PromptTokens) / prefill.Prefill.Seconds()
		for b.Loop() {
			e.ForgetPrefixes()
			start, count, tokens := time.Now(), 0, e.CountTokens(rules)
			for w := range 8 {
				window := text(e, 300, w+2)
				tokens += e.CountTokens(window)
				var tails [][]Segment
				for q := range 16 {
					tail := text(e, 30, 1000*w+q)
					tokens += e.CountTokens(tail) + 1
					tails = append(tails, []Segment{{Text: rules}, {Text: window}, {Text: tail}})
				}
				scores, err := e.ScoreAll(context.Background(), tails, []string{" yes", " no"})
				require.NoError(b, err)
				count += len(scores)
			}
			took := time.Since(start).Seconds()
			b.ReportMetric(float64(count)/took, "judgements/s")
			b.ReportMetric(float64(count)*perSec/float64(tokens), "ideal/s")
		}
	})
}

// BenchmarkMask: the time of a decode step under a schema and without one, in
// milliseconds, the median of pairs. The schema allows any text, so that both
// generate alike.
func BenchmarkMask(b *testing.B) {
	schema := []byte(`{"type":"string","minLength":200,"maxLength":400}`)
	eachModel(b, Options{}, func(b *testing.B, e *Engine) {
		prompt := []Segment{{Text: text(e, 200, 1)}}
		step := func(schema []byte, seed uint64) float64 {
			r := result(b, e, Request{Segments: prompt, Schema: schema, MaxTokens: 48, Sampler: Sampler{Temperature: 1.5, Seed: seed}})
			return 1000 * r.Decode.Seconds() / float64(max(len(r.Tokens)-1, 1))
		}
		step(schema, 0)
		for b.Loop() {
			var ratios, plain []float64
			for seed := range uint64(7) {
				p, m := step(nil, seed), step(schema, seed)
				ratios, plain = append(ratios, m/p), append(plain, p)
			}
			slices.Sort(ratios)
			slices.Sort(plain)
			b.ReportMetric(plain[3], "ms/step")
			b.ReportMetric(100*(ratios[3]-1), "%mask")
		}
	})
}
