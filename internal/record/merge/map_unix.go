//go:build unix

package merge

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapped maps the first size bytes of a file.
func mapped(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
}

// unmap ends a mapping.
func unmap(b []byte) { unix.Munmap(b) }

// discard lets the system have back the pages of a part of a mapping. They are read again if they
// are used.
func discard(b []byte) { unix.Madvise(b, unix.MADV_DONTNEED) }
