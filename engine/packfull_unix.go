//go:build unix

package engine

import (
	"errors"
	"syscall"
)

// isDiskFull reports whether a write failed for want of space or of quota.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// errReadOnly is what a read-only file system answers.
const errReadOnly = syscall.EROFS
