package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	_ "unsafe" // for linkname
)

// System calls that the program makes, through package syscall. What the runtime asks of the kernel
// for itself, epoll_wait among it, does not come here.

// What becomes of a system call.
const (
	// what it does to memory, or what it returns, is not known: it is a cut. One that is not listed
	pgCallCuts  = iota
	pgCallBoth  // it may change what the kernel keeps, and what it returns depends on that
	pgCallLooks // it only looks
	// it only changes something: what it returns does not depend on what others have changed, but
	// on which goroutines have looked
	pgCallAlters
	// what it returns does not depend on earlier system calls of others: memory, time,
	// threads
	pgCallNone
	pgCallForks // it makes a process, which returns as well

	pgCallTouches = 1 << 5 // and it reads or writes memory (pgCallMemory)
	pgCallMaps    = 1 << 6 // and it maps memory
	pgCallZero    = 1 << 7 // and that is zero

	pgCallClass = pgCallTouches - 1
)

// pgCallTable is what becomes of a system call, by its number on linux/amd64 (pgCallNumber).
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
	// getuid getgid geteuid getegid getppid getpgrp getgroups getresuid getresgid getpgid getsid
	102, 104, 107, 108, 110, 111, 115, 118, 120, 121, 124,
	140,                          // getpriority
	191, 192, 193, 194, 195, 196, // getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
}

// What is written goes behind what others write. That there was room for both the run has shown,
// and for one there is then as well.
var pgCallsAlter = [...]uint16{
	1, 18, // write pwrite64
	62, 200, 234, // kill tkill tgkill
}

// Calls that are in no list are cuts: among them munmap and mremap, for memory that is unmapped may
// be mapped again at the same address, and is other memory then; ioctl; and those whose memory
// tables of pointers lead to (readv, sendmsg) or which other calls may have given to the kernel
// (futex, set_robust_list, io_uring_enter).

var pgCallsBoth = [...]uint16{
	0, 2, 3, 8, // read open close lseek
	22, 32, 33, 34, 37, // pipe dup dup2 pause alarm
	36, 38, // getitimer setitimer
	// sendfile socket connect accept shutdown bind listen socketpair setsockopt
	40, 41, 42, 43, 48, 49, 50, 53, 54,
	61, 72, 73, 74, 75, 76, 77, 78, // wait4 fcntl flock fsync fdatasync truncate ftruncate getdents
	59, 322, // execve execveat
	80, 81, 82, 83, 84, 85, 86, 87, 88, // chdir fchdir rename mkdir rmdir creat link unlink symlink
	90, 91, 92, 93, 94, 95, // chmod fchmod chown fchown lchown umask
	// setuid setgid setpgid setsid setreuid setregid setgroups setresuid setresgid setfsuid
	// setfsgid
	105, 106, 109, 112, 113, 114, 116, 117, 119, 122, 123,
	// utime mknod ustat setpriority vhangup pivot_root adjtimex setrlimit chroot sync acct
	// settimeofday umount2
	132, 133, 136, 141, 153, 155, 159, 160, 161, 162, 163, 164, 166,
	170, 171, 172, 173, 187, // sethostname setdomainname iopl ioperm readahead
	// setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
	188, 189, 190, 197, 198, 199,
	// epoll_create getdents64 clock_settime epoll_wait epoll_ctl utimes waitid
	213, 217, 227, 232, 233, 235, 247,
	253, 254, 255, 294, // inotify_init inotify_add_watch inotify_rm_watch inotify_init1
	// openat mkdirat mknodat fchownat futimesat unlinkat renameat linkat symlinkat fchmodat
	257, 258, 259, 260, 261, 263, 264, 265, 266, 268,
	272, 275, 276, 277, 280, 281, // unshare splice tee sync_file_range utimensat epoll_pwait
	// timerfd_create eventfd fallocate timerfd_settime timerfd_gettime accept4 signalfd4 eventfd2
	// epoll_create1 dup3 pipe2
	283, 284, 285, 286, 287, 288, 289, 290, 291, 292, 293,
	302, 306, 316, 319, 326, // prlimit64 syncfs renameat2 memfd_create copy_file_range
	434, 436, 437, 452, // pidfd_open close_range openat2 fchmodat2
}

var pgCallsNone = [...]uint16{
	// mprotect brk madvise mlock munlock mlockall munlockall mlock2
	10, 12, 28, 149, 150, 151, 152, 325,
	14, 15, 131, // rt_sigprocmask rt_sigreturn sigaltstack
	24, 142, 143, 144, 145, 146, 147, 148, 203, 204, // sched_yield, sched_*
	// nanosleep gettimeofday getrusage times time clock_gettime clock_getres clock_nanosleep
	35, 96, 98, 100, 201, 228, 229, 230,
	39, 63, 186, // getpid uname gettid
	60, 231, // exit exit_group
	219, 221, 309, 318, 324, // restart_syscall fadvise64 getcpu getrandom membarrier
}

var pgCallsFork = [...]uint16{56, 57, 58, 435} // clone fork vfork clone3

