package unix

import _ "unsafe" // for linkname

// What the patch of Fcntl calls; the runtime implements it, for package syscall.

//go:linkname presageCalls syscall.presageCalls
func presageCalls(trap, a1, a2, a3, a4, a5, a6 uintptr) uint8

//go:linkname presageCalled syscall.presageCalled
func presageCalled(class uint8, trap, result, a1, a2, a3, a4, a5, a6 uintptr)
