package explore

import (
	"context"
	"slices"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace/format"
)

// A kind is what a schedule tries that follows an execution.
type kind uint8

const (
	beginning kind = iota // it is the first one, of no execution
	flipping              // two operations in the other order
	firing                // a timer that has not fired
	choosing              // another case of a select
	locking               // goroutines come to locks that others of them hold (deadlock.go)
)

// waiting is a schedule that is to be run. It is made when its turn comes: the history of each
// would take as much memory as the execution that it follows.
type waiting struct {
	x     *execution
	kind  kind
	at    int // in x.unfired or x.choices
	flip  flip
	ops   []int    // if locking: of x
	tries int      // so many schedules have not shown it
	aim   *attempt // the first of them
}

// An attempt is a schedule that is made, and what its run is to show.
type attempt struct {
	parts   []steer.Part
	choices []steer.Choice
	history *history
	// once is what it tries, if the history does not say it: that the goroutine of the last part
	// but one waits, before the last part; 0: nothing
	once uint64
	must bool // wait: it may not go on instead
	p    *op  // of the last part
	// the last part is one of a timer, for which nothing is chosen
	fires bool
}

// Bounds of memory.
const (
	maxBytes     = 1 << 30 // of executions and histories that are kept
	maxFlips     = 1 << 21 // of one execution
	waitingBytes = 80
)

// maxBack is how many operations earlier a goroutine may be made to stop: within some functions of
// the runtime and of sync/atomic no goroutine can wait. The last attempt stops it before all that
// code outside did.
const maxBack = 5

// enqueue appends what may follow an execution.
func (e *exploration) enqueue(x *execution, list []flip) {
	locks := e.locked(x)
	n := len(list) + len(x.unfired) + len(x.choices) + len(locks)
	if n == 0 {
		return
	}
	if e.bytes += x.size() + waitingBytes*n; e.bytes > maxBytes {
		e.bytes -= x.size() + waitingBytes*n
		e.left += n
		return
	}
	for _, f := range list {
		e.queue = append(e.queue, waiting{x: x, kind: flipping, flip: f})
	}
	for i := range x.unfired {
		e.queue = append(e.queue, waiting{x: x, kind: firing, at: i})
	}
	for i := range x.choices {
		e.queue = append(e.queue, waiting{x: x, kind: choosing, at: i})
	}
	e.queue = append(locks, e.queue...)
	x.waiting = n
}

// size is about how many bytes an execution has.
func (x *execution) size() int { return 128 * (len(x.ops) + len(x.threads)) }

// pop takes the next schedule.
func (e *exploration) pop() waiting {
	w := e.queue[0]
	e.queue[0] = waiting{}
	e.queue = e.queue[1:]
	return w
}

// ends notes that nothing else will be made of w.
func (e *exploration) ends(w *waiting) {
	if w.x == nil {
		return
	}
	if w.x.waiting--; w.x.waiting == 0 {
		e.bytes -= w.x.size()
	}
	e.bytes = max(0, e.bytes-waitingBytes) // all may have begun once more
}

// try runs the schedules of w until one of them shows what is to be shown.
func (e *exploration) try(ctx context.Context, w *waiting) error {
	if w.kind == locking { // to have it not shown is no gap
		_, err := e.run(ctx, &attempt{parts: w.x.schedule(w.ops), choices: w.x.given, history: &history{}})
		return err
	}
	for ; ; w.tries++ {
		a, ok := e.make(w)
		if w.aim == nil {
			w.aim = &a
		}
		switch {
		case !ok && w.tries == 0 && w.kind == flipping: // no execution has this order
			return nil
		case ok && e.done(&a):
			e.show(w, &a)
			return nil
		case e.over():
			return errOver
		case ok:
			inTurn := e.inTurn
			shown, err := e.run(ctx, &a)
			if err != nil || e.inTurn != inTurn { // all begins once more
				return err
			}
			if shown {
				e.show(w, &a)
				return nil
			}
			if err := e.repeat(ctx); err != nil {
				return err
			}
		}
		if w.kind != flipping || w.tries >= maxBack || a.once != 0 && w.tries > 0 {
			break
		}
	}
	w.aim.parts = nil
	if e.bytes += w.aim.history.size(); e.bytes > maxBytes {
		e.bytes -= w.aim.history.size()
		e.state.Diverged++
		return nil
	}
	e.unshown = append(e.unshown, w.aim)
	return nil
}

// show notes that an attempt has shown what w is to show.
func (e *exploration) show(w *waiting, a *attempt) {
	for _, n := range []uint64{a.once, w.aim.once} {
		if n != 0 {
			e.tried[n] = true
		}
	}
}

// settle counts what no run has shown, when no schedule is left.
func (e *exploration) settle() {
	for _, a := range e.unshown {
		if !e.done(a) {
			e.state.Diverged++
		}
	}
	e.unshown = nil
}

// trim takes schedules out that are of no use, when there will be no more runs.
func (e *exploration) trim(ctx context.Context) {
	for n := min(len(e.queue), maxTrim); n > 0 && ctx.Err() == nil; n-- {
		w := e.pop()
		if a, ok := e.make(&w); ok && !e.done(&a) || !ok && (w.kind != flipping || w.tries > 0) {
			e.queue = append(e.queue, w)
		}
	}
}

