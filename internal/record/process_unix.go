//go:build unix

package record

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether the process that made the run with this name still exists. Only of a run without a lock, which an earlier presage made, it is asked.
func alive(run string) bool {
	pid, err := strconv.Atoi(run[strings.LastIndexByte(run, '-')+1:])
	return err == nil && syscall.Kill(pid, 0) != syscall.ESRCH
}

// dirLock is a lock on a directory of the cache: shared by those who use what is in
// it, exclusive for those who write or remove it.
type dirLock struct{ f *os.File }

// lockDir takes the shared lock of a directory.
func lockDir(dir string) (*dirLock, error) {
	f, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	l := &dirLock{f}
	if err := l.shared(); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func (l *dirLock) shared() error    { return syscall.Flock(int(l.f.Fd()), syscall.LOCK_SH) }
func (l *dirLock) exclusive() error { return syscall.Flock(int(l.f.Fd()), syscall.LOCK_EX) }

// alone takes the exclusive lock if nobody else has any.
func (l *dirLock) alone() bool {
	return syscall.Flock(int(l.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// trySharing takes the shared lock if nobody has the exclusive one.
func (l *dirLock) trySharing() bool {
	return syscall.Flock(int(l.f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil
}

func (l *dirLock) release() { l.f.Close() }
