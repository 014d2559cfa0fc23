package models

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// clone makes dst a copy of src that shares its blocks until one of them is
// changed, on file systems that can do that (Btrfs, XFS, bcachefs). dst must not
// exist; after an error it does not.
// Source: man 2 ioctl_ficlone.
func clone(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = errors.Join(unix.IoctlFileClone(int(out.Fd()), int(in.Fd())), out.Close())
	if err != nil {
		_ = os.Remove(dst)
	}
	return err
}
