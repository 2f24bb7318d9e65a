package runtime

import "unsafe"

// Memory that system calls read and write. The kernel has no hooks, so what it does to the memory
// of the program is recorded here, by the number of the call: what it reads before the call, what
// it writes behind it. A call of which that is not known is a cut (pgCallCuts).

// A pgCallAccess is one access of a system call.
type pgCallAccess struct {
	call uint16
	arg  uint8  // the argument that is the address, from 1
	how  uint8  // what is accessed
	n    uint16 // bytes, or bytes of an element
	of   uint8  // another argument
}

const (
	pgMemReads     = iota // reads n bytes
	pgMemWrites           // writes n bytes
	pgMemUpdates          // reads and writes n bytes
	pgMemReadsAll         // reads as many elements as argument `of` says
	pgMemUpdateAll        // reads and writes as many elements as argument `of` says
	pgMemReturns          // writes as many elements as the call returns, if argument `of` is not 0
	pgMemFinds            // writes n bytes if the call does not return 0
	pgMemInterrupt        // writes n bytes if the call was interrupted
	pgMemText             // reads up to a zero byte
	// writes up to as many bytes as the word says that argument `of` points to, and that word
	pgMemSockaddr
	pgMemBits // reads and writes a bit for each descriptor below argument `of`
)

