package witness

import (
	"maps"
	"slices"
	"sort"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Crossing checks that a witness moves nothing across a missing method that it may not cross, and
// that missing methods find what they found. It looks at the trace and at the order of the witness,
// and not at what the window has made of missing methods: its edges, its reads and writes of
// nobody.
//
// It asks of each event e what may know of it by way of missing events, in the recorded run: a gap
// (the time between two events of a goroutine in a missing method) that e begins, or whose method
// can act on what e acts on, while it is open; a gap whose method has something in common with that
// of a gap that may know, while it is open, from then on. The event that ends a gap that may know,
// and events from then on that act on what its method can act on, must come after e. But a gap
// knows only as far as the witness has it run: up to its end, if the witness has that event (or it
// is one of the race), or up to an event that can only be if the method has run; and so do the gaps
// that it has something in common with. What only reads does nothing to others: if the witness does
// without it, all is well.
//
//	(Y1) an event of the witness comes after all that it may know of.
//	(Y2) What traced code has left in the bytes that a method reaches is, where the method begins
//	     and goes on, what it was in the recorded run.
//
//	(Y3) Operations of an object that a method reaches keep their order, but for RLocks among each
//	     other.
//	(Y4) So do two operations on one object, if the code of one of them is not in the trace.
//
//	(Y5) No missing method that the witness has run can have learned of a read that saw something
//	     else than in the recorded run: no event in one needs it, nothing that a method reaches
//	     where it begins, and nothing that traced code writes there while it is under way and goes
//	     on, rests on it; nor, where the witness has a method run without its goroutine's next
//	     event, has it called back one.
//
// What traced code finds after a missing method is left to the window and Check.
func Crossing(w *model.Window, m *model.Missing, p model.Pair, order []int32) error {
	if m == nil || len(m.Calls) == 0 {
		return nil
	}
	c := newCrossing(w, m, p, order)
	for e := range m.Events {
		if e <= c.last {
			if err := c.after(e); err != nil {
				return err
			}
		}
	}
	if err := c.objects(); err != nil {
		return err
	}
	if err := c.hidden(); err != nil {
		return err
	}
	if err := c.learned(p, order); err != nil {
		return err
	}
	return c.values()
}

// crossing is a witness, by events of the trace. Events are named by where they stand in m.
type crossing struct {
	step  int
	w     *model.Window
	m     *model.Missing
	began []int // by event: when the witness begins with it, in steps of step; -1: never
	ended []int // and has done all of it; never: it has not
	event []int32

	own   map[int]bool // accesses that are part of a gap (placeQuiet)
	acted []bool       // the witness has more of it than that its goroutine got there
	gaps  []openGap
	last  int // the last event that the witness has begun with

	crews  []crew
	crewOf []int   // by gap
	actors [][]int // by event: crews that can act on what it acts on
	// gaps, by the event that they begin with, of which the witness has run a part
	begins map[int][]int
	know   []int // of after
	list   []int
}

// openGap is a gap from event a (-1: before the window) to event b (len: to its end).
type openGap struct {
	a, b  int
	until int // what comes later of it has not run
	calls []int
}

func newCrossing(w *model.Window, m *model.Missing, p model.Pair, order []int32) *crossing {
	c := &crossing{step: len(m.Events) + 1, w: w, m: m, began: make([]int, len(m.Events)), ended: make([]int, len(m.Events)), event: make([]int32, len(m.Events)), acted: make([]bool, len(m.Events)), last: -1}
	parts := make([]int, len(m.Events))
	for e := range m.Events {
		c.began[e], c.ended[e], c.event[e] = -1, never, -1
	}
	place := func(i int32) int {
		if w.Threads[w.Events[i].Thread] < 0 {
			return -1
		}
		e, ok := slices.BinarySearch(m.Index, w.Events[i].Index)
		if !ok || m.Events[e].G != w.Threads[w.Events[i].Thread] {
			return -1
		}
		return e
	}
	for i := range w.Events {
		if e := place(int32(i)); e >= 0 {
			parts[e]++
			c.event[e] = int32(i)
		}
	}
	for n, i := range append(slices.Clone(order), p.A, p.B) {
		e := place(i)
		if e < 0 {
			continue
		}
		if c.began[e] < 0 {
			c.began[e] = (n + 1) * c.step
		}
		c.last = max(c.last, e)
		if n < len(order) && w.Events[i].Kind != model.Pin {
			c.acted[e] = true
		}
		if parts[e]--; parts[e] == 0 && n < len(order) {
			c.ended[e] = (n + 1) * c.step
		}
	}
	c.placeQuiet()
	c.goroutineEnds()
	c.makeGaps()
	c.makeCrews()
	c.runGaps(order)
	c.prepare()
	c.know = make([]int, len(c.crews))
	return c
}

const never = 1 << 62

// goroutineEnds lets a goroutine that ends without an event of the window end as soon as it has
// done all before.
func (c *crossing) goroutineEnds() {
	last := map[trace.GoID]int{}
	for e := range c.m.Events {
		g := c.m.Events[e].G
		switch d, ok := last[g]; {
		case c.event[e] >= 0:
			last[g] = e
		case c.m.Events[e].Kind == format.End && ok:
			c.ended[e] = c.ended[d]
		case c.m.Events[e].Kind == format.End:
			c.ended[e] = -1
		}
	}
}

// makeGaps cuts the calls at the events of their goroutines that are in the window.
func (c *crossing) makeGaps() {
	type at struct {
		a     int
		calls []int
	}
	now := map[trace.GoID]*at{}
	for k, call := range c.m.Calls {
		if call.Begin < c.m.Index[0] {
			if now[call.G] == nil {
				now[call.G] = &at{a: -1}
			}
			now[call.G].calls = append(now[call.G].calls, k)
		}
	}
	for e := range c.m.Events {
		g := c.m.Events[e].G
		x := now[g]
		if c.event[e] < 0 {
			if c.m.Events[e].Kind == format.End && x != nil && len(x.calls) > 0 {
				c.gaps = append(c.gaps, openGap{x.a, e, x.a, x.calls})
				x.calls = nil
			}
			continue
		}
		if x == nil {
			x = &at{a: -1}
			now[g] = x
		}
		if len(x.calls) > 0 {
			c.gaps = append(c.gaps, openGap{x.a, e, x.a, slices.Clone(x.calls)})
		}
		x.a = e
		switch c.m.Events[e].Kind {
		case format.MethodBegin:
			k := slices.IndexFunc(c.m.Calls, func(call model.MissingCall) bool { return call.Begin == c.m.Index[e] })
			x.calls = append(x.calls, k)
		case format.MethodEnd, format.End:
			x.calls = slices.DeleteFunc(x.calls, func(k int) bool { return c.m.Calls[k].End == c.m.Index[e] })
		}
	}
	for _, g := range slices.Sorted(maps.Keys(now)) { // also those that have no event of the window
		if x := now[g]; len(x.calls) > 0 {
			c.gaps = append(c.gaps, openGap{x.a, len(c.m.Events), x.a, x.calls})
		}
	}
}

// acts says whether a method of g can act on what event e acts on.
func (c *crossing) acts(g openGap, e int) bool {
	return slices.ContainsFunc(g.calls, func(k int) bool { return reaches(&c.m.Calls[k], &c.m.Events[e]) })
}

// common says whether methods of two gaps can act on the same thing.
func (c *crossing) common(g, h openGap) bool {
	for _, i := range g.calls {
		for _, j := range h.calls {
			if i != j && share(&c.m.Calls[i], &c.m.Calls[j]) {
				return true
			}
		}
	}
	return false
}

func share(p, q *model.MissingCall) bool {
	if nothing(p) || nothing(q) {
		return false
	}
	if p.All || q.All || slices.ContainsFunc(p.Goroutines, func(g trace.GoID) bool { return slices.Contains(q.Goroutines, g) }) {
		return true
	}
	return slices.ContainsFunc(p.Memory, func(x [2]uint64) bool { return within(q.Memory, x) })
}

func nothing(p *model.MissingCall) bool {
	return !p.All && len(p.Memory)+len(p.Goroutines) == 0
}

// within says whether one of a list of pieces, which are in order, has any of the bytes x.
func within(list [][2]uint64, x [2]uint64) bool {
	n := sort.Search(len(list), func(n int) bool { return x[0] < list[n][1] })
	return n < len(list) && list[n][0] < x[1]
}

// reaches says whether a call can act on what an event acts on.
func reaches(p *model.MissingCall, e *trace.Event) bool {
	if p.Seen && !e.Kind.IsAccess() {
		return false
	}
	switch e.Kind {
	case format.Go:
		return p.All || slices.Contains(p.Goroutines, trace.GoID(e.Obj))
	case format.Start, format.End:
		return p.All || slices.Contains(p.Goroutines, e.G)
	case format.Join, format.SelectDefault, format.MethodBegin, format.MethodEnd, format.OpaqueBegin, format.OpaqueEnd, format.Alloc,
		format.Observe, format.Enter, format.Exit, format.Block, format.Value, format.Word:
		return false
	}
	from, to := bytesOf(e)
	x := [2]uint64{from, to}
	return from < to && (p.All || within(p.Memory, x))
}

// bytesOf is what an access or an operation of an object is about.
func bytesOf(e *trace.Event) (from, to uint64) {
	from = min(uint64(e.Obj), ^uint64(1)) // the last byte of memory is one with the byte before
	switch {
	case !e.Kind.IsAccess():
		return from, from + 1
	case e.Flags&format.FlagStack != 0:
		return 0, 0
	case e.Size == 0 || e.Size > 8:
		to = from&^7 + 8
	default:
		to = uint64(e.Obj) + uint64(e.Size)
	}
	if to <= from {
		to = ^uint64(0)
	}
	return from, to
}

// objects checks (Y3).
func (c *crossing) objects() error {
	before := map[trace.Addr][]int{}
	for e := range c.m.Events[:c.last+1] {
		ev := &c.m.Events[e]
		if from, to := bytesOf(ev); ev.Kind.IsAccess() || to == from || ev.Obj == 0 || !slices.ContainsFunc(c.m.Calls, func(p model.MissingCall) bool { return reaches(&p, ev) }) {
			continue
		}
		switch ev.Kind {
		case format.Go, format.Start, format.End:
			continue
		}
		for _, d := range before[ev.Obj] {
			before := &c.m.Events[d]
			free := before.G == ev.G || before.Kind == format.Lock && ev.Kind == format.Lock && before.Flags&ev.Flags&format.FlagRead != 0
			if !free && c.began[e] >= 0 && c.ended[d] >= c.began[e] {
				return &Violation{Rule: "Y3", Event: max(0, c.event[e]), Kind: ev.Kind, Reason: "it comes before an earlier operation of an object that a missing method reaches"}
			}
		}
		before[ev.Obj] = append(before[ev.Obj], e)
	}
	return nil
}

// values checks (Y2).
func (c *crossing) values() error {
	for k := range c.m.Calls {
		call := &c.m.Calls[k]
		b, ok := slices.BinarySearch(c.m.Index, call.Begin)
		if !ok || !slices.ContainsFunc(c.gaps, func(g openGap) bool { return g.a == b && g.until > b }) {
			// it has not run
			continue
		}
		// by byte: the event that wrote it last
		recorded, moved := map[uint64]int{}, map[uint64]int{}
		for e := range b {
			if !c.m.Events[e].Kind.IsWrite() || !reaches(call, &c.m.Events[e]) {
				continue
			}
			from, to := bytesOf(&c.m.Events[e])
			for x := from; x < to; x++ {
				recorded[x] = e
				if c.began[e] < 0 || c.began[e] > c.began[b] {
					continue
				}
				if last, ok := moved[x]; !ok || c.began[last] < c.began[e] {
					moved[x] = e
				}
			}
		}
		for x, e := range recorded {
			if f, ok := moved[x]; ok && f != e && !c.same(x, e, f) && c.began[e] >= 0 && c.began[e] < c.began[b] && !c.overwritten(x, e, b) {
				return &Violation{Rule: "Y2", Event: max(0, c.event[b]), Kind: format.MethodBegin, Reason: "a missing method finds another value than it did"}
			}
		}
	}
	return nil
}

// same says whether two events left the same at byte x.
func (c *crossing) same(x uint64, e, f int) bool {
	left := func(e int) (uint64, bool) {
		ev := &c.m.Events[e]
		v := ev.Val
		if ev.Kind == format.AtomicRMW {
			v = ev.Aux
		}
		return v >> (8 * (x - uint64(ev.Obj))) & 0xff, ev.Flags&format.FlagNoValue == 0
	}
	v, ok := left(e)
	u, known := left(f)
	return ok && known && v == u
}

// overwritten says whether a missing method may have written byte x between two events of the
// recorded run.
func (c *crossing) overwritten(x uint64, e, b int) bool {
	return slices.ContainsFunc(c.gaps, func(g openGap) bool {
		return g.a < b && g.b > e && slices.ContainsFunc(g.calls, func(k int) bool {
			call := &c.m.Calls[k]
			return call.All || within(call.Memory, [2]uint64{x, x + 1})
		})
	})
}
