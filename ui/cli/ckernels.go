//go:build cgo && (amd64 || arm64)

package cli

// hasCKernels: this build holds kernels in C for its processor.
const hasCKernels = true