// pgCallMemory is what system calls access, by their numbers on linux/amd64 (pgCallNumber). What a
// table of pointers leads to (readv, sendmsg) is not here: those are cuts.
var pgCallMemory = [...]pgCallAccess{
	{0, 2, pgMemReturns, 1, 3},                                  // read
	{1, 2, pgMemReadsAll, 1, 3},                                 // write
	{2, 1, pgMemText, 0, 0},                                     // open
	{4, 1, pgMemText, 0, 0}, {4, 2, pgMemWrites, pgStatSize, 0}, // stat
	{5, 2, pgMemWrites, pgStatSize, 0},                          // fstat
	{6, 1, pgMemText, 0, 0}, {6, 2, pgMemWrites, pgStatSize, 0}, // lstat
	{7, 1, pgMemUpdateAll, 8, 2},                          // poll
	{14, 2, pgMemReads, 8, 0}, {14, 3, pgMemWrites, 8, 0}, // rt_sigprocmask
	// pread64
	{17, 2, pgMemReturns, 1, 3},
	// pwrite64
	{18, 2, pgMemReadsAll, 1, 3},
	// access
	{21, 1, pgMemText, 0, 0},
	// pipe
	{22, 1, pgMemWrites, 8, 0},
	// select
	{23, 2, pgMemBits, 0, 1}, {23, 3, pgMemBits, 0, 1}, {23, 4, pgMemBits, 0, 1}, {23, 5, pgMemUpdates, 16, 0},
	{35, 1, pgMemReads, 16, 0}, {35, 2, pgMemInterrupt, 16, 0}, // nanosleep
	{36, 2, pgMemWrites, 32, 0},                             // getitimer
	{38, 2, pgMemReads, 32, 0}, {38, 3, pgMemWrites, 32, 0}, // setitimer
	{40, 3, pgMemUpdates, 8, 0},                            // sendfile
	{42, 2, pgMemReadsAll, 1, 3},                           // connect
	{43, 2, pgMemSockaddr, 0, 3},                           // accept
	{49, 2, pgMemReadsAll, 1, 3},                           // bind
	{51, 2, pgMemSockaddr, 0, 3},                           // getsockname
	{52, 2, pgMemSockaddr, 0, 3},                           // getpeername
	{53, 4, pgMemWrites, 8, 0},                             // socketpair
	{54, 4, pgMemReadsAll, 1, 5},                           // setsockopt
	{55, 4, pgMemSockaddr, 0, 5},                           // getsockopt
	{61, 2, pgMemFinds, 4, 0}, {61, 4, pgMemFinds, 144, 0}, // wait4
	{63, 1, pgMemWrites, 390, 0},                       // uname
	{76, 1, pgMemText, 0, 0},                           // truncate
	{78, 2, pgMemReturns, 1, 3},                        // getdents
	{79, 1, pgMemReturns, 1, 2},                        // getcwd
	{80, 1, pgMemText, 0, 0},                           // chdir
	{82, 1, pgMemText, 0, 0}, {82, 2, pgMemText, 0, 0}, // rename
	{83, 1, pgMemText, 0, 0},                           // mkdir
	{84, 1, pgMemText, 0, 0},                           // rmdir
	{85, 1, pgMemText, 0, 0},                           // creat
	{86, 1, pgMemText, 0, 0}, {86, 2, pgMemText, 0, 0}, // link
	{87, 1, pgMemText, 0, 0},                           // unlink
	{88, 1, pgMemText, 0, 0}, {88, 2, pgMemText, 0, 0}, // symlink
	{89, 1, pgMemText, 0, 0}, {89, 2, pgMemReturns, 1, 3}, // readlink
	{90, 1, pgMemText, 0, 0},                                // chmod
	{92, 1, pgMemText, 0, 0},                                // chown
	{94, 1, pgMemText, 0, 0},                                // lchown
	{96, 1, pgMemWrites, 16, 0}, {96, 2, pgMemWrites, 8, 0}, // gettimeofday
	// getrlimit
	{97, 2, pgMemWrites, 16, 0},
	// getrusage
	{98, 2, pgMemWrites, 144, 0},
	// sysinfo
	{99, 1, pgMemWrites, 112, 0},
	{100, 1, pgMemWrites, 32, 0}, // times
	// getgroups
	{115, 2, pgMemReturns, 4, 1},
	// setgroups
	{116, 2, pgMemReadsAll, 4, 1},
	// getresuid
	{118, 1, pgMemWrites, 4, 0}, {118, 2, pgMemWrites, 4, 0}, {118, 3, pgMemWrites, 4, 0},
	// getresgid
	{120, 1, pgMemWrites, 4, 0}, {120, 2, pgMemWrites, 4, 0}, {120, 3, pgMemWrites, 4, 0},
	{131, 1, pgMemReads, 24, 0}, {131, 2, pgMemWrites, 24, 0}, // sigaltstack
	{132, 1, pgMemText, 0, 0}, {132, 2, pgMemReads, 16, 0}, // utime
	{133, 1, pgMemText, 0, 0},                                // mknod
	{136, 2, pgMemWrites, 32, 0},                             // ustat
	{137, 1, pgMemText, 0, 0}, {137, 2, pgMemWrites, 120, 0}, // statfs
	{138, 2, pgMemWrites, 120, 0},                        // fstatfs
	{142, 2, pgMemReads, 4, 0},                           // sched_setparam
	{143, 2, pgMemWrites, 4, 0},                          // sched_getparam
	{144, 3, pgMemReads, 4, 0},                           // sched_setscheduler
	{148, 2, pgMemWrites, 16, 0},                         // sched_rr_get_interval
	{155, 1, pgMemText, 0, 0}, {155, 2, pgMemText, 0, 0}, // pivot_root
	{159, 1, pgMemUpdates, 208, 0},                          // adjtimex
	{160, 2, pgMemReads, 16, 0},                             // setrlimit
	{161, 1, pgMemText, 0, 0},                               // chroot
	{163, 1, pgMemText, 0, 0},                               // acct
	{164, 1, pgMemReads, 16, 0}, {164, 2, pgMemReads, 8, 0}, // settimeofday
	{166, 1, pgMemText, 0, 0}, // umount2
	// sethostname
	{170, 1, pgMemReadsAll, 1, 2},
	// setdomainname
	{171, 1, pgMemReadsAll, 1, 2},
	{188, 1, pgMemText, 0, 0}, {188, 2, pgMemText, 0, 0}, {188, 3, pgMemReadsAll, 1, 4}, // setxattr
	// lsetxattr
	{189, 1, pgMemText, 0, 0}, {189, 2, pgMemText, 0, 0}, {189, 3, pgMemReadsAll, 1, 4},
	{190, 2, pgMemText, 0, 0}, {190, 3, pgMemReadsAll, 1, 4}, // fsetxattr
	{191, 1, pgMemText, 0, 0}, {191, 2, pgMemText, 0, 0}, {191, 3, pgMemReturns, 1, 4}, // getxattr
	{192, 1, pgMemText, 0, 0}, {192, 2, pgMemText, 0, 0}, {192, 3, pgMemReturns, 1, 4}, // lgetxattr
	{193, 2, pgMemText, 0, 0}, {193, 3, pgMemReturns, 1, 4}, // fgetxattr
	{194, 1, pgMemText, 0, 0}, {194, 2, pgMemReturns, 1, 3}, // listxattr
	{195, 1, pgMemText, 0, 0}, {195, 2, pgMemReturns, 1, 3}, // llistxattr
	{196, 2, pgMemReturns, 1, 3},                         // flistxattr
	{197, 1, pgMemText, 0, 0}, {197, 2, pgMemText, 0, 0}, // removexattr
	{198, 1, pgMemText, 0, 0}, {198, 2, pgMemText, 0, 0}, // lremovexattr
	{199, 2, pgMemText, 0, 0},                                    // fremovexattr
	{201, 1, pgMemWrites, 8, 0},                                  // time
	{203, 3, pgMemReadsAll, 1, 2},                                // sched_setaffinity
	{204, 3, pgMemReturns, 1, 2},                                 // sched_getaffinity
	{217, 2, pgMemReturns, 1, 3},                                 // getdents64
	{227, 2, pgMemReads, 16, 0},                                  // clock_settime
	{228, 2, pgMemWrites, 16, 0},                                 // clock_gettime
	{229, 2, pgMemWrites, 16, 0},                                 // clock_getres
	{230, 3, pgMemReads, 16, 0}, {230, 4, pgMemInterrupt, 16, 0}, // clock_nanosleep
	{232, 2, pgMemReturns, pgEpollSize, 3},                 // epoll_wait
	{233, 4, pgMemReads, pgEpollSize, 0},                   // epoll_ctl
	{235, 1, pgMemText, 0, 0}, {235, 2, pgMemReads, 32, 0}, // utimes
	{247, 3, pgMemWrites, 28, 0}, {247, 5, pgMemWrites, 144, 0}, // waitid
	{254, 2, pgMemText, 0, 0},                              // inotify_add_watch
	{257, 2, pgMemText, 0, 0},                              // openat
	{258, 2, pgMemText, 0, 0},                              // mkdirat
	{259, 2, pgMemText, 0, 0},                              // mknodat
	{260, 2, pgMemText, 0, 0},                              // fchownat
	{261, 2, pgMemText, 0, 0}, {261, 3, pgMemReads, 32, 0}, // futimesat
	{262, 2, pgMemText, 0, 0}, {262, 3, pgMemWrites, pgStatSize, 0}, // newfstatat
	{263, 2, pgMemText, 0, 0},                            // unlinkat
	{264, 2, pgMemText, 0, 0}, {264, 4, pgMemText, 0, 0}, // renameat
	{265, 2, pgMemText, 0, 0}, {265, 4, pgMemText, 0, 0}, // linkat
	{266, 1, pgMemText, 0, 0}, {266, 3, pgMemText, 0, 0}, // symlinkat
	{267, 2, pgMemText, 0, 0}, {267, 3, pgMemReturns, 1, 4}, // readlinkat
	// fchmodat
	{268, 2, pgMemText, 0, 0},
	// faccessat
	{269, 2, pgMemText, 0, 0},
	// pselect6. The mask of signals that its last argument leads to is not recorded
	{270, 2, pgMemBits, 0, 1}, {270, 3, pgMemBits, 0, 1}, {270, 4, pgMemBits, 0, 1},
	{270, 5, pgMemUpdates, 16, 0}, {270, 6, pgMemReads, 16, 0},
	// ppoll
	{271, 1, pgMemUpdateAll, 8, 2}, {271, 3, pgMemUpdates, 16, 0}, {271, 4, pgMemReads, 8, 0},
	{275, 2, pgMemUpdates, 8, 0}, {275, 4, pgMemUpdates, 8, 0}, // splice
	{280, 2, pgMemText, 0, 0}, {280, 3, pgMemReads, 32, 0}, // utimensat
	{281, 2, pgMemReturns, pgEpollSize, 3}, {281, 5, pgMemReads, 8, 0}, // epoll_pwait
	{286, 3, pgMemReads, 32, 0}, {286, 4, pgMemWrites, 32, 0}, // timerfd_settime
	{287, 2, pgMemWrites, 32, 0},                              // timerfd_gettime
	{288, 2, pgMemSockaddr, 0, 3},                             // accept4
	{289, 2, pgMemReads, 8, 0},                                // signalfd4
	{293, 1, pgMemWrites, 8, 0},                               // pipe2
	{302, 3, pgMemReads, 16, 0}, {302, 4, pgMemWrites, 16, 0}, // prlimit64
	{309, 1, pgMemWrites, 4, 0}, {309, 2, pgMemWrites, 4, 0}, // getcpu
	{316, 2, pgMemText, 0, 0}, {316, 4, pgMemText, 0, 0}, // renameat2
	{318, 1, pgMemReturns, 1, 2},                               // getrandom
	{319, 1, pgMemText, 0, 0},                                  // memfd_create
	{326, 2, pgMemUpdates, 8, 0}, {326, 4, pgMemUpdates, 8, 0}, // copy_file_range
	{332, 2, pgMemText, 0, 0}, {332, 5, pgMemWrites, 256, 0}, // statx
	{437, 2, pgMemText, 0, 0}, {437, 3, pgMemReadsAll, 1, 4}, // openat2
	{439, 2, pgMemText, 0, 0}, // faccessat2
	{452, 2, pgMemText, 0, 0}, // fchmodat2
}

