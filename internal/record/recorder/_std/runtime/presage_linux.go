package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"internal/runtime/atomic"
	"unsafe"
)

// Files and memory of the recorder, by system calls that need no lock and no
// scheduler. Their numbers are in presage_linux_amd64.go and presage_linux_arm64.go.

const (
	pgAtCwd     = ^uintptr(99)                    // -100
	pgOpenFlags = 0o2 | 0o100 | 0o200 | 0o2000000 // O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC
	pgENOENT    = 2
	pgEINTR     = 4
	pgEEXIST    = 17
	pgEINVAL    = 22
	pgENOSPC    = 28
	pgENOSYS    = 38
	pgEOPNOTSUP = 95
	pgEDQUOT    = 122
)

var pgZeroPage [4096]byte

// pgMakeDir creates the directory of this process in dir: its number, with a
// suffix if an earlier process had the same. It maps the limit of the run, which is in dir.
func pgMakeDir(dir string) (reason uint64) {
	if len(dir)+64 > len(presage.dir) {
		return pgStopNoFile
	}
	n := 0
	if dir[0] != '/' { // the program may change its directory
		k, _, e := pgsys.Syscall6(pgSysGetcwd, uintptr(unsafe.Pointer(&presage.dir)), uintptr(len(presage.dir)-len(dir)-64), 0, 0, 0, 0)
		if e != 0 {
			return pgStopNoFile
		}
		n = int(k) // with the zero at the end
		presage.dir[n-1] = '/'
	}
	n += copy(presage.dir[n:], dir)
	presage.dir[n] = '/'
	n++
	if reason := pgMapLimit(n); reason != 0 {
		return reason
	}
	pid, _, _ := pgsys.Syscall6(pgSysGetpid, 0, 0, 0, 0, 0, 0)
	presage.pid = uint64(pid)
	n += pgDecimal(presage.dir[n:], uint64(pid), 1)
	for try := uint64(0); try < 1000; try++ {
		presage.dirLen = n
		if try > 0 {
			presage.dir[n] = '.'
			presage.dirLen = n + 1 + pgDecimal(presage.dir[n+1:], try, 1)
		}
		presage.dir[presage.dirLen] = 0
		_, _, e := pgsys.Syscall6(pgSysMkdirat, pgAtCwd, uintptr(unsafe.Pointer(&presage.dir)), 0o700, 0, 0, 0)
		if e == 0 {
			return 0
		}
		if e != pgEEXIST {
			return pgNoFile(e)
		}
	}
	return pgStopNoFile
}

// pgNoFile is why there is no file, or directory, that could not be made because of errno.
func pgNoFile(errno uintptr) (reason uint64) {
	if errno == pgENOSPC || errno == pgEDQUOT {
		return pgStopNoDisk
	}
	return pgStopNoFile
}

// pgMapLimit maps the limit of the run. Its directory is the first n bytes of presage.dir; without
// the file there is no limit.
func pgMapLimit(n int) (reason uint64) {
	copy(presage.dir[n:], pgLimitFile)
	fd, _, e := pgsys.Syscall6(pgSysOpenat, pgAtCwd, uintptr(unsafe.Pointer(&presage.dir)), 0o2|0o2000000 /* O_RDWR|O_CLOEXEC */, 0, 0, 0)
	if e == pgENOENT {
		return 0
	}
	if e != 0 {
		return pgStopNoFile
	}
	p, err := mmap(nil, pgLimitWords*8, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, int32(fd), 0)
	closefd(int32(fd))
	if err != 0 {
		return pgStopNoMap
	}
	presage.limit = (*[pgLimitWords]atomic.Uint64)(p)
	return 0
}

// pgSpend takes n bytes of what the run may have on the disk (RC2). What is too much for one
// process may fit another.
func pgSpend(n uintptr) bool {
	l := presage.limit
	if l == nil {
		return true
	}
	for {
		taken := l[pgLimitTaken].Load()
		if taken+uint64(n) > l[pgLimitMost].Load() {
			return false
		}
		if l[pgLimitTaken].CompareAndSwap(taken, taken+uint64(n)) {
			return true
		}
	}
}

// pgDecimal writes v with at least width digits and returns their number.
func pgDecimal(b []byte, v uint64, width int) int {
	n := 1
	for w := v; w > 9; w /= 10 {
		n++
	}
	n = max(n, width)
	for i := n - 1; i >= 0; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return n
}

// pgMapSegment creates segment i of n bytes, whose blocks exist on the disk (a write through
// the mapping cannot fail for want of room), and maps it.
func pgMapSegment(i uint64, n uintptr) (base uintptr, reason uint64) {
	if !pgSpend(n) {
		return 0, pgStopLimit
	}
	fd, e := pgOpen(i, ".seg\x00", pgOpenFlags)
	if e != 0 {
		return 0, pgNoFile(e)
	}
	if !pgReserve(fd, n) {
		pgAbandon(fd)
		return 0, pgStopNoDisk
	}
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, int32(fd), 0)
	closefd(int32(fd))
	if err != 0 {
		return 0, pgStopNoMap
	}
	return uintptr(p), 0
}

