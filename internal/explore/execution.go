package explore

import (
	"io"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An execution is the synchronisation of a recorded run.
type execution struct {
	ops     []op
	threads map[trace.GoID]*thread
	choices []choice

	channels map[trace.Addr]*channel // while it is read
}

// A channel has elements, or a send that waits.
type channel struct {
	elements int
	closed   bool
}

// A thread is a goroutine of an execution.
type thread struct {
	number  uint64 // by which schedules name it
	kids    uint64
	records uint64 // of synchronisation, so far
	ops     int    // of the execution
	// of the select under way: cases so far, the first operation and the records before it, and the
	// cases that are ready
	cases, first int
	entry        uint64
	ready        []choice
	slot         int // in clocks
}

// An op is an operation of synchronisation, or the start of a goroutine.
type op struct {
	g       trace.GoID
	records uint64 // that its goroutine has made with it
	kind    format.Kind
	flags   format.Flags
	obj     trace.Addr
	site    trace.Site
	nth     int // of its goroutine
}

// read returns the execution of a trace.
func read(src trace.Source) (*execution, error) {
	x := &execution{threads: map[trace.GoID]*thread{}, channels: map[trace.Addr]*channel{}}
	meta := src.Meta()
	var e trace.Event
	for {
		if err := src.Next(&e); err == io.EOF {
			return x, nil
		} else if err != nil {
			return nil, err
		}
		if !recorded(e.Kind) {
			continue
		}
		t := x.thread(e.G)
		t.records++
		if e.Kind == format.Go {
			x.starts(t, e, meta)
		}
		x.passes(t, &e)
		if e.Kind == format.Observe || e.Kind == format.End {
			continue
		}
		x.ops = append(x.ops, op{g: e.G, records: t.records, kind: e.Kind, flags: e.Flags, obj: e.Obj, site: e.Site, nth: t.ops})
		t.ops++
	}
}

// recorded reports whether the recorder counts a record of this kind as one of synchronisation.
func recorded(k format.Kind) bool {
	return k.IsAtomic() || k >= format.Lock && k <= format.Go || k == format.End || k == format.Acquire || k == format.Release || k == format.ReleaseMerge || k == format.Observe
}

func (x *execution) thread(g trace.GoID) *thread {
	t := x.threads[g]
	if t == nil {
		t = &thread{number: steer.Runtime, slot: len(x.threads)}
		x.threads[g] = t
	}
	return t
}

// A choice is a case that a select could have chosen instead: its channel was ready.
type choice struct {
	first   int // operation of the execution, the first of the select
	chosen  int // the one that it chose
	records uint64
	channel trace.Addr
	kind    format.Kind
}

// passes notes what the next operation of the execution does to a channel, and which choices its
// select had.
func (x *execution) passes(t *thread, e *trace.Event) {
	switch e.Kind {
	case format.SelectCase, format.ChanSend, format.ChanRecv, format.ChanClose:
	default:
		t.ready, t.cases = nil, 0
		return
	}
	c := x.channels[e.Obj]
	if c == nil {
		c = &channel{}
		x.channels[e.Obj] = c
	}
	switch e.Kind {
	case format.SelectCase:
		if t.cases == 0 {
			t.first, t.entry = len(x.ops), t.records-1
		}
		t.cases++
		o := choice{first: t.first, records: t.entry, channel: e.Obj, kind: format.ChanRecv}
		ready := c.closed || c.elements > 0
		if e.Flags&format.FlagWrite != 0 {
			o.kind, ready = format.ChanSend, e.Aux == 0 || c.elements < int(e.Aux)
		}
		if ready {
			t.ready = append(t.ready, o)
		}
		return
	case format.ChanClose:
		c.closed = true
	case format.ChanSend:
		c.elements++
	case format.ChanRecv:
		c.elements--
	}
	for _, o := range t.ready {
		o.chosen = len(x.ops)
		x.choices = append(x.choices, o)
	}
	t.ready, t.cases = nil, 0
}

// starts numbers the goroutine that t starts.
func (x *execution) starts(t *thread, e trace.Event, meta *trace.Meta) {
	child := x.thread(trace.GoID(e.Obj))
	t.kids++
	child.number = steer.Child(t.number, t.kids)
	if g := int(e.Obj); g < len(meta.Goroutines) && meta.Goroutines[g].RunID >= format.FirstFiring {
		child.number = steer.Child(steer.Firings, meta.Goroutines[g].RunID-format.FirstFiring+1)
	}
}

// A history is the order of operations on each object of an execution, without what is the same in
// all executions that differ only in the order of operations that do not depend on each other.
type history struct {
	lists [][]name
	at    map[name]position
}

// A name is an operation: its goroutine, and which of its operations it is.
type name struct {
	goroutine uint64
	nth       int
}

// A position is one in a list of a history. Neighbours that commute have the same one.
type position struct{ list, rank int }

// historyOf returns the history of some operations of an execution, in their order, and of more
// that the execution does not have.
func (x *execution) historyOf(ops []int, more ...op) *history {
	h := &history{at: map[name]position{}}
	type object struct {
		list, rank int
		last       *op
	}
	objects := map[trace.Addr]*object{}
	add := func(o *op) {
		if !ordering(o.kind) {
			return
		}
		b := objects[o.obj]
		if b == nil {
			b = &object{list: len(h.lists)}
			objects[o.obj] = b
			h.lists = append(h.lists, nil)
		} else if depend(b.last, o) || b.last.g == o.g {
			b.rank++
		}
		b.last = o
		n := name{x.threads[o.g].number, o.nth}
		h.lists[b.list] = append(h.lists[b.list], n)
		h.at[n] = position{b.list, b.rank}
	}
	for _, i := range ops {
		add(&x.ops[i])
	}
	for i := range more {
		add(&more[i])
	}
	return h
}

// begins reports whether another history begins with h: on each object, the operations of h come
// first, and in the same order.
func (h *history) begins(other *history) bool {
	for _, list := range h.lists {
		in := -1
		for _, n := range list {
			p, ok := other.at[n]
			if !ok || in >= 0 && p.list != in || p.rank != h.at[n].rank {
				return false
			}
			in = p.list
		}
	}
	return true
}

// all are the numbers of all operations of an execution.
func (x *execution) all() []int {
	list := make([]int, len(x.ops))
	for i := range list {
		list[i] = i
	}
	return list
}

// ordering reports whether the order of operations of this kind on an object matters.
func ordering(k format.Kind) bool {
	switch k {
	case format.Go, format.Acquire, format.Release, format.ReleaseMerge, format.SelectDefault, format.Unlock:
		return false
	}
	return true
}

// commutes reports whether two operations of this kind on one object have no order.
func commutes(k format.Kind) bool {
	return k == format.AtomicRead || k == format.WGAdd || k == format.WGWait || k == format.OncePass || k == format.ChanLen || k == format.SelectCase
}
