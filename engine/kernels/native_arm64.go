//go:build cgo && arm64

package kernels

import "golang.org/x/sys/cpu"

// nativePaths returns the C paths that this CPU can run, the best first. Every
// arm64 CPU that Go runs on has NEON; the system says whether all cores have the
// dot-product extension.
func nativePaths() []*ops {
	var found []*ops
	if cpu.ARM64.HasASIMDDP {
		found = append(found, neondotOps)
	}
	return append(found, neonOps)
}
