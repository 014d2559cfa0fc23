package fetch

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

func tryLock(fd *os.File) error {
	err := windows.LockFileEx(windows.Handle(fd.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}

// FreeSpace returns the bytes that this user may still write in dir.
func FreeSpace(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(free), nil
}

// killGroup leaves the default: only the command itself is killed.
func killGroup(*exec.Cmd) {}
