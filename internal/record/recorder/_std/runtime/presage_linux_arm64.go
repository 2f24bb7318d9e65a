package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What depends on the processor, for arm64.

// Numbers of system calls.
const (
	pgSysIoSetup     = 0
	pgSysIoSubmit    = 2
	pgSysIoGetevents = 4
	pgSysGetcwd      = 17
	pgSysMkdirat     = 34
	pgSysUnlinkat    = 35
	pgSysFallocate   = 47
	pgSysOpenat      = 56
	pgSysPwrite      = 68
	pgSysGetrlimit   = 163
	pgSysGetpid      = 172
	pgSysGetppid     = 173
	pgSysMadvise     = 233
)

const (
	pgDirect    = 0o200000 // O_DIRECT
	pgStatSize  = 128      // bytes of a struct stat
	pgEpollSize = 16       // bytes of a struct epoll_event
	pgFirstHeap = 0x4000000000
)

// pgTicks is the clock of stamps: nanoseconds since the system began. The counter of arm64 counts
// too slowly on some machines, once in 40 ns: stamps would run ahead of it where operations follow
// each other faster. And it may be read out of order; the kernel's clock_gettime prevents that.
//
//go:nosplit
func pgTicks() uint64 { return uint64(nanotime()) }

// pgStoreRel stores a word. What the goroutine has done before is visible to a goroutine that loads
// the word with acquire semantics.
//
//go:nosplit
func pgStoreRel(p uintptr, v uint64) { atomic.StoreRel64((*uint64)(unsafe.Pointer(p)), v) }

// pgFence keeps the loads and stores before it before those behind it.
func pgFence()

// presageResume goes on after a fault in pgCopy at the return address, which is in the link
// register.
//
//go:nosplit
func presageResume(c *sigctxt) { c.set_pc(c.lr()) }
