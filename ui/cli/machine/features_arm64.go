package machine

import "golang.org/x/sys/cpu"

// Features lists what the kernels of arm64 look at.
func Features() []Feature {
	a := &cpu.ARM64
	return []Feature{
		{"NEON", a.HasASIMD, true},
		{"DOTPROD", a.HasASIMDDP, true},
		{"I8MM", a.HasI8MM, true},
	}
}
