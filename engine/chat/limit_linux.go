package chat

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitProcess bounds the processor time of this process and its address space,
// relative to what it maps now. A failure leaves the parent's time limit and
// the memory watch.
func limitProcess() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: maxCPU, Max: maxCPU})
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	first, _, _ := bytes.Cut(statm, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return
	}
	// The runtime reserves address space in steps of 64 MiB beyond what it uses.
	size := pages*uint64(os.Getpagesize()) + maxMemory + 128<<20
	_ = unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: size, Max: size})
}
