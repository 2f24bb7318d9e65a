package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// A search is the first pass over a trace, which finds the races. Searches of several traces run
// side by side, as many as there are processors and memory for. What they have found is taken in
// the order of the traces, so that the report does not depend on how many run at once.
type search struct {
	name     string
	err      error // the trace could not be opened
	source   *source.File
	opt      predict.Options
	plan     *plan.Plan // nil: the trace is not walked
	walker   *walk.Walker
	unwalked error        // why it is not, if it should be
	events   atomic.Int64 // of the trace, 0: not known
	read     atomic.Int64

	early *early                 // that has begun it; nil: the tests were over
	step  atomic.Pointer[func()] // shows how far it is; nil: not yet
	void  bool                   // it was given up,
	over  func() predict.Why     // since the report has come to it,
	want  func()                 // then: something is to be replayed,
	found bool                   // and whether that is known (all by early.mu)

	cut bool // interrupted before it began

	done    chan struct{} // closed when the following are set
	res     *predict.Result
	readErr error
	sure    bool // pairs without a witness have been looked at
	meta    *trace.Meta
	walked  walk.Stats
	odd     []walk.Mismatch
}

// traces takes all traces through the analysis. It returns what went wrong with single ones.
func (a *analysis) traces(ctx context.Context) (unread []error) {
	a.sizes = sizesOf(a.files)
	for i, name := range a.files {
		if a.early.whole(name) {
			a.sizes[i] = 0 // what is left of the time is for the others
		}
	}
	var begun []*search
	for i, name := range a.files {
		alone := a.fly.engine != "" || a.options.level == levelNone // one after the other
		for !alone && ctx.Err() == nil && len(begun) < len(a.files) && (len(begun) == i || underWay(begun[i:])+a.early.busy() < a.workers() && a.memory.room()) {
			begun = append(begun, a.begin(ctx, len(begun), begun[i:]))
		}
		if !alone && len(begun) == i { // interrupted
			begun = append(begun, nil)
			if a.early.whole(name) {
				begun[i] = a.begin(ctx, i, nil)
			}
		}
		var err error
		switch {
		case i < len(begun) && begun[i] != nil: // (I1)
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

// underWay is the number of searches that somebody works on, or that have waited for their turn
// since the tests were over.
func underWay(list []*search) (n int) {
	for _, s := range list {
		if s.early == nil || !s.ended() {
			n++
		}
	}
	return n
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

// begin begins the search of a trace, or takes the one that has begun while the tests ran. beside
// are those that are under way.
func (a *analysis) begin(ctx context.Context, i int, beside []*search) *search {
	over := a.over(i)
	if s := a.early.of(a.files[i], over, a.builder); s != nil {
		step := a.stepper(s, beside)
		s.step.Store(&step)
		return s
	}
	s := &search{name: a.files[i], done: make(chan struct{})}
	a.prepare(ctx, s)
	if s.cut = ctx.Err() != nil; s.err != nil || s.cut {
		if s.source != nil {
			s.source.Close()
		}
		close(s.done)
		return s
	}
	step := a.stepper(s, beside)
	s.opt.Over, s.opt.Progress = over, func(n int64, _ int) { s.read.Store(n); step() }
	go func() {
		defer close(s.done)
		s.run(ctx, a.static)
	}()
	return s
}

// stepper returns what shows how far a search is, and those beside it.
func (a *analysis) stepper(s *search, beside []*search) func() {
	text := "analysing"
	all := append(slices.Clone(beside), s)
	if len(a.files) > 1 {
		if text += " " + filepath.Base(s.name); len(beside) > 0 {
			text = fmt.Sprintf("analysing %d traces at once", len(all))
		}
	}
	return func() {
		m := report.Progress{Text: text}
		for _, one := range all {
			m.Done, m.Total = m.Done+one.read.Load(), m.Total+one.events.Load()
		}
		a.progress.step(m)
	}
}

// run searches. What is wrong with the trace is in readErr.
func (s *search) run(ctx context.Context, lens *lens) {
	src := lens.notes(s.source)
	s.res, s.readErr = predict.Run(ctx, src, s.source.Meta(), s.opt)
	s.read.Store(s.events.Load())
	lens.rest(ctx, src)
	s.meta = s.source.Meta() // of other tools' traces it grows
	s.readErr = errors.Join(s.readErr, s.source.Close())
	if s.walker != nil { // it is as large as the trace's memory
		s.walked, s.odd = s.walker.Stats(), s.walker.Mismatches()
		s.walker, s.opt.Walker = nil, nil
	}
}

// open opens the trace.
func (s *search) open() (name string, f *source.File, err error) {
	if s.early != nil {
		s.early.names.RLock()
		defer s.early.names.RUnlock()
	}
	f, err = openTrace(s.name)
	return s.name, f, err
}

// opener opens the trace anew, as often as it is called.
func (s *search) opener() func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		_, f, err := s.open()
		if err != nil {
			return nil, nil, err
		}
		return f, f, nil
	}
}

// ended reports whether the search is over.
func (s *search) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// whole reports whether the search has come to its end.
func (s *search) whole() bool { return s.ended() && s.err == nil && s.readErr == nil }

// prepare opens the trace of a search, and loads the program that it is of.
func (a *analysis) prepare(ctx context.Context, s *search) {
	stages := &a.progress.stages
	if s.early != nil {
		stages = nil // it is in the stage of the tests
	}
	stages.Begin(stageAnalyse)
	name, src, err := s.open()
	if s.source, s.err = src, err; s.err != nil {
		return
	}
	meta := s.source.Meta()
	s.opt = predict.Options{Level: levels[a.options.level], Window: a.options.window, Conflicts: a.options.budget, Effort: a.options.effort,
		Missing: missings[a.options.missing], Open: s.opener(), Parts: &stage.Parts{}}
	if a.explain != nil {
		s.opt.Explain = a.explain(meta)
	}
	if a.smt != nil {
		s.opt.Solver = a.smt.forWindow
	}
	if s.source.Trace != nil {
		s.events.Store(s.source.Trace.Events())
	}
	if s.source.Format != source.Trace || meta.Source != "presage" || s.opt.Level == predict.HB {
		return
	}
	stages.Begin(stagePlan)
	defer stages.Begin(stageAnalyse)
	p, err := a.load(ctx, name, meta)
	if err != nil {
		s.unwalked = err
		return
	}
	s.plan = p
	s.opt.Found = func() { a.builder.want(wanted{name, meta, p}) } // (T8)
	switch s.opt.Level {
	case predict.Value:
		s.walker = walk.NewSymbolic(p)
	case predict.Paths:
		if s.walker = walk.NewBranching(p); s.opt.Missing != excluded.Ignore {
			s.walker.MindMissing()
		}
	default:
		s.walker = walk.New(p)
	}
	s.walker.Read(meta.Texts)
	s.opt.Walker = s.walker
}

// over returns what says whether the time or the memory for prediction on a trace is over (T3, T6).
func (a *analysis) over(i int) func() predict.Why {
	late := a.late(i)
	return func() predict.Why {
		switch {
		case late():
			return predict.Late
		case a.memory.full():
			return predict.Full
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

// wait waits for the end of a search. What is wrong with the trace is returned, but for an
// interrupt.
func (s *search) wait() error {
	<-s.done
	if s.err != nil {
		return s.err
	}
	if canceled(s.readErr) {
		s.cut, s.readErr = true, nil
	}
	return s.readErr
}

// find makes a search of one trace alone. To be interrupted is an error.
func (a *analysis) find(ctx context.Context, name string) (*search, error) {
	a.files, a.sizes = []string{name}, []int64{1}
	s := a.begin(ctx, 0, nil)
	err := s.wait()
	a.tell(s)
	return s, errors.Join(err, ctx.Err())
}

// end takes what a search has found: a second pass finds what stands at the events of its races
// (T5). Of a damaged trace, what can be read is analysed, and the error returned.
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
	meta := s.meta
	a.progress.stages.Begin(stageConfirm)
	if !s.sure {
		err = errors.Join(err, a.confirm(s.name, meta, s.res))
	}
	a.progress.stages.Begin(stageLocate)
	a.count(meta, s.res)
	if s.cut {
		a.left()
		a.summary.Events += max(0, s.events.Load()-s.res.Counts.Events) // (I2)
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
		a.shape = func(at trace.Site) string { return regcode.ShapeAt(p, at) }
	}
	if s.plan != nil {
		a.warnWalk(int(s.walked.Mismatches), s.odd)
		if s.opt.Level == predict.Paths && s.res != nil {
			a.countPaths(s.res, s.walked.ForksLeft)
		}
	}
	a.warnSolver()
}
