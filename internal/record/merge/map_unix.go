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

// discard gives pages of a mapping back to the system. A later use reads them from the file again.
func discard(b []byte) { unix.Madvise(b, unix.MADV_DONTNEED) }
