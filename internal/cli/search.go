package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"presage/internal/analyse"
	"presage/internal/barrier"
	"presage/internal/plan"
	"presage/internal/program"
	"presage/internal/report"
	"presage/internal/stage"
	"presage/internal/trace"
	"presage/internal/trace/source"
)

// A search is the first pass over a trace, which finds the races. Searches of several traces run
// side by side, as many as there are processors and memory for. What they have found is taken in
// the order of the traces, so that the report does not depend on how many run at once.
type search struct {
	name     string
	err      error // the trace could not be opened
	source   *source.File
	opt      analyse.Options
	plan     *plan.Plan // nil: the trace is not walked
	walker   *program.Walker
	unwalked error // why it is not, if it should be
	events   int64 // of the trace, 0: not known
	read     atomic.Int64

	cut bool // interrupted before it began

	done    chan struct{} // closed when the following are set
	res     *analyse.Result
	readErr error
}

// traces takes all traces through the analysis. It returns what went wrong with single ones.
func (a *analysis) traces(ctx context.Context) (unread []error) {
	a.sizes = sizesOf(a.files)
	var begun []*search
	for i, name := range a.files {
		alone := a.fly.engine != "" || a.options.level == levelNone // one after the other
		for !alone && ctx.Err() == nil && len(begun) < len(a.files) && (len(begun) == i || len(begun) < i+a.workers() && a.memory.room()) {
			begun = append(begun, a.begin(ctx, len(begun), begun[i:]))
		}
		var err error
		switch {
		case i < len(begun): // (I1)
			err = a.end(ctx, begun[i])
			begun[i] = nil // its memory
		case ctx.Err() != nil:
			err = a.leave(name)
		case a.fly.engine != "":
			err = a.detect(ctx, name)
		default:
			err = a.tallyFile(name)
		}
		if err != nil {
			unread = append(unread, err)
		}
	}
	a.interrupted()
	return unread
}

