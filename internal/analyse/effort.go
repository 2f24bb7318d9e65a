package analyse

import "sync/atomic"

// effort counts what prediction has done, in *visits*: about one look at one event of a window, some 0.1 to 0.2 µs. The
// budget is of visits and not of time, so that a trace has the same races on every machine (A5).
type effort struct {
	visits int64
	budget int64
	over   atomic.Bool // spent: the walk reads it while it is ahead
}

// DefaultEffort is the budget of prediction for a trace (A7), in millions of visits: five to ten minutes.
const DefaultEffort = 3000

// unknownTries is the number of tries that a pair counts for, besides its own, on which the engine spent its budget in vain (A2).
const unknownTries = 15

// shares is how many pairs of sites can have their share of the effort on a rung (A2). What long
// searches have refuted again and again, another one will hardly find: in the programs of
// bench/recipe and in suites of modules, races were found in the first two searches of any length.
const shares = 200

// staticVisits is what a pair costs that the engine decides without a search.
const staticVisits = 64

func (x *effort) add(n int64) { x.visits += n }

// exhausted reports whether the budget is spent.
func (x *effort) exhausted() bool { return x.visits > x.budget }

// exhausted reports whether prediction has to end: its effort is spent, or its time over.
func (r *run) exhausted() bool { return r.spent.exhausted() || r.late() }

// late reports whether the time for prediction is over. Once it is, it stays so.
func (r *run) late() bool {
	if r.opt.Over != nil && !r.counts.Late && r.counts.Stopped == 0 {
		r.counts.Late = r.opt.Over()
	}
	return r.counts.Late
}

// timeEvery is the number of events between two questions for the time while no window is searched.
const timeEvery = 1 << 12

// stop ends prediction at an event: the windows, and the walk that is ahead of them.
func (r *run) stop(event int64) {
	if r.counts.Stopped == 0 {
		r.counts.Stopped = max(1, event)
	}
	r.spent.over.Store(true)
}
