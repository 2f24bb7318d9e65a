package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// System calls that the program makes, through package syscall. What the runtime asks of the kernel
// for itself, epoll_wait among it, does not come here.

// What becomes of a system call.
const (
	pgCallBoth   = iota // it may change what the kernel keeps, and what it returns depends on that: one that is not listed
	pgCallLooks         // it only looks
	pgCallAlters        // it only changes something: what it returns does not depend on what others have changed, but on who has looked
	pgCallNone          // what it returns does not depend on what others have asked of the kernel: memory, time, threads
	pgCallCuts          // what it does to memory is not known: it is a cut
	pgCallForks         // it makes a process, which returns as well

	pgCallMaps = 1 << 6 // and it maps memory
	pgCallZero = 1 << 7 // and that is zero
)

// pgCallTable is what becomes of a system call, by its number on linux/amd64.
var pgCallTable [512]uint8

// Reading from a file, a pipe or a socket moves an offset or takes what is there, so it is not
// among those that only look. Nor is open, whose result is the lowest free descriptor.
var pgCallsLook = [...]uint16{
	4, 5, 6, 262, 332, // stat fstat lstat newfstatat statx
	7, 23, 270, 271, // poll select pselect6 ppoll
	17,           // pread64
	21, 269, 439, // access faccessat faccessat2
	51, 52, 55, // getsockname getpeername getsockopt
	79, 89, 267, // getcwd readlink readlinkat
	97, 99, 137, 138, // getrlimit sysinfo statfs fstatfs
	102, 104, 107, 108, 110, 111, 115, 118, 120, 121, 124, // getuid getgid geteuid getegid getppid getpgrp getgroups getresuid getresgid getpgid getsid
	125, 140, // capget getpriority
	191, 192, 193, 194, 195, 196, // getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
}

// What is written goes behind what others write. That there was room for both the run has shown,
// and for one there is then as well.
var pgCallsAlter = [...]uint16{
	1, 18, // write pwrite64
	62, 200, 234, // kill tkill tgkill
}

// Of most the buffers, which the kernel reads or writes, are not recorded. Memory that is unmapped may
// be mapped again at the same address, and is other memory then.
var pgCallsCut = [...]uint16{
	11, 25, // munmap mremap
	16, 19, 20, 63, 295, 296, 327, 328, // ioctl readv writev uname preadv pwritev preadv2 pwritev2
	44, 45, 46, 47, 299, 307, // sendto recvfrom sendmsg recvmsg recvmmsg sendmmsg
}

var pgCallsNone = [...]uint16{
	10, 12, 27, 28, 149, 150, 151, 152, 325, // mprotect brk mincore madvise mlock munlock mlockall munlockall mlock2
	14, 15, 131, // rt_sigprocmask rt_sigreturn sigaltstack
	24, 142, 143, 144, 145, 146, 147, 148, 203, 204, // sched_yield, sched_*
	35, 96, 98, 100, 201, 228, 229, 230, // nanosleep gettimeofday getrusage times time clock_gettime clock_getres clock_nanosleep
	39, 186, // getpid gettid
	60, 231, // exit exit_group
	158, 202, 205, 211, 218, 219, 221, 273, 274, 309, 318, 324, 334, // arch_prctl futex set_thread_area get_thread_area set_tid_address restart_syscall fadvise64 set_robust_list get_robust_list getcpu getrandom membarrier rseq
}

var pgCallsFork = [...]uint16{56, 57, 58, 435} // clone fork vfork clone3

func pgCallsInit() {
	for _, n := range pgCallsLook {
		pgCallTable[n] = pgCallLooks
	}
	for _, n := range pgCallsAlter {
		pgCallTable[n] = pgCallAlters
	}
	for _, n := range pgCallsCut {
		pgCallTable[n] = pgCallCuts
	}
	for _, n := range pgCallsNone {
		pgCallTable[n] = pgCallNone
	}
	for _, n := range pgCallsFork {
		pgCallTable[n] = pgCallForks
	}
}

