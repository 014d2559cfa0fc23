//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package filelock

import "os"

const deletesOpen = false

// try knows no locks here.
func try(*os.File) error { return ErrUnsupported }
