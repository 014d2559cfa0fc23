// Package addrspace says what a limit on the process's address space (ulimit -v) leaves.
// The Go runtime ends the program with a trace when it is refused memory or a thread, so
// whoever is about to map or allocate hundreds of megabytes asks here first: Check says
// no early enough that the runtime keeps what it needs to go on and to say so.
//
// Only Linux is asked. Elsewhere, and without a limit, everything fits. The functions are
// safe for concurrent use; what other threads map meanwhile is not known to them.
package addrspace

import (
	"fmt"
	"math"
)

// Reserve is what Check keeps free: some steps of 64 MiB in which the runtime's heap
// grows, and the stacks of new threads. Measured on amd64 with 135M, 0.5B and 1.5B models
// and limits 10 MiB apart: with 128 MiB no run ended in a trace.
const Reserve = 192 << 20

// LimitError reports address space that a limit on the process does not leave.
type LimitError struct{ Limit, Left, Need int64 } // bytes

// Error names the limit and what sets it.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the address space of this process is limited to %d MiB (ulimit -v), %d more would be needed beside what is in use",
		e.Limit>>20, e.Missing()>>20)
}

// Missing returns by how many bytes the limit is too low, in whole MiB.
func (e *LimitError) Missing() int64 { return (e.Need - e.Left + 1<<20 - 1) &^ (1<<20 - 1) }

// Check returns a *LimitError when n bytes cannot be mapped or allocated without
// touching the Reserve.
func Check(n int64) error {
	limit, used := usage()
	if limit == math.MaxInt64 {
		return nil
	}
	if left := max(0, limit-used); n > left-Reserve {
		return &LimitError{Limit: limit, Left: left, Need: n + Reserve}
	}
	return nil
}