const (
	pgSysMmap      = 9
	pgSysFcntl     = 72
	pgMapAnonymous = 0x20
	pgMapFixed     = 0x10
	pgMapShared    = 0x01
)

// pgFilesMapped says that a file was mapped to be written: from then on an access to memory may be one to a file, and what
// observes files observes the program.
var pgFilesMapped atomic.Bool

// pgCallClass returns what becomes of a system call, by the number and the arguments that matter.
//
//go:nosplit
func pgCallClass(trap, a2, a4 uintptr) uint8 {
	switch {
	case trap == pgSysMmap:
		return pgMapClass(a4)
	case trap == pgSysFcntl && (a2 == 1 || a2 == 3 || a2 == 5 || a2 == 9 || a2 == 1032 || a2 == 1034): // F_GETFD F_GETFL F_GETLK F_GETOWN F_GETPIPE_SZ F_GET_SEALS
		return pgCallLooks
	case trap < uintptr(len(pgCallTable)):
		return pgCallTable[trap]
	}
	return pgCallBoth
}

// pgMapClass returns what becomes of mmap, by its flags.
//
//go:nosplit
func pgMapClass(flags uintptr) uint8 {
	class := uint8(pgCallBoth | pgCallMaps)
	if flags&pgMapAnonymous != 0 {
		class = pgCallNone | pgCallMaps | pgCallZero
	}
	if flags&pgMapFixed != 0 {
		class = class&(pgCallMaps|pgCallZero) | pgCallCuts
	}
	return class
}

// syscall_presageCalls stands before a system call. It returns what syscall_presageCalled, behind
// it, is to be told. The stack must not grow: arguments may be addresses in it.
//
//go:linkname syscall_presageCalls syscall.presageCalls
//go:nosplit
func syscall_presageCalls(trap, a2, a4 uintptr) uint8 {
	if !presage.on {
		return pgCallNone
	}
	gp := getg()
	if gp.m == nil || gp != gp.m.curg || gp.presage != nil && gp.presage.mute > 0 {
		return pgCallNone
	}
	class := pgCallClass(trap, a2, a4)
	if trap == pgSysMmap && a4&(pgMapShared|pgMapAnonymous) == pgMapShared {
		pgFilesMapped.Store(true)
	}
	switch class &^ (pgCallMaps | pgCallZero) {
	case pgCallBoth, pgCallAlters:
		presageAlters(pgStateFiles)
	case pgCallCuts:
		presageAlters(pgStateProgram)
	case pgCallForks:
		presageForks()
	}
	return class
}

//go:linkname syscall_presageCalled syscall.presageCalled
//go:nosplit
func syscall_presageCalled(class uint8, result, a2 uintptr) {
	if class&pgCallMaps != 0 && int(result) > 0 {
		var zero uint64
		if class&pgCallZero != 0 {
			zero = pgFlagZero
		}
		pgMaps(result, a2, zero)
	}
	switch class &^ (pgCallMaps | pgCallZero) {
	case pgCallBoth, pgCallLooks:
		presageLooked(pgStateFiles)
	case pgCallCuts:
		presageLooked(pgStateProgram)
	case pgCallForks:
		if result != 0 { // else this is the child
			presageForked()
		}
	}
}

// pgMaps records that the kernel has mapped n bytes at x. What was there before is gone.
//
//go:nosplit
func pgMaps(x, n uintptr, flags uint64) {
	gp := getg()
	systemstack(func() {
		if s := pgState(gp); s != nil {
			presageClear(s, x, n)
			s.newMemory(x, n, flags)
		}
	})
}

// presageForks stands before a fork, and presageForked behind it in the parent. In between the
// child, which shares memory with its parent or has the recording mapped, records nothing of this
// kind, until it executes another program.
//
//go:nosplit
func presageForks() {
	presageAlters(pgStateFiles)
	if s := getg().presage; s != nil {
		s.mute++
	}
}

//go:nosplit
func presageForked() {
	if s := getg().presage; s != nil {
		s.mute--
	}
	presageLooked(pgStateFiles)
}
