package runtime

import "unsafe"

// What depends on the processor, for amd64.

// Numbers of system calls.
const (
	pgSysPwrite      = 18
	pgSysMadvise     = 28
	pgSysGetpid      = 39
	pgSysGetcwd      = 79
	pgSysGetrlimit   = 97
	pgSysGetppid     = 110
	pgSysIoSetup     = 206
	pgSysIoGetevents = 208
	pgSysIoSubmit    = 209
	pgSysOpenat      = 257
	pgSysMkdirat     = 258
	pgSysUnlinkat    = 263
	pgSysFallocate   = 285
)

const (
	pgDirect    = 0o40000 // O_DIRECT
	pgStatSize  = 144     // bytes of a struct stat
	pgEpollSize = 12      // bytes of a struct epoll_event
	pgFirstHeap = 0xc000000000
)

func pgNumbersInit() {}

// pgCallNumber returns the number of a system call in the tables.
//
//go:nosplit
func pgCallNumber(trap uintptr) uintptr { return trap }

// pgTicks is the clock of stamps: the time-stamp counter.
//
//go:nosplit
func pgTicks() uint64 { return uint64(cputicks()) }

// pgStoreRel stores a word. What the goroutine has done before is visible to a goroutine that loads
// the word, which holds of every store on amd64.
//
//go:nosplit
func pgStoreRel(p uintptr, v uint64) { pgStore(p, v) }

// pgFence keeps the loads and stores before it before those behind it, but for a store that is
// followed by a load. Here all are.
//
//go:nosplit
func pgFence() {}

// presageResume goes on after a fault in pgCopy at the return address, which is what the stack
// pointer points to.
//
//go:nosplit
func presageResume(c *sigctxt) {
	c.set_rip(uint64(*(*uintptr)(unsafe.Pointer(c.sigsp()))))
	c.set_rsp(uint64(c.sigsp() + 8))
}