// maxTrim bounds how many are looked at.
const maxTrim = 1000

// make returns the schedule of w; ok is false if there is none.
func (e *exploration) make(w *waiting) (a attempt, ok bool) {
	x := w.x
	switch w.kind {
	case flipping:
		return e.flipped(w)
	case firing:
		t := x.unfired[w.at]
		ops := x.all()[:t.at+1]
		number := steer.Child(steer.Firings, t.firings+1)
		o := op{number: number, kind: format.Acquire, obj: x.ops[t.at].obj, timer: true}
		parts := append(x.schedule(ops), steer.Part{Goroutine: number, Until: 1})
		return attempt{parts: parts, choices: x.given, history: x.historyTo(ops, &o, false)}, true
	case choosing:
		c := &x.choices[w.at]
		ops, first := x.all()[:c.first], &x.ops[c.first]
		o := op{number: first.number, call: first.call, kind: c.kind, obj: c.channel, cas: c.cas}
		if o.kind == format.ChanLen {
			o.cas = 0 // nothing says it
		}
		other := steer.Choice{Goroutine: first.number, Records: c.records, Case: c.cas}
		return attempt{parts: x.schedule(ops), choices: append(slices.Clip(x.given), other), history: x.historyTo(ops, &o, true)}, c.cas != 0
	}
	return attempt{history: &history{}}, true
}

// clocksOf returns the clocks of an execution.
func (e *exploration) clocksOf(x *execution) []clock {
	if e.clocked != x {
		_, e.clocks = x.flips()
		e.clocked = x
	}
	return e.clocks
}

// flipped makes the schedule of a flip, of the operations that come before its second one.
func (e *exploration) flipped(w *waiting) (a attempt, ok bool) {
	x, f, clocks := w.x, w.flip, e.clocksOf(w.x)
	p, q := &x.ops[f.first], x.op(f.second)
	meeting := q.meets && (p.kind == format.SelectCase || q.kind == format.SelectCase)
	if q.pending || (meeting || q.waits) && q.flags&format.FlagNonBlocking == 0 {
		return e.waits(w, p, q)
	}
	if w.tries > maxBack {
		return a, false
	}
	ops, ok := x.reversed(f, clocks, w.tries)
	if !ok {
		return a, false
	}
	a = attempt{choices: x.given}
	if w.tries == 0 {
		a.history = x.historyTo(ops, q, false)
		a.parts = x.schedule(append(ops, f.second))
		return a, true
	}
	// then the first goroutine goes on up to where it was to stop
	n := len(ops)
	ops = append(ops, f.second)
	for i := range x.ops[:p.entry] {
		if _, has := slices.BinarySearch(ops[:n], i); !has && x.ops[i].g == p.g {
			ops = append(ops, i)
		}
	}
	a.parts, a.history = x.schedule(ops), w.aim.history
	return a, true
}

// waits makes the schedule of a flip whose second operation may have to wait.
func (e *exploration) waits(w *waiting, p, q *op) (a attempt, ok bool) {
	x := w.x
	var ops []int
	switch w.tries {
	case 0:
		ops, ok = x.reversed(w.flip, e.clocksOf(x), 0)
	case 1:
		ops, ok = x.past(w.flip, e.clocksOf(x)), true
	}
	if !ok {
		return a, false
	}
	a = attempt{choices: x.given, p: p, must: !q.pending, fires: x.threads[p.g].firing}
	a.parts = append(x.schedule(ops), steer.Part{Goroutine: q.number, Until: q.records | steer.OrWaits}, steer.Part{Goroutine: p.number, Until: p.records | steer.OrWaits})
	if p.kind == format.SelectCase && p.cas != 0 {
		c := steer.Choice{Goroutine: p.number, Records: x.ops[p.entry].records - 1, Case: p.cas}
		a.choices = append(slices.Clip(a.choices), c)
	}
	a.history = x.historyOf(ops)
	a.once = a.history.with(p, q)
	return a, true
}

// shown reports whether a run has done what it was to show.
func (a *attempt) shown(h *history, r *record.SteeredRun) bool {
	if !a.history.begins(h) {
		return false
	}
	n := len(a.parts)
	if a.once == 0 {
		return true
	}
	if len(r.Ends) != n {
		return false
	}
	const did = steer.Over | steer.Chosen
	switch second, first := r.Ends[n-2], r.Ends[n-1]; {
	case second&steer.Over == 0 || second&steer.Missed != 0:
		return false
	case second&steer.Waited == 0: // it has made its operation
		return !a.must
	case a.fires && first&steer.Over == 0 || !a.fires && first&did != did || first&steer.Missed != 0 || first&steer.Waited != 0 && !a.p.meets:
		return false
	}
	return a.p.kind != format.SelectCase || a.p.cas == 0 || h.has(a.p.number, a.p.call, a.p.cas)
}

// done reports whether an attempt is of no use, because runs have shown what it tries.
func (e *exploration) done(a *attempt) bool {
	if a.once != 0 {
		return e.tried[a.once]
	}
	return e.covered(a.history, e.seen)
}
