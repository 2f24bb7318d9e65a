package witness

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Crossing checks a witness of a trace with excluded code: it keeps the orders that excluded calls
// may rely on (CW3 to CW6 in the package doc). It does not use the window's edges.
func Crossing(w *model.Window, m *model.ExcludedTrace, p model.Pair, order []int32) error {
	if m == nil || len(m.Calls) == 0 {
		return nil
	}
	c := newCrossing(w, m, p, order)
	for e := range m.Events {
		if e <= c.last {
			if err := c.order(e); err != nil {
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
	if err := c.reads(p, order); err != nil {
		return err
	}
	return c.values()
}

// crossing is a witness by events of the trace. An event is named by its place in m.
type crossing struct {
	step  int
	w     *model.Window
	m     *model.ExcludedTrace
	began []int   // by event: when the witness begins with it, in units of step; -1: not at all
	ended []int   // by event: when the witness has all of it; never: it does not
	event []int32 // by event: an event of the window, or -1

	own   map[int]bool // accesses that are part of a gap (placeQuiet)
	acted []bool       // by event: the witness executes it, and not only reaches it
	gaps  []gap
	last  int // the last event with which the witness begins

	sets   []callSet
	setOf  []int   // by gap
	actors [][]int // by event: call sets that can act on it
	// by event: gaps that begin with it and of which the witness has run a part
	begins     map[int][]int
	influenced []int // of order, to be used again
	list       []int
}

// gap is the time of a goroutine in excluded calls, from event a (-1: before the window) to event b
// (len: to the end of the window).
type gap struct {
	a, b  int
	until int // the witness has run the gap up to this event
	calls []int
}

// Times later than all others in a witness.
const (
	never = 1 << 62 // of the end of an event that the witness does not complete
	// of the begin of an event that the witness does not have; later than never
	absent = math.MaxInt
)

func newCrossing(w *model.Window, m *model.ExcludedTrace, p model.Pair, order []int32) *crossing {
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
	c.makeSets()
	c.runGaps(order)
	c.prepare()
	c.influenced = make([]int, len(c.sets))
	return c
}

// goroutineEnds gives a goroutine's end that has no event in the window the time at which the
// goroutine's last event is complete.
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

// makeGaps cuts the calls into gaps, at the events of their goroutines that are in the window.
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
				c.gaps = append(c.gaps, gap{x.a, e, x.a, x.calls})
				x.calls = nil
			}
			continue
		}
		if x == nil {
			x = &at{a: -1}
			now[g] = x
		}
		if len(x.calls) > 0 {
			c.gaps = append(c.gaps, gap{x.a, e, x.a, slices.Clone(x.calls)})
		}
		x.a = e
		switch c.m.Events[e].Kind {
		case format.MethodBegin:
			k := slices.IndexFunc(c.m.Calls, func(call model.ExcludedCall) bool { return call.Begin == c.m.Index[e] })
			x.calls = append(x.calls, k)
		case format.MethodEnd, format.End:
			x.calls = slices.DeleteFunc(x.calls, func(k int) bool { return c.m.Calls[k].End == c.m.Index[e] })
		}
	}
	for _, g := range slices.Sorted(maps.Keys(now)) {
		// also goroutines without an event in the window
		if x := now[g]; len(x.calls) > 0 {
			c.gaps = append(c.gaps, gap{x.a, len(c.m.Events), x.a, x.calls})
		}
	}
}

// acts reports whether a call of g can act on event e.
func (c *crossing) acts(g gap, e int) bool {
	return slices.ContainsFunc(g.calls, func(k int) bool { return reaches(&c.m.Calls[k], &c.m.Events[e]) })
}

// common reports whether calls of two gaps share.
func (c *crossing) common(g, h gap) bool {
	for _, i := range g.calls {
		for _, j := range h.calls {
			if i != j && share(&c.m.Calls[i], &c.m.Calls[j]) {
				return true
			}
		}
	}
	return false
}

func share(p, q *model.ExcludedCall) bool {
	if nothing(p) || nothing(q) {
		return false
	}
	if p.All || q.All || slices.ContainsFunc(p.Goroutines, func(g trace.GoID) bool { return slices.Contains(q.Goroutines, g) }) {
		return true
	}
	return slices.ContainsFunc(p.Memory, func(x [2]uint64) bool { return within(q.Memory, x) })
}

func nothing(p *model.ExcludedCall) bool {
	return !p.All && len(p.Memory)+len(p.Goroutines) == 0
}

// within reports whether one of a sorted list of pieces of memory has any of the bytes x.
func within(list [][2]uint64, x [2]uint64) bool {
	n := sort.Search(len(list), func(n int) bool { return x[0] < list[n][1] })
	return n < len(list) && list[n][0] < x[1]
}

// reaches reports whether a call can act on an event.
func reaches(p *model.ExcludedCall, e *trace.Event) bool {
	if e.Kind.IsControl() || p.Seen && !e.Kind.IsAccess() {
		return false
	}
	switch e.Kind {
	case format.Go:
		return p.All || slices.Contains(p.Goroutines, trace.GoID(e.Obj))
	case format.Start, format.End:
		return p.All || slices.Contains(p.Goroutines, e.G)
	case format.Join, format.SelectDefault, format.MethodBegin, format.MethodEnd, format.Alloc, format.Observe:
		return false
	}
	from, to := bytesOf(e)
	x := [2]uint64{from, to}
	return from < to && (p.All || within(p.Memory, x))
}

// bytesOf is the memory of an access, or a byte that stands for the object of an operation.
func bytesOf(e *trace.Event) (from, to uint64) {
	from = min(uint64(e.Obj), ^uint64(1)) // no overflow below
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
