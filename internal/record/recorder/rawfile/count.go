package rawfile

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/presage-race/presage/internal/trace/format"
)

// Count returns the number of records in dir, including those after a stop (RF2). It holds one
// file at a time, where Read holds them all.
func Count(dir string) (records int64, err error) {
	boxes := map[[2]uint32]bool{}
	count := func(pattern string, chunksOf func([]uint64) ([]chunk, error)) error {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				return fmt.Errorf("counting raw records: %w", err)
			}
			chunks, err := chunksOf(words(b))
			if err != nil {
				return fmt.Errorf("counting raw records %s: %w", name, err)
			}
			for _, c := range chunks {
				records += c.count()
			}
		}
		return nil
	}
	segment := func(w []uint64) ([]chunk, error) {
		chunks, err := new(Process).segment(w)
		for _, c := range chunks {
			boxes[[2]uint32{c.stream, c.seq}] = true
		}
		return chunks, err
	}
	if err := count("*.seg", segment); err != nil { // first: its boxes replace their copies (RF1)
		return 0, err
	}
	err = count("*.log", func(w []uint64) ([]chunk, error) { return logged(w, boxes) })
	return records, err
}

// count returns the number of records of c, without the headers of chunks.
func (c *chunk) count() (n int64) {
	for w := c.records; len(w) > 0; n++ {
		k, _ := format.RawLen(w[0])
		w = w[k:]
	}
	return n
}
