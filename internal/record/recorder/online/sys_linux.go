package online

import (
	"syscall"
	"unsafe"
)

// ftMap returns n bytes of zero memory that takes room only where it is used.
func ftMap(n uintptr) unsafe.Pointer {
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		panic(err)
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}

// ftDiscard makes pages zero, and gives their memory back to the system.
func ftDiscard(p unsafe.Pointer, n uintptr) {
	if err := syscall.Madvise(unsafe.Slice((*byte)(p), n), syscall.MADV_DONTNEED); err != nil {
		panic(err)
	}
}
