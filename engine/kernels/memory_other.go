//go:build !linux

package kernels

// AdviseHuge does nothing: elsewhere the system decides by itself.
func AdviseHuge([]byte) {}
