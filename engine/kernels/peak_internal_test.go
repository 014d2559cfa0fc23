//go:build cgo && amd64

package kernels

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkPeak measures what one and two cores give at most: int8 and float
// multiply-adds in registers, and bytes read from 1 GiB of memory.
//
// Run: go test -run '^$' -bench Peak ./engine/kernels
func BenchmarkPeak(b *testing.B) {
	if paths[0] != avx512Ops {
		b.Skip("needs AVX-512 VNNI")
	}
	memory := AlignedBytes(1 << 30)
	for i := range memory {
		memory[i] = byte(i)
	}
	const rounds = 1 << 22
	for _, threads := range []int{1, 2} {
		share := len(memory) / threads
		for _, c := range []struct {
			name, unit string
			each       float64 // units of one thread's work
			work       func(thread int)
		}{
			{"int8", "GMAC/s", rounds * 1024, func(int) { avx512Ops.peakDot(rounds) }},
			{"float", "GMAC/s", rounds * 256, func(int) { peakFMA(rounds) }},
			{"read", "GB/s", float64(share), func(thread int) { avx512Ops.peakRead(memory[thread*share:][:share]) }},
		} {
			b.Run(fmt.Sprintf("%s/threads%d", c.name, threads), func(b *testing.B) {
				for b.Loop() {
					var wg sync.WaitGroup
					for i := range threads {
						wg.Go(func() { c.work(i) })
					}
					wg.Wait()
				}
				b.ReportMetric(c.each*float64(threads)*float64(b.N)/b.Elapsed().Seconds()/1e9, c.unit)
			})
		}
	}
}
