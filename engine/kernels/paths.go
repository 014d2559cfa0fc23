package kernels

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// ops is one path: an implementation of every op for one instruction set. The
// arguments were checked by the public wrappers, and ranges are not empty. Structs
// come by value: a pointer passed through a function variable would escape.
type ops struct {
	name            string
	quantizeActs    func(dst *Acts, x []float32, t0, t1 int)
	rmsNorm         func(dst, x, w []float32, eps float32)
	rmsNormQuantize func(dst *Acts, x, w []float32, eps float32, t0, t1 int)
	swiGLUQuantize  func(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int)
	matMul          func(a MatMulArgs)
	rope            func(a ropeArgs)
	storeKV         func(page KVPage, slot int, k, v []float32)
	attnBlock       func(a AttnArgs)
	attnMerge       func(a MergeArgs)
	exp             func(dst, x []float32)

	// What the path could do at most: dotRound int8 multiply-adds per round, and one read
	// of b, whole cache lines. The results mean nothing.
	peakDot  func(rounds int64) int
	peakRead func(b []byte) int

	// medium and coarse may be nil: the path multiplies other rows faster, and leaves these
	// to the reference.
	medium, coarse *grainOps
}

// paths lists what this build and CPU can run, the best first; ref is the last.
var paths = append(nativePaths(), refOps)

// active is the path in use. Use is for the start of a program and for tests;
// the pointer is atomic so that a late call is at least well defined.
var active atomic.Pointer[ops]

func init() { active.Store(paths[0]) }

// Names returns the paths that this build and CPU can run, the best first.
func Names() []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = p.name
	}
	return names
}

// Active returns the name of the path in use: the best one unless Use changed it.
func Active() string { return active.Load().name }

// Use selects a path by name for all later calls. The results of every op are
// the same on all paths; only the speed differs.
func Use(name string) error {
	for _, p := range paths {
		if p.name == name {
			active.Store(p)
			return nil
		}
	}
	return fmt.Errorf("kernels: no path %q here, only %s", name, strings.Join(Names(), ", "))
}
