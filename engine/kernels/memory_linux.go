package kernels

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the usual size on x86-64 and arm64.
const hugePage = 2 << 20

// AdviseHuge asks for huge pages under b, before it is touched. The range grows to
// whole huge pages, so that neighbours share one; that changes nothing for them. It
// is only advice: where it cannot be followed, nothing happens.
func AdviseHuge(b []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	end := start + uintptr(len(b))
	first := start / hugePage * hugePage
	last := (end + hugePage - 1) / hugePage * hugePage
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, first, last-first, unix.MADV_HUGEPAGE)
}
