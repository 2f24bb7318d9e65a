package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
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
	// goroutines that wait in a send from before the window: on which of objs
	senders map[trace.GoID]int32
	cutAny  bool  // a goroutine has ended early in the window
	cutAt   int32 // the last cut of the whole program (S3): its event, +1; 0: none

	placed []built.Place // by Obj
	// values that point into what was allocated in the window, by bits and Alloc
	names   map[[2]uint64]uint64
	own     map[uint64]bool // values of writes whose words are unknown
	loose   map[model.Edge]built.Looseness
	follows follows
}

func newGraph(l *layout) *graph {
	g := &graph{
		layout: l, w: &model.Window{Events: make([]model.Event, 0, l.b.room)}, kept: make([]bool, len(l.recs)),
		threads: make(map[trace.GoID]*thread), names: make(map[[2]uint64]uint64), own: make(map[uint64]bool),
		loose: make(map[model.Edge]built.Looseness),
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

	// its last event that ends or begins a missing method, and that shows that outside code has
	// run; 0: none, +1
	method, call int32

	// its last events that say how many goroutines there are, and look at that; 0: none, +1
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

// newObj makes the next object of the window, whose state at the start is s and which stands at p.
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

// producer is the pass that makes the events of the recorded run.
type producer struct {
	*graph
	reads  *resolver
	excl   *exclusions
	trust  *trusting
	access *accesses
	sync   *syncs

	// loosePins are the Pins of what outside code is given, by calls and by what it calls, and of
	// results that only outside code could compute.
	loosePins []int32
}

// produce makes the events of the window, in trace order. It executes the model: an
// event that the recorded order does not enable ends its thread.
func (m *producer) produce() {
	m.past = 0
	m.findSenders()
	if m.excl.openCalls(); m.b.miss.active() {
		m.excl.calls.Words = len(m.words)
	}
	for i := range m.recs[:m.onPath] {
		r := &m.recs[i]
		m.now, m.reads.open = i, r.Index
		t := m.thread(r.Event.G)
		if r.Event.Kind == format.Alloc {
			m.past++
			continue
		}
		if r.skip {
			m.cut(t)
		}
		if !t.dead && m.sending(t) { // who took what it has sent is not in the window
			m.cut(t)
		}
		if t.dead {
			m.sync.dropped(i, r)
			continue
		}
		if !m.b.miss.active() {
			m.event(i, r, t)
		} else {
			m.beside(i, r, t)
		}
	}
	m.reads.open = flow.AlternativeBase
}

// dropped notes what the absence of an event makes impossible.
func (m *syncs) dropped(i int, r *record) {
	switch {
	case r.mem >= 0:
		m.turns.dropAccess(i, r)
	case r.Event.Kind == format.Observe && r.Event.Obj == format.StateProgram:
		m.lost = true
	case r.Event.Kind == format.Go:
		m.miscounted = true
		m.cut(m.thread(trace.GoID(r.Event.Obj)))
	case r.Event.Kind == format.End:
		m.miscounted = true
	case r.obj >= 0 && (m.objs[r.obj].opaque || m.objs[r.obj].missing || m.objs[r.obj].key.class == hiddenClass):
		m.objs[r.obj].poisoned = true
	}
}

func (m *producer) event(i int, r *record, t *thread) {
	if m.sync.lost || !m.trust.trustsBefore(i, r, t) {
		m.cut(t)
		m.sync.dropped(i, r)
		return
	}
	if len(r.guards) > 0 {
		m.reads.guard(i, r, t)
	}
	switch r.Event.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		m.access.accessEvent(i, r, t)
	case format.MethodBegin, format.MethodEnd:
		m.excl.missingMethod(i, r, t)
	case format.SelectCase:
		if r.obj >= 0 && m.objs[r.obj].missing {
			m.sync.missingSync(i, r, t, &m.objs[r.obj])
		} else if r.obj >= 0 {
			t.cases = append(t.cases, model.Case{Chan: m.idOf(&m.objs[r.obj]), Send: r.Event.Flags&format.FlagWrite != 0})
		}
	case format.SelectDefault:
		m.sync.selectDefault(i, r, t)
	case format.Go:
		m.sync.count(i, t)
		m.sync.goEvent(i, r, t)
		m.sync.count(i, t)
	case format.End:
		m.sync.count(i, t)
	case format.Observe:
		m.sync.observe(i, r, t)
	case format.Start:
		m.sync.start(i, r, t)
	case format.Join:
		m.sync.join(i, r, t)
	case format.Alloc:
	case format.OpaqueBegin, format.OpaqueEnd, format.Value, format.Word, format.Enter, format.Exit:
		if p := m.reads.pin(i, r, t); p >= 0 {
			m.loosePins = append(m.loosePins, p)
		}
	case format.Block:
		m.reads.pin(i, r, t)
	default:
		if r.obj >= 0 {
			m.sync.syncEvent(i, r, t)
		}
	}
	if !t.dead {
		m.trust.trustsAfter(i, r, t)
	}
}

// pin makes a Pin of a record's needs, if there are any (P).
func (m *resolver) pin(i int, r *record, t *thread) int32 {
	if deps := m.resolve(r.Needs); len(deps) > 0 {
		return m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: deps})
	}
	return -1
}

