package addrspace

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// usage returns the limit and the address space in use, in bytes. Without a limit, or
// where it cannot be told, limit is MaxInt64.
// Source: proc(5), /proc/pid/statm, first field.
func usage() (limit, used int64) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &r); err != nil || r.Cur > math.MaxInt64/2 {
		return math.MaxInt64, 0
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return math.MaxInt64, 0
	}
	first, _, _ := bytes.Cut(statm, []byte(" "))
	pages, err := strconv.ParseInt(string(first), 10, 64)
	if err != nil {
		return math.MaxInt64, 0
	}
	return int64(r.Cur), pages * int64(os.Getpagesize())
}
