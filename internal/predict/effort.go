package predict

import (
	"sync/atomic"
)

// effort counts the work of prediction in visits. A visit is about one look at one event of a
// window, which takes 0.1 to 0.2 µs. The budget is in visits and not in time, so that a trace has
// the same races on every machine (PR6).
type effort struct {
	visits int64
	budget int64
	looks  int64       // less than a visit
	over   atomic.Bool // prediction has ended; the walk, which is ahead, reads it
}

// DefaultEffort is the budget of prediction for a trace (PR6), in millions of visits: five to ten
// minutes.
const DefaultEffort = 3000

// unknownTries is the number of additional tries that a pair counts for on which the engine spent
// its budget without an answer (PR2).
const unknownTries = 15

// shares is the number of pairs of sites that can take their share of the effort on a rung (PR2).
// In bench/programs/recipe and in suites of modules, the first two searches of any length
// found the races; after several long ones without a race, another one hardly finds any.
const shares = 200

// staticVisits is the cost of a pair that the engine decides without a search.
const staticVisits = 64

func (x *effort) add(n int64) { x.visits += n }

// looksPerVisit is the number of looks at a pair, or at one goroutine's accesses to a location,
// that cost as much as a visit. A look takes 4 to 5 ns, a visit of a search 130 (measured on
// 2026-11-28).
const looksPerVisit = 32

// look counts n looks.
func (x *effort) look(n int) {
	x.looks += int64(n)
	x.visits += x.looks / looksPerVisit
	x.looks %= looksPerVisit
}

// exhausted reports whether the budget is spent.
func (x *effort) exhausted() bool { return x.visits > x.budget }

// A Why is the reason for which prediction ends before its effort is spent.
type Why string

const (
	Late Why = "late" // its time is over
	Full Why = "full" // it has used its memory
)

// exhausted reports whether prediction must end: its effort is spent, or Options.Over ends it.
func (r *run) exhausted() bool { return r.spent.exhausted() || r.over() }

// over reports whether Options.Over ends prediction. It is not called again then.
func (r *run) over() bool {
	if r.opt.Over != nil && r.counts.Why == "" && r.counts.Stopped == 0 {
		r.counts.Why = r.opt.Over()
	}
	return r.counts.Why != ""
}

// ends reports whether the search of a pair must end: the analysis is cancelled, or prediction is
// over.
func (r *run) ends() bool { return r.ctx != nil && r.ctx.Err() != nil || r.over() }

// askEvery is the number of events between two calls of Options.Over while no window is searched.
const askEvery = 1 << 12

// stop ends prediction at an event, and the walk, which is ahead.
func (r *run) stop(event int64) {
	if r.counts.Stopped == 0 {
		r.counts.Stopped = max(1, event)
	}
	r.spent.over.Store(true)
}
