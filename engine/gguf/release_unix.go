//go:build linux || darwin || freebsd

package gguf

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Release tells the system that a tensor's data is not needed for now, so that its
// pages stop counting as this process's memory. They stay readable: the next read
// brings them back. data must be Tensor.Data of this file.
func (f *File) Release(data []byte) {
	if f.mapped == nil || len(data) == 0 {
		return // read, not mapped
	}
	page := os.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) % uintptr(page))
	if whole := (len(data) - skip) / page * page; skip < len(data) && whole > 0 {
		_ = unix.Madvise(data[skip:][:whole], unix.MADV_DONTNEED) // advice only
	}
}
