package explore

import (
	"io"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An execution is the synchronisation of a recorded run.
type execution struct {
	meta    *trace.Meta
	ops     []op
	pending []op
	threads map[trace.GoID]*thread
	choices []choice
	timers  map[trace.Addr]*armed // by the object of their synchronisation
	unfired []armed               // those that were started and stopped, or did not fire
	firings uint64

	// goroutines observe files or the process in an order that is not varied
	unvaried bool
	// they read the clock in an order that is not varied
	clocked bool

	states   map[stateUse]int        // the last use of a state by each goroutine
	channels map[trace.Addr]*channel // while it is read
}

// An armed timer was started by an operation, when so many timers had fired.
type armed struct {
	at      int
	firings uint64
}

// A channel has elements, or a send that waits.
type channel struct {
	elements int
	closed   bool
	sent     int // without a buffer: the operation of the send that is to be met
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
	slot         int  // in clocks
	firing       bool // of a timer
	ended        bool
}

// An op is an operation of synchronisation, or the start of a goroutine.
type op struct {
	g       trace.GoID
	number  uint64 // of the goroutine, as schedules have it
	records uint64 // that its goroutine has made with it
	kind    format.Kind
	flags   format.Flags
	obj     trace.Addr
	site    trace.Site
	nth     int  // of its goroutine
	entry   int  // of a select: its first operation; else the operation itself
	timer   bool // a timer is started or stopped, or fires
	adds    bool // of a WGAdd: the counter grows
	meets   bool // of a channel without a buffer
	waits   bool // a select that may wait for another goroutine to meet it, in another case
	pending bool // it has not been made: its goroutine waits at the end
	partner int  // of a send: the receive that meets it; 0: there is none
}

// read returns the execution of a trace, with accesses at some points.
func read(src trace.Source, points []steer.Point) (*execution, error) {
	meta := src.Meta()
	x := &execution{meta: meta, threads: map[trace.GoID]*thread{}, channels: map[trace.Addr]*channel{}, timers: map[trace.Addr]*armed{}}
	var e trace.Event
	for n := uint64(0); ; n++ {
		for len(points) > 0 && points[0].Event == n {
			x.accesses(&points[0])
			points = points[1:]
		}
		if err := src.Next(&e); err == io.EOF {
			for _, o := range x.ops { // in an order that does not depend on the map
				if a := x.timers[o.obj]; a != nil {
					x.unfired = append(x.unfired, *a)
					delete(x.timers, o.obj)
				}
			}
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
		entry := x.passes(t, &e)
		x.timer(t, &e)
		if t.ended = e.Kind == format.End; t.ended {
			continue
		}
		o := op{g: e.G, number: t.number, records: t.records, kind: e.Kind, flags: e.Flags, obj: e.Obj, site: e.Site, nth: t.ops, entry: entry, timer: x.ofTimer(&e), adds: int64(e.Val) > 0}
		switch e.Kind {
		case format.SelectCase, format.ChanSend, format.ChanRecv:
			o.meets = e.Aux == 0
			if c := x.channels[e.Obj]; o.meets && e.Kind == format.ChanSend {
				c.sent = len(x.ops)
			} else if o.meets && e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0 && c.sent > 0 {
				x.ops[c.sent].partner, c.sent = len(x.ops), 0
			}
			for i := entry; i < len(x.ops) && e.Flags&format.FlagNonBlocking == 0; i++ {
				o.waits = o.waits || x.ops[i].g == e.G && x.ops[i].meets
			}
		}
		x.ops = append(x.ops, o)
		t.ops++
	}
}

// accesses adds an access, as operations on the words that it touches.
func (x *execution) accesses(p *steer.Point) {
	g := trace.GoID(p.Goroutine)
	t := x.thread(g)
	t.records++
	o := op{g: g, number: t.number, records: t.records, kind: format.Read, site: trace.Site(p.Site), entry: len(x.ops)}
	if p.Address == steer.Clock {
		o.kind, o.flags, o.obj, o.nth = format.Observe, format.FlagWrite, steer.Clock, t.ops
		x.ops = append(x.ops, o)
		t.ops++
		return
	}
	if p.Write {
		o.kind = format.Write
	}
	for at := p.Address &^ 7; at < p.Address+max(p.Size, 1) && len(x.ops) < o.entry+maxWords; at += 8 {
		o.obj, o.nth = trace.Addr(at), t.ops
		x.ops = append(x.ops, o)
		t.ops++
	}
}

// maxWords bounds the words of an access: two accesses of more meet in the first ones mostly.
const maxWords = 64

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
// select had. It returns the first operation of the select.
func (x *execution) passes(t *thread, e *trace.Event) (entry int) {
	entry = len(x.ops)
	if t.cases > 0 {
		entry = t.first
	}
	switch e.Kind {
	case format.SelectCase, format.ChanSend, format.ChanRecv, format.ChanClose:
	default:
		t.ready, t.cases = nil, 0
		return entry
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
		return t.first
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
	return entry
}

// ofTimer reports whether an operation is one on a timer.
func (x *execution) ofTimer(e *trace.Event) bool {
	switch e.Kind {
	case format.ReleaseMerge:
		return e.Flags&format.FlagTimer != 0
	case format.Acquire:
		return x.thread(e.G).firing
	}
	return false
}

// timer notes that a timer is started or stopped, or fires. Whether it was started or stopped is
// not in the trace.
func (x *execution) timer(t *thread, e *trace.Event) {
	switch {
	case e.Kind == format.Acquire && x.timers[e.Obj] != nil:
		x.firings++
		delete(x.timers, e.Obj)
	case e.Kind == format.ReleaseMerge && e.Flags&format.FlagTimer != 0:
		if a := x.timers[e.Obj]; a != nil {
			x.unfired = append(x.unfired, *a)
		}
		x.timers[e.Obj] = &armed{len(x.ops), x.firings}
	}
}

// starts numbers the goroutine that t starts.
func (x *execution) starts(t *thread, e trace.Event, meta *trace.Meta) {
	child := x.thread(trace.GoID(e.Obj))
	t.kids++
	child.number = steer.Child(t.number, t.kids)
	if g := int(e.Obj); g < len(meta.Goroutines) && meta.Goroutines[g].RunID >= format.FirstFiring {
		child.firing = true
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

// A position is one in a list of a history: before is how many operations come first. Neighbours
// that commute have the same one.
type position struct{ list, before int }

// historyOf returns the history of some operations of an execution, in their order, and of more
// that the execution does not have.
func (x *execution) historyOf(ops []int, more ...op) *history {
	h := &history{at: map[name]position{}}
	type object struct {
		list, before int
		last         *op
	}
	objects := map[trace.Addr]*object{}
	add := func(o *op) {
		if !ordering(o) || o.number == steer.Runtime {
			return
		}
		b := objects[o.obj]
		if b == nil {
			b = &object{list: len(h.lists)}
			objects[o.obj] = b
			h.lists = append(h.lists, nil)
		} else if depend(b.last, o) {
			b.before = len(h.lists[b.list])
		}
		b.last = o
		n := name{o.number, o.nth}
		h.lists[b.list] = append(h.lists[b.list], n)
		h.at[n] = position{b.list, b.before}
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
			if !ok || in >= 0 && p.list != in || p.before != h.at[n].before {
				return false
			}
			in = p.list
		}
	}
	return true
}

// differsAt returns the position of the first operation that one of two executions under the same
// schedule has, and that is not the other's. It is "" if each goroutine does the same.
func (x *execution) differsAt(y *execution) string {
	where := ""
	for _, two := range [][2]*execution{{x, y}, {y, x}} {
		has := map[name]*op{}
		for i := range two[1].ops {
			o := &two[1].ops[i]
			has[name{o.number, o.nth}] = o
		}
		for i := range two[0].ops {
			o := &two[0].ops[i]
			b := has[name{o.number, o.nth}]
			switch {
			case o.number == steer.Runtime || b != nil && b.kind == o.kind && b.site == o.site:
			case o.site != 0:
				return two[0].meta.Position(o.site)
			default:
				where = "code of the library"
			}
		}
	}
	return where
}

// all are the numbers of all operations of an execution.
func (x *execution) all() []int {
	list := make([]int, len(x.ops))
	for i := range list {
		list[i] = i
	}
	return list
}

// ordering reports whether the order of an operation with others on its object matters.
func ordering(o *op) bool {
	switch o.kind {
	case format.Go, format.Release, format.SelectDefault:
		return false
	case format.Acquire, format.ReleaseMerge:
		return o.timer
	case format.Observe:
		return false
	}
	return true
}