// pgOpen opens file i of the kind suffix.
func pgOpen(i uint64, suffix string, flags uintptr) (fd, errno uintptr) {
	d := presage.dirLen
	presage.dir[d] = '/'
	k := d + 1 + pgDecimal(presage.dir[d+1:], i, 6)
	copy(presage.dir[k:], suffix)
	fd, _, errno = pgsys.Syscall6(pgSysOpenat, pgAtCwd, uintptr(unsafe.Pointer(&presage.dir)), flags, 0o600, 0, 0)
	return fd, errno
}

// pgAbandon closes and removes the file that was opened last: the program may need the room that
// there is.
func pgAbandon(fd uintptr) {
	closefd(int32(fd))
	pgsys.Syscall6(pgSysUnlinkat, pgAtCwd, uintptr(unsafe.Pointer(&presage.dir)), 0, 0, 0, 0)
}

const pgLogSuffix = ".log\x00"

// pgNextLog creates the next file of the log, with its blocks on the disk.
func pgNextLog() bool {
	l := &presageLog
	n := uintptr(4<<20) << min(l.files, 4)
	if !pgSpend(n) {
		pgStop(pgStopLimit)
		return false
	}
	fd, e := pgOpen(l.files, pgLogSuffix, pgOpenFlags)
	if e != 0 {
		pgStop(pgNoFile(e))
		return false
	}
	if !pgReserve(fd, n) {
		pgAbandon(fd)
		pgStop(pgStopNoDisk)
		return false
	}
	closefd(int32(fd))
	l.files++
	l.off, l.size = 0, n
	return true
}

// pgOpenLog opens a file of the log to write to it, past the page cache where the file system can.
func pgOpenLog(i uint64) (fd, errno uintptr) {
	const flags = 1 | 0o2000000 // O_WRONLY|O_CLOEXEC
	l := &presageLog
	if !l.buffered {
		fd, errno = pgOpen(i, pgLogSuffix, flags|pgDirect)
		if errno != pgEINVAL {
			return fd, errno
		}
		l.buffered = true
	}
	return pgOpen(i, pgLogSuffix, flags)
}

// pgPwrite writes n bytes at p to the place off of fd.
func pgPwrite(fd, p, n, off uintptr) bool {
	for n > 0 {
		w, _, e := pgsys.Syscall6(pgSysPwrite, fd, p, n, off, 0, 0)
		if e == pgEINTR {
			continue
		}
		if e != 0 || w == 0 {
			return false
		}
		p, off, n = p+w, off+w, n-w
	}
	return true
}

// pgPopulate has the kernel make n bytes at p ready to be written, all at once; older kernels
// cannot.
func pgPopulate(p, n uintptr) {
	pgsys.Syscall6(pgSysMadvise, p, n, 23 /* MADV_POPULATE_WRITE */, 0, 0, 0)
}

// pgBeyond reports whether files may not have n bytes. To write beyond that limit is a signal.
func pgBeyond(n uintptr) bool {
	var limit [2]uint64
	_, _, e := pgsys.Syscall6(pgSysGetrlimit, 1 /* RLIMIT_FSIZE */, uintptr(unsafe.Pointer(&limit)), 0, 0, 0, 0)
	return e == 0 && uint64(n) > limit[0]
}

// pgReserve gives the file fd n bytes of zeros on the disk.
func pgReserve(fd, n uintptr) bool {
	if pgBeyond(n) {
		return false
	}
	_, _, e := pgsys.Syscall6(pgSysFallocate, fd, 0, 0, n, 0, 0)
	if e != pgENOSYS && e != pgEOPNOTSUP {
		return e == 0
	}
	for off := uintptr(0); off < n; off += uintptr(len(pgZeroPage)) {
		w, _, e := pgsys.Syscall6(pgSysPwrite, fd, uintptr(unsafe.Pointer(&pgZeroPage)), uintptr(len(pgZeroPage)), off, 0, 0)
		if e != 0 || w != uintptr(len(pgZeroPage)) {
			return false
		}
	}
	return true
}

func pgMapScratch(n uintptr) uintptr {
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
	if err != 0 {
		throw("presage: no memory")
	}
	return uintptr(p)
}

// pgReturn2 returns where the function returns to that has called PresageEnter, which has called
// direct, which calls pgReturn2: three frame pointers up, and the word above the fourth.
//
//go:noinline
func pgReturn2() uintptr {
	fp := getfp()
	for range 3 {
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return *(*uintptr)(unsafe.Pointer(fp + 8))
}
