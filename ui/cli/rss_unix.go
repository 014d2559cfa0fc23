//go:build unix

package cli

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peakRSS returns the most memory that this process had resident so far, in bytes,
// 0 if the system does not say.
func peakRSS() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
