package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace/source"
)

// searches is the stage that searches traces for races. Searches of several traces run side by
// side. What they have found is taken in the order of the traces.
type searches struct {
	// Inputs.
	env      *Env
	options  options
	fly      onTheFly // in place of prediction
	traces   traces
	load     *loader
	explain  explained // the pairs to explain; nil: none
	early    *early    // searches that have begun while the tests ran; nil: none
	lens     *lens     // notes what was executed; nil: none
	resume   []string  // the command that goes on after an interrupt
	progress *progress
	budget   *budget  // nil: there is none
	memory   *memory  // nil: there is no limit
	builder  *builder // builds for traces that have races to replay; nil: nothing is replayed
	// Output.
	found *findings

	sizes []int64 // of the files
}

// run searches all traces. It takes the results in the order of the traces.
func (all *searches) run(ctx context.Context) {
	begin := time.Now()
	all.sizes = sizesOf(all.traces.files)
	for i, name := range all.traces.files {
		if all.early.whole(name) {
			all.sizes[i] = 0 // what is left of the time is for the others
		}
	}
	var begun []*search
	for i, name := range all.traces.files {
		alone := all.fly.engine != "" || all.options.level == levelNone // one after the other
		for !alone && ctx.Err() == nil && len(begun) < len(all.traces.files) && (len(begun) == i || underWay(begun[i:])+all.early.busy() < all.workers() && all.memory.room()) {
			begun = append(begun, all.begin(ctx, len(begun), begun[i:]))
		}
		if !alone && len(begun) == i { // interrupted
			begun = append(begun, nil)
			if all.early.whole(name) {
				begun[i] = all.begin(ctx, i, nil)
			}
		}
		var err error
		switch {
		case i < len(begun) && begun[i] != nil: // (CM4)
			err = all.end(ctx, begun[i])
			begun[i] = nil // its memory
		case ctx.Err() != nil:
			err = all.found.leave(name)
		case all.fly.engine != "":
			err = all.onePass(ctx, name)
		default:
			err = all.found.tallyFile(name)
		}
		if err != nil {
			all.found.unread = append(all.found.unread, err)
		}
	}
	all.found.interrupted(all.resume)
	all.progress.end()
	if len(all.traces.files) == 0 && !all.found.lossy() {
		all.found.warn(report.Warning{Code: "nothing-recorded", Count: 1, Text: "no process recorded anything: the packages have no tests that ran, or nothing of what ran was instrumented"})
	}
	all.found.summary.Seconds = float64(time.Since(begin).Round(time.Millisecond)) / float64(time.Second)
}

// underWay is the number of searches that are running, or that have waited for their turn since the
// tests were over.
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

