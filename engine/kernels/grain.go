package kernels

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Grain is how finely a product quantizes its operands. It is a property of each row of
// activations, and a product of coarse rows is another formula, with other bits, than
// one of fine rows: see MatMul, and AttnBlock, which knows Fine and Coarse only. Medium and coarse rows are for many rows at a time, and for
// formats with sub-scales (Matrix.Coarsens), as unpacking takes longer.
type Grain int32

// The grains.
const (
	// Fine: activations in groups of 32, weights as the file has them.
	Fine Grain = iota
	// Medium: activations in groups of 128, weights as the file has them. Sub-scales are
	// multiplied in integers, where AVX2 has a multiplication to spare.
	Medium
	// Coarse: activations in groups of 128, weights brought to 8 bits with one scale per
	// row and 128 columns. Sub-scales then cost no operation per group of 32, which
	// are a quarter of the arithmetic of a prefill.
	Coarse
)

var grainNames = []string{Fine: "fine", Medium: "medium", Coarse: "coarse"}

// CoarseGroup is the number of elements along K that share a scale in medium and coarse
// products; the last group of a row may be shorter.
const CoarseGroup = 128

func (g Grain) String() string { return grainNames[g] }

// Group is the number of elements that share a scale.
func (g Grain) Group() int {
	if g == Fine {
		return GroupSize
	}
	return CoarseGroup
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
	switch p := active.Load(); {
	case p.coarse != nil:
		return Coarse
	case p.medium != nil:
		return Medium
	}
	return Fine
}

// UseGrain chooses the grain of prompts for all models opened later: "fine", "medium",
// "coarse", or "" to leave it to the path. All paths give the same bits in the same grain;
// one without kernels of its own for it computes them by the reference, very slowly.
func UseGrain(name string) error {
	g := slices.Index(grainNames, name)
	if g < 0 && name != "" {
		return fmt.Errorf("kernels: no grain %q, only %s", name, strings.Join(grainNames, ", "))
	}
	forced.Store(int32(g + 1))
	return nil
}

// grainOps are the forms of some ops in a grain other than Fine.
type grainOps struct {
	quantizeActs    func(dst *Acts, x []float32, t0, t1 int)
	rmsNormQuantize func(dst *Acts, x, w []float32, eps float32, t0, t1 int)
	swiGLUQuantize  func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int)
	matMul          func(a MatMulArgs)
	attnBlock       func(a AttnArgs) // of Coarse only, nil in Medium
}

// ops returns those of the active path, or of the reference.
func (g Grain) ops() *grainOps {
	own, ref := active.Load().coarse, refCoarse
	if g == Medium {
		own, ref = active.Load().medium, refMedium
	}
	if own != nil {
		return own
	}
	return ref
}
