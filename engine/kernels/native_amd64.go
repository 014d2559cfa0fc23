//go:build cgo && amd64

package kernels

import "golang.org/x/sys/cpu"

// nativePaths returns the C paths that this CPU can run, the best first.
func nativePaths() []*ops {
	var found []*ops
	x := &cpu.X86
	avx2 := x.HasAVX2 && x.HasFMA && x.HasF16C
	if avx2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512VNNI {
		found = append(found, avx512Ops)
	}
	if avx2 && x.HasAVXVNNI {
		found = append(found, avxvnniOps)
	}
	if avx2 {
		found = append(found, avx2Ops)
	}
	return found
}
