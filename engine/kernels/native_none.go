//go:build !cgo || (!amd64 && !arm64)

package kernels

// nativePaths returns no path: only the reference runs in this build.
func nativePaths() []*ops { return nil }
