package predict

import (
	"context"
	"errors"
	"io"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/trace"
)

// Level says how far an analysis goes: the rungs of the ladder, each with what the ones below find.
// The zero value is the highest.
type Level uint8

const (
	_      Level = iota
	HB           // the happens-before pass alone
	Causal       // and predicted races, by maximal causality
	Value        // and those that need reads to take other values (RECIPE's value relaxation)
	Paths        // and those that need a goroutine to leave its recorded path (path relaxation)
)

// Options are the limits of an analysis. The zero value is the recommended one.
type Options struct {
	Level     Level // 0: Paths
	Window    int   // events of a window that matter; 0: 10,000
	Apart     bool  // windows do not overlap
	Conflicts int   // of the engine, per candidate; 0: its own choice
	Tries     int   // candidates tried for a pair of sites in one window; 0: 4
	Total     int   // and in the whole trace; 0: 64
	Effort    int   // of prediction, in millions of visits; 0: DefaultEffort

	// Over is asked now and then whether prediction has to end, and why; "": it has not. Nil: it
	// never has. What it cuts depends on the machine (A5).
	Over func() Why

	// windows without promise are searched as well (window.BuildOptions.All): it finds no more
	EveryWindow bool
	EveryPair   bool // every pair of events is a candidate, and a race of its own (not A2)

	// Missing says what the missing methods of the trace may do. What Ignore finds may be no race.
	Missing excluded.Mode

	// Walker walks the trace through the program. Without it every read keeps its value. One that
	// is not symbolic gives no more than level Causal has, one that keeps no forks no more than
	// level Value.
	Walker flow.Walker

	// Open opens the trace at its beginning, for a pass that looks for the words on which the
	// recorded run has a race. Without it such a race is known from its second access on, and one
	// between outside accesses that are further apart than a window may have a false race in front
	// of it.
	Open func() (trace.Source, io.Closer, error)

	cleared bool // tests: allocated memory is zero

	// Progress is called now and then with the number of events read and races found.
	Progress func(events int64, races int)

	// Found is called once, with the first race, or the first pair that is to be tried, while the
	// analysis goes on. Nil: nobody wants to know. What Confirm finds is not told.
	Found func()

	// Go starts the goroutine that reads and walks beside the one that analyses. Nil: as go does.
	Go func(func())

	// Explain says which pairs of sites the result is to explain; asked about one site and 0,
	// whether it is in any of them.
	Explain func(a, b trace.Site) bool

	// Solver makes what answers for the pairs of a window; nil: the engine. What it finds is
	// checked all the same.
	Solver func(*model.Window) Solver

	// Parts takes what the parts of the analysis took. Nil: nothing is measured.
	Parts *stage.Parts
}

// Names of what Options.Parts measures. Reading and walking run beside the others.
const (
	// over the whole trace: which words the recorded run has a race on
	partFirst      = "first-pass"
	partRead       = "read"
	partWalk       = "walk"
	partHB         = "hb"
	partWindows    = "windows" // their construction, with the ways off the recorded path
	partCandidates = "candidates"
	partEngine     = "engine" // pairs on the recorded path, with the checks of witnesses
	partWays       = "ways"   // pairs on ways off the recorded path, with those checks
)

// Tier says what vouches for a race.
type Tier uint8

const (
	Predicted Tier = iota // another execution has it
	Observed              // the recorded one has it
	// another execution has it, in which reads that branches rest on see other values
	ByValue
	ByPath // another execution has it, in which a goroutine leaves its recorded path
	ToRun  // nothing does: it is to be tried (Result.ToRun)
)

func (t Tier) String() string {
	switch t {
	case Observed:
		return "observed"
	case ByValue:
		return "by-value"
	case ByPath:
		return "by-path"
	case ToRun:
		return "to-run"
	}
	return "predicted"
}

// Access is one side of a race.
type Access struct {
	Index int64 // event number in the trace
	G     trace.GoID
	Site  trace.Site
}

// Race is two accesses with a witness.
type Race struct {
	A, B      Access // A stands first in the trace
	Tier      Tier
	Semantics model.Semantics
	Order     []int64 // the witness: event numbers, the last two are the accesses
	From      int64   // what stands before this event is as in the recorded run
	// the witness as the checker has it (Recheck): events of the window that begins at From, the
	// last two are the accesses
	Events   []int32
	Recorded bool    // the recorded run is the witness (A6), and Order is only the accesses
	Path     *Path   // of tier ByPath
	Sights   []Sight // of tiers ByValue and ByPath
	Count    int     // conflicting pairs of recorded accesses at these two sites
}

