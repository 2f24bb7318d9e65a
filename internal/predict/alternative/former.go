package alternative

import (
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
)

// former has the allocations after the fork of which the exploration has found a number that may be
// a pointer to what was in their memory before: it has been at the fork, or in the recorded run at
// some time. A path does not use their memory.
type former struct {
	around flow.Surroundings
	has    map[int]bool
}

// newFormer returns those of the frames at a fork.
func newFormer(x *Fork, around flow.Surroundings) *former {
	o := &former{around, map[int]bool{}}
	for f := x.Frame; f != nil; f = f.Caller {
		o.noteAll(f.Regs)
		o.noteAll(f.Cells)
		for _, d := range f.Defers {
			o.noteAll(d.Args)
			o.noteAll(d.Free)
		}
	}
	return o
}

func (o *former) noteAll(list []Value) {
	for i := range list {
		o.note(list[i].Concrete)
	}
}

// note notes a value that may have pointers to what was there before.
func (o *former) note(v goval.Value) {
	o.allocations(v, func(n int) { o.has[n] = true })
}

// lasting returns a value that was there at an event of the trace, as it is at the end of the
// window: it is unknown if a word may be a pointer to what was in memory before an allocation
// since.
func (o *former) lasting(v goval.Value, at int64) goval.Value {
	for i := range v.Len() {
		if w, ok := v.Word(i); ok && w >= lowestPointer && w < highestPointer && !o.around.Stays(w, at) {
			return goval.Value{}
		}
	}
	return v
}

// allocations calls f for the allocations after the fork in whose memory words of a value lie.
func (o *former) allocations(v goval.Value, f func(n int)) {
	for i := range v.Len() {
		if w, ok := v.Word(i); ok && w >= lowestPointer && w < highestPointer {
			if n := o.around.Allocation(w); n != 0 {
				f(n)
			}
		}
	}
}

// wary are facts of which the values are as they are at the end of the window. Those of which it is
// not known when they were there are noted.
type wary struct {
	Facts
	old *former
}

func (w wary) FunctionAt(addr uint64, event int64) (fn *ssa.Function, free []goval.Value, ok bool) {
	fn, list, ok := w.Facts.FunctionAt(addr, event)
	if len(list) == 0 {
		return fn, nil, ok
	}
	at := w.Facts.MadeAt(addr, event)
	for _, v := range list {
		free = append(free, w.old.lasting(v, at))
	}
	return fn, free, ok
}

func (w wary) MapAt(m uint64, key flow.MapKey, at, before int64) MapContent {
	c := w.Facts.MapAt(m, key, at, before)
	c.Value = w.old.lasting(c.Value, at)
	return c
}

func (w wary) StoredAt(number uint64, before int64) (v goval.Value, at int64, ok bool) {
	v, at, ok = w.Facts.StoredAt(number, before)
	return w.old.lasting(v, at), at, ok
}

func (w wary) BoxAt(data uint64, size, before int64) (v goval.Value, ok bool) {
	v, ok = w.Facts.BoxAt(data, size, before)
	return w.old.lasting(v, math.MinInt64), ok
}

func (w wary) DoneAt(word, addr uint64, before int64) (ch uint64, ok bool) {
	ch, ok = w.Facts.DoneAt(word, addr, before)
	w.old.note(goval.Known(ch))
	return ch, ok
}

func (w wary) CancelAt(addr uint64, since, before int64) (c flow.Cancelled, ok bool) {
	c, ok = w.Facts.CancelAt(addr, since, before)
	w.old.note(goval.Known(c.Parent))
	w.old.note(goval.Known(c.Done))
	for i := range c.Children {
		c.Children[i].Each(func(x *flow.Context) { ok = ok && w.old.around.Stays(x.Done, x.Made) })
	}
	return c, ok
}

func (w wary) OnceAt(addr uint64, before int64) (object uint64, runs goval.Value, ok bool) {
	object, runs, ok = w.Facts.OnceAt(addr, before)
	w.old.note(goval.Known(object))
	w.old.note(runs)
	return object, runs, ok
}

func (w wary) LockerAt(addr uint64, before int64) (l flow.Locker, ok bool) {
	l, ok = w.Facts.LockerAt(addr, before)
	w.old.note(goval.Known(l.Lock))
	return l, ok
}
