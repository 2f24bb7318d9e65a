package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"presage/internal/merge"
)

// merge makes a trace of what each process left (4). A process that left nothing
// readable is a warning of the others, not an error.
func (c *Config) merge(b *build, rawDir string, r *Result) error {
	processes, err := os.ReadDir(rawDir)
	if err != nil {
		return fmt.Errorf("reading the recording: %w", err)
	}
	slices.SortFunc(processes, func(a, b os.DirEntry) int { return number(a.Name()) - number(b.Name()) })
	c.Progress("ordering the events")
	var errs []error
	for _, p := range processes {
		name := filepath.Join(r.Dir, fmt.Sprintf("%s.trace", p.Name()))
		meta := *b.Meta
		meta.Warnings = slices.Clone(b.Meta.Warnings)
		stats, err := merge.File(filepath.Join(rawDir, p.Name()), name, &meta)
		if err != nil {
			errs = append(errs, fmt.Errorf("the recording of process %s: %w", p.Name(), err))
		}
		if stats.Events == 0 {
			os.Remove(name)
			continue
		}
		r.Traces = append(r.Traces, name)
	}
	return errors.Join(errs...)
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
