//go:build linux || darwin || freebsd

package pack

import (
	"io/fs"
	"syscall"
)

// inode returns the time of the last change of a file's inode, Unix ns, and its number.
func inode(info fs.FileInfo) (changed int64, number uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return changeTime(st), st.Ino
	}
	return 0, 0
}
