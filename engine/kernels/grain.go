package kernels

import (
	"fmt"
	"sync/atomic"
)

// Grain is how finely a product quantizes its operands. It is a property of each row of
// activations, and a product of coarse rows is another formula, with other bits, than
// one of fine rows: see MatMul.
type Grain int32

// The grains.
const (
	// Fine: activations in groups of 32, weights as the file has them.
	Fine Grain = iota
	// Coarse: activations in groups of 128, weights brought to 8 bits with one scale per
	// row and 128 columns. Sub-scales then cost no float operation per group of 32, which
	// are a quarter of the arithmetic of a prefill, but unpacking takes longer: it is for many
	// rows at a time, and for formats with sub-scales (Matrix.Coarsens).
	Coarse
)

// CoarseGroup is the number of elements along K that share a scale in coarse products; the
// last group of a row may be shorter.
const CoarseGroup = 128

func (g Grain) String() string {
	if g == Coarse {
		return "coarse"
	}
	return "fine"
}

// size is the number of elements that share a scale.
func (g Grain) size() int {
	if g == Coarse {
		return CoarseGroup
	}
	return GroupSize
}

// forced is what UseGrain chose: a grain plus one, or 0 to leave it to the path.
var forced atomic.Int32

// PromptGrain returns the grain in which a path multiplies prompts fastest without leaving
// the quality of the fine one (a perplexity within 0.1 % on the 1.5B model, docs/speed.md),
// or what UseGrain chose.
func PromptGrain() Grain {
	if g := forced.Load(); g != 0 {
		return Grain(g - 1)
	}
	if active.Load().coarse != nil {
		return Coarse
	}
	return Fine
}

// UseGrain chooses the grain of prompts for all models opened later: "fine", "coarse", or
// "" to leave it to the path. All paths give the same bits in the same grain; one without
// coarse kernels of its own computes them by the reference, very slowly.
func UseGrain(name string) error {
	switch name {
	case "":
		forced.Store(0)
	case Fine.String():
		forced.Store(int32(Fine) + 1)
	case Coarse.String():
		forced.Store(int32(Coarse) + 1)
	default:
		return fmt.Errorf("kernels: no grain %q, only fine and coarse", name)
	}
	return nil
}

// coarseOps are the coarse forms of four ops.
type coarseOps struct {
	quantizeActs    func(dst *Acts, x []float32, t0, t1 int)
	rmsNormQuantize func(dst *Acts, x, w []float32, eps float32, t0, t1 int)
	swiGLUQuantize  func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int)
	matMul          func(a MatMulArgs)
}

// coarsely returns the coarse ops of the active path.
func coarsely() *coarseOps {
	if c := active.Load().coarse; c != nil {
		return c
	}
	return refCoarse
}
