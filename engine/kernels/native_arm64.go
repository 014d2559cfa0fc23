//go:build cgo && arm64

package kernels

import "golang.org/x/sys/cpu"

// nativePaths returns the C paths that this CPU can run, the best first. Every
// arm64 CPU that Go runs on has NEON; the system says whether all cores have the
// dot-product and the matrix-multiply extension.
func nativePaths() []*ops {
	var found []*ops
	if cpu.ARM64.HasASIMDDP && cpu.ARM64.HasI8MM {
		found = append(found, neoni8mmOps)
	}
	if cpu.ARM64.HasASIMDDP {
		found = append(found, neondotOps)
	}
	return append(found, neonOps)
}
