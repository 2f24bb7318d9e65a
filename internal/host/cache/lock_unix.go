//go:build unix

package cache

import (
	"os"
	"syscall"
)

// lock takes a lock on a file, in place of one that is held. If it does not wait, it fails where
// others hold one.
func lock(f *os.File, exclusive, wait bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(f.Fd()), how)
}