// resolve turns trace indexes of reads into events. Reads before the window stand as they were.
// The result is shared and must not be changed: elements that are copied together have all
// reads of the copy behind each of them.
func (m *resolver) resolve(reads []int64) []int32 {
	if len(reads) == 0 {
		return nil
	}
	if equal(reads, m.asked) {
		return m.answer
	}
	var one, out []int32 // one: what out will begin with, while that is all
	for _, x := range reads {
		i := m.recordOf(x)
		if i < 0 || len(m.src[i]) == 0 {
			continue
		}
		list := m.src[i]
		switch {
		case one == nil:
			one = list
			continue
		case same(list, one):
			continue
		case out == nil:
			m.mark++
			out = m.collect(out, one)
		}
		out = m.collect(out, list)
		one = list
	}
	if out == nil {
		out = one
	} else {
		slices.Sort(out)
		out = slices.Clip(out)
	}
	if len(reads) > 1 {
		m.asked, m.answer = reads, out
	}
	return out
}

func same(a, b []int32) bool { return len(a) == len(b) && &a[0] == &b[0] }

func equal(a, b []int64) bool {
	return len(a) == len(b) && len(a) > 0 && (&a[0] == &b[0] || slices.Equal(a, b))
}

// collect appends the events of list that are not in out, which has been collected since m.mark
// changed.
func (m *resolver) collect(out, list []int32) []int32 {
	for len(m.marks) < len(m.w.Events) {
		m.marks = append(m.marks, 0)
	}
	for _, n := range list {
		if m.marks[n] != m.mark {
			m.marks[n] = m.mark
			out = append(out, n)
		}
	}
	return out
}

// pass gives the value of read i what its content was computed from.
func (m *resolver) pass(i int, deps []int32) {
	switch {
	case len(deps) == 0:
	case len(m.src[i]) == 0:
		m.src[i] = deps[:len(deps):len(deps)]
	default:
		m.src[i] = model.Union(m.src[i], deps)
	}
	if k := len(m.asked); k > 0 && (m.asked[k-1] >= m.recs[i].Index || m.recs[i].Event.Kind == format.AtomicRMW) {
		m.asked = nil
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
func (m *graph) thtouchOf(g trace.GoID) model.Thread {
	t := m.thread(g)
	if t.id < 0 {
		t.id = model.Thread(len(m.order))
		m.order = append(m.order, t)
		m.w.Threads = append(m.w.Threads, t.g)
	}
	return t.id
}

// state is an object's state at the start of the window, in the window's terms.
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
		s.SlotOf = m.thtouchOf(o.init.slotOf)
	}
	for _, w := range o.init.waiters {
		s.Waiters = append(s.Waiters, model.Waiter{Thread: m.thtouchOf(w.g), Notified: w.notified})
	}
	return s
}
