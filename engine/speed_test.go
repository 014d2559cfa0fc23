package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
)

// BenchmarkForward measures the forward pass on the real models, without scheduler
// and sampling: tok/s, the median of the runs. The file's KV pages hold random
// numbers up to the depth, since speed does not depend on their values.
//
// Run: WINDOWSEAT_MODELS=DIR go test -tags nogui -run '^$' -bench Forward -benchtime 5x ./engine
func BenchmarkForward(b *testing.B) {
	for _, name := range realModels {
		b.Run(name, func(b *testing.B) {
			e := openAt(b, modelFile(b, name))
			for _, depth := range []int{0, 4096} {
				for _, piece := range []int{32, 256} {
					b.Run(fmt.Sprintf("prefill512/depth%d/pieces%d", depth, piece), func(b *testing.B) {
						benchForward(b, e, 1, depth, 512, piece)
					})
				}
				b.Run(fmt.Sprintf("decode/depth%d", depth), func(b *testing.B) {
					benchForward(b, e, 1, depth, 16, 1)
				})
			}
			for _, depth := range []int{0, 1000} {
				b.Run(fmt.Sprintf("decode8/depth%d", depth), func(b *testing.B) {
					benchForward(b, e, 8, depth, 16, 1)
				})
			}
		})
	}
}

// benchForward computes n tokens of each of several sequences behind depth others,
// piece tokens of each sequence per pass.
func benchForward(b *testing.B, e *Engine, sequences, depth, n, piece int) {
	cfg := e.info.Config
	pp, err := newPagePool(cfg, KVF16, 0, sequences*(depth+n+kernels.PageTokens))
	require.NoError(b, err)
	defer pp.mem.free()
	seqs := make([]*sequence, sequences)
	for i := range seqs {
		seqs[i] = &sequence{tokens: randomIDs(cfg.Vocab, depth+n, uint64(i))}
		require.True(b, seqs[i].prepare(pp, depth+n))
		for _, p := range seqs[i].pages {
			fillPage(p)
		}
	}
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		for at := depth; at < depth+n; at += piece {
			var rows []row
			for _, s := range seqs {
				for pos := at; pos < min(at+piece, depth+n); pos++ {
					rows = append(rows, row{seq: s, pos: pos, token: s.tokens[pos], logits: piece == 1 || pos == depth+n-1})
				}
			}
			e.sched.m.forward(rows, nil, func(int, []float32) {})
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(sequences*n)/times[len(times)/2].Seconds(), "tok/s")
	b.ReportMetric(0, "ns/op")
}

// randomIDs returns n token ids.
func randomIDs(vocab, n int, seed uint64) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		seed = seed*6364136223846793005 + 1442695040888963407
		ids[i] = int32(seed>>33) % int32(vocab)
	}
	return ids
}

// fillPage sets keys and values to float16 numbers of magnitude 0.5 to 1.
func fillPage(p *page) {
	seed := uint32(1)
	for _, l := range p.layers {
		for i := range l.K {
			seed = seed*1664525 + 1013904223
			l.K[i] = 0x3800 | uint16(seed>>16)&0x83ff
			l.V[i] = 0x3800 | uint16(seed>>8)&0x83ff
		}
	}
}
