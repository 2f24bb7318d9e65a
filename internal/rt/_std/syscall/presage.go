package syscall

import (
	pgsys "PRESAGE_SYSCALL"
	_ "unsafe" // for linkname
)

// What the patches of this package call; the runtime implements it.

// presageCalls stands before a system call, presageCalled behind it.

func presageCalls(trap, a2, a4 uintptr) uint8
func presageCalled(class uint8, result, a2 uintptr)

// presageRaw is a system call without a record.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func presageRaw(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	r1, r2, errno := pgsys.Syscall6(trap, a1, a2, a3, a4, a5, a6)
	return r1, r2, Errno(errno)
}
