package built

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Choice is a window in which goroutines may leave their recorded paths or not: any of several
// alternatives may be taken, also of different goroutines. The order that a solver finds says which
// ones (Taken). This is the formula of RECIPE, section IV, in which each branch of each thread has
// both sides, for a given set of alternatives.
//
// Each alternative is a thread of its own, which begins after the last event that it has in common
// with the recorded path. All that goes on from one point, the recorded path included, has to begin
// one and the same Once: so at most one of them is executed.
//
//	recorded   e1 ─ e2 ─┬──────────▶ e3 ─ e4        begin: OnceBegin(o), by a thread of its own
//	                    ├─ begin ──▶ (edge to e3)
//	alternative         └─ begin ─ a1 ─ a2 …
type Choice struct {
	*model.Window
	b     *Window
	ways  []*Way
	first []int32 // by alternative: its begin; its own events follow
}

// Choice returns the window with a choice of alternatives. ok is false if one of them cannot be
// chosen in this way: the goroutine waits in a send on a channel without a buffer right before its
// fork, so that its next event depends on another goroutine (MO14).
func (b *Window) Choice(ways []*Way) (c *Choice, ok bool) {
	w := b.like()
	c = &Choice{Window: w, b: b, ways: ways}
	w.Init, w.Edges = slices.Clone(b.Init), slices.Clone(b.Edges)
	w.Events = slices.Clone(b.Events)
	for i := range w.Events {
		e := &w.Events[i]
		if e.Partner >= 0 { // an alternative may receive in its place
			e.Partner = model.Anyone
		}
		needAddress(e)
	}
	for _, way := range ways {
		decided := way.decided()
		for i := range w.Events {
			w.Events[i].Never = w.Events[i].Never || passes(&w.Events[i], decided)
		}
	}
	at := map[point]model.Obj{}
	once := func(p point, index int64) model.Obj {
		o, known := at[p]
		if !known {
			o = model.Obj(len(w.Init))
			w.Init = append(w.Init, model.ObjState{})
			at[p] = o
			c.stays(o, p, index)
		}
		return o
	}
	for _, way := range ways {
		if b.sends(way.Thread, way.Before) {
			return nil, false
		}
		var cuts []int32
		for _, cut := range way.Cuts {
			if b.sends(cut.Thread, cut.Before) {
				return nil, false
			}
			p := point{cut.Thread, cut.Before, cut.Leaves}
			cuts = append(cuts, c.begin(once(p, cut.At), b.Threads[p.thread], cut.At))
		}
		begin := c.leaves(once(point{way.Thread, way.Before, way.Leaves}, way.At), way)
		for _, n := range cuts {
			c.Edges = append(c.Edges, model.Edge{From: n, To: begin})
		}
	}
	return c, true
}

// A point is where a recorded path may be left, or end.
type point struct {
	thread         model.Thread
	before, leaves int32 // as of a Way
}

// begin adds a thread of a goroutine, which begins with a OnceBegin.
func (c *Choice) begin(once model.Obj, g trace.GoID, index int64) (n int32) {
	n = int32(len(c.Events))
	c.Events = append(c.Events, model.Event{Kind: format.OnceBegin, Thread: model.Thread(len(c.Threads)), Obj: once, Partner: -1, Index: index})
	c.Threads = append(c.Threads, g)
	return n
}

// stays adds the choice of the recorded path. What was recorded after the point comes after it, and
// so does what waits for the end of the goroutine.
func (c *Choice) stays(once model.Obj, p point, index int64) {
	begin := c.begin(once, c.b.Threads[p.thread], index)
	for i := range c.b.Events {
		e := &c.b.Events[i]
		if int32(i) == p.leaves || e.Kind == format.Join && model.Thread(e.Obj) == p.thread {
			c.Edges = append(c.Edges, model.Edge{From: begin, To: int32(i)})
		}
	}
}

