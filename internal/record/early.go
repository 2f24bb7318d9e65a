package record

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/presage-race/presage/internal/host/beside"
	"github.com/presage-race/presage/internal/record/merge"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// An EarlyTrace is the trace of a process that has ended while others run.
type EarlyTrace struct {
	Name string // as in Result.Traces

	// Plan loads the plan that the program was built with.
	Plan func(context.Context) (*plan.Plan, error)
}

// EnvEarly turns off what is done while the tests run, when its value is off.
const EnvEarly = "PRESAGE_EARLY"

// early merges processes while others run. A nil one does not.
type early struct {
	c      *Config
	b      *build
	raw    string  // directory of the records
	r      *Result // of the run: where traces go, and what loads the plan
	stop   chan struct{}
	ended  map[string]merge.Process // what processes that have ended said at last
	closed sync.Once

	mu    sync.Mutex
	over  bool              // nothing more is begun
	ahead map[string]*ahead // by process
	wide  func()            // ends the narrowing of package beside
}

// ahead is a process that is merged, or is being merged.
type ahead struct {
	head    merge.Process // what its trace rests on
	bytes   int64
	process *trace.Process // nil, or as families had it

	late   atomic.Pointer[func() bool] // says whether its time is over; nil: there is no limit yet
	merged chan struct{}               // closed when the following are set
	events int64
	failed bool // it is to be merged again
}

// earlyPause is the time between two looks at the records, and earlyAfter that before the first: to
// load the program again, for the walk of traces, takes a second or so that short tests would feel,
// without a gain.
const earlyPause, earlyAfter = 250 * time.Millisecond, 5 * time.Second

// watch begins to merge what has ended.
func (c *Config) watch(b *build, raw string, r *Result) *early {
	if c.Early == nil || !c.Test || os.Getenv(EnvEarly) == "off" {
		return nil
	}
	e := &early{c: c, b: b, raw: raw, r: r, stop: make(chan struct{}), ended: make(map[string]merge.Process), ahead: make(map[string]*ahead)}
	beside.Go(func() { e.work(cmp.Or(c.earlyAfter, earlyAfter)) })
	return e
}

// work is the one worker (RE4). It begins after a while.
func (e *early) work(pause time.Duration) {
	for {
		select {
		case <-e.stop:
			return
		case <-time.After(pause):
		}
		begun := time.Now()
		name, a := e.next()
		pause = max(earlyPause, 20*time.Since(begun)) // many processes take long to look at
		if a != nil {
			e.merge(name, a)
			pause = 0
		}
	}
}

// next is a process that has ended, nil if there is none, or nothing more is to be begun.
func (e *early) next() (name string, a *ahead) {
	processes, err := recorded(e.raw)
	if err != nil {
		return "", nil
	}
	heads := e.heads(processes)
	for _, p := range processes {
		h, ok := e.ended[p]
		if !ok || !h.Whole() || e.ahead[p] != nil {
			continue
		}
		a := &ahead{head: h, bytes: bytesIn(filepath.Join(e.raw, p)), process: familyOf(heads, p), merged: make(chan struct{})}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.over {
			return "", nil
		}
		if e.wide == nil {
			e.wide = beside.OneProcessor()
		}
		e.ahead[p] = a
		return p, a
	}
	return "", nil
}

// heads reads what the processes say of themselves, of those that have ended once.
func (e *early) heads(processes []string) map[uint64]merge.Process {
	heads := map[uint64]merge.Process{}
	for _, p := range processes {
		h, ok := e.ended[p]
		if !ok {
			if h, ok = merge.Head(filepath.Join(e.raw, p)); ok && h.Ended {
				e.ended[p] = h // (RE4)
			}
		}
		if ok {
			heads[h.PID] = h
		}
	}
	return heads
}

// merge merges a process and hands on its trace.
func (e *early) merge(p string, a *ahead) {
	name := traceName(e.r.Dir, p)
	stats, err := e.b.merge(filepath.Join(e.raw, p), name, a.process, func() bool {
		late := a.late.Load()
		return late != nil && *late != nil && (*late)()
	})
	a.events, a.failed = stats.Events, err != nil
	if a.failed || a.events == 0 {
		os.Remove(name)
	}
	close(a.merged)
	if a.failed || a.events == 0 {
		return
	}
	e.mu.Lock()
	over := e.over
	e.mu.Unlock()
	if !over {
		e.c.Early(EarlyTrace{Name: name, Plan: e.r.Plan})
	}
}

// end is called when the program has ended: nothing more is begun.
func (e *early) end() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	if e.wide != nil {
		e.wide()
	}
	e.closed.Do(func() { close(e.stop) })
}

// drop removes what was merged and will not be taken.
func (e *early) drop() {
	if e == nil {
		return
	}
	e.end()
	now := func() bool { return true }
	for p, a := range e.ahead {
		a.late.Store(&now)
		<-a.merged
		os.Remove(traceName(e.r.Dir, p))
	}
}

// of is what was begun of a process; nil: nothing.
func (e *early) of(p string) *ahead {
	if e == nil {
		return nil
	}
	return e.ahead[p]
}

// done reports whether the process was merged.
func (a *ahead) done() bool {
	if a == nil {
		return false
	}
	select {
	case <-a.merged:
		return true
	default:
		return false
	}
}

// take waits for the trace of a process, within the time that late says, and reports whether it
// stands (RE4).
func (a *ahead) take(late func() bool, raw string, family *trace.Process) bool {
	if a == nil {
		return false
	}
	a.late.Store(&late)
	<-a.merged
	h, ok := merge.Head(raw)
	return ok && !a.failed && h == a.head && bytesIn(raw) == a.bytes && sameFamily(family, a.process)
}

// sameFamily compares what families says.
func sameFamily(a, b *trace.Process) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Child == b.Child && a.Nth == b.Nth
}

// recorded are the processes that have left records, by number.
func recorded(raw string) ([]string, error) {
	entries, err := os.ReadDir(raw)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() { // else it is the limit
			all = append(all, e.Name())
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return number(a) - number(b) })
	return all, nil
}
