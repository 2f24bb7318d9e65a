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
	Repeats       int      // of Runs, those that repeat the first; they are not among Failed
	Waiting       int      // schedules that are left
	Races         []string // in the order in which they were found,
	FirstRace     int      // and the run of the first; 0: there is none
	Traces        []string // of the runs in which they were found, once each
	// Exhausted says that there is no schedule left: no other order of synchronisation differs.
	Exhausted bool
	Failed    []Failure
	// Diverged are orders to which no run has come, with all schedules of them, Slow runs that did
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
	Output []byte // of the first one
	Trace  string
	Early  time.Duration // as steer.Result has it
}

// Explore explores a program. What it has found by the end of ctx is returned with the error.
func Explore(ctx context.Context, c Config) (*State, error) {
	e := &exploration{Config: c, state: &State{}, known: map[string]bool{}, racy: map[uint32]bool{}}
	within, cancel := e.within(ctx)
	defer cancel()
	e.begin()
	s := e.state
	for (len(e.queue) > 0 || e.again()) && !e.over() {
		w := e.pop()
		s.Waiting = len(e.queue) + e.left
		if err := e.try(within, &w); err != nil {
			e.queue = append(e.queue, w)
			if err == errOver || ctx.Err() == nil && within.Err() != nil {
				break
			}
			return s, err
		}
		e.ends(&w)
		if s.Waiting = len(e.queue) + e.left; c.Progress != nil {
			c.Progress(s)
		}
	}
	if err := e.repeat(within); err != nil && within.Err() == nil {
		return s, err
	}
	e.trim(within)
	e.settle()
	s.Waiting = len(e.queue) + e.left
	if e.first != nil { // it is to be run once more
		s.Waiting++
	}
	s.Exhausted = s.Waiting+s.Diverged+s.Slow+s.Large+s.Unended+s.Unvaried+s.Clocked+s.undecided()+s.Unsure+s.Children == 0 && s.Random == ""
	return s, nil
}

// errOver says that there are to be no more runs.
var errOver = errors.New("the exploration is over")

// begin begins to explore, without any histories.
func (e *exploration) begin() {
	e.seen, e.tried, e.queue, e.bytes, e.clocked = nil, map[uint64]bool{}, []waiting{{}}, 0, nil
	e.cycles = map[string]bool{}
}

// again begins once more when no schedule is left, if there are races whose accesses were no points
// so far. What a racing access reads may decide on other paths and races.
func (e *exploration) again() bool {
	e.settle()
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
	state   *State
	seen    []*history // of runs
	known   map[string]bool
	tried   map[uint64]bool // what schedules have shown (attempt.once)
	queue   []waiting
	unshown []*attempt
	bytes   int // of what is kept
	left    int // schedules for which there was no memory
	clocked *execution
	clocks  []clock         // of that
	racy    map[uint32]bool // sites of races
	sites   []uint32        // those that are points
	inTurn  bool            // the order of WGAdds matters
	cycles  map[string]bool // that were tried
	// first runs the first schedule once more (repeat); nil: that was done, or there is none yet
	first    func(ctx context.Context) (where string, err error)
	repeated bool
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
		f := Failure{s.Runs, r.ExitCode, r.Output, r.Trace, r.Early}
		if len(s.Failed) > 0 {
			f.Output = nil
		}
		s.Failed = append(s.Failed, f)
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
	e.bytes += h.size()
	e.state.Classes++
	return true, e.predict(ctx, trace)
}

// run runs a schedule, and finds the schedules that follow. shown is false if the run did not do
// what it was to show.
func (e *exploration) run(ctx context.Context, a *attempt) (shown bool, err error) {
	s := e.state
	x, r, err := e.record(ctx, &steer.Schedule{Seed: e.Seed, Parts: a.parts, Choices: a.choices, Sites: e.sites})
	if err != nil || x == nil {
		return true, err
	}
	x.given = a.choices
	x.blocked(r.Blocked)
	var list []flip
	if len(x.ops)*len(x.threads) > maxClocks {
		s.Large++
	} else {
		if list, e.clocks = x.flips(); !e.inTurn && x.underflows(e.clocks) {
			e.inTurn, e.first = true, nil // histories have the order of WGAdds now
			e.begin()
			return true, nil
		}
		e.clocked = x
	}
	h := x.historyOf(x.all())
	shown = a.shown(h, r)
	if fresh, err := e.learn(ctx, h, r.Trace); err != nil || !fresh {
		return shown, err
	}
	if e.first == nil && !e.repeated {
		e.first = func(ctx context.Context) (string, error) { return e.differs(ctx, x, h, r) }
	}
	if x.unvaried {
		s.Unvaried++
	}
	if x.clocked {
		s.Clocked++
	}
	e.left += x.cut
	e.enqueue(x, list)
	return shown, nil
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

func (e *exploration) read(r *record.SteeredRun) (*execution, error) {
	src, closer, err := e.Open(r.Trace)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	x, err := read(src, r.Points)
	if err == nil && e.inTurn {
		x.takesTurns()
	}
	return x, err
}

// repeat runs the first schedule once more, and notes where the two runs differ. It does nothing
// the second time. A run that follows its schedule says as much of it, so this comes when one does
// not, or when no schedule is left.
func (e *exploration) repeat(ctx context.Context) (err error) {
	if e.first == nil || e.over() {
		return nil
	}
	e.state.Random, err = e.first(ctx)
	e.first, e.repeated = nil, true
	return err
}

// differs runs the program again under the schedule of the whole execution x, and says where the
// run differs from x; "": it is the same.
func (e *exploration) differs(ctx context.Context, x *execution, h *history, r *record.SteeredRun) (where string, err error) {
	again, err := e.Run(ctx, &steer.Schedule{Seed: e.Seed, Parts: x.schedule(x.all())})
	e.state.Runs++
	e.state.Repeats++
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