// pgCallMemoryAt is where the accesses of a call begin in pgCallMemory, +1.
var pgCallMemoryAt [len(pgCallTable)]uint8

func pgKernelInit() {
	for i := len(pgCallMemory) - 1; i >= 0; i-- {
		pgCallMemoryAt[pgCallMemory[i].call] = uint8(i + 1)
	}
}

// pgCallRecorded is set in the number of a call whose accesses package syscall records itself.
const pgCallRecorded = 1 << 32

// A pgKernelCall is a system call that is under way, or has returned.
type pgKernelCall struct {
	trap   uintptr // its number in the tables
	args   [6]uintptr
	result uintptr // behind it; an error is negative
	pc     uintptr // in the function of package syscall
}

// A pgKernelRest is what a goroutine has to know of the system call under way.
type pgKernelRest struct {
	room uint32  // how long a socket address may be
	p, n uintptr // what the kernel wrote to a buffer behind the part that is always recorded
}

// pgKernelTouches records what the kernel reads before a call (write is false), or writes.
//
//go:nosplit
func pgKernelTouches(c *pgKernelCall, write bool) {
	gp := getg()
	var rest pgKernelRest
	systemstack(func() {
		if s := pgState(gp); s != nil && !s.off {
			s.kernelTouches(gp, c, write)
			rest = s.kernel
			s.kernel.n = 0
		}
	})
	pgWritesRest(rest.p, rest.n, c.pc)
}

