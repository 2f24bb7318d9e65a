package predict

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// chains finds chains of events of a window, each of which must come before the next.
type chains struct {
	b     *built.Window
	w     *model.Window
	by    map[model.Edge]bool // orders that excluded calls keep
	next  []int32             // of the event's thread, -1: none
	out   [][]int32           // other orders, by the event they come from
	calls []model.ExcludedCall
}

func newChains(b *built.Window, w *model.Window) *chains {
	c := &chains{b: b, w: w, by: map[model.Edge]bool{}, next: make([]int32, len(w.Events)), out: make([][]int32, len(w.Events))}
	last := map[model.Thread]int32{}
	for i := range w.Events {
		c.next[i] = -1
		if e, ok := last[w.Events[i].Thread]; ok {
			c.next[e] = int32(i)
		}
		last[w.Events[i].Thread] = int32(i)
	}
	first := map[model.Thread]int32{}
	for i := range slices.Backward(w.Events) {
		first[w.Events[i].Thread] = int32(i)
	}
	for i := range w.Events { // (MO1)
		switch e := &w.Events[i]; e.Kind {
		case format.Go:
			if f, ok := first[model.Thread(e.Obj)]; ok {
				c.out[i] = append(c.out[i], f)
			}
		case format.Join:
			if f, ok := last[model.Thread(e.Obj)]; ok {
				c.out[f] = append(c.out[f], int32(i))
			}
		}
	}
	for _, k := range b.Kept {
		c.by[k.Edge] = true
	}
	for _, e := range w.Edges {
		c.out[e.From] = append(c.out[e.From], e.To)
	}
	for _, e := range w.Orders {
		c.out[e.From] = append(c.out[e.From], e.To)
	}
	if m := b.ExcludedTrace(); m != nil {
		c.calls = m.Calls
	}
	return c
}

// loose returns the window without the orders that excluded calls keep.
func (c *chains) loose() *model.Window {
	return without(c.w, func(e model.Edge) bool { return c.by[e] })
}

// path returns a shortest chain from one of two events to the other. With kept, it may use orders
// that excluded calls keep.
func (c *chains) path(p model.Pair, kept bool) []int32 {
	for _, q := range []model.Pair{p, {A: p.B, B: p.A}} {
		from := map[int32]int32{q.A: -1}
		for todo := []int32{q.A}; len(todo) > 0; todo = todo[1:] {
			e := todo[0]
			if e == q.B {
				var chain []int32
				for ; e >= 0; e = from[e] {
					chain = append(chain, e)
				}
				slices.Reverse(chain)
				return chain
			}
			reach := func(f int32) {
				if _, seen := from[f]; f >= 0 && !seen {
					from[f] = e
					todo = append(todo, f)
				}
			}
			reach(c.next[e])
			for _, f := range c.out[e] {
				if kept || !c.by[model.Edge{From: e, To: f}] {
					reach(f)
				}
			}
		}
	}
	return nil
}

// links returns the steps of a chain. Consecutive steps of one thread are one link.
func (c *chains) links(chain []int32) (list []Link) {
	for k := 1; k < len(chain); k++ {
		e, f := chain[k-1], chain[k]
		x := Link{From: c.w.Events[e].Index, To: c.w.Events[f].Index, By: MustPrecede}
		own := c.w.Events[e].Thread == c.w.Events[f].Thread
		switch n := len(list); {
		case own && n > 0 && list[n-1].By == ProgramOrder:
			list[n-1].To = x.To
			continue
		case own:
			x.By = ProgramOrder
		case c.by[model.Edge{From: e, To: f}]:
			x.By = MissingMethod
			c.between(&x, e, f)
		}
		if x.By != ProgramOrder || x.From != x.To {
			list = append(list, x)
		}
	}
	return list
}

// between sets the calls because of which e comes before f, and what they share. They are a call
// that e is in and a call that f is in; or only one of these, which reaches what the other event
// accesses; or a third call that reaches both.
func (c *chains) between(l *Link, e, f int32) {
	x, y := &c.w.Events[e], &c.w.Events[f]
	places := c.b.Places
	at := func(p *model.ExcludedCall, e *model.Event) (part [2]uint64, ok bool) {
		if e.Obj >= 0 && int(e.Obj) < len(places) && places[e.Obj].Addr != 0 {
			return hits(p, [2]uint64{places[e.Obj].Addr, places[e.Obj].Addr + 8})
		}
		return part, false
	}
	first, second := c.open(x), c.open(y)
	for _, p := range first {
		for _, q := range second {
			if part, ok := meet(&p, &q); ok {
				l.Calls, l.Part = []model.ExcludedCall{p, q}, part
				return
			}
		}
	}
	for _, p := range slices.Concat(first, second, c.calls) {
		for _, e := range []*model.Event{x, y} {
			if part, ok := at(&p, e); ok {
				l.Calls, l.Part = []model.ExcludedCall{p}, part
				return
			}
		}
	}
	for _, p := range slices.Concat(first, second) {
		for _, g := range []trace.GoID{c.goroutine(x), c.goroutine(y)} {
			if g != p.G && slices.Contains(p.Goroutines, g) {
				l.Calls, l.Lives = []model.ExcludedCall{p}, g
				return
			}
		}
	}
	if l.Calls = append(first, second...); len(l.Calls) > 1 {
		l.Calls = l.Calls[:1]
	}
}

func (c *chains) goroutine(e *model.Event) trace.GoID {
	if e.Thread < 0 || int(e.Thread) >= len(c.w.Threads) {
		return -1
	}
	return c.w.Threads[e.Thread]
}

// open returns the calls that an event is in, begins or ends, the innermost first.
func (c *chains) open(e *model.Event) (list []model.ExcludedCall) {
	for _, p := range slices.Backward(c.calls) {
		if p.G == c.goroutine(e) && p.Begin <= e.Index && (p.End < 0 || e.Index <= p.End) {
			list = append(list, p)
		}
	}
	return list
}

// meet returns memory that two calls reach; zero if one of them reaches everything.
func meet(p, q *model.ExcludedCall) (part [2]uint64, ok bool) {
	if p.All || q.All {
		return part, true
	}
	for _, a := range p.Memory {
		if part, ok := hits(q, a); ok {
			return part, true
		}
	}
	return part, false
}

// hits returns the part of a piece of memory that a call reaches.
func hits(p *model.ExcludedCall, a [2]uint64) (part [2]uint64, ok bool) {
	if p.All {
		return a, true
	}
	for _, m := range p.Memory {
		if from, to := max(m[0], a[0]), min(m[1], a[1]); from < to {
			return [2]uint64{from, to}, true
		}
	}
	return part, false
}
