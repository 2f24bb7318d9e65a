// Package explore runs a program under one schedule after another, and predicts races from each
// run, until there is no schedule left that could differ, or the time is over.
//
// A run covers all executions that predict derives from it. The next schedules are those that no
// prediction covers: in which two operations of synchronisation come in the other order, so that
// goroutines take other paths. The second of the two may wait when the program ends: its goroutine
// could have been first (pending.go). This is the loop of "Maximal causality reduction for
// multithreaded programs" (Huang, PLDI 2015), with dynamic partial-order reduction (Flanagan and
// Godefroid, POPL 2005) for what is reversed, and RECIPE in each step.
//
// # Racing accesses
//
// Up to the first race of an execution, the order of synchronisation decides what goroutines read.
// Behind it, the order of the racing accesses does, too. So when no schedule is left and there are
// races, all is explored once more, with the accesses at the sites of races as operations whose
// order can be reversed, until no run shows another race.
//
// # The end of a run
//
// A goroutine that ends the process, by its exit or a panic, is held back until no other one can go
// on. What others do then, they could have done before: so one run stands for all moments at which
// the process could have ended.
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
	"maps"
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
	// Predict returns the races of a trace. Those that need other values or paths than the run are
	// left out unless whole. sure is false if other pairs may race: they are unordered in the run,
	// but nothing proves them.
	Predict func(ctx context.Context, name string, whole bool) (races []Race, sure bool, err error)

	Seed     uint64
	Runs     int       // at most; 0: no limit
	Until    time.Time // zero: no limit
	Progress func(s *State)
}

// A Race is a race of a run.
type Race struct {
	Name  string // the same in all runs
	Sites [2]trace.Site
}

// State is how far an exploration has come.
type State struct {
	Runs, Classes int      // runs with different histories
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
	// Unended are runs that a fatal error ended, or at whose end a goroutine could have gone on.
	Unended int
	// Unvaried are runs in which goroutines use files, the network or the process, in an order that
	// is not varied.
	Unvaried int
	// Clocked are runs in which goroutines read the clock in such an order.
	Clocked int
	Asked   map[steer.Asked]int // runs in which the program asks for what no schedule decides
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
	Early  time.Duration // as steer.Result has it
}

// waiting is a schedule that is to be run, with the history that it has at its end.
type waiting struct {
	parts   []steer.Part
	choices []steer.Choice
	history *history
	// once is what it tries, if the history does not say it: that a goroutine waits, before another
	// one makes an operation; 0: nothing
	once uint64
	// the same, with a goroutine that stops earlier; nil: there is none
	earlier func() (waiting, bool)
}

