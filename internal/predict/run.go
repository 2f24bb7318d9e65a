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

// Level is how far an analysis goes. Each level finds what the levels below it find. The zero value
// stands for the highest.
type Level uint8

const (
	_      Level = iota
	HB           // the happens-before pass alone
	Causal       // and predicted races, by maximal causality
	Value        // and races that need other values of reads (RECIPE's value relaxation)
	Paths        // and races that need a goroutine to leave its recorded path (path relaxation)
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

	// Over is called from time to time. It returns why prediction must end, or "" if it goes on.
	// Nil: it goes on. Where prediction ends then depends on the machine (PR6).
	Over func() Why

	// windows without a pair that could race are searched as well (window.BuildOptions.All); it
	// finds no more races
	EveryWindow bool
	// every pair of events is a candidate and a race of its own (PR2 does not hold)
	EveryPair bool

	// Excluded is what the excluded calls of the trace may do. With Ignore, a race may be false.
	Excluded excluded.Mode

	// Walker walks the trace through the program. Without it every read keeps its value. A walker
	// that is not symbolic suffices for level Causal, one that keeps no forks for level Value.
	Walker flow.Walker

	// Open opens the trace at its beginning, for a pass that finds the words on which the recorded
	// run has a race. Without it such a race is known from its second access on. If its accesses
	// are those of outside code and lie further apart than one window, a false race may come before
	// it.
	Open func() (trace.Source, io.Closer, error)

	cleared bool // tests: allocated memory is zero

	// Progress is called from time to time with the number of events read and races found.
	Progress func(events int64, races int)

	// Found is called once, at the first race or the first schedule to be tried, while the analysis
	// goes on. It is not called for races that Confirm finds.
	Found func()

	// Go starts the goroutine that reads and walks beside the one that analyses. Nil: a go
	// statement.
	Go func(func())

	// Explain reports whether the result explains a pair of sites; of a site and 0, whether it
	// explains any pair with this site.
	Explain func(a, b trace.Site) bool

	// Solver makes the solver of a window; nil: the engine. The checkers judge its witnesses all
	// the same.
	Solver func(*model.Window) Solver

	// Parts takes the time that each part of the analysis took. Nil: nothing is measured.
	Parts *stage.Parts
}

// Names of what Options.Parts measures. Reading and walking run beside the others.
const (
	// a pass over the whole trace: on which words does the recorded run have a race?
	partFirst      = "first-pass"
	partRead       = "read"
	partWalk       = "walk"
	partHB         = "hb"
	partWindows    = "windows" // their construction, with their alternatives
	partCandidates = "candidates"
	partEngine     = "engine" // pairs on the recorded path, with the checks of witnesses
	partWays       = "ways"   // pairs with an alternative, with the checks of witnesses
)

// Tier is what proves a race.
type Tier uint8

const (
	Predicted Tier = iota // another execution
	Observed              // the recorded execution
	ByValue               // an execution in which reads that branches depend on return other values
	ByPath                // an execution in which a goroutine leaves its recorded path
	ToRun                 // nothing: the program has to be run (Result.ToRun)
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
	A, B      Access // A is first in the trace
	Tier      Tier
	Semantics model.Semantics
	Order     []int64 // the witness: event numbers, the last two are the accesses
	From      int64   // the events before this one are as in the recorded run
	// the witness as the checker takes it (Recheck): events of the window that begins at From, the
	// last two are the accesses
	Events   []int32
	Recorded bool    // the recorded run is the witness (PR5), and Order has only the accesses
	Paths    []*Path // of tier ByPath: of the goroutines that leave their recorded paths
	Sights   []Sight // of tiers ByValue and ByPath
	Count    int     // conflicting pairs of recorded accesses at these two sites
}

// Counts is what an analysis did.
type Counts struct {
	Events     int64
	HBPairs    int64 // pairs of accesses that hb found unordered
	HBSites    int   // their pairs of sites
	Windows    int
	InWindows  int64 // events of all windows
	Candidates int64 // conflicting pairs of accesses in windows
	Locked     int64 // candidates under a common lock (PR4)
	Thinned    int64 // of the others: in a class with one that is tried (PR3)
	Tried      int64 // given to the engine
	Raced      int64
	Refuted    int64
	Unknown    int64            // the engine's budget was spent
	Layers     map[string]int64 // tried candidates by the engine's layer and verdict
	Conflicts  int64            // of the engine's search
	Confirmed  int64            // by Confirm
	// by rung: pairs of sites, for each window or alternative, of which no pair of accesses raced
	// and not all were tried (PR2)
	Untried [rungs]int64
	// pairs of sites, of which two accesses in a window have neither a lock in common nor a fixed
	// order
	Promising int
	// of these: they race, or all pairs of accesses in windows were decided
	Settled int
	Apart   int64 // pairs of sites that conflict, but in no window
	// the event at which prediction ended before the end of the trace (PR6); 0: it did not
	Stopped    int64
	Why        Why   // what Options.Over returned; "": the effort was spent
	Unsearched int64 // events from there on
	Rejected   int64 // witnesses the checker did not accept: an error of presage
	Refusing   int64 // windows that do not admit the recorded order: an error of presage
	// alternatives on which pairs were not tried, because a window's share of the effort was spent
	WaysLeft int64
	Ways     int64 // alternatives on which pairs were tried
	// the same for pairs of sites that need several alternatives
	TogetherLeft int64
	Build        window.BuildCounts

	// pairs of sites that would race without the orders of excluded calls, by callee
	Suppressed map[trace.Addr]int64
}

