//go:build !linux

package kernels

// adviseHuge does nothing: elsewhere the system decides by itself.
func adviseHuge([]byte) {}
