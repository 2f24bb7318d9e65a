package merge

import (
	"io"
	"os"
)

// mapped reads the first size bytes of a file.
func mapped(f *os.File, size int64) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(f, b)
	return b, err
}

// unmap leaves the bytes to the garbage collector.
func unmap([]byte) {}

// discard does nothing: the pages are not mapped, and could not be read again.
func discard([]byte) {}
