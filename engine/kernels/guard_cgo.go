//go:build cgo

package kernels

// #cgo noescape guard_add
// #cgo nocallback guard_add
// #cgo noescape guard_lost
// #cgo nocallback guard_lost
// #cgo noescape guard_remove
// #cgo nocallback guard_remove
// #include "guard.h"
import "C"

import "unsafe"

func guardAdd(b []byte) int32 {
	return int32(C.guard_add(C.uintptr_t(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), C.uint64_t(len(b))))
}

func guardLost(slot int32) bool { return C.guard_lost(C.int32_t(slot)) != 0 }

func guardRemove(slot int32) { C.guard_remove(C.int32_t(slot)) }