// Counts is what an analysis did.
type Counts struct {
	Events     int64
	HBPairs    int64 // pairs that hb found unordered, as often as they occurred
	HBSites    int   // and pairs of sites of them
	Windows    int
	InWindows  int64 // events of all windows
	Candidates int64 // conflicting pairs of accesses in windows
	Locked     int64 // of those that were looked at: under a common lock (A3)
	Thinned    int64 // of those left: in a class with another that is tried (A8)
	Tried      int64 // given to the engine
	Raced      int64
	Refuted    int64
	Unknown    int64            // the engine's budget was spent
	Layers     map[string]int64 // tried candidates by the engine's layer and verdict
	Conflicts  int64            // of the engine's search
	Confirmed  int64            // by Confirm
	// by rung: pairs of sites, per window or way, of which no candidate raced and not all were
	// tried (A2)
	Untried [rungs]int64
	// pairs of sites, of which two accesses in a window have neither a lock in common nor a fixed
	// order
	Promising int
	// of these: they race, or all pairs of accesses in windows were decided
	Settled int
	Apart   int64 // pairs of sites that conflict, but in no window
	// the event at which prediction ended before its time (A7); 0: it did not
	Stopped    int64
	Why        Why   // Options.Over said so; "": its effort was spent
	Unsearched int64 // events from there on
	Rejected   int64 // witnesses the checker did not accept: an error of presage
	Refusing   int64 // windows that do not admit the recorded order: an error of presage
	// ways on which pairs were not tried, because a window's share of the effort was spent
	WaysLeft int64
	Ways     int64 // ways off the recorded path that pairs were tried on
	Build    window.BuildCounts

	// pairs of sites that would race but for what missing methods may do, by method
	Suppressed map[trace.Addr]int64
}

// Result is what an analysis found.
type Result struct {
	Races []Race // by position of B, then of A
	// pairs of sites that the recorded order leaves unordered; candidates, but for the first
	HB []hb.Race
	// Unwitnessed are those of HB that prediction, which did run, has no witness for.
	Unwitnessed []hb.Race
	ToRun       []Race     // schedules that are no witness, to be tried, by position
	Kept        []KeptPair // that missing methods may keep apart
	Counts      Counts
	Warnings    []trace.Warning
	Explained   []Explanation // of Options.Explain, by position
	Rejected    []error       // why, of the first few of Counts.Rejected and Refusing
}

// Run analyses a trace. When the source ends in an error, the result is about the
// events before it, and the error is returned with it.
func Run(ctx context.Context, src trace.Source, meta *trace.Meta, opt Options) (*Result, error) {
	r := newRun(opt, meta)
	r.meter = opt.Parts.Meter(partFirst)
	defer r.meter.Stop()
	err := r.read(ctx, src)
	if ferr := r.finish(); err == nil {
		err = ferr
	}
	return r.result(), err
}

// run is an analysis under way.
type run struct {
	opt     Options
	hb      *hb.Detector
	spent   effort
	builder *window.Builder
	meter   *stage.Meter // of the goroutine that analyses; nil: nothing is measured
	hbPairs hbPairs
	// hb has gone through the whole trace already; nil: it goes along with the windows
	whole       *window.Races
	events      int64
	counts      Counts
	pairs       pairTable
	races       []Race
	told        bool  // Options.Found was called
	executed    int64 // Build.Executed when the window before this one was done
	reject      []error
	ctx         context.Context
	suppression suppression
	relaxation  relaxation
	runs        int // pairs of sites that have one to be tried
	explainer   explainer
	solvers     solvers
	meta        *trace.Meta
	built       func(*built.Window)       // tests look at windows here
	only        func(*built.Window) error // windows are not searched, but given to this (Recheck)
}

// progressEvery is the number of events between two calls of Progress.
const progressEvery = 1 << 16

func newRun(opt Options, meta *trace.Meta) *run {
	if opt.Level == 0 {
		opt.Level = Paths
	}
	if opt.Tries == 0 {
		opt.Tries = 4
	}
	if opt.Total == 0 {
		opt.Total = 64
	}
	if opt.Effort == 0 {
		opt.Effort = DefaultEffort
	}
	r := &run{
		meta: meta,
		opt:  opt, hb: hb.New(), pairs: pairTable{}, hbPairs: hbPairs{current: make(map[[2]int64]bool)},
		counts: Counts{Layers: make(map[string]int64)},
	}
	r.spent.budget = int64(opt.Effort) * 1_000_000
	r.solvers = solvers{&r.opt, &r.spent}
	r.explainer = explainer{opt.Explain, r.pairs, &r.spent, map[sitePair]Explanation{}}
	if opt.Level != HB {
		r.builder = window.NewBuilder(window.BuildOptions{
			Size: opt.Window, Apart: opt.Apart, All: opt.EveryWindow || opt.Explain != nil, Walked: opt.Walker != nil, Cleared: opt.cleared,
			Symbolic: opt.Level >= Value && opt.Walker != nil, Paths: opt.Level >= Paths && opt.Walker != nil,
			NoValues: meta != nil && meta.Source == "std", Meta: meta, Missing: opt.Missing,
		}, r.window)
		r.hb.Each(func(a, b int64) { r.hbPairs.noted = append(r.hbPairs.noted, [2]int64{a, b}) })
	}
	return r
}

