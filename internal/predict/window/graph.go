package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// graph is the window under construction: its events, threads and edges. The state is that at the
// record which the pass produce is at.
type graph struct {
	*layout
	w    *model.Window
	kept []bool // by record: it has an event of the window
	now  int    // the record that produce is at

	threads map[trace.GoID]*thread
	order   []*thread // by Thread
	// senders are goroutines that wait in a send from before the window: on which of objs.
	senders map[trace.GoID]int32
	cutAny  bool  // a goroutine has ended early in the window
	cutAt   int32 // the last cut of the whole program (WI5): its event, +1; 0: none

	placed []built.Place // by Obj
	inMaps map[model.Obj]built.Entry
	// names are the values of pointers into memory allocated in the window, by bits and Alloc.
	names   map[[2]uint64]uint64
	own     map[uint64]bool // values of writes whose words are unknown
	loose   map[model.Edge]built.Looseness
	follows follows
}

func newGraph(l *layout) *graph {
	g := &graph{
		layout: l, w: &model.Window{Events: make([]model.Event, 0, l.b.room)}, kept: make([]bool, len(l.recs)),
		threads: make(map[trace.GoID]*thread), names: make(map[[2]uint64]uint64), own: make(map[uint64]bool),
		loose: make(map[model.Edge]built.Looseness), inMaps: make(map[model.Obj]built.Entry),
	}
	g.w.Names = model.Names{Words: make(map[uint64]uint64), Allocs: make([]model.Extent, len(l.allocs))}
	for k, s := range l.allocs {
		g.w.Names.Allocs[k] = model.Extent{Addr: s.addr, Size: s.size}
	}
	return g
}

// thread is one goroutine of the window.
type thread struct {
	g      trace.GoID
	id     model.Thread // -1: no event yet
	cutAt  int          // with dead: the record at which it ends
	dead   bool         // nothing more of it is in the window
	by     int32        // the go statement that starts it, -1: not in the window
	last   int32        // its last event
	events []int32
	parts  []int32
	cases  []model.Case

	// method is its last MethodBegin or MethodEnd, call its last event that shows that outside code
	// has run. Both are event numbers plus one; 0: none.
	method, call int32

	// counted is its last event that changes the number of goroutines, looked its last one that
	// reads it. Both are event numbers plus one; 0: none.
	counted, looked int32
	after           int32 // the cut that its events come after

	sends int32 // the unbuffered channel, an index into objs, to which it has sent last; -1: none
}

func (m *graph) thread(g trace.GoID) *thread {
	t := m.threads[g]
	if t == nil {
		t = &thread{g: g, id: -1, by: -1, last: -1, sends: -1}
		if k, ok := m.senders[g]; ok {
			t.sends = k
		}
		m.threads[g] = t
	}
	return t
}

// add appends an event to t.
func (m *graph) add(t *thread, i int, e model.Event) int32 {
	if t.id < 0 {
		t.id = model.Thread(len(m.order))
		m.order = append(m.order, t)
		m.w.Threads = append(m.w.Threads, t.g)
	}
	e.Thread = t.id
	e.Index, e.Site = m.recs[i].Index, m.recs[i].Event.Site
	if e.Kind != format.ChanSend {
		e.Partner = -1
	}
	n := int32(len(m.w.Events))
	m.w.Events = append(m.w.Events, e)
	m.kept[i] = true
	t.last = n
	t.events = append(t.events, n)
	m.afterCut(t, n)
	return n
}

// newObj makes the next object of the window, which is in state s at the start and at place p.
func (m *graph) newObj(s model.ObjState, p built.Place) model.Obj {
	m.w.Init, m.placed = append(m.w.Init, s), append(m.placed, p)
	return model.Obj(len(m.w.Init) - 1)
}

// cut ends t in this window.
func (m *graph) cut(t *thread) {
	if !t.dead {
		m.b.count.Cut++
		t.dead, t.cutAt, m.cutAny = true, m.now, true
	}
}

// finish completes the window.
func (m *graph) finish() {
	m.w.Semantics = model.ValueReads
	switch {
	case m.b.opt.Symbolic:
		m.w.Semantics = model.EvaluatedReads
	case m.b.opt.NoValues:
		m.w.Semantics = model.StrictReads
	case m.b.opt.Walked:
		m.w.Semantics = model.NeededReads
	}
	for k := range m.objs {
		if o := &m.objs[k]; o.obj >= 0 {
			m.w.Init[o.obj] = m.state(o)
		}
	}
	m.untaken()
	m.w.Names.Mixed = m.own
	m.mix()
}

// threadOf returns the number of a goroutine that the state of an object names.
func (m *graph) threadOf(g trace.GoID) model.Thread {
	t := m.thread(g)
	if t.id < 0 {
		t.id = model.Thread(len(m.order))
		m.order = append(m.order, t)
		m.w.Threads = append(m.w.Threads, t.g)
	}
	return t.id
}

// state returns the state of an object at the start of the window, with threads for goroutines.
func (m *graph) state(o *synch) model.ObjState {
	s := model.ObjState{
		Writer: o.init.writer, Readers: o.init.readers, Counter: o.init.counter, Once: o.init.once,
		Cap: int32(min(o.init.cap, 1<<31-1)), Closed: o.init.closed,
	}
	for k, e := range o.init.queue {
		v := e.val
		if o.noValue {
			v = ^uint64(k)
		}
		s.Queue = append(s.Queue, v)
	}
	if s.Cap == 0 && len(s.Queue) > 0 {
		s.SlotOf = m.threadOf(o.init.slotOf)
	}
	for _, w := range o.init.waiters {
		s.Waiters = append(s.Waiters, model.Waiter{Thread: m.threadOf(w.g), Notified: w.notified})
	}
	return s
}

