package fetch

import (
	"os/exec"

	"golang.org/x/sys/windows"
)

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
