package machine

import "golang.org/x/sys/cpu"

// Features lists what the kernels of amd64 look at, and what they could use one day.
// AMX is as announced: a virtual machine may announce it and refuse it.
func Features() []Feature {
	x := &cpu.X86
	return []Feature{
		{"AVX2", x.HasAVX2, true},
		{"FMA", x.HasFMA, true},
		{"F16C", x.HasF16C, true},
		{"AVX-VNNI", x.HasAVXVNNI, true},
		{"AVX512F", x.HasAVX512F, true},
		{"AVX512BW", x.HasAVX512BW, true},
		{"AVX512VL", x.HasAVX512VL, true},
		{"AVX512DQ", x.HasAVX512DQ, true},
		{"AVX512VNNI", x.HasAVX512VNNI, true},
		{"AVX512BF16", x.HasAVX512BF16, false},
		{"AMX-TILE", x.HasAMXTile, false},
		{"AMX-INT8", x.HasAMXInt8, false},
		{"AMX-BF16", x.HasAMXBF16, false},
	}
}
