package predict

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// chains finds what leads from one event of a window to another.
type chains struct {
	b     *built.Window
	w     *model.Window
	by    map[model.Edge]bool // orders that missing methods keep
	next  []int32             // of the event's thread, -1: none
	out   [][]int32           // other orders, by the event they come from
	calls []model.MissingCall
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
	if m := b.Missing(); m != nil {
		c.calls = m.Calls
	}
	return c
}

// loose is the window without the orders that missing methods keep.
func (c *chains) loose() *model.Window {
	return without(c.w, func(e model.Edge) bool { return c.by[e] })
}

// path returns a shortest way from one of the two events to the other; with kept, also by orders
// that missing methods keep.
func (c *chains) path(p model.Pair, kept bool) []int32 {
	for _, q := range []model.Pair{p, {A: p.B, B: p.A}} {
		from := map[int32]int32{q.A: -1}
		for todo := []int32{q.A}; len(todo) > 0; todo = todo[1:] {
			e := todo[0]
			if e == q.B {
				var way []int32
				for ; e >= 0; e = from[e] {
					way = append(way, e)
				}
				slices.Reverse(way)
				return way
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

// links are the steps of a way, of which those of one thread that follow each other are one.
func (c *chains) links(way []int32) (list []Link) {
	for k := 1; k < len(way); k++ {
		e, f := way[k-1], way[k]
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

// between says because of which calls e comes before f, and what they have in common: one that ends
// or goes on with e and one that begins or goes on with f; or only one of them, which reaches what
// the other event accesses; or a third that reaches both.
func (c *chains) between(l *Link, e, f int32) {
	x, y := &c.w.Events[e], &c.w.Events[f]
	places := c.b.Places
	at := func(p *model.MissingCall, e *model.Event) (part [2]uint64, ok bool) {
		if e.Obj >= 0 && int(e.Obj) < len(places) && places[e.Obj].Addr != 0 {
			return hits(p, [2]uint64{places[e.Obj].Addr, places[e.Obj].Addr + 8})
		}
		return part, false
	}
	first, second := c.open(x), c.open(y)
	for _, p := range first {
		for _, q := range second {
			if part, ok := meet(&p, &q); ok {
				l.Calls, l.Part = []model.MissingCall{p, q}, part
				return
			}
		}
	}
	for _, p := range slices.Concat(first, second, c.calls) {
		for _, e := range []*model.Event{x, y} {
			if part, ok := at(&p, e); ok {
				l.Calls, l.Part = []model.MissingCall{p}, part
				return
			}
		}
	}
	for _, p := range slices.Concat(first, second) {
		for _, g := range []trace.GoID{c.who(x), c.who(y)} {
			if g != p.G && slices.Contains(p.Goroutines, g) {
				l.Calls, l.Lives = []model.MissingCall{p}, g
				return
			}
		}
	}
	if l.Calls = append(first, second...); len(l.Calls) > 1 {
		l.Calls = l.Calls[:1]
	}
}

func (c *chains) who(e *model.Event) trace.GoID {
	if e.Thread < 0 || int(e.Thread) >= len(c.w.Threads) {
		return -1
	}
	return c.w.Threads[e.Thread]
}

// open returns the calls that an event is in, or begins, or ends, the innermost first.
func (c *chains) open(e *model.Event) (list []model.MissingCall) {
	for _, p := range slices.Backward(c.calls) {
		if p.G == c.who(e) && p.Begin <= e.Index && (p.End < 0 || e.Index <= p.End) {
			list = append(list, p)
		}
	}
	return list
}

// meet returns a part of memory that two calls reach; zero, if one of them reaches everything.
func meet(p, q *model.MissingCall) (part [2]uint64, ok bool) {
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

// hits returns what a call reaches of a piece of memory.
func hits(p *model.MissingCall, a [2]uint64) (part [2]uint64, ok bool) {
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
