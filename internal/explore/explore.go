// Package explore runs a program under one schedule after another, and predicts races from each
// run, until there is no schedule left that could differ, or the time is over.
//
// A run covers all executions that predict derives from it. The next schedules are those that no
// prediction covers: in which two operations of synchronisation come in the other order, so that
// goroutines take other paths. This is the loop of "Maximal causality reduction for multithreaded
// programs" (Huang, PLDI 2015), with dynamic partial-order reduction (Flanagan and Godefroid, POPL
// 2005) for what is reversed, and RECIPE in each step.
//
// [Sample] has a base scheduler alone choose the schedules, for comparison: it claims nothing about
// those that it did not run.
//
// # Complexity
//
// The flips of a run are found in O(n·g), for n operations of g goroutines. Where each schedule can
// be followed, there are as many runs as classes: runs with different histories.
//
// # What the claim rests on
//
// If no schedule is left, each order of synchronisation that the program can have is that of a run
// (State.Exhausted says what forbids the claim). Suppose that two accesses race, and take the first
// ones that do so in an execution. Up to them, what goroutines read follows from the order of
// synchronisation. So a run with that order has both accesses, and nothing orders them there
// either: the happens-before pass over the run finds a pair.
package explore

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Config is what is explored.
type Config struct {
	// Run runs the program once.
	Run func(ctx context.Context, s *steer.Schedule) (*record.SteeredRun, error)
	// Open opens the trace of a run.
	Open func(name string) (trace.Source, io.Closer, error)
	// Predict returns the races of a trace, by names that are the same in all runs. sure is false
	// if other pairs may race: they are unordered in the run, but nothing proves them.
	Predict func(ctx context.Context, name string) (races []string, sure bool, err error)

	Seed     uint64
	Runs     int       // at most; 0: no limit
	Until    time.Time // zero: no limit
	Progress func(s *State)
}

// State is how far an exploration has come.
type State struct {
	Runs, Classes int
	Waiting       int      // schedules that are left
	Races         []string // in the order in which they were found,
	FirstRace     int      // and the run of the first; 0: there is none
	Traces        []string // of the runs in which they were found, once each
	// Exhausted says that there is no schedule left: no other order of synchronisation differs.
	Exhausted bool
	Failed    []Failure
	// Diverged are runs that did not come to the order that their schedule has, Slow those that did
	// not end in time.
	Diverged, Slow int
	// Unended are runs that a panic or a fatal error ended, or at whose end a goroutine could have
	// gone on.
	Unended int
	// Unvaried are runs in which goroutines use files, the network or the process, in an order that
	// is not varied.
	Unvaried int
	// Unsure are runs with pairs of accesses that are unordered, but not proved to race.
	Unsure   int
	Children int // runs with other processes
	Large    int // runs with too many goroutines and operations to look for other orders
	// Random says where two runs under one schedule differ, by something that is not steered; "":
	// they do not.
	Random string
}

// A Failure is a run that ended with an error of the program: a test that failed, or a panic.
type Failure struct {
	Run    int
	Code   int
	Output []byte
	Trace  string
}

// waiting is a schedule that is to be run, with the history that it has at its end.
type waiting struct {
	parts   []steer.Part
	choices []steer.Choice
	history *history
	// the same, with a goroutine that stops earlier; nil: there is none
	earlier func() (waiting, bool)
}

// Explore explores a program. What it has found by the end of ctx is returned with the error.
func Explore(ctx context.Context, c Config) (*State, error) {
	e := &exploration{Config: c, state: &State{}, known: map[string]bool{}, queue: []waiting{{history: &history{}}}}
	within, cancel := e.within(ctx)
	defer cancel()
	for len(e.queue) > 0 && !e.over() {
		next := e.queue[0]
		e.queue = e.queue[1:]
		if e.state.Waiting = len(e.queue); e.covered(next.history, e.seen) {
			continue
		}
		if err := e.run(within, next); err != nil {
			if ctx.Err() == nil && within.Err() != nil {
				e.queue = append(e.queue, next)
				break
			}
			return e.state, err
		}
		if e.state.Waiting = len(e.queue); c.Progress != nil {
			c.Progress(e.state)
		}
	}
	s := e.state
	s.Waiting = len(e.queue)
	s.Exhausted = len(e.queue)+s.Diverged+s.Slow+s.Large+s.Unended+s.Unvaried+s.Unsure+s.Children == 0 && s.Random == ""
	return s, nil
}

// within returns ctx with the limit of time.
func (c *Config) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Until.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, c.Until)
}

// maxClocks bounds the numbers of all clocks of an execution.
const maxClocks = 1 << 25

// exploration is one that is under way.
type exploration struct {
	Config
	state *State
	seen  []*history // of runs
	known map[string]bool
	queue []waiting
}

func (e *exploration) over() bool {
	return e.Runs > 0 && e.state.Runs >= e.Runs || !e.Until.IsZero() && !time.Now().Before(e.Until)
}

// covered reports whether one of the histories begins as h does.
func (e *exploration) covered(h *history, list []*history) bool {
	return slices.ContainsFunc(list, h.begins)
}

