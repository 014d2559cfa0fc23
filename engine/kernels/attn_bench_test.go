package kernels_test

import (
	"fmt"
	"testing"

	"windowseat/engine/kernels"
)

// BenchmarkAttn measures one core on the attention to 4,096 positions in the shapes of
// the 135M, 0.5B and 1.5B models, with pages of either form. It cycles through 32 layers,
// so that keys and values come from memory. GMAC/s are the multiply-adds of scores and
// output.
//
// Run: go test -run '^$' -bench Attn ./engine/kernels
func BenchmarkAttn(b *testing.B) {
	for _, s := range []kernels.AttnShape{
		{NumHeads: 9, NumKVHeads: 3, HeadDim: 64, Scale: 0.125},
		{NumHeads: 14, NumKVHeads: 2, HeadDim: 64, Scale: 0.125},
		{NumHeads: 12, NumKVHeads: 2, HeadDim: 128, Scale: 0.0883883476},
	} {
		for _, form := range []string{"f16", "q8"} {
			layers := benchLayers(s, form == "q8")
			for _, tc := range []struct {
				queries int
				grain   kernels.Grain
			}{{1, kernels.Fine}, {6, kernels.Fine}, {64, kernels.Fine}, {64, kernels.Coarse}} {
				queries := tc.queries
				b.Run(fmt.Sprintf("%dx%d/%s/queries%d/%v", s.NumHeads, s.HeadDim, form, queries, tc.grain), func(b *testing.B) {
					call := newAttnCall(s, queries)
					call.args.Grain = tc.grain
					for i := 0; b.Loop(); i++ {
						call.run(layers[i%len(layers)])
					}
					work := float64(2*benchPositions*s.NumHeads*s.HeadDim*queries) * float64(b.N)
					b.ReportMetric(work/b.Elapsed().Seconds()/1e9, "GMAC/s")
				})
			}
		}
	}
}

const benchPositions = 4096

// benchLayers are the pages of 32 layers.
func benchLayers(s kernels.AttnShape, packed bool) (layers [][]kernels.AttnPage) {
	f16 := randomKVPage(s.NumKVHeads, s.HeadDim, 4)
	q8 := packedPage(f16, s.NumKVHeads, s.HeadDim)
	for range 32 {
		var pages []kernels.AttnPage
		for range benchPositions / kernels.PageTokens {
			if packed {
				b := kernels.AlignedBytes(kernels.KVPage8Bytes(s.NumKVHeads, s.HeadDim))
				p := kernels.KVPage8At(b, s.NumKVHeads, s.HeadDim)
				copy(p.K, q8.K)
				copy(p.V, q8.V)
				copy(p.KScale, q8.KScale)
				copy(p.KMid, q8.KMid)
				copy(p.VScale, q8.VScale)
				pages = append(pages, kernels.AttnPage{Packed: &p})
				continue
			}
			p := kernels.KVPage{K: kernels.AlignedUint16(len(f16.K)), V: kernels.AlignedUint16(len(f16.V))}
			copy(p.K, f16.K)
			copy(p.V, f16.V)
			pages = append(pages, kernels.AttnPage{KVPage: p})
		}
		layers = append(layers, pages)
	}
	return layers
}

// attnCall is the attention of some queries at the end of a sequence.
type attnCall struct {
	args kernels.AttnArgs
}

func newAttnCall(s kernels.AttnShape, queries int) *attnCall {
	rng := newRand(5)
	c := &attnCall{kernels.AttnArgs{
		Shape: s, Q: normals(rng, queries*s.NumHeads*s.HeadDim),
		O: make([]float32, queries*s.NumHeads*s.HeadDim), M: make([]float32, queries*s.NumHeads), L: make([]float32, queries*s.NumHeads),
	}}
	for i := range int32(queries) {
		c.args.Rows, c.args.Pos = append(c.args.Rows, i), append(c.args.Pos, benchPositions)
	}
	return c
}

func (c *attnCall) run(pages []kernels.AttnPage) {
	for h := range c.args.Shape.NumKVHeads {
		for p0 := 0; p0 < benchPositions; p0 += kernels.SplitTokens {
			c.args.KVHead, c.args.P0, c.args.P1 = h, p0, p0+kernels.SplitTokens
			c.args.Pages = pages[p0/kernels.PageTokens:][:kernels.SplitTokens/kernels.PageTokens]
			kernels.AttnBlock(&c.args)
		}
	}
}