// sizesOf are the sizes of files, 1 where they are not known.
func sizesOf(files []string) (sizes []int64) {
	for _, name := range files {
		size := int64(1)
		if st, err := os.Stat(name); err == nil {
			size = max(size, st.Size())
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// workers is the number of searches that may run side by side. A solver is one process, and the
// static lens counts what all traces have.
func (a *analysis) workers() int {
	if a.smt != nil || a.static != nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// begin begins the search of a trace. beside are those that are under way.
func (a *analysis) begin(ctx context.Context, i int, beside []*search) *search {
	s := &search{name: a.files[i], done: make(chan struct{})}
	a.prepare(ctx, s)
	if s.cut = ctx.Err() != nil; s.err != nil || s.cut {
		close(s.done)
		return s
	}
	s.opt.Over = a.over(i)
	text := "analysing"
	all := append(slices.Clone(beside), s)
	if len(a.files) > 1 {
		if text += " " + filepath.Base(s.name); len(beside) > 0 {
			text = fmt.Sprintf("analysing %d traces at once", len(all))
		}
	}
	s.opt.Progress = func(n int64, _ int) {
		s.read.Store(n)
		m := report.Progress{Text: text}
		for _, one := range all {
			m.Done, m.Total = m.Done+one.read.Load(), m.Total+one.events
		}
		a.progress.step(m)
	}
	go func() {
		defer close(s.done)
		src := a.static.notes(s.source)
		s.res, s.readErr = analyse.Run(ctx, src, s.source.Meta(), s.opt)
		s.read.Store(s.events)
		a.static.rest(ctx, src)
	}()
	return s
}

// prepare opens the trace of a search, and loads the program that it is of.
func (a *analysis) prepare(ctx context.Context, s *search) {
	a.progress.stages.Begin(stageAnalyse)
	if s.source, s.err = openTrace(s.name); s.err != nil {
		return
	}
	meta := s.source.Meta()
	s.opt = analyse.Options{Level: levels[a.options.level], Window: a.options.window, Conflicts: a.options.budget, Effort: a.options.effort,
		Missing: missings[a.options.missing], Open: opener(s.name), Parts: &stage.Parts{}}
	if a.explain != nil {
		s.opt.Explain = a.explain(meta)
	}
	if a.smt != nil {
		s.opt.Solver = a.smt.forWindow
	}
	if s.source.Trace != nil {
		s.events = s.source.Trace.Events()
	}
	if s.source.Format != source.Trace || meta.Source != "presage" || s.opt.Level == analyse.HB {
		return
	}
	a.progress.stages.Begin(stagePlan)
	defer a.progress.stages.Begin(stageAnalyse)
	p, err := a.load(ctx, s.name, meta)
	if err != nil {
		s.unwalked = err
		return
	}
	s.plan = p
	s.opt.Found = func() { a.builder.want(wanted{s.name, meta, p}) } // (T8)
	switch s.opt.Level {
	case analyse.Value:
		s.walker = program.NewSymbolic(p)
	case analyse.Paths:
		if s.walker = program.NewBranching(p); s.opt.Missing != barrier.Ignore {
			s.walker.MindMissing()
		}
	default:
		s.walker = program.New(p)
	}
	s.walker.Read(meta.Texts)
	s.opt.Walker = s.walker
}

// over returns what says whether the time or the memory for prediction on a trace is over (T3, T6).
func (a *analysis) over(i int) func() analyse.Why {
	late := a.late(i)
	return func() analyse.Why {
		switch {
		case late():
			return analyse.Late
		case a.memory.full():
			return analyse.Full
		}
		return ""
	}
}

// late returns what says whether the time for prediction on a trace is over (T3).
func (a *analysis) late(i int) func() bool {
	rest, size := int64(0), a.sizes[i]*int64(a.workers())
	for _, n := range a.sizes[i:] {
		rest += n
	}
	if a.options.confirm == confirmRest {
		return a.budget.share(2, 3, size, rest)
	}
	return a.budget.share(1, 1, size, rest)
}

// wait waits for the end of a search, and closes its trace. What is wrong with the trace is
// returned, but for an interrupt.
func (s *search) wait() error {
	<-s.done
	if s.err != nil {
		return s.err
	}
	if canceled(s.readErr) {
		s.cut, s.readErr = true, nil
	}
	return errors.Join(s.readErr, s.source.Close())
}

// find makes a search of one trace alone. To be interrupted is an error.
func (a *analysis) find(ctx context.Context, name string) (*search, error) {
	a.files, a.sizes = []string{name}, []int64{1}
	s := a.begin(ctx, 0, nil)
	err := s.wait()
	a.tell(s)
	return s, errors.Join(err, ctx.Err())
}

// end takes what a search has found: a second pass finds what stands at the events of its races (T5). Of
// a damaged trace, what can be read is analysed, and the error returned.
func (a *analysis) end(ctx context.Context, s *search) error {
	err := s.wait()
	if s.err != nil {
		a.failed = true
		return err
	}
	if s.cut && s.res == nil {
		return errors.Join(err, a.leave(s.name))
	}
	a.tell(s)
	if s.res == nil {
		return err
	}
	if err != nil {
		a.failed = true
		a.warn(report.Warning{Code: "trace-damaged", Count: 1, Text: fmt.Sprintf("%v; what stands before was analysed", err)})
	}
	meta := s.source.Meta()
	a.progress.stages.Begin(stageConfirm)
	err = errors.Join(err, a.confirm(s.name, meta, s.res))
	a.progress.stages.Begin(stageLocate)
	a.count(meta, s.res)
	if s.cut {
		a.left()
		a.summary.Events += max(0, s.events-s.res.Counts.Events) // (I2)
	}
	a.static.unordered(s.res)
	err = errors.Join(err, a.locate(s.name, meta, s.res))
	a.progress.stages.Begin(stageAnalyse)
	return err
}

// tell notes what a search says besides its races.
func (a *analysis) tell(s *search) {
	if s.err != nil {
		return
	}
	a.progress.stages.Split(stageAnalyse, s.opt.Parts)
	if err := s.unwalked; err != nil && !canceled(err) {
		a.warn(report.Warning{Code: "not-walked", Count: 1, Text: fmt.Sprintf("the source is not at hand as it was recorded, so every read keeps its value: %v", err)})
	}
	a.shape = nil
	if p := s.plan; p != nil {
		a.shape = func(at trace.Site) string { return program.ShapeAt(p, at) }
	}
	if s.walker != nil {
		a.warnWalk(s.walker)
		if s.opt.Level == analyse.Paths && s.res != nil {
			a.countPaths(s.res, s.walker.Stats().ForksLeft)
		}
	}
	a.warnSolver()
}
