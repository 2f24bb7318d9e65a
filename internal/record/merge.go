package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/record/merge"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace"
)

// ordering is Ordering, once the program has ended.
func (c *Config) ordering(ran time.Duration) (over func(size, rest int64) func() bool) {
	if c.Ordering == nil {
		return func(int64, int64) func() bool { return nil }
	}
	return c.Ordering(ran)
}

// merge makes a trace of what each process left, but of those that e has merged. A process that
// left nothing readable is a warning of the others, not an error. over is as Config.Ordering
// returns it.
func (c *Config) merge(b *build, rawDir string, r *Result, e *early, over func(size, rest int64) func() bool) error {
	processes, err := recorded(rawDir)
	if err != nil {
		return fmt.Errorf("reading the recording: %w", err)
	}
	families := families(rawDir, processes)
	var errs []error
	sizes := make([]int64, len(processes))
	rest := int64(0)
	for i, p := range processes {
		if !e.of(p).done() {
			sizes[i] = bytesIn(filepath.Join(rawDir, p))
			rest += sizes[i]
		}
	}
	c.Progress(fmt.Sprintf("ordering the events: %s of records", disk.Size(rest)))
	events := make([]int64, len(processes))
	stands := make([]bool, len(processes))
	one := func(i int, p string, a *ahead) {
		raw, name := filepath.Join(rawDir, p), traceName(r.Dir, p)
		if a.take(over(sizes[i], rest), raw, families[p]) {
			events[i], stands[i] = a.events, true
		} else {
			if a != nil {
				os.Remove(name) // a search may read it still
				rest += bytesIn(raw) - sizes[i]
				sizes[i] = bytesIn(raw)
			}
			stats, err := b.merge(raw, name, families[p], over(sizes[i], rest))
			if err != nil {
				errs = append(errs, disk.Explain(fmt.Errorf("the recording of process %s: %w", p, err)))
			}
			events[i] = stats.Events
		}
		rest -= sizes[i]
	}
	var last []int
	for i, p := range processes {
		if a := e.of(p); a != nil && !a.done() {
			last = append(last, i) // it is being merged meanwhile
		} else {
			one(i, p, a)
		}
	}
	for _, i := range last {
		one(i, processes[i], e.of(processes[i]))
	}
	for i, p := range processes {
		switch name := traceName(r.Dir, p); {
		case events[i] == 0:
			os.Remove(name)
		case stands[i]:
			r.Early = append(r.Early, name)
			fallthrough
		default:
			r.Traces = append(r.Traces, name)
		}
	}
	return errors.Join(append(errs, r.warnUnrecorded(rawDir), r.warnUncounted(rawDir))...)
}

// traceName is the file of the trace of a process.
func traceName(dir, process string) string { return filepath.Join(dir, process+".trace") }

// merge makes the trace of one process.
func (b *build) merge(raw, name string, family *trace.Process, over func() bool) (merge.Stats, error) {
	meta := *b.Meta
	meta.Warnings = slices.Clone(b.Meta.Warnings)
	if family != nil {
		own := *family // which the merge fills in
		meta.Process = &own
	}
	return merge.File(raw, name, &meta, merge.Options{Full: audited(), Variables: b.Variables, Over: over})
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
	list, err := recorder.ReadUnrecorded(rawDir)
	for _, u := range list {
		r.Warnings = append(r.Warnings, trace.Warning{Code: "recording-stopped", Count: u.N,
			Text: "{{n}} process{{|es}} ran without being recorded at all: " + merge.WhyStopped(u.Reason, u.Limit, rawDir)})
	}
	return err
}

// families finds out which processes were started by others, and which ones they are among those
// with the same arguments.
func families(rawDir string, processes []string) map[string]*trace.Process {
	heads := map[uint64]merge.Process{}
	for _, p := range processes {
		if h, ok := merge.Head(filepath.Join(rawDir, p)); ok {
			heads[h.PID] = h
		}
	}
	out := map[string]*trace.Process{}
	for _, p := range processes {
		if q := familyOf(heads, p); q != nil {
			out[p] = q
		}
	}
	return out
}

// familyOf is families for one process; nil: no recorded process started it.
func familyOf(heads map[uint64]merge.Process, p string) *trace.Process {
	h, ok := heads[uint64(number(p))]
	_, child := heads[h.Parent]
	if !ok || !child {
		return nil
	}
	q := &trace.Process{Child: true}
	for _, o := range heads {
		if _, child := heads[o.Parent]; child && o.Args == h.Args && o.Unix < h.Unix {
			q.Nth++
		}
	}
	return q
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
