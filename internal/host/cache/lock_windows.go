package cache

import (
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a lock on a file, in place of one that is held. If it does not wait, it fails where
// others hold one.
func lock(f *os.File, exclusive, wait bool) error {
	var flags uint32
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	h, all := windows.Handle(f.Fd()), uint32(math.MaxUint32)
	windows.UnlockFileEx(h, 0, all, all, new(windows.Overlapped)) // fails where none is held
	return windows.LockFileEx(h, flags, 0, all, all, new(windows.Overlapped))
}
