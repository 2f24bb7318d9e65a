//go:build unix

package record

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether the process that made the run with this name still exists.
func alive(run string) bool {
	pid, err := strconv.Atoi(run[strings.LastIndexByte(run, '-')+1:])
	return err == nil && syscall.Kill(pid, 0) != syscall.ESRCH
}

// lockDir keeps other presage processes out of a build directory.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