func pgCallsInit() {
	for _, n := range pgCallsLook {
		pgCallTable[n] = pgCallLooks
	}
	for _, n := range pgCallsAlter {
		pgCallTable[n] = pgCallAlters
	}
	for _, n := range pgCallsBoth {
		pgCallTable[n] = pgCallBoth
	}
	for _, n := range pgCallsNone {
		pgCallTable[n] = pgCallNone
	}
	for _, n := range pgCallsFork {
		pgCallTable[n] = pgCallForks
	}
	pgNumbersInit()
	pgKernelInit()
}

const (
	pgCallMmap     = 9
	pgCallMremap   = 25
	pgCallMadvise  = 28
	pgCallFcntl    = 72
	pgMapAnonymous = 0x20
	pgMapFixed     = 0x10
	pgMapShared    = 0x01
)

// pgFilesMapped says that a file was mapped: from then on an access to memory may be one to a file,
// and what observes files observes the program.
var pgFilesMapped atomic.Bool

// pgClassOf returns what becomes of a system call, by the number and the arguments that matter.
//
//go:nosplit
func pgClassOf(c *pgKernelCall) uint8 {
	a2, a3 := c.args[1], c.args[2]
	switch {
	case c.trap >= uintptr(len(pgCallTable)):
		return pgCallCuts
	case c.trap == pgCallMmap:
		return pgMapClass(c.args[3])
	case c.trap == pgCallMremap:
		return pgCallCuts | pgCallMaps
	case c.trap == pgCallFcntl:
		return pgFcntlClass(a2)
	case c.trap == pgCallMadvise && a3 > 3 && a3 != 10 && a3 != 11 && a3 != 14 && a3 != 15:
		// but MADV_DONTFORK and the like: it may clear memory
		return pgCallCuts
	}
	class := pgCallTable[c.trap]
	if pgCallMemoryAt[c.trap] != 0 {
		class |= pgCallTouches
	}
	return class
}

// pgFcntlClass returns what becomes of fcntl, by its command. Locks and others have a pointer.
//
//go:nosplit
func pgFcntlClass(cmd uintptr) uint8 {
	switch cmd {
	case 1, 3, 9, 1025, 1032, 1034: // F_GETFD F_GETFL F_GETOWN F_GETLEASE F_GETPIPE_SZ F_GET_SEALS
		return pgCallLooks
	case 0, 2, 4, 8, 10, 11, 1024, 1026, 1030, 1031, 1033:
		// F_DUPFD F_SETFD F_SETFL F_SETOWN F_SETSIG F_GETSIG F_SETLEASE F_NOTIFY F_DUPFD_CLOEXEC
		// F_SETPIPE_SZ F_ADD_SEALS
		return pgCallBoth
	}
	return pgCallCuts
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

// syscall_presageCalls is called before a system call. Its result is the argument of
// syscall_presageCalled after the call. The stack must not grow: arguments may be addresses in it.
//
//go:linkname syscall_presageCalls syscall.presageCalls
//go:nosplit
func syscall_presageCalls(trap, a1, a2, a3, a4, a5, a6 uintptr) uint8 {
	if !presage.on {
		return pgCallNone
	}
	gp := getg()
	if gp.m == nil || gp != gp.m.curg || gp.presage != nil && gp.presage.mute > 0 {
		return pgCallNone
	}
	c := pgKernelCall{trap: pgCallNumber(trap &^ pgCallRecorded), args: [6]uintptr{a1, a2, a3, a4, a5, a6}, pc: sys.GetCallerPC()}
	class := pgClassOf(&c)
	if trap&pgCallRecorded != 0 {
		class &^= pgCallTouches
	}
	if c.trap == pgCallMmap && a4&pgMapAnonymous == 0 {
		pgFilesMapped.Store(true)
	}
	switch class & pgCallClass {
	case pgCallBoth, pgCallAlters:
		presageAlters(pgStateFiles)
	case pgCallCuts:
		presageCuts()
	case pgCallForks:
		presageForks()
	}
	if class&pgCallTouches != 0 {
		pgKernelTouches(&c, false)
	}
	return class
}

// syscall_presageCalled is given the result of the call, an error as a negative number.
//
//go:linkname syscall_presageCalled syscall.presageCalled
//go:nosplit
func syscall_presageCalled(class uint8, trap, result, a1, a2, a3, a4, a5, a6 uintptr) {
	if class&pgCallTouches != 0 {
		c := pgKernelCall{pgCallNumber(trap), [6]uintptr{a1, a2, a3, a4, a5, a6}, result, sys.GetCallerPC()}
		pgKernelTouches(&c, true)
	}
	if class&pgCallMaps != 0 && int(result) > 0 {
		pgMapsCall(class, pgCallNumber(trap), result, a2, a3, a4)
	}
	switch class & pgCallClass {
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

// pgMapsCall records what mmap or mremap has mapped. What is not private memory may be mapped
// elsewhere as well.
//
//go:nosplit
func pgMapsCall(class uint8, trap, result, a2, a3, a4 uintptr) {
	n, flags := a2, uint64(0)
	switch {
	case trap == pgCallMremap:
		n, flags = a3, pgFlagShared
	case a4&(pgMapShared|pgMapAnonymous) != pgMapAnonymous:
		flags = pgFlagShared
	}
	if class&pgCallZero != 0 {
		flags |= pgFlagZero
	}
	pgMaps(result, n, flags)
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