// Result is what an analysis found.
type Result struct {
	Races []Race // by event of B, then of A
	// pairs of sites that the recorded run leaves unordered; all but the first are candidates
	HB []hb.Race
	// Unwitnessed are the pairs of HB for which prediction has no witness.
	Unwitnessed []hb.Race
	ToRun       []Race     // schedules that are no witness, to be run, by event
	Kept        []KeptPair // pairs that excluded calls may keep in order
	Counts      Counts
	Warnings    []trace.Warning
	Explained   []Explanation // of Options.Explain, by event
	Rejected    []error       // the reasons of the first few of Counts.Rejected and Refusing
}

// Run analyses a trace. If the source ends in an error, the result covers the events before it, and
// the error is returned with it.
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
	opt  Options
	meta *trace.Meta
	ctx  context.Context

	hb      *hb.Detector
	whole   *window.Races // of a pass over the whole trace; nil: hb runs along with the windows
	hbPairs hbPairs
	builder *window.Builder
	events  int64 // read so far

	spent    effort
	pool     pool         // for alternatives
	executed int64        // Build.Executed before the current window
	meter    *stage.Meter // of the goroutine that analyses; nil: nothing is measured

	pairs       pairTable
	solvers     solvers
	suppression suppression
	relaxation  relaxation
	explainer   explainer

	races    []Race
	runs     int  // pairs of sites that have a schedule to be tried
	notified bool // Options.Found was called
	counts   Counts
	reject   []error

	built func(*built.Window)       // tests: is called with each window
	only  func(*built.Window) error // is called in place of the search (Recheck)
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
		pool: poolSize,
		opt:  opt, meta: meta, hb: hb.New(), hbPairs: hbPairs{current: make(map[[2]int64]bool)},
		pairs: pairTable{}, counts: Counts{Layers: make(map[string]int64)},
	}
	r.spent.budget = int64(opt.Effort) * 1_000_000
	r.solvers = solvers{&r.opt, &r.spent, r.ends}
	r.explainer = explainer{opt.Explain, r.pairs, &r.spent, r.ends, map[sitePair]Explanation{}}
	if opt.Level != HB {
		r.builder = window.NewBuilder(window.BuildOptions{
			Size: opt.Window, Apart: opt.Apart, All: opt.EveryWindow || opt.Explain != nil, Walked: opt.Walker != nil, Cleared: opt.cleared,
			Symbolic: opt.Level >= Value && opt.Walker != nil, Paths: opt.Level >= Paths && opt.Walker != nil,
			NoValues: meta != nil && meta.Source == "std", Meta: meta, Excluded: opt.Excluded,
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
	r.meter.Enter(stage.Idle) // without a walk, nothing is measured
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

// foresee makes a pass over the whole trace, if it can be opened (Options.Open), and passes the
// races of the recorded run to the builder of windows. The analysis has no other happens-before
// pass then, unless the pass has found too many pairs.
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

// errEnough ends the reading of a trace in which nothing more can be found: prediction has stopped,
// and hb has seen all of it.
var errEnough = errors.New("prediction has stopped")

// ended returns the error of the analysis, after the reading has ended with err.
func (r *run) ended(err error) error {
	if err == errEnough {
		r.events, err = r.whole.Events, r.whole.End
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// found calls Options.Found: there is something to replay.
func (r *run) found() {
	if r.opt.Found != nil && !r.notified {
		r.notified = true
		r.opt.Found()
	}
}

// pause is called after every event. From time to time it reports progress, and checks whether the
// analysis is cancelled.
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

// add passes the next event, which hb has seen, to the builder of windows. It returns errEnough if
// no more events are needed.
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
	var rest []flow.Fork
	if w, ok := r.opt.Walker.(flow.Rester); ok && r.opt.Level >= Paths {
		rest = w.Rest()
	}
	return r.builder.Flush(rest)
}

// admits counts a window that does not admit the recorded order (PR1). Where excluded calls are
// ignored, it need not admit it.
func (r *run) admits(w *model.Window) {
	if r.opt.Excluded == excluded.Ignore {
		return
	}
	if err := witness.Admits(w); err != nil {
		r.counts.Refusing++
		r.rejected(err)
	}
}

// rejected keeps the first few reasons.
func (r *run) rejected(err error) {
	if len(r.reject) < 10 {
		r.reject = append(r.reject, err)
	}
}

// window searches one window for races.
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
