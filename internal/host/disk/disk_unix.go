//go:build unix

package disk

import "golang.org/x/sys/unix"

// full are the errors of the system that mean that a disk has no room.
var full = []unix.Errno{unix.ENOSPC, unix.EDQUOT}

// free returns how many bytes the user may still write to the disk that a directory is on.
func free(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// device is the number of the device that a directory is on, 0 if it cannot be read.
func device(dir string) uint64 {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return 0
	}
	return uint64(st.Dev)
}
