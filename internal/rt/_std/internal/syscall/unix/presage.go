package unix

import _ "unsafe" // for linkname

// What the patch of Fcntl calls; the runtime implements it, for package syscall.

//go:linkname presageCalls syscall.presageCalls
func presageCalls(trap, a2, a4 uintptr) uint8

//go:linkname presageCalled syscall.presageCalled
func presageCalled(class uint8, result, a2 uintptr)