// pgWritesRest takes what the kernel writes to a buffer behind the part that is always recorded as
// an access of outside code: it is written down when somebody else uses the memory.
//
//go:nosplit
func pgWritesRest(p, n, pc uintptr) { pgRun(p, n, pc, true, true) }

func (s *PresageG) kernelTouches(gp *g, c *pgKernelCall, write bool) {
	for i := int(pgCallMemoryAt[c.trap]) - 1; i < len(pgCallMemory) && uintptr(pgCallMemory[i].call) == c.trap; i++ {
		m := &pgCallMemory[i]
		p := c.args[m.arg-1]
		if p == 0 {
			continue
		}
		var other uintptr
		if m.of > 0 {
			other = c.args[m.of-1]
		}
		if !write {
			s.kernelAccess(gp, c, pgRead, p, m.reads(other))
			if m.how == pgMemSockaddr {
				s.kernelAccess(gp, c, pgRead, other, 4)
				s.kernel.room = pgKernelWord(other)
			}
			continue
		}
		if m.how == pgMemText {
			s.kernelAccess(gp, c, pgRead, p, pgKernelText(p))
			continue
		}
		s.kernelAccess(gp, c, pgWrite, p, m.writes(other, c.result, s.kernel.room))
		if m.how == pgMemSockaddr && int(c.result) >= 0 {
			s.kernelAccess(gp, c, pgWrite, other, 4)
		}
	}
}

