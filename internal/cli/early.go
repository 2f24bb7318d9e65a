package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/presage-race/presage/internal/host/beside"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/trace"
)

// early searches traces while the tests still run. The report takes the results when it comes to
// the trace in its order, so it is the same as if the search had begun then. A nil one searches
// nothing.
type early struct {
	all    *searches // prepares searches; those that report are made when the tests are over
	memory *memory
	line   string // what a line about a race begins with
	show   func(line string)
	shown  map[string]bool

	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	list map[string]*search // by trace
	last *search            // that has begun
	over bool               // the tests are

	names sync.RWMutex // held while traces get other names
}

// maxEarly is the number of races that are named while the tests run.
const maxEarly = 20

// newEarly returns nil where traces cannot be searched one by one, or not at all.
func newEarly(ctx context.Context, env *Env, o options, show func(line string)) *early {
	if o.level == levelNone || o.static != "" {
		return nil
	}
	e := &early{line: "found so far", show: show, shown: make(map[string]bool), list: make(map[string]*search)}
	if o.confirm > 0 {
		e.line += ", not replayed yet"
	}
	e.all = newAnalysis(env, o, newProgress(io.Discard, true)).searches()
	e.ctx, e.cancel = context.WithCancel(ctx)
	return e
}

// search searches a trace. Package record calls it, for one after the other, on a goroutine of
// package beside.
func (e *early) search(t record.EarlyTrace) {
	if e == nil {
		return
	}
	if e.memory == nil {
		e.memory = newMemory(e.all.options.memory)
	}
	if !e.memory.room() {
		return
	}
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	s := &search{name: t.Name, done: make(chan struct{}), early: e}
	e.mu.Lock()
	e.list[t.Name], e.last = s, s
	e.mu.Unlock()
	defer close(s.done)
	e.all.load.plan = t.Plan
	e.all.prepare(ctx, s)
	if s.err != nil {
		return
	}
	s.opt.Go, s.opt.Over = beside.Go, func() predict.Why { return e.why(s, cancel) }
	s.opt.Found = func() { e.foundSome(s) }
	s.opt.Progress = func(n int64, _ int) {
		s.read.Store(n)
		if step := s.step.Load(); step != nil {
			(*step)()
		}
	}
	s.run(ctx, nil)
	if s.readErr == nil {
		s.readErr, s.sure = predict.Confirm(s.opener(), s.meta, s.res), true
		e.print(s)
	}
}

// why says whether the search has to end: as for all others, once the report has come to it; before
// that, it is given up where it takes memory that the tests may need.
func (e *early) why(s *search, cancel func()) predict.Why {
	e.mu.Lock()
	s.void = s.void || s.over == nil && !e.memory.room()
	over, void := s.over, s.void
	e.mu.Unlock()
	switch {
	case void:
		cancel()
		return predict.Full
	case over != nil:
		return over()
	}
	return ""
}

// foundSome notes that the trace has a race to replay. The build begins when the report reaches the
// trace.
func (e *early) foundSome(s *search) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.found = true; s.want != nil {
		s.want()
	}
}

// print prints the races of a search while the tests run.
func (e *early) print(s *search) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range s.res.Races {
		line := fmt.Sprintf("%s: %s and %s", e.line, shortPosition(s.meta, r.A.Site), shortPosition(s.meta, r.B.Site))
		if e.over || e.shown[line] || len(e.shown) > maxEarly {
			continue
		}
		if e.shown[line] = true; len(e.shown) > maxEarly {
			line = "more races were found so far; the report has them"
		}
		e.show(line)
	}
}

// shortPosition is where a site is, as the report has it.
func shortPosition(meta *trace.Meta, at trace.Site) string {
	i := meta.SiteInfo(at)
	if i.File < 0 || int(i.File) >= len(meta.Files) || i.Line == 0 {
		return "code without a position"
	}
	name := meta.Files[i.File].Name
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(name) {
		if rel, err := filepath.Rel(wd, name); err == nil && !strings.HasPrefix(rel, "..") {
			name = rel
		}
	}
	return fmt.Sprintf("%s:%d", name, i.Line)
}

// testsOver notes that the tests are over.
func (e *early) testsOver() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
}

// settle leaves the searches of traces that stand, and has them follow the traces to where move,
// which may be the same, puts them.
func (e *early) settle(rec *record.Result, move func() ([]string, error)) ([]string, error) {
	if e == nil {
		return move()
	}
	e.names.Lock()
	defer e.names.Unlock()
	files, err := move()
	if err != nil {
		files = rec.Traces
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make(map[string]*search)
	for i, name := range rec.Traces {
		if s := e.list[name]; s != nil && slices.Contains(rec.Early, name) {
			s.name = files[i]
			list[s.name] = s
			delete(e.list, name)
		}
	}
	for _, s := range e.list { // their traces were made anew
		s.void = true
	}
	e.list = list
	return files, err
}

// of is the search of a trace, nil if it has to be made. From now on over says whether it has to
// end, and b builds what is to be replayed.
func (e *early) of(name string, over func() predict.Why, b *builder) *search {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.list[name]
	if s == nil || s.void || s.ended() && !s.whole() {
		return nil
	}
	s.over, s.want = over, func() {
		b.want(wanted{name, s.source.Meta(), s.plan})
	}
	if s.found {
		s.want()
	}
	return s
}

// whole reports whether there is a whole search of a trace.
func (e *early) whole(name string) bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.list[name]
	return s != nil && !s.void && s.whole()
}

// busy is the number of running searches whose trace the report has not reached: one at most.
func (e *early) busy() (n int) {
	if e == nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.list {
		if s.over == nil && !s.ended() {
			n++
		}
	}
	return n
}

// end ends the running search, if the report has not waited for it.
func (e *early) end() {
	if e == nil {
		return
	}
	e.testsOver()
	e.cancel()
	e.mu.Lock()
	last := e.last
	e.mu.Unlock()
	if last != nil {
		<-last.done
	}
}
