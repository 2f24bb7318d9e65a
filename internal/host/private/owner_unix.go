//go:build unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// modes: the mode of a file shows which users can write it.
const modes = true

// foreign returns an Unsafe if another user can change a file or directory.
func foreign(name string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(st.Uid) != os.Geteuid():
		return &Unsafe{name, fmt.Sprintf("user %d owns it, and presage runs as user %d", st.Uid, os.Geteuid()), "set PRESAGE_CACHE to a directory of your own"}
	case info.Mode()&0o022 != 0:
		return &Unsafe{name, fmt.Sprintf("others than you can write it (mode %04o)", info.Mode().Perm()), "remove it, or if you know that nobody else has changed it: chmod -R go-w " + name}
	}
	return nil
}
