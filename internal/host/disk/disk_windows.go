package disk

import "golang.org/x/sys/windows"

// full are the errors of the system that mean that a disk has no room.
var full = []windows.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}

// free returns how many bytes the user may still write to the disk that a directory is on.
func free(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var n uint64
	err = windows.GetDiskFreeSpaceEx(name, &n, nil, nil)
	return int64(n), err
}

// device is not known: a volume ends at its root.
func device(string) uint64 { return 0 }