func (r *run) read(ctx context.Context, src trace.Source) error {
	r.ctx = ctx
	if err := r.foresee(ctx); err != nil {
		return err
	}
	r.meter.Enter(stage.Idle) // what is done without a walk is in no part
	if r.builder != nil && r.opt.Walker != nil {
		return r.readBeside(ctx, src)
	}
	var e trace.Event
	for {
		err := src.Next(&e)
		if err == nil {
			err = r.step(&e)
		}
		if err == nil {
			err = r.pause(ctx)
		}
		if err != nil {
			return r.ended(err)
		}
	}
}

// foresee has the windows know of all races of the recorded run, if the trace can be opened
// (Options.Open). Its happens-before pass is that of the analysis, unless it has too many pairs.
func (r *run) foresee(ctx context.Context) error {
	if r.builder == nil || r.opt.Open == nil {
		return nil
	}
	var noted [][2]int64
	races, err := window.FindRaces(ctx, r.opt.Open, func(a, b int64) {
		if len(noted) <= maxNoted {
			noted = append(noted, [2]int64{a, b})
		}
	})
	if err != nil {
		return err
	}
	if r.builder.Races(races); races.HB != nil && len(noted) <= maxNoted {
		r.whole, r.hb, r.hbPairs.noted = races, races.HB, noted
	}
	return nil
}

// errEnough ends the reading of a trace of which there is nothing more to find: prediction has
// stopped, and hb has gone through all of it.
var errEnough = errors.New("prediction has stopped")

// ended is how the reading ends, after err.
func (r *run) ended(err error) error {
	if err == errEnough {
		r.events, err = r.whole.Events, r.whole.End
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// found says that there is something to replay.
func (r *run) found() {
	if r.opt.Found != nil && !r.told {
		r.told = true
		r.opt.Found()
	}
}

// pause comes after every event: now and then it tells how far the analysis is, and looks whether
// it is to end.
func (r *run) pause(ctx context.Context) error {
	if r.events%progressEvery != 0 {
		return nil
	}
	if r.opt.Progress != nil {
		r.opt.Progress(r.events, len(r.races))
	}
	return ctx.Err()
}

// step walks and analyses an event.
func (r *run) step(e *trace.Event) error {
	var f flow.Flow
	if r.builder != nil && r.opt.Walker != nil {
		f = r.opt.Walker.Step(r.events, e)
	}
	if r.whole == nil {
		r.hb.Step(r.events, e)
	}
	return r.add(e, f)
}

// add gives the next event to the windows. hb has seen it. It returns errEnough if they need no
// more.
func (r *run) add(e *trace.Event, f flow.Flow) error {
	i := r.events
	r.events++
	if r.builder == nil {
		return nil
	}
	if len(r.hbPairs.noted) > 0 {
		r.hbPairs.pass(i, r.builder)
	}
	if i%askEvery == 0 && r.counts.Stopped == 0 && r.over() {
		r.stop(i)
	}
	switch {
	case r.counts.Stopped == 0:
		return r.builder.Add(i, e, f)
	case r.whole != nil:
		return errEnough
	}
	return nil
}

func (r *run) finish() error {
	r.meter.Enter(partWindows)
	if r.builder == nil || r.counts.Stopped > 0 {
		return nil
	}
	return r.builder.Flush()
}

// admits counts a window in which what was recorded is no execution (A9). Where what is missing is
// ignored, it need not be one.
func (r *run) admits(w *model.Window) {
	if r.opt.Missing == excluded.Ignore {
		return
	}
	if err := witness.Admits(w); err != nil {
		r.counts.Refusing++
		r.rejected(err)
	}
}

// rejected keeps why, of the first few.
func (r *run) rejected(err error) {
	if len(r.reject) < 10 {
		r.reject = append(r.reject, err)
	}
}

// window looks for races in one window.
func (r *run) window(b *built.Window) error {
	if r.built != nil {
		r.built(b)
	}
	if r.only != nil {
		return r.only(b)
	}
	defer r.meter.Enter(r.meter.Enter(partCandidates))
	r.counts.Windows++
	r.admits(b.Window)
	r.counts.InWindows += int64(len(b.Events))
	r.spent.add(int64(len(b.Events)))
	if r.builder != nil {
		n := r.builder.Counts().Executed
		r.spent.add(n - r.executed)
		r.executed = n
	}
	before := r.spent.visits
	ladder := r.ladder(b.Window)
	list := r.lister().candidates(b, &ladder[len(ladder)-1])
	r.meter.Enter(partEngine)
	for _, c := range list {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.exhausted() {
			r.stop(b.Done)
			break
		}
		r.climb(b, ladder, c)
	}
	r.meter.Enter(partWays)
	if err := r.paths(b, ladder, list, r.spent.visits-before); err != nil {
		return err
	}
	if r.opt.Explain != nil {
		r.explainer.window(b, ladder[0].window())
	}
	r.hbPairs.forget(b.From)
	return nil
}
