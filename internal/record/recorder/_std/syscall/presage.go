package syscall

import (
	pgsys "PRESAGE_SYSCALL"
	_ "unsafe" // for linkname
)

// What the patches of this package call; the runtime implements it.

// presageCalls stands before a system call, presageCalled behind it.

func presageCalls(trap, a1, a2, a3, a4, a5, a6 uintptr) uint8
func presageCalled(class uint8, trap, result, a1, a2, a3, a4, a5, a6 uintptr)

// presageProcess stands before a call of getpid.
func presageProcess()

// presageRecorded is set in the number of a call whose buffer is recorded in this package.
const presageRecorded = 1 << 32

// presageResult is the result of a system call, an error as a negative number.
//
//go:nosplit
//go:norace
func presageResult(r uintptr, err Errno) uintptr {
	if err != 0 {
		return -uintptr(err)
	}
	return r
}

// presageRaw is a system call without a record.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func presageRaw(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	r1, r2, errno := pgsys.Syscall6(trap, a1, a2, a3, a4, a5, a6)
	return r1, r2, Errno(errno)
}