// workers is the number of searches that may run side by side. The static lens counts what all
// traces have.
func (all *searches) workers() int {
	if all.lens != nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// begin begins the search of a trace, or takes the one that has begun while the tests ran. beside
// are those that are under way.
func (all *searches) begin(ctx context.Context, i int, beside []*search) *search {
	over := all.over(i)
	if s := all.early.of(all.traces.files[i], over, all.builder); s != nil {
		step := all.stepper(s, beside)
		s.step.Store(&step)
		return s
	}
	s := &search{name: all.traces.files[i], done: make(chan struct{})}
	all.prepare(ctx, s)
	if s.cut = ctx.Err() != nil; s.err != nil || s.cut {
		if s.source != nil {
			s.source.Close()
		}
		close(s.done)
		return s
	}
	step := all.stepper(s, beside)
	s.opt.Over, s.opt.Progress = over, func(n int64, _ int) { s.read.Store(n); step() }
	if all.env.Searching != nil {
		s.opt.Over = func() predict.Why {
			all.env.Searching(ctx)
			if over == nil {
				return ""
			}
			return over()
		}
	}
	go func() {
		defer close(s.done)
		s.run(ctx, all.lens)
	}()
	return s
}

// stepper returns what shows how far a search is, and those beside it.
func (all *searches) stepper(s *search, beside []*search) func() {
	text := "analysing"
	shown := append(slices.Clone(beside), s)
	if len(all.traces.files) > 1 {
		if text += " " + filepath.Base(s.name); len(beside) > 0 {
			text = "analysing " + plural.Of(len(shown), "trace") + " at once"
		}
	}
	return func() {
		m := report.Progress{Text: text}
		for _, one := range shown {
			m.Done, m.Total = m.Done+one.read.Load(), m.Total+one.events.Load()
		}
		all.progress.step(m)
	}
}

// prepare opens the trace of a search, and loads the program that it is of.
func (all *searches) prepare(ctx context.Context, s *search) {
	stages := &all.progress.stages
	if s.early != nil {
		stages = nil // it is in the stage of the tests
	}
	stages.Begin(stageAnalyse)
	name, src, err := s.open()
	if s.source, s.err = src, err; s.err != nil {
		return
	}
	meta := s.source.Meta()
	s.opt = predict.Options{Level: levels[all.options.level], Window: all.options.window, Conflicts: all.options.budget, Effort: all.options.effort,
		Excluded: missings[all.options.missing], Open: s.opener(), Parts: &stage.Parts{}}
	if all.explain != nil {
		s.opt.Explain = all.explain(meta)
	}
	if s.source.Trace != nil {
		s.events.Store(s.source.Trace.Events())
	}
	if s.source.Format != source.Trace || meta.Source != "presage" || s.opt.Level == predict.HB {
		return
	}
	stages.Begin(stagePlan)
	defer stages.Begin(stageAnalyse)
	p, err := all.load.of(ctx, name, meta)
	if err != nil {
		s.unwalked = err
		return
	}
	s.plan = p
	s.opt.Found = func() { all.builder.want(wanted{name, meta, p}) }
	switch s.opt.Level {
	case predict.Value:
		s.walker = walk.NewSymbolic(p)
	case predict.Paths:
		if s.walker = walk.NewBranching(p); s.opt.Excluded != excluded.Ignore {
			s.walker.MindMissing()
		}
	default:
		s.walker = walk.New(p)
	}
	s.walker.Read(meta)
	s.opt.Walker = s.walker
}

// over returns what says whether the time or the memory for prediction on a trace is over (CM3).
func (all *searches) over(i int) func() predict.Why {
	late := all.late(i)
	return func() predict.Why {
		switch {
		case late():
			return predict.Late
		case all.memory.full():
			return predict.Full
		}
		return ""
	}
}

// late returns what says whether the time for prediction on a trace is over (CM3).
func (all *searches) late(i int) func() bool {
	rest, size := int64(0), all.sizes[i]*int64(all.workers())
	for _, n := range all.sizes[i:] {
		rest += n
	}
	if all.options.confirm == confirmRest {
		return all.budget.share(2, 3, size, rest)
	}
	return all.budget.share(1, 1, size, rest)
}

// find makes a search of one trace alone. To be interrupted is an error.
func (all *searches) find(ctx context.Context, name string) (*search, error) {
	all.traces.files, all.sizes = []string{name}, []int64{1}
	s := all.begin(ctx, 0, nil)
	err := s.wait()
	all.note(s)
	return s, errors.Join(err, ctx.Err())
}

// end takes the results of a search: a second pass finds the source lines and values at the events
// of its races. Of a damaged trace, the part that can be read is analysed, and the error returned.
func (all *searches) end(ctx context.Context, s *search) error {
	err := s.wait()
	if s.err != nil {
		all.found.failed = true
		return err
	}
	if s.cut && s.res == nil {
		return errors.Join(err, all.found.leave(s.name))
	}
	all.note(s)
	if s.res == nil {
		return err
	}
	if err != nil {
		all.found.warnDamaged(err)
	}
	all.progress.stages.Begin(stageConfirm)
	if !s.sure {
		err = errors.Join(err, predict.Confirm(opener(s.name), s.meta, s.res))
	}
	all.progress.stages.Begin(stageLocate)
	all.found.count(s.meta, s.res)
	if s.cut {
		all.found.left()
		all.found.summary.Events += max(0, s.events.Load()-s.res.Counts.Events) // (CM4)
	}
	all.lens.unordered(s.res)
	err = errors.Join(err, all.found.locate(all.located(s)))
	all.progress.stages.Begin(stageAnalyse)
	return err
}

// located are the races of a search, to be located.
func (all *searches) located(s *search) located {
	l := located{name: s.name, meta: s.meta, specs: specsOf(s.res), types: s.types(), several: len(all.traces.files) > 1}
	if all.found.listsAll(s.meta) {
		l.specs = hbSpecs(s.res)
		all.found.warnUnwitnessed(len(l.specs) - 1)
	}
	return l
}

// note adds what a search has found besides its races.
func (all *searches) note(s *search) {
	if s.err != nil {
		return
	}
	all.progress.stages.Split(stageAnalyse, s.opt.Parts)
	if err := s.unwalked; err != nil && !canceled(err) {
		all.found.warn(report.Warning{Code: "not-walked", Count: 1, Text: fmt.Sprintf("the source is not at hand as it was recorded, so every read keeps its value: %v", err)})
	}
	if s.plan != nil {
		all.found.warnWalk(int(s.walked.Mismatches), s.odd)
		if s.opt.Level == predict.Paths && s.res != nil {
			all.found.countPaths(s.res, &s.walked)
		}
	}
}