// record runs a schedule once, and counts how the run ended. The execution is nil if it did not end
// in time.
func (e *exploration) record(ctx context.Context, schedule *steer.Schedule) (*execution, *record.SteeredRun, error) {
	s := e.state
	r, err := e.Run(ctx, schedule)
	if err != nil {
		return nil, nil, err
	}
	s.Runs++
	if r.TimedOut { // its trace may be as large as that of all others
		s.Slow++
		return nil, r, nil
	}
	if r.ExitCode != 0 {
		s.Failed = append(s.Failed, Failure{s.Runs, r.ExitCode, r.Output, r.Trace})
	}
	if r.Trace == "" {
		return nil, nil, errors.New("the run left no trace")
	}
	if r.Unended > 0 || r.ExitCode > 1 { // 1: a test has failed, and the others went on
		s.Unended++
	}
	if r.Processes > 1 {
		s.Children++
	}
	x, err := e.read(r.Trace)
	return x, r, err
}

// learn predicts the races of a run, if its history is new.
func (e *exploration) learn(ctx context.Context, h *history, trace string) (fresh bool, err error) {
	if e.covered(h, e.seen) {
		return false, nil
	}
	e.seen = append(e.seen, h)
	e.state.Classes++
	return true, e.predict(ctx, trace)
}

// run runs a schedule, and finds the schedules that follow.
func (e *exploration) run(ctx context.Context, next waiting) error {
	s := e.state
	x, r, err := e.record(ctx, &steer.Schedule{Seed: e.Seed, Parts: next.parts, Choices: next.choices})
	if err != nil || x == nil {
		return err
	}
	h := x.historyOf(x.all())
	if s.Runs == 1 {
		if s.Random, err = e.differs(ctx, x, h, r); err != nil {
			return err
		}
	}
	if !next.history.begins(h) {
		if w, ok := next.before(); ok {
			e.queue = append([]waiting{w}, e.queue...)
		} else {
			s.Diverged++
		}
	}
	if fresh, err := e.learn(ctx, h, r.Trace); err != nil || !fresh {
		return err
	}
	if len(x.ops)*len(x.threads) > maxClocks {
		s.Large++
		return nil
	}
	flips, clocks := x.flips()
	if x.unvaried {
		s.Unvaried++
	}
	for _, f := range flips {
		if w, ok := flipped(x, f, clocks, next.choices, 0); ok && !e.covered(w.history, e.seen) {
			e.queue = append(e.queue, w)
		}
	}
	for _, a := range x.unfired {
		ops := x.all()[:a.at+1]
		fires := steer.Child(steer.Firings, a.firings+1)
		h := x.historyOf(ops, op{number: fires, kind: format.Acquire, obj: x.ops[a.at].obj, timer: true})
		if !e.covered(h, e.seen) {
			parts := append(x.schedule(ops), steer.Part{Goroutine: fires, Until: 1})
			e.queue = append(e.queue, waiting{parts, next.choices, h, nil})
		}
	}
	for _, c := range x.choices {
		chosen := &x.ops[c.chosen]
		ops := x.all()[:c.first]
		h := x.historyOf(ops, op{number: chosen.number, nth: chosen.nth, kind: c.kind, obj: c.channel})
		if !e.covered(h, e.seen) {
			other := steer.Choice{Goroutine: chosen.number, Records: c.records, Channel: uint64(c.channel)}
			e.queue = append(e.queue, waiting{x.schedule(ops), append(slices.Clip(next.choices), other), h, nil})
		}
	}
	return nil
}

// maxBack is how many operations earlier a goroutine may be made to stop: within some functions of
// the runtime and of sync/atomic no goroutine can wait.
const maxBack = 4

// flipped returns the schedule of a flip.
func flipped(x *execution, f flip, clocks []clock, choices []steer.Choice, back int) (w waiting, ok bool) {
	ops, ok := x.reversed(f, clocks, back)
	if !ok {
		return w, false
	}
	w = waiting{parts: x.schedule(ops), choices: choices, history: x.historyOf(ops)}
	if back < maxBack {
		w.earlier = func() (waiting, bool) { return flipped(x, f, clocks, choices, back+1) }
	}
	return w, true
}

// before returns the same with a goroutine that stops earlier.
func (w *waiting) before() (waiting, bool) {
	if w.earlier == nil {
		return waiting{}, false
	}
	return w.earlier()
}

// predict takes the races that are predicted from a run.
func (e *exploration) predict(ctx context.Context, trace string) error {
	names, sure, err := e.Predict(ctx, trace)
	if err != nil {
		return err
	}
	if !sure {
		e.state.Unsure++
	}
	fresh := false
	for _, n := range names {
		if !e.known[n] {
			e.known[n], fresh = true, true
			e.state.Races = append(e.state.Races, n)
		}
	}
	if fresh {
		if e.state.FirstRace == 0 {
			e.state.FirstRace = e.state.Runs
		}
		e.state.Traces = append(e.state.Traces, trace)
	}
	return nil
}

func (c *Config) read(name string) (*execution, error) {
	src, closer, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return read(src)
}

// differs runs the program again under the schedule of the whole execution x, and says where the
// run differs from x; "": it is the same.
func (e *exploration) differs(ctx context.Context, x *execution, h *history, r *record.SteeredRun) (where string, err error) {
	again, err := e.Run(ctx, &steer.Schedule{Seed: e.Seed, Parts: x.schedule(x.all())})
	e.state.Runs++
	if err != nil {
		return "", err
	}
	if again.Trace == "" {
		return "the second run, which left no trace", nil
	}
	y, err := e.read(again.Trace)
	switch {
	case err != nil:
		return "", err
	case h.begins(y.historyOf(y.all())) && again.ExitCode == r.ExitCode:
		return "", nil
	}
	return cmp.Or(x.differsAt(y), "the order of operations, or the exit code"), nil
}