// Explore explores a program. What it has found by the end of ctx is returned with the error.
func Explore(ctx context.Context, c Config) (*State, error) {
	e := &exploration{Config: c, state: &State{}, known: map[string]bool{}, racy: map[uint32]bool{}}
	within, cancel := e.within(ctx)
	defer cancel()
	e.begin()
	for (len(e.queue) > 0 || e.again()) && !e.over() {
		next := e.queue[0]
		e.queue = e.queue[1:]
		if e.state.Waiting = len(e.queue); e.done(&next) {
			continue
		}
		e.tried[next.once] = true
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
	s.Exhausted = len(e.queue)+s.Diverged+s.Slow+s.Large+s.Unended+s.Unvaried+s.Clocked+s.undecided()+s.Unsure+s.Children == 0 && s.Random == ""
	return s, nil
}

// begin begins to explore, without any histories.
func (e *exploration) begin() {
	e.seen, e.tried, e.queue = nil, map[uint64]bool{}, []waiting{{history: &history{}}}
}

// again begins once more when no schedule is left, if there are races whose accesses were no points
// so far. What a racing access reads may decide on other paths and races.
func (e *exploration) again() bool {
	if len(e.sites) == len(e.racy) {
		return false
	}
	e.sites = slices.Sorted(maps.Keys(e.racy))
	e.begin()
	return true
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
	tried map[uint64]bool // what schedules have tried (waiting.once)
	queue []waiting
	racy  map[uint32]bool // sites of races
	sites []uint32        // those that are points
}

func (e *exploration) over() bool {
	return e.Runs > 0 && e.state.Runs >= e.Runs || !e.Until.IsZero() && !time.Now().Before(e.Until)
}

// done reports whether a schedule is of no use, because runs have shown what it tries.
func (e *exploration) done(w *waiting) bool {
	if w.once != 0 {
		return e.tried[w.once]
	}
	return e.covered(w.history, e.seen)
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
		s.Failed = append(s.Failed, Failure{s.Runs, r.ExitCode, r.Output, r.Trace, r.Early})
	}
	if r.Trace == "" {
		return nil, nil, errors.New("the run left no trace")
	}
	if r.Unended > 0 || r.Held == 0 {
		s.Unended++
	}
	if r.Processes > 1 {
		s.Children++
	}
	s.asks(r.Asked)
	x, err := e.read(r)
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
	x, r, err := e.record(ctx, &steer.Schedule{Seed: e.Seed, Parts: next.parts, Choices: next.choices, Sites: e.sites})
	if err != nil || x == nil {
		return err
	}
	x.blocked(r.Blocked)
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
	if x.clocked {
		s.Clocked++
	}
	for _, f := range flips {
		if w, ok := flipped(x, f, clocks, next.choices, 0); ok && !e.done(&w) {
			e.queue = append(e.queue, w)
		}
	}
	for _, a := range x.unfired {
		ops := x.all()[:a.at+1]
		fires := steer.Child(steer.Firings, a.firings+1)
		h := x.historyOf(ops, op{number: fires, kind: format.Acquire, obj: x.ops[a.at].obj, timer: true})
		if !e.covered(h, e.seen) {
			parts := append(x.schedule(ops), steer.Part{Goroutine: fires, Until: 1})
			e.queue = append(e.queue, waiting{parts: parts, choices: next.choices, history: h})
		}
	}
	for _, c := range x.choices {
		chosen := &x.ops[c.chosen]
		ops := x.all()[:c.first]
		h := x.historyOf(ops, op{number: chosen.number, nth: chosen.nth, kind: c.kind, obj: c.channel})
		if !e.covered(h, e.seen) {
			other := steer.Choice{Goroutine: chosen.number, Records: c.records, Channel: uint64(c.channel)}
			e.queue = append(e.queue, waiting{parts: x.schedule(ops), choices: append(slices.Clip(next.choices), other), history: h})
		}
	}
	return nil
}

// maxBack is how many operations earlier a goroutine may be made to stop: within some functions of
// the runtime and of sync/atomic no goroutine can wait. The last attempt stops it before all that
// code outside did.
const maxBack = 5

// flipped returns the schedule of a flip.
func flipped(x *execution, f flip, clocks []clock, choices []steer.Choice, back int) (w waiting, ok bool) {
	ops, ok := x.reversed(f, clocks, back)
	if !ok {
		return w, false
	}
	if w = x.comesFirst(f, ops, choices); back < maxBack && w.once == 0 {
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
	whole := len(e.sites) == 0 // else what other values and paths lead to is run
	races, sure, err := e.Predict(ctx, trace, whole)
	if err != nil {
		return err
	}
	if !sure {
		e.state.Unsure++
	}
	fresh := false
	for _, r := range races {
		if !e.known[r.Name] {
			e.known[r.Name], fresh = true, true
			e.state.Races = append(e.state.Races, r.Name)
		}
		for _, s := range r.Sites {
			e.racy[uint32(s)] = true
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

func (c *Config) read(r *record.SteeredRun) (*execution, error) {
	src, closer, err := c.Open(r.Trace)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return read(src, r.Points)
}

// differs runs the program again under the schedule of the whole execution x, and says where the
// run differs from x; "": it is the same.
func (e *exploration) differs(ctx context.Context, x *execution, h *history, r *record.SteeredRun) (where string, err error) {
	again, err := e.Run(ctx, &steer.Schedule{Seed: e.Seed, Parts: x.schedule(x.all())})
	e.state.Runs++
	if err != nil {
		return "", err
	}
	if again.TimedOut {
		e.state.Slow++
		return "", nil
	}
	if again.Trace == "" {
		return "the second run, which left no trace", nil
	}
	y, err := e.read(again)
	switch {
	case err != nil:
		return "", err
	case h.begins(y.historyOf(y.all())) && again.ExitCode == r.ExitCode:
		return "", nil
	}
	return cmp.Or(x.differsAt(y), "the order of operations, or the exit code"), nil
}
