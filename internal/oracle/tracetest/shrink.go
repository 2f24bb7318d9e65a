package tracetest

import (
	"github.com/presage-race/presage/internal/predict/model"
)

// Shrink returns a smaller window on which the predictor still differs from the explorer. It
// removes events, edges, dependencies and flags one at a time, as long as there is a difference and
// the recorded order stays a reordering, if it is one.
func Shrink(d *Disagreement, predict Predictor) *Disagreement {
	for {
		smaller := shrinkOnce(d, predict)
		if smaller == nil {
			return d
		}
		d = smaller
	}
}

func shrinkOnce(d *Disagreement, predict Predictor) *Disagreement {
	check := validator(d.Window)
	for _, w := range simpler(d.Window) {
		if check(w) != nil {
			continue
		}
		if e := Compare(w, predict, &Counts{}); e != nil {
			return e
		}
	}
	return nil
}

// validator is the condition that a change of w has to keep: Validate, or WellFormed for a variant.
func validator(w *model.Window) func(*model.Window) error {
	if Validate(w) == nil {
		return Validate
	}
	return WellFormed
}

// simpler lists the windows that are one step simpler than w.
func simpler(w *model.Window) []*model.Window {
	var list []*model.Window
	change := func(f func(w *model.Window)) {
		c := Clone(w)
		f(c)
		list = append(list, c)
	}
	for i := range w.Events {
		list = append(list, without(w, int32(i)))
	}
	for k := range w.Edges {
		change(func(w *model.Window) { w.Edges = append(w.Edges[:k], w.Edges[k+1:]...) })
	}
	for k := range w.Orders {
		change(func(w *model.Window) { w.Orders = append(w.Orders[:k], w.Orders[k+1:]...) })
	}
	for i := range w.Events {
		e := &w.Events[i]
		if len(e.Deps) > 0 {
			change(func(w *model.Window) { w.Events[i].Deps = w.Events[i].Deps[1:] })
		}
		if len(e.Where) > 0 {
			change(func(w *model.Window) { w.Events[i].Where = w.Events[i].Where[1:] })
		}
		if len(e.ValDeps) > 0 {
			change(func(w *model.Window) { w.Events[i].ValDeps = w.Events[i].ValDeps[1:] })
		}
		for k := range e.Guards {
			change(func(w *model.Window) {
				gs := w.Events[i].Guards
				w.Events[i].Guards = append(gs[:k:k], gs[k+1:]...)
			})
		}
		if e.Value != nil {
			change(func(w *model.Window) { w.Events[i].Value = nil })
		}
		if e.Strict {
			change(func(w *model.Window) { w.Events[i].Strict = false })
		}
		for k := range e.Cases {
			change(func(w *model.Window) {
				cs := w.Events[i].Cases
				w.Events[i].Cases = append(cs[:k:k], cs[k+1:]...)
			})
		}
	}
	return list
}

// Clone returns a copy of w that shares nothing with it.
func Clone(w *model.Window) *model.Window {
	c := *w
	c.Events = append([]model.Event(nil), w.Events...)
	for i := range c.Events {
		e := &c.Events[i]
		e.Deps = append([]int32(nil), e.Deps...)
		e.Where = append([]int32(nil), e.Where...)
		e.ValDeps = append([]int32(nil), e.ValDeps...)
		e.Cases = append([]model.Case(nil), e.Cases...)
		e.Guards = append([]model.Guard(nil), e.Guards...)
	}
	c.Edges = append([]model.Edge(nil), w.Edges...)
	c.Orders = append([]model.Conditional(nil), w.Orders...)
	c.Init = append([]model.ObjState(nil), w.Init...)
	for o := range c.Init {
		c.Init[o].Queue = append([]uint64(nil), c.Init[o].Queue...)
		c.Init[o].Waiters = append([]model.Waiter(nil), c.Init[o].Waiters...)
	}
	return &c
}

// without returns w less event i, all indexes moved.
func without(w *model.Window, i int32) *model.Window {
	c := Clone(w)
	c.Events = append(c.Events[:i], c.Events[i+1:]...)
	move := func(list []int32) []int32 {
		var kept []int32
		for _, d := range list {
			if d == i {
				continue
			}
			if d > i {
				d--
			}
			kept = append(kept, d)
		}
		return kept
	}
	for k := range c.Events {
		e := &c.Events[k]
		e.Deps, e.Where, e.ValDeps = move(e.Deps), move(e.Where), move(e.ValDeps)
		moveTerms(e, i)
		if e.Partner == i {
			e.Partner = -1
		} else if e.Partner > i {
			e.Partner--
		}
	}
	c.Edges = nil
	for _, e := range w.Edges {
		if ends := move([]int32{e.From, e.To}); len(ends) == 2 {
			c.Edges = append(c.Edges, model.Edge{From: ends[0], To: ends[1], Weak: e.Weak})
		}
	}
	c.Orders = nil
	for _, o := range w.Orders {
		if ends := move([]int32{o.If, o.From, o.To}); len(ends) == 3 {
			c.Orders = append(c.Orders, model.Conditional{If: ends[0], From: ends[1], To: ends[2]})
		}
	}
	return c
}

// moveTerms does for the terms of e what without does for its dependencies. A term that has lost a
// read is removed.
func moveTerms(e *model.Event, i int32) {
	var kept []model.Guard
	for _, g := range e.Guards {
		if t := lose(g.Term, i); t != nil {
			kept = append(kept, model.Guard{Term: t, Want: g.Want})
		}
	}
	e.Guards = kept
	if e.Value != nil {
		e.Value = lose(e.Value, i)
	}
}
