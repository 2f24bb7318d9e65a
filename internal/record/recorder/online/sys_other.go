//go:build !linux

package online

import "unsafe"

// ftMap returns n bytes of zero memory.
func ftMap(n uintptr) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]byte, n))) }

// ftDiscard makes pages zero.
func ftDiscard(p unsafe.Pointer, n uintptr) { ftClear(p, n) }
