package predict

import (
	"sync/atomic"
)

// effort counts what prediction has done, in *visits*: about one look at one event of a window,
// some 0.1 to 0.2 µs. The budget is of visits and not of time, so that a trace has the same races
// on every machine (A5).
type effort struct {
	visits int64
	budget int64
	looks  int64       // that are no whole visit yet
	over   atomic.Bool // spent: the walk reads it while it is ahead
}

// DefaultEffort is the budget of prediction for a trace (A7), in millions of visits: five to ten
// minutes.
const DefaultEffort = 3000

// unknownTries is the number of tries that a pair counts for, besides its own, on which the engine
// spent its budget in vain (A2).
const unknownTries = 15

// shares is how many pairs of sites can have their share of the effort on a rung (A2). What long
// searches have refuted again and again, another one will hardly find: in the programs of
// bench/programs/recipe and in suites of modules, races were found in the first two searches of
// any length.
const shares = 200

// staticVisits is what a pair costs that the engine decides without a search.
const staticVisits = 64

func (x *effort) add(n int64) { x.visits += n }

// looksPerVisit is how many looks at a pair, or at what one goroutine did to a location, cost as
// much as a visit: 4 to 5 ns each, where a visit of a search takes 130 (measured on 2026-11-28).
const looksPerVisit = 32

// look counts n looks.
func (x *effort) look(n int) {
	x.looks += int64(n)
	x.visits += x.looks / looksPerVisit
	x.looks %= looksPerVisit
}

// exhausted reports whether the budget is spent.
func (x *effort) exhausted() bool { return x.visits > x.budget }

// A Why is why prediction has to end before its effort is spent.
type Why string

const (
	Late Why = "late" // the time for it is over
	Full Why = "full" // there is no more memory for it
)

// exhausted reports whether prediction has to end: its effort is spent, or Options.Over says so.
func (r *run) exhausted() bool { return r.spent.exhausted() || r.over() }

// over asks Options.Over. Once it is, it stays so.
func (r *run) over() bool {
	if r.opt.Over != nil && r.counts.Why == "" && r.counts.Stopped == 0 {
		r.counts.Why = r.opt.Over()
	}
	return r.counts.Why != ""
}

// askEvery is the number of events between two questions while no window is searched.
const askEvery = 1 << 12

// stop ends prediction at an event: the windows, and the walk that is ahead of them.
func (r *run) stop(event int64) {
	if r.counts.Stopped == 0 {
		r.counts.Stopped = max(1, event)
	}
	r.spent.over.Store(true)
}