// reads returns how many bytes an access reads.
func (m *pgCallAccess) reads(other uintptr) uintptr {
	switch m.how {
	case pgMemReads, pgMemUpdates:
		return uintptr(m.n)
	case pgMemReadsAll, pgMemUpdateAll:
		return uintptr(m.n) * other
	case pgMemBits:
		return (other + 63) / 64 * 8
	}
	return 0
}

// writes returns how many bytes an access writes; room is how long the kernel's caller said a
// socket address may be.
func (m *pgCallAccess) writes(other, result uintptr, room uint32) uintptr {
	failed := int(result) < 0
	switch m.how {
	case pgMemInterrupt:
		if int(result) == -_EINTR {
			return uintptr(m.n)
		}
	case pgMemWrites, pgMemUpdates:
		if !failed {
			return uintptr(m.n)
		}
	case pgMemUpdateAll:
		if !failed {
			return uintptr(m.n) * other
		}
	case pgMemReturns:
		if !failed && other > 0 {
			return uintptr(m.n) * result
		}
	case pgMemFinds:
		if int(result) > 0 {
			return uintptr(m.n)
		}
	case pgMemBits:
		if !failed {
			return (other + 63) / 64 * 8
		}
	case pgMemSockaddr:
		if !failed && other > 0 {
			return uintptr(min(pgKernelWord(other), room))
		}
	}
	return 0
}

// pgKernelWord returns the word at p, 0 if it cannot be read.
func pgKernelWord(p uintptr) uint32 {
	var w uint32
	if p == 0 || !pgCopy(noescape(unsafe.Pointer(&w)), unsafe.Pointer(p), 4) {
		return 0
	}
	return w
}

// pgPathMax is how long the path of a system call may be.
const pgPathMax = 4096

// pgKernelText returns how many bytes the kernel has read of the text at p, with the zero byte: 0
// if the memory cannot be read.
func pgKernelText(p uintptr) (n uintptr) {
	var b byte
	for n < pgPathMax && pgCopy(noescape(unsafe.Pointer(&b)), unsafe.Pointer(p+n), 1) {
		if n++; b == 0 {
			return n
		}
	}
	return n
}

// kernelAccess records an access of n bytes, but none of the goroutine's own stack (pgRange).
func (s *PresageG) kernelAccess(gp *g, c *pgKernelCall, kind uint64, p, n uintptr) {
	if n == 0 || p == 0 || p-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	h, first := pgHead(kind, pgFlagOpaque|pgFlagNoValue, 0, s.outsideSite(c.pc)), min(n, uintptr(pgBuffer()))
	s.touchKernel(h, p, uint64(first))
	if kind == pgRead && n > first {
		s.readsRest(h, p+first, n-first)
	}
	if kind == pgWrite && n > first {
		s.kernel.p, s.kernel.n = p+first, n-first
	}
}
