package excluded

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Algorithms 5 and 6 as the thesis writes them: Arun Krishnakumar Rajagopalan, "Fast and Precise
// On-the-Fly Data Race Detection", master's thesis, Texas A&M University 2016, sections 4.4.2 to
// 4.4.4. They are here for comparison (bench/excluded/leftout, bench/excluded/rdit). presage
// reports nothing by them, because they are not sound.
//
//   - *Two calls.* Algorithm 5, lines 4 to 9: of two BarrierPairs whose Ds intersect, the
//     MethodBegins, the MethodEnds and the events between them keep the order of the trace
//     (Algorithm 6).
//   - *A call and an access.* Lines 10 to 17: of a BarrierPair and a read or write of something in
//     its D, the MethodBegin, the MethodEnd, the events between them and the access keep the order
//     of the trace.
//   - *Goroutines in D.* The go statement, the first and the last event of a goroutine in D count
//     as such an access. Line 12 has reads and writes only. But figure 4.7 orders the ends of two
//     threads with BarrierPairs that have them in D, and avoids its four false alarms by nothing
//     else.
//   - *Objects in D.* An operation on a lock or channel in D is no read or write, so it keeps no
//     order. Line 12 and the text agree.
//   - *Between.* These are all events of the goroutine of a BarrierPair between its ends, with the
//     ends of nested BarrierPairs (4.2). The thesis has no channels. An operation that waits for
//     another goroutine's operation is not among them, because it has no single place in the order:
//     operations on an unbuffered channel, and of a select.
//   - *Open calls.* A BarrierPair without an end is open until the trace ends. (4.4.1: events "are
//     always paired".)
//   - *The other constraints* are those of the model, which Algorithm 4 conjoins: MO1 for Algorithm
//     7, MO2 and MO3 for 8, MO13 for 9, MO6 and MO11 for 10. To the letter, Algorithm 10 requires
//     that both accesses of the race keep their values, which excludes the one true race of figure
//     4.7. The figure requires that only of what the two depend on, and so does the model.
//
// The doc of the package says why they are unsound ("Differences from the thesis"). testdata/rdit
// of package predict shows it, trace by trace: the false alarms are the lines that begin with
// "written" and have no line "rdit".

// AsWritten returns the orders that Algorithm 5 asks of a trace, between different goroutines.
// Those are left out that follow from others, from program order and from go statements.
func AsWritten(events []trace.Event) ([]Edge, error) { return asWritten(events, false) }

// asWritten is AsWritten. With letter, goroutines in D do not count as accesses (line 12).
func asWritten(events []trace.Event, letter bool) ([]Edge, error) {
	var pairs Pairs
	of := make([]*Pair, len(events))
	for i := range events {
		p, err := pairs.Step(int64(i), &events[i])
		if err != nil {
			return nil, err
		}
		of[i] = p
	}
	w := &written{letter: letter, threads: map[trace.GoID]*writtenThread{}, meets: map[[2]*writtenCall]bool{}}
	for i := range events {
		switch events[i].Kind {
		case format.Reach, format.ReachGo, format.ReachSet:
		default:
			w.step(i, &events[i], of[i])
		}
	}
	return w.orders, nil
}

// written finds the orders of Algorithm 5, event by event.
type written struct {
	letter  bool
	threads map[trace.GoID]*writtenThread
	list    []*writtenThread
	meets   map[[2]*writtenCall]bool
	orders  []Edge
}

// writtenThread is what a goroutine has done.
type writtenThread struct {
	id        int // in written.list
	open      []*writtenCall
	ended     []*writtenCall
	last      int // the last event that a call has, of the open ones
	accesses  []writtenAccess
	clock     []int // by thread: its last event that comes before the next event here, and 1
	history   []writtenClock
	selecting bool // its last event was a SelectCase
}

// writtenClock is a clock that holds from an event on.
type writtenClock struct {
	from  int
	clock []int
}

type writtenAccess struct {
	at int
	x  Touch
}

// writtenCall is a BarrierPair.
type writtenCall struct {
	p    *Pair
	last int   // its last event
	hit  []int // by thread: the last access to something in D while it was open, and 1
}

func (w *written) thread(g trace.GoID) *writtenThread {
	t := w.threads[g]
	if t == nil {
		t = &writtenThread{id: len(w.list)}
		w.threads[g] = t
		w.list = append(w.list, t)
	}
	return t
}

// step takes event i, which begins or ends p if that is not nil.
func (w *written) step(i int, e *trace.Event, p *Pair) {
	t := w.thread(e.G)
	counts := t.counts(e)
	begins, ends := p != nil && p.Begin == int64(i), p != nil && p.Begin != int64(i)
	if begins {
		t.open = append(t.open, &writtenCall{p: p})
	}
	x := w.touch(e)
	if counts {
		w.order(i, t, x, begins)
	}
	t.clock = set(t.clock, t.id, i+1)
	if x.kind != touchesNothing {
		w.access(i, t, x)
	}
	if counts && len(t.open) > 0 {
		t.last = i
	}
	if ends {
		c := t.open[len(t.open)-1]
		c.last, t.open = i, t.open[:len(t.open)-1]
		t.ended = append(t.ended, c)
	}
	if e.Kind == format.Go {
		w.learn(w.thread(trace.GoID(e.Obj)), t.clock, i)
	}
}

