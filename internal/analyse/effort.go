package analyse

import "sync/atomic"

// effort counts what prediction has done, in *visits*: about one look at one event of a window, some 0.2 µs. The
// budget is of visits and not of time, so that a trace has the same races on every machine (A5).
type effort struct {
	visits int64
	budget int64
	over   atomic.Bool // spent: the walk reads it while it is ahead
}

// DefaultEffort is the budget of prediction for a trace, in millions of visits: about ten minutes.
const DefaultEffort = 3000

// staticVisits is what a pair costs that the engine decides without a search.
const staticVisits = 64

func (x *effort) add(n int64) { x.visits += n }

// exhausted reports whether the budget is spent.
func (x *effort) exhausted() bool { return x.visits > x.budget }