// leaves adds an alternative. It returns its begin.
func (c *Choice) leaves(once model.Obj, way *Way) (begin int32) {
	begin = c.begin(once, way.G, way.At)
	c.Events[begin].Site = way.Fork
	before := way.Before
	if before < 0 {
		before = c.b.starts(way.Thread)
	}
	if before >= 0 {
		c.Edges = append(c.Edges, model.Edge{From: before, To: begin})
	}
	c.first = append(c.first, begin)
	thread := c.Events[begin].Thread
	for _, e := range c.b.shifted(way, int(begin)+1-len(c.b.Events), 0) {
		if e.Thread == way.Thread {
			e.Thread = thread
		}
		c.Events = append(c.Events, e)
	}
	return begin
}

// starts returns the Go event of a thread, or -1.
func (b *Window) starts(t model.Thread) int32 {
	return int32(slices.IndexFunc(b.Events, func(e model.Event) bool { return e.Kind == format.Go && model.Thread(e.Obj) == t }))
}

// Number returns the number of event k of an alternative.
func (c *Choice) Number(way int, k int32) int32 { return c.first[way] + 1 + k }

// Taken returns the alternatives that a witness takes, and the witness as one of their Variant. An
// atomic read is left out if it is the last event of its goroutine in an alternative and no access
// of the pair: the guards of its outcome, as of a CompareAndSwap that finds another value, are
// those of the event behind it, and nothing else rests on it.
func (c *Choice) Taken(p model.Pair, order []int32) (ways []*Way, q model.Pair, out []int32) {
	n := int32(len(c.b.Events))
	taken := make([]bool, len(c.ways))
	all := append(c.withoutLastReads(order, p), p.A, p.B)
	for _, i := range all {
		if k := c.wayOf(i); k >= 0 {
			taken[k] = true
		}
	}
	offset := make([]int32, len(c.ways)) // of the events of an alternative in the variant
	at := n
	for k, way := range c.ways {
		if taken[k] {
			offset[k] = at
			at += int32(len(way.Events))
			ways = append(ways, way)
		}
	}
	for _, i := range all {
		switch k := c.wayOf(i); {
		case i < n:
			out = append(out, i)
		case k >= 0 && i != c.first[k]:
			out = append(out, offset[k]+i-c.first[k]-1)
		}
	}
	m := len(out) - 2
	return ways, model.Pair{A: out[m], B: out[m+1]}, out[:m]
}

// withoutLastReads returns the order without the atomic reads at which a goroutine of an
// alternative ends, and without the begin of an alternative that has nothing else.
func (c *Choice) withoutLastReads(order []int32, p model.Pair) []int32 {
	type part struct { // an alternative may start goroutines
		way int
		t   model.Thread
	}
	goesOn, taken := map[part]bool{}, make([]bool, len(c.ways)) // at a later event
	later := func(i int32, k int) {
		taken[k] = true
		goesOn[part{k, c.ways[k].Events[i-c.first[k]-1].Thread}] = true
	}
	for _, i := range []int32{p.A, p.B} {
		if k := c.wayOf(i); k >= 0 {
			later(i, k)
		}
	}
	var out []int32
	for _, i := range slices.Backward(order) {
		switch k := c.wayOf(i); {
		case k < 0:
		case i == c.first[k]:
			if !taken[k] {
				continue
			}
		default:
			e := &c.ways[k].Events[i-c.first[k]-1]
			if e.Kind == format.AtomicRead && !goesOn[part{k, e.Thread}] {
				continue
			}
			later(i, k)
		}
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

// wayOf returns the alternative that an event is of, or -1.
func (c *Choice) wayOf(i int32) int {
	for k := range c.first {
		if c.first[k] <= i && i <= c.first[k]+int32(len(c.ways[k].Events)) {
			return k
		}
	}
	return -1
}

// sends reports whether a goroutine may wait in a send on a channel without a buffer after the
// event before; -1: where the window begins.
func (b *Window) sends(t model.Thread, before int32) bool {
	if before >= 0 {
		e := &b.Events[before]
		return e.Kind == format.ChanSend && b.Init[e.Obj].Cap == 0
	}
	return slices.ContainsFunc(b.Init, func(s model.ObjState) bool {
		return s.Cap == 0 && len(s.Queue) > 0 && s.SlotOf == t
	})
}
