package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"presage/internal/disk"
	"presage/internal/merge"
	"presage/internal/rt"
	"presage/internal/trace"
)

// ordering is Ordering, once the program has ended.
func (c *Config) ordering(ran time.Duration) (over func(size, rest int64) func() bool) {
	if c.Ordering == nil {
		return func(int64, int64) func() bool { return nil }
	}
	return c.Ordering(ran)
}

// merge makes a trace of what each process left (4). A process that left nothing
// readable is a warning of the others, not an error. over is as Config.Ordering returns it.
func (c *Config) merge(b *build, rawDir string, r *Result, over func(size, rest int64) func() bool) error {
	processes, err := os.ReadDir(rawDir)
	if err != nil {
		return fmt.Errorf("reading the recording: %w", err)
	}
	processes = slices.DeleteFunc(processes, func(p os.DirEntry) bool { return !p.IsDir() }) // the limit
	slices.SortFunc(processes, func(a, b os.DirEntry) int { return number(a.Name()) - number(b.Name()) })
	families := families(rawDir, processes)
	var errs []error
	sizes := make([]int64, len(processes))
	rest := int64(0)
	for i, p := range processes {
		sizes[i] = bytesIn(filepath.Join(rawDir, p.Name()))
		rest += sizes[i]
	}
	c.Progress(fmt.Sprintf("ordering the events: %s of records", disk.Size(rest)))
	for i, p := range processes {
		name := filepath.Join(r.Dir, fmt.Sprintf("%s.trace", p.Name()))
		meta := *b.Meta
		meta.Warnings = slices.Clone(b.Meta.Warnings)
		meta.Process = families[p.Name()]
		stats, err := merge.File(filepath.Join(rawDir, p.Name()), name, &meta, merge.Options{Full: audited(), Over: over(sizes[i], rest)})
		rest -= sizes[i]
		if err != nil {
			errs = append(errs, disk.Explain(fmt.Errorf("the recording of process %s: %w", p.Name(), err)))
		}
		if stats.Events == 0 {
			os.Remove(name)
			continue
		}
		r.Traces = append(r.Traces, name)
	}
	return errors.Join(append(errs, r.warnUnrecorded(rawDir), r.warnUncounted(rawDir))...)
}

// bytesIn is the size of the files in a directory.
func bytesIn(dir string) (n int64) {
	list, _ := os.ReadDir(dir) // what cannot be read is said where it is merged
	for _, e := range list {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// warnUnrecorded counts the processes that left nothing, because they could not begin to record.
func (r *Result) warnUnrecorded(rawDir string) error {
	list, err := rt.ReadUnrecorded(rawDir)
	for _, u := range list {
		r.Warnings = append(r.Warnings, trace.Warning{Code: "recording-stopped", Count: u.N,
			Text: "processes ran without being recorded at all: " + merge.WhyStopped(u.Reason, u.Limit, rawDir)})
	}
	return err
}

// families finds out which processes were started by others, and which ones they are among those with the same arguments.
func families(rawDir string, processes []os.DirEntry) map[string]*trace.Process {
	heads := map[uint64]merge.Process{}
	for _, p := range processes {
		if h, ok := merge.Head(filepath.Join(rawDir, p.Name())); ok {
			heads[h.PID] = h
		}
	}
	out := map[string]*trace.Process{}
	for _, p := range processes {
		h, ok := heads[uint64(number(p.Name()))]
		_, child := heads[h.Parent]
		if !ok || !child {
			continue
		}
		q := &trace.Process{Child: true}
		for _, o := range heads {
			if _, child := heads[o.Parent]; child && o.Args == h.Args && o.Unix < h.Unix {
				q.Nth++
			}
		}
		out[p.Name()] = q
	}
	return out
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
