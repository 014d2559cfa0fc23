//go:build !amd64 && !arm64

package machine

// Features is empty: there are no kernels for this processor.
func Features() []Feature { return nil }