// object64 returns the value of a write of v. A pointer into memory that the window allocates gets
// a value that no pointer from before the Alloc has.
func (m *graph) object64(a *atom, v uint64) uint64 {
	if a.mask != 0xff {
		return v
	}
	return m.pointer(v)
}

func (m *graph) pointer(v uint64) uint64 {
	if v < 4096 || v >= 1<<48 || len(m.allocs) == 0 {
		return v
	}
	k := m.lastAlloc(v, 1)
	if k < 0 {
		return v
	}
	p := [2]uint64{v, uint64(k)}
	name, ok := m.names[p]
	if !ok {
		name = 1<<63 | 0x7ea<<40 | uint64(len(m.names))
		m.names[p], m.w.Names.Words[name] = name, v
	}
	return name
}

// plain returns the word that a value of the window stands for.
func (m *graph) plain(v uint64) uint64 { return m.w.Names.Plain(v) }

// mix finds the names of the window that share their word with another object (Names.Strange): one
// that another Alloc of the window made in the same place, or that was there before the first.
func (m *graph) mix() {
	if len(m.names) == 0 {
		return
	}
	// allocs at addresses that an earlier value of the window points to
	old := make(map[int32]bool)
	note := func(v uint64) {
		if v >= 4096 && v < 1<<48 {
			if k := m.lastAlloc(v, 1); k >= 0 {
				old[k] = true
			}
		}
	}
	for i := range m.w.Events {
		note(m.w.Events[i].Val)
		note(m.w.Events[i].Aux)
	}
	for i := range m.w.Init {
		note(m.w.Init[i].Val)
		for _, v := range m.w.Init[i].Queue {
			note(v)
		}
	}
	for p, name := range m.names {
		n := 0
		for _, list := range [][]int32{m.allocIn[p[0]>>carryPageShift], m.bigs} {
			for _, k := range list {
				if s := m.allocs[k]; p[0]-s.addr < s.size {
					n++
					if old[k] {
						n++
					}
				}
			}
		}
		if n > 1 {
			m.w.Names.Mixed[name] = true
		}
	}
}

// ownValue makes a value that no other write has. It identifies the writer; its word is unknown.
func (m *graph) ownValue() uint64 {
	v := unreadable + uint64(len(m.own)+1)<<20
	m.own[v] = true
	return v
}

// idOf returns the window's number of an object, giving it one.
func (m *graph) idOf(o *synch) model.Obj {
	if o.obj < 0 {
		// its state follows in finish
		o.obj = m.newObj(model.ObjState{}, built.Place{Addr: uint64(o.key.addr)})
	}
	return o.obj
}

func (m *graph) byObj(id model.Obj) *synch {
	for k := range m.objs {
		if m.objs[k].obj == id {
			return &m.objs[k]
		}
	}
	panic("window: a select case has no channel")
}

// findSenders finds the goroutines that wait in a send on an unbuffered channel when the window
// begins.
func (m *graph) findSenders() {
	m.senders = make(map[trace.GoID]int32)
	for k := range m.objs {
		if o := m.objs[k].cur; o != nil && m.objs[k].key.class == chanClass && o.cap == 0 && len(o.queue) > 0 {
			m.senders[o.slotOf] = int32(k)
		}
	}
}

// sending reports whether t waits in a send on an unbuffered channel.
func (m *graph) sending(t *thread) bool {
	if t.sends < 0 {
		return false
	}
	o := m.objs[t.sends].cur
	return len(o.queue) > 0 && o.slotOf == t.g
}

// waitedFor reports whether a record is the receive that takes a non-blocking send on an unbuffered
// channel.
func (m *graph) waitedFor(r *record) bool {
	if r.Event.Kind != format.ChanRecv || r.obj < 0 || r.Event.Aux != 0 {
		return false
	}
	o := m.objs[r.obj].cur
	return o != nil && len(o.queue) > 0 && o.nonBlock
}

// untaken marks the non-blocking sends on unbuffered channels that no event of the window receives:
// it is unknown whether a receiver waited (MO14).
func (m *graph) untaken() {
	for i := range m.w.Events {
		e := &m.w.Events[i]
		if e.Kind == format.ChanSend && e.Partner == -1 && e.Flags&format.FlagNonBlocking != 0 && m.w.Init[e.Obj].Cap == 0 {
			e.Last = true
		}
	}
}

// accessed notes event n as the last access of a shared atom.
func (m *graph) accessed(a *atom, n int32, index int64) {
	a.last = index
	t := m.w.Events[n].Thread
	a.events = append(slices.DeleteFunc(a.events, func(e int32) bool { return m.w.Events[e].Thread == t }), n)
}

// firstOf returns the first event of t from number n on, or -1.
func (m *graph) firstOf(t *thread, n int32) int32 {
	for k := int(n); k < len(m.w.Events); k++ {
		if m.w.Events[k].Thread == t.id {
			return int32(k)
		}
	}
	return -1
}
