package kernels_test

import (
	"fmt"
	"testing"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// BenchmarkMatMul measures one core on the FFN shape of the 1.5B model. Decode
// (one token) cycles through 64 MiB or more of matrices, so that weights come from
// memory; it reports GB/s of GGUF bytes. Prefill reports multiply-adds.
//
// Run: go test -run '^$' -bench MatMul ./engine/kernels
func BenchmarkMatMul(b *testing.B) {
	const rows, k = 8960, 1536
	for _, typ := range []quant.Type{quant.Q4_K, quant.Q6_K, quant.Q5_0, quant.Q8_0, quant.Q4_1} {
		rng := newRand(1)
		src := randomWeights(rng, typ, rows*k)
		var ws []*kernels.Matrix
		for range 10 {
			w, err := kernels.Pack(typ, rows, k, src)
			if err != nil {
				b.Fatal(err)
			}
			ws = append(ws, w)
		}
		for _, tokens := range []int{1, 4, 8, 64, 192} {
			x, _ := randomActs(b, rng, tokens, k)
			y := make([]float32, tokens*rows)
			for _, path := range kernels.Names() {
				if path == "ref" {
					continue
				}
				b.Run(fmt.Sprintf("%v/%d/%s", typ, tokens, path), func(b *testing.B) {
					if err := kernels.Use(path); err != nil {
						b.Fatal(err)
					}
					i := 0
					for b.Loop() {
						w := ws[i%len(ws)]
						i++
						for r := 0; r < rows; r += 256 {
							kernels.MatMul(&kernels.MatMulArgs{W: w, X: x, T1: tokens, R0: r, R1: r + 256, Y: y, LdY: rows})
						}
					}
					perOp := b.Elapsed().Seconds() / float64(b.N)
					b.ReportMetric(float64(len(src))/perOp/1e9, "GB/s")
					b.ReportMetric(float64(rows*k*tokens)/perOp/1e9, "GMAC/s")
				})
			}
		}
	}
	_ = kernels.Use(kernels.Names()[0])
}

// BenchmarkPack measures one core packing a tensor; SetBytes counts GGUF bytes.
func BenchmarkPack(b *testing.B) {
	const rows, k = 256, 1536
	for _, typ := range []quant.Type{quant.Q4_K, quant.Q6_K, quant.Q5_0, quant.Q8_0, quant.Q4_1} {
		b.Run(typ.String(), func(b *testing.B) {
			src := randomWeights(newRand(1), typ, rows*k)
			w, err := kernels.NewMatrix(typ, rows, k)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				w.PackRows(src, 0, rows)
			}
		})
	}
}
