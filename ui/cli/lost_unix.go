//go:build unix

package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lost says that w keeps nothing though nobody may have wanted that: a standard output that
// was closed when the program started. The Go runtime opens the null device for reading and
// writing in its place; a shell's > /dev/null opens it for writing only.
func lost(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
