package recorder

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/presage-race/presage/internal/trace/format"
)

// SetLimit bounds what all processes that record to dir take on the disk (RC2). It is for the
// directory of EnvDir, before the run.
func SetLimit(dir string, bytes int64) error {
	page := make([]byte, 8*format.LimitWords)
	binary.LittleEndian.PutUint64(page[8*format.LimitMost:], uint64(bytes))
	if err := os.WriteFile(filepath.Join(dir, format.LimitFile), page, 0o600); err != nil {
		return fmt.Errorf("setting the limit of the recording: %w", err)
	}
	return nil
}

// Unrecorded is how many processes of a run, for one reason, could not even begin to record.
type Unrecorded struct {
	Reason format.StopReason
	N      int
	Limit  int64 // of the run
}

// ReadUnrecorded reads them from the directory of a run that has a limit.
func ReadUnrecorded(dir string) (all []Unrecorded, err error) {
	page, err := os.ReadFile(filepath.Join(dir, format.LimitFile))
	if err != nil {
		return nil, fmt.Errorf("reading the limit of the recording: %w", err)
	}
	for r := format.StopNoFile; r <= format.StopLimit; r++ {
		if n := binary.LittleEndian.Uint64(page[8*(format.LimitUnrecorded+r):]); n > 0 {
			all = append(all, Unrecorded{r, int(n), int64(binary.LittleEndian.Uint64(page[8*format.LimitMost:]))})
		}
	}
	return all, nil
}
