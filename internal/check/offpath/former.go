package offpath

import (
	"maps"
	"math"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace/format"
)

// former has the numbers that the interpreter takes from the recorded run, and not from the
// witness. Such a number may be a pointer to what was at its address before an allocation (CP6).
type former struct {
	list   []formerWord
	allocs []*built.Record // of the window
}

// A formerWord is a number and the last event of the trace before which it may be a pointer.
type formerWord struct {
	word uint64
	at   int64
}

// always is the event of a number that may have been a pointer at any time.
const always = int64(math.MinInt64)

func newFormer(b *built.Window) *former {
	o := &former{}
	for _, r := range b.Records {
		if r.Kind == format.Alloc {
			o.allocs = append(o.allocs, r)
		}
	}
	return o
}

func (o *former) note(w uint64, at int64) {
	if w >= 4096 && w < notProgram {
		o.list = append(o.list, formerWord{w, at})
	}
}

// meets reports whether one of the numbers may be a pointer to what was in memory before an event
// of the trace has allocated it.
func (o *former) meets(m span, event int64) bool {
	return slices.ContainsFunc(o.list, func(w formerWord) bool { return w.word-m.addr < m.size && w.at < event })
}

// datum notes the numbers of a value. Those that depend on reads are of the witness.
func (o *former) datum(d flow.Datum) {
	for _, w := range d.Words {
		if w.Known && w.Term == nil {
			o.note(w.Bits, always)
		}
	}
	for _, p := range d.Parts {
		o.datum(p)
	}
}

// lasting returns a value that was there at an event of the trace, as it is at the end of the
// window: words are unknown that may be pointers to what was in memory before an allocation since.
func (o *former) lasting(d flow.Datum, at int64) flow.Datum {
	d.Words, d.Parts = slices.Clone(d.Words), slices.Clone(d.Parts)
	for i := range d.Words {
		if w := &d.Words[i]; w.Known && w.Term == nil && o.reused(w.Bits, at) {
			*w = flow.DatumWord{}
		}
	}
	for i := range d.Parts {
		d.Parts[i] = o.lasting(d.Parts[i], at)
	}
	return d
}

// reused reports whether the window allocates the memory at an address after an event.
func (o *former) reused(addr uint64, at int64) bool {
	return slices.ContainsFunc(o.allocs, func(r *built.Record) bool { return r.Index > at && addr-uint64(r.Obj) < r.Val })
}

func (o *former) closure(c flow.Closure) {
	for _, d := range c.Free {
		o.datum(d)
	}
}

// atFork notes the numbers that a goroutine has at the fork, and what an alternative takes to be in
// memory there.
func (o *former) atFork(s *flow.Snapshot, assumes []flow.Assumption) {
	for i := range s.Frames {
		f := &s.Frames[i]
		for d := range maps.Values(f.Values) {
			o.datum(d)
		}
		for d := range maps.Values(f.Locals) {
			o.datum(d)
		}
		for _, d := range f.Defers {
			o.datum(d.Callee)
			for _, a := range slices.Concat(d.Args, d.Free) {
				o.datum(a)
			}
		}
	}
	for i := range assumes {
		if assumes[i].Term == nil {
			o.note(assumes[i].Bits, always)
		}
	}
}

// watch returns a snapshot that notes the numbers of the recorded run which it is asked for.
func (o *former) watch(s *flow.Snapshot) *flow.Snapshot {
	w := *s
	w.Closure = func(addr uint64, before int64) (flow.Closure, bool) {
		c, ok := s.Closure(addr, before)
		c.Free = slices.Clone(c.Free)
		for i := range c.Free {
			c.Free[i] = o.lasting(c.Free[i], c.At)
		}
		return c, ok
	}
	w.Once = func(addr uint64, before int64) (flow.OnceFunc, bool) {
		f, ok := s.Once(addr, before)
		o.note(f.Object, always)
		o.note(f.At, always)
		o.closure(f.Runs)
		return f, ok
	}
	w.Done = func(word, addr uint64, before int64) (uint64, bool) {
		ch, ok := s.Done(word, addr, before)
		o.note(ch, always)
		return ch, ok
	}
	w.Cancel = func(addr uint64, since, before int64) (flow.Cancelled, bool) {
		c, ok := s.Cancel(addr, since, before)
		o.note(c.Parent, always)
		o.note(c.Done, always)
		for i := range c.Children { // the witness shows that they are there
			c.Children[i].Each(func(x *flow.Context) { o.note(x.Done, x.Made) })
		}
		return c, ok
	}
	w.Map = func(m uint64, key flow.MapKey, size, at, before int64) flow.MapContent {
		c := s.Map(m, key, size, at, before)
		c.Value = o.lasting(c.Value, at)
		return c
	}
	w.Stored = func(number uint64, before int64) (flow.Datum, int64, bool) {
		d, at, ok := s.Stored(number, before)
		return o.lasting(d, at), at, ok
	}
	w.Box = func(data uint64, size, before int64) (flow.Datum, bool) {
		d, ok := s.Box(data, size, before)
		return o.lasting(d, always), ok
	}
	w.Locker = func(cond uint64, before int64) (flow.Locker, bool) {
		l, ok := s.Locker(cond, before)
		o.note(l.Lock, always)
		return l, ok
	}
	w.Timer = func(addr uint64, until int64) (flow.Timer, bool) {
		t, ok := s.Timer(addr, until)
		o.note(t.At, always)
		o.closure(t.Runs)
		return t, ok
	}
	w.Objects = func(pool uint64, before int64) []flow.Pooled {
		list := s.Objects(pool, before)
		for _, x := range list {
			o.note(x.Data, x.At)
		}
		return list
	}
	return &w
}
