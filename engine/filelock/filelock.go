// Package filelock keeps processes from working on the same file or folder at the
// same time. Its locks are advisory and die with the process that holds them, so
// that a kill leaves none behind: flock where there is one, LockFileEx on Windows,
// and nothing elsewhere, which callers are told by [ErrUnsupported].
//
// Two open files of one process exclude each other as two processes do. All
// functions are safe for concurrent use.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

var (
	// ErrHeld says that another process, or another open file of this one, has the lock.
	ErrHeld = errors.New("filelock: somebody else holds the lock")
	// ErrUnsupported says that the system or the disk has no locks.
	ErrUnsupported = errors.New("filelock: there are no locks here")
)

// Try locks an open file without waiting. Closing f gives the lock back. It returns
// ErrHeld, ErrUnsupported, or what else the system says.
func Try(f *os.File) error {
	switch err := try(f); {
	case err == nil || errors.Is(err, ErrHeld) || errors.Is(err, ErrUnsupported):
		return err
	default:
		return fmt.Errorf("filelock: %w", err)
	}
}

// Named reports whether f is still what its name stands for, and not a file that
// was deleted or replaced after it was opened.
func Named(f *os.File) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(have, named)
}

// Take makes the file at path, if it is not there, and locks it. release deletes it
// and gives the lock back; a process that is killed leaves the file, which the next
// one takes over. Errors are those of Try and of making the file.
func Take(path string) (release func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("filelock: %w", err)
		}
		if err := Try(f); err != nil {
			_ = f.Close()
			return nil, err
		}
		if Named(f) {
			return func() { Delete(f) }, nil
		}
		_ = f.Close() // the holder deleted it between our opening and locking: again, with a new one
	}
}

// Delete removes a locked file and closes it, in the order in which nobody can
// come to hold a lock on a file that is being deleted: on Windows an open file
// cannot be deleted, and one that another process opened meanwhile stays.
func Delete(f *os.File) {
	if deletesOpen {
		_ = os.Remove(f.Name())
	}
	_ = f.Close()
	if !deletesOpen {
		_ = os.Remove(f.Name())
	}
}
