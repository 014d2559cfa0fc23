//go:build !cgo || (!amd64 && !arm64)

package cli

// hasCKernels: this build has the kernels in plain Go only.
const hasCKernels = false
