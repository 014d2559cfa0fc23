//go:build linux || darwin || freebsd

package fetch

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// FreeSpace returns the bytes that an unprivileged user may still write in dir.
func FreeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// killGroup makes a cancelled command take its children with it.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
}
