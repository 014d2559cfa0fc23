package engine

import "testing"

// BenchmarkPool is the cost of an empty parallel loop of 16 pieces on two workers.
func BenchmarkPool(b *testing.B) {
	p := newPool(2)
	defer p.close()
	for b.Loop() {
		p.run(16, func(int, int) {})
	}
}