// counts reports whether an event can be ordered (Between).
func (t *writtenThread) counts(e *trace.Event) bool {
	k, chosen := e.Kind, t.selecting
	t.selecting = k == format.SelectCase
	switch {
	case k == format.ChanSend || k == format.ChanRecv:
		return e.Aux > 0 && !chosen
	case k == format.SelectCase || k == format.SelectDefault:
		return false
	}
	return k.IsAccess() || k >= format.Lock && k <= format.ChanLen || k >= format.Go && k <= format.Join ||
		k >= format.Acquire && k <= format.ReleaseMerge || k == format.MethodBegin || k == format.MethodEnd
}

// touch is what an event acts on, by lines 11 and 12: Goroutines in D, Objects in D.
func (w *written) touch(e *trace.Event) Touch {
	switch k := e.Kind; {
	case k.IsAccess():
		if e.Flags&format.FlagStack != 0 {
			return Touch{}
		}
		return Memory(uint64(e.Obj), uint64(max(1, e.Size)))
	case w.letter:
		return Touch{}
	case k == format.Go:
		return Touch{kind: touchesGo, g: trace.GoID(e.Obj)}
	case k == format.Start || k == format.End:
		return Touch{kind: touchesGo, g: e.G}
	}
	return Touch{}
}

// order finds the orders that end in event i.
func (w *written) order(i int, t *writtenThread, x Touch, begins bool) {
	var before []Edge // From alone; To is the thread
	for _, u := range w.list {
		if u == t {
			continue
		}
		known := at(t.clock, u.id) - 1
		f := -1
		if len(t.open) > 0 {
			// Two calls
			f = max(f, u.latest(known, func(c *writtenCall) bool { return w.meetsAny(t.open, c) }))
			for _, c := range t.open {
				f = max(f, at(c.hit, u.id)-1) // A call and an access
			}
		}
		if begins {
			f = max(f, u.lastAccess(known, &t.open[len(t.open)-1].p.D)) // A call and an access
		}
		if x.kind != touchesNothing {
			// A call and an access
			f = max(f, u.latest(known, func(c *writtenCall) bool { return c.p.D.Hits(x) }))
		}
		if f > known {
			before = append(before, Edge{int64(f), int64(u.id)})
		}
	}
	slices.SortFunc(before, func(x, y Edge) int { return cmp.Compare(y.From, x.From) })
	for _, b := range before {
		u, f := w.list[b.To], int(b.From)
		if f < at(t.clock, u.id) {
			continue // it follows from a later one
		}
		w.orders = append(w.orders, Edge{b.From, int64(i)})
		w.learn(t, u.clockAt(f), i)
	}
}

// latest returns the last event of a call for which is holds, -1 if it is not after event known.
func (t *writtenThread) latest(known int, is func(*writtenCall) bool) int {
	if len(t.open) > 0 && t.last > known && slices.ContainsFunc(t.open, is) {
		return t.last
	}
	for k := len(t.ended) - 1; k >= 0 && t.ended[k].last > known; k-- {
		if is(t.ended[k]) {
			return t.ended[k].last
		}
	}
	return -1
}

// lastAccess returns the last access to something in d, -1 if it is not after event known.
func (t *writtenThread) lastAccess(known int, d *Set) int {
	for k := len(t.accesses) - 1; k >= 0 && t.accesses[k].at > known; k-- {
		if d.Hits(t.accesses[k].x) {
			return t.accesses[k].at
		}
	}
	return -1
}

// meetsAny says whether the D of one of some calls has something in common with that of c.
func (w *written) meetsAny(calls []*writtenCall, c *writtenCall) bool {
	return slices.ContainsFunc(calls, func(d *writtenCall) bool {
		k := [2]*writtenCall{d, c}
		meets, ok := w.meets[k]
		if !ok {
			meets = d.p.D.Meets(&c.p.D)
			w.meets[k] = meets
		}
		return meets
	})
}

// access notes access i.
func (w *written) access(i int, t *writtenThread, x Touch) {
	t.accesses = append(t.accesses, writtenAccess{i, x})
	for _, u := range w.list {
		if u == t {
			continue
		}
		for _, c := range u.open {
			if c.p.D.Hits(x) {
				c.hit = set(c.hit, t.id, i+1)
			}
		}
	}
}

// learn has event i of t, or its first one, come after all that a clock has.
func (w *written) learn(t *writtenThread, clock []int, i int) {
	more := false
	for id, n := range clock {
		if n > at(t.clock, id) && id != t.id {
			t.clock, more = set(t.clock, id, n), true
		}
	}
	if more {
		t.history = append(t.history, writtenClock{i, slices.Clone(t.clock)})
	}
}

// clockAt is what comes before event i of t, and i itself.
func (t *writtenThread) clockAt(i int) []int {
	k, _ := slices.BinarySearchFunc(t.history, i+1, func(h writtenClock, n int) int { return cmp.Compare(h.from, n) })
	var clock []int
	if k > 0 {
		clock = slices.Clone(t.history[k-1].clock)
	}
	return set(clock, t.id, i+1)
}

func at(list []int, k int) int {
	if k < len(list) {
		return list[k]
	}
	return 0
}

func set(list []int, k, n int) []int {
	for len(list) <= k {
		list = append(list, 0)
	}
	list[k] = n
	return list
}
