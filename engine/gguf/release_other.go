//go:build !(linux || darwin || freebsd)

package gguf

// Release tells the system that a tensor's data is not needed for now; here there
// is no way to say that. data must be Tensor.Data of this file.
func (f *File) Release(data []byte) {}
