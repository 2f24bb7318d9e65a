package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"presage/internal/merge"
	"presage/internal/trace"
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
		n, err := mergeOne(filepath.Join(rawDir, p.Name()), name, *b.Meta)
		if err != nil {
			errs = append(errs, fmt.Errorf("the recording of process %s: %w", p.Name(), err))
		}
		if n == 0 {
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

// mergeOne returns the number of events written to the file name.
func mergeOne(dir, name string, meta trace.Meta) (n int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	err = merge.Merge(dir, &meta, f)
	err = errors.Join(err, f.Close())
	if t, openErr := trace.Open(name); openErr == nil {
		n = t.Events()
		err = errors.Join(err, t.Close())
	}
	return n, err
}
