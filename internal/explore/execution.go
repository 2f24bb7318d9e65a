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

	given   []steer.Choice // of its schedule
	waiting int            // schedules that are to follow it
	cut     int            // flips that were left out

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
	sends    int // so far, and receives of elements
	receives int
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
	call         int    // nth of the first operation
	chosen       uint64 // number of the case that it chose
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
	nth     int    // of its goroutine
	entry   int    // of a select: its first operation; else the operation itself
	call    int    // nth of that
	cas     uint64 // the number of the case of a select, from 1 on; 0: not known
	timer   bool   // a timer is started or stopped, or fires
	delta   int    // of a WGAdd; of a send, or a receive of an element, how many come before
	size    int    // of the buffer
	inTurn  bool   // of a WGAdd: it does not commute with others
	meets   bool   // of a channel without a buffer
	waits   bool   // a select that may wait for another goroutine to meet it, in another case
	pending bool   // it has not been made: its goroutine waits at the end
	partner int    // of a send: the receive that meets it; 0: there is none
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
		o := op{g: e.G, number: t.number, records: t.records, kind: e.Kind, flags: e.Flags, obj: e.Obj, site: e.Site, nth: t.ops, entry: entry, timer: x.ofTimer(&e)}
		x.selects(t, &e, &o)
		switch e.Kind {
		case format.WGAdd:
			o.delta = int(int64(e.Val))
		case format.SelectCase, format.ChanSend, format.ChanRecv:
			o.meets, o.size = e.Aux == 0, int(e.Aux)
			c := x.channels[e.Obj]
			if e.Kind == format.ChanSend {
				o.delta = c.sends - 1
			} else if e.Kind == format.ChanRecv {
				o.delta = c.receives - 1
			}
			if o.meets && e.Kind == format.ChanSend {
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
		o.obj, o.nth, o.call = trace.Addr(at), t.ops, t.ops
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
	records uint64
	channel trace.Addr
	kind    format.Kind
	cas     uint64
}

// selects notes which case of a select an operation is, and which are one step with it.
func (x *execution) selects(t *thread, e *trace.Event, o *op) {
	o.call = o.nth
	switch {
	case e.Kind == format.SelectCase:
		o.call = t.call
		o.cas, t.chosen = steer.Cases(e.Val)
	case o.entry < len(x.ops):
		o.call, o.cas = t.call, t.chosen
	}
	if o.kind == format.SelectDefault || o.flags&format.FlagNonBlocking != 0 {
		for i := o.entry; i < len(x.ops); i++ {
			if x.ops[i].g == o.g {
				x.ops[i].flags |= format.FlagNonBlocking
			}
		}
	}
	if t.firing { // it is one step
		if o.nth == 0 {
			t.first = o.entry
		}
		o.entry = t.first
	}
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
			t.first, t.entry, t.call = len(x.ops), t.records-1, t.ops
		}
		t.cases++
		o := choice{first: t.first, records: t.entry, channel: e.Obj, kind: format.ChanRecv}
		o.cas, _ = steer.Cases(e.Val)
		ready := c.closed || c.elements > 0
		switch {
		case e.Flags&format.FlagWrite == 0:
		case c.closed: // it panics
			o.kind = format.ChanLen
		default: // a case that another goroutine has to meet is one of a flip
			o.kind, ready = format.ChanSend, c.elements < int(e.Aux)
		}
		if ready {
			t.ready = append(t.ready, o)
		}
		return t.first
	case format.ChanClose:
		c.closed = true
	case format.ChanSend:
		c.elements++
		c.sends++
	case format.ChanRecv:
		c.elements--
		if e.Flags&format.FlagClosed == 0 {
			c.receives++
		}
	}
	x.choices = append(x.choices, t.ready...)
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

// differsAt returns the position of the first operation that one of two executions under the same
// schedule has, and that is not the other's. It is "" if each goroutine does the same.
func (x *execution) differsAt(y *execution) string {
	where := ""
	for _, two := range [][2]*execution{{x, y}, {y, x}} {
		has := map[name]*op{}
		for i := range two[1].ops {
			o := &two[1].ops[i]
			has[name{goroutine: o.number, nth: o.nth}] = o
		}
		for i := range two[0].ops {
			o := &two[0].ops[i]
			b := has[name{goroutine: o.number, nth: o.nth}]
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
