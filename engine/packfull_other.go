//go:build !unix

package engine

import (
	"errors"
	"syscall"
)

// isDiskFull reports whether a write failed for want of space.
// Source: Windows system error codes, ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
func isDiskFull(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && (code == 39 || code == 112)
}

// errReadOnly is what a write-protected disk answers: ERROR_WRITE_PROTECT.
const errReadOnly = syscall.Errno(19)
