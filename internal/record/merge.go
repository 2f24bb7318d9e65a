package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"presage/internal/disk"
	"presage/internal/merge"
	"presage/internal/rt"
	"presage/internal/trace"
)

// merge makes a trace of what each process left (4). A process that left nothing
// readable is a warning of the others, not an error.
func (c *Config) merge(b *build, rawDir string, r *Result) error {
	processes, err := os.ReadDir(rawDir)
	if err != nil {
		return fmt.Errorf("reading the recording: %w", err)
	}
	processes = slices.DeleteFunc(processes, func(p os.DirEntry) bool { return !p.IsDir() }) // the limit
	slices.SortFunc(processes, func(a, b os.DirEntry) int { return number(a.Name()) - number(b.Name()) })
	families := families(rawDir, processes)
	c.Progress("ordering the events")
	var errs []error
	for _, p := range processes {
		name := filepath.Join(r.Dir, fmt.Sprintf("%s.trace", p.Name()))
		meta := *b.Meta
		meta.Warnings = slices.Clone(b.Meta.Warnings)
		meta.Process = families[p.Name()]
		stats, err := merge.File(filepath.Join(rawDir, p.Name()), name, &meta, audited())
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
