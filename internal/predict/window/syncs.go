package window

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// syncs makes the events of synchronisation.
type syncs struct {
	*graph
	reads   *resolver
	turns   *turnOrder
	started map[trace.GoID]bool // by a Go of the window, in it or cut
	// an event that changes the number of goroutines is not in the window (WI5)
	miscounted bool
	lost       bool // a cut of the whole program is not in the window (WI5)
}

// syncEvent executes an operation of synchronisation. It makes an event of it if several goroutines
// use the object.
func (m *syncs) syncEvent(i int, r *record, t *thread) {
	o := &m.objs[r.obj]
	if o.poisoned {
		m.cut(t)
		return
	}
	if o.reached && !finalizes(&r.Event) {
		m.excludedSync(i, r, t, o)
		return
	}
	if o.key.class == hiddenClass {
		m.hiddenSync(i, r, t, o)
		return
	}
	e := r.Event
	if o.key.class == chanClass {
		if !m.channel(i, r, t, o, &e) {
			m.cut(t)
		}
		return
	}
	// program order keeps its operations as they were, even if the model does not enable them (a
	// WaitGroup below 0 panics)
	if !o.kept() {
		o.cur.step(&e, true)
		m.reads.pin(i, r, t)
		return
	}
	if !o.cur.step(&e, false) {
		m.cut(t)
		return
	}
	n := m.add(t, i, model.Event{Kind: e.Kind, Flags: e.Flags, Obj: m.idOf(o), Val: e.Val, Aux: e.Aux, Deps: m.reads.resolve(r.Needs)})
	m.orderedSync(o, t, n, i, &e)
}

// channel executes a channel operation, with the values that the window uses: the recorded ones, or
// the number of the send. It returns false if the operation is not enabled.
func (m *syncs) channel(i int, r *record, t *thread, o *synch, e *trace.Event) bool {
	cases := t.cases
	t.cases = nil
	if e.Aux != 0 {
		cases = nil
	}
	recv := e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0
	var head element
	// the receiver or the sender is not in the trace
	if recv && e.Aux == 0 && len(o.cur.queue) > 0 && (o.cur.slotOf == r.Event.G || o.cur.nonBlock && e.Flags&format.FlagNonBlocking != 0) {
		return false
	}
	if recv && len(o.cur.queue) > 0 {
		head = o.cur.queue[0]
		if !o.noValue && m.plain(head.val) != e.Val {
			return false
		}
	}
	if e.Kind == format.ChanSend {
		e.Val = m.pointer(e.Val)
	}
	if !o.cur.step(e, false) {
		return false
	}
	if !o.kept() {
		m.privateChannel(i, r, t, o, e, head)
		return true
	}
	m.sharedChannel(i, r, t, o, e, head, cases)
	return true
}

// sharedChannel makes the event of an operation on a channel that several goroutines use. It was
// executed; head is the element that a receive takes.
func (m *syncs) sharedChannel(i int, r *record, t *thread, o *synch, e *trace.Event, head element, cases []model.Case) {
	recv := e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0
	n := int32(len(m.w.Events))
	ev := model.Event{Kind: e.Kind, Flags: e.Flags, Obj: m.idOf(o), Val: e.Val, Aux: e.Aux, Cases: cases, Partner: -1, Deps: m.reads.resolve(r.Needs)}
	switch {
	case e.Kind == format.ChanSend:
		ev.ValDeps = m.reads.resolve(r.From)
		q := &o.cur.queue[len(o.cur.queue)-1]
		q.send = n
		if o.cur.cap == 0 {
			t.sends = r.obj
		}
		if o.noValue {
			ev.Val = uint64(n) + 1
			q.val = ev.Val
		}
	case recv:
		if ev.Val = head.val; o.noValue {
			ev.Val = head.value()
		}
		ev.Strict = !(m.b.opt.Walked && r.walked)
		m.reads.src[i] = []int32{n}
		if !o.noValue {
			m.reads.learnEvent(i, 0xff, n, ev.Val)
		}
	case e.Kind == format.ChanLen:
		ev.Strict = !(m.b.opt.Walked && r.walked)
		m.reads.src[i] = []int32{n}
	}
	m.add(t, i, ev)
	if e.Kind == format.ChanSend && len(ev.ValDeps) > 0 && !o.noValue {
		m.w.Events[n].Value = m.reads.valueOf(r, n, 0, 0xff)
	}
	if recv && e.Aux == 0 && head.send >= 0 {
		m.received(head.send, n)
	}
	m.orderedSync(o, t, n, i, e)
}

// received notes which event takes a non-blocking send (MO14).
func (m *syncs) received(send, recv int32) {
	if s := &m.w.Events[send]; s.Flags&format.FlagNonBlocking != 0 {
		s.Partner = recv
	}
}

// value returns the value that a receive of e returns where values are sends. What was in the
// channel at the start is numbered from the top of the numbers.
func (e *element) value() uint64 {
	if e.send >= 0 {
		return uint64(e.send) + 1
	}
	return ^uint64(e.place)
}

// privateChannel is for a channel that one goroutine uses: it passes on what the values were
// computed from.
func (m *syncs) privateChannel(i int, r *record, t *thread, o *synch, e *trace.Event, head element) {
	m.reads.pin(i, r, t)
	switch e.Kind {
	case format.ChanSend:
		o.cur.queue[len(o.cur.queue)-1].deps = m.reads.resolve(r.From)
	case format.ChanRecv:
		m.reads.src[i] = head.deps
	}
}

// selectDefault makes the event of a select that took its default (MO15).
func (m *syncs) selectDefault(i int, r *record, t *thread) {
	cases := t.cases
	t.cases = nil
	for _, c := range cases {
		if m.byObj(c.Chan).cur.ready(c.Send) {
			m.cut(t)
			return
		}
	}
	if len(cases) == 0 {
		m.reads.pin(i, r, t)
		return
	}
	m.add(t, i, model.Event{Kind: format.SelectDefault, Obj: -1, Cases: cases, Deps: m.reads.resolve(r.Needs)})
}

// hiddenSync makes a Pin with edges of an operation of which only the order is known.
func (m *syncs) hiddenSync(i int, r *record, t *thread, o *synch) {
	if finalizes(&r.Event) { // everything before it
		if m.cutAny {
			m.cut(t)
			return
		}
		m.afterAll(t, m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)}))
		return
	}
	if !o.many {
		m.reads.pin(i, r, t)
		return
	}
	n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)})
	m.orderedSync(o, t, n, i, &r.Event)
}

// finalizes reports whether e is the beginning of a finalizer or cleanup.
func finalizes(e *trace.Event) bool { return e.Kind == format.Acquire && e.Obj == 0 }

// goEvent makes a Go (MO2). A thread is started once, and before it does anything.
func (m *syncs) goEvent(i int, r *record, t *thread) {
	u := trace.GoID(r.Event.Obj)
	if _, lives := m.lastRec[u]; !lives || u == r.Event.G || m.started[u] || m.thread(u).id >= 0 || m.lastRec[u] < i {
		m.reads.pin(i, r, t)
		return
	}
	m.started[u] = true
	m.begins(i, r, u, t)
}

// begins makes the Go of u by t.
func (m *syncs) begins(i int, r *record, u trace.GoID, t *thread) {
	n := m.add(t, i, model.Event{Kind: format.Go, Deps: m.reads.resolve(r.Needs)})
	started := m.threadOf(u)
	m.thread(u).by = n
	m.w.Events[n].Obj = model.Obj(started)
	m.followGo(n, started)
}

// start puts a thread that no event of the trace started after everything before it.
func (m *syncs) start(i int, r *record, t *thread) {
	if m.started[r.Event.G] || m.b.carry.started[r.Event.G] || r.Event.G <= 1 {
		m.reads.pin(i, r, t)
		return
	}
	m.unstarted(i, r, t)
}

// unstarted puts the beginning of t, which was started outside the trace, after everything before.
func (m *syncs) unstarted(i int, r *record, t *thread) {
	if m.cutAny { // what it has to follow may not be in the window
		m.cut(t)
		m.dropped(i, r)
		return
	}
	m.afterAll(t, m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)}))
}

// join makes a Join (MO3).
func (m *syncs) join(i int, r *record, t *thread) {
	g := trace.GoID(r.Event.Obj)
	u := m.threads[g]
	switch {
	case u == nil || u.id < 0 && !u.dead:
		m.reads.pin(i, r, t)
	case u.dead || m.sending(u):
		m.cut(t)
	case m.lastRec[g] > i:
		n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)})
		m.edge(u.last, n)
	default:
		n := m.add(t, i, model.Event{Kind: format.Join, Obj: model.Obj(u.id), Deps: m.reads.resolve(r.Needs)})
		m.edge(u.last, n)
	}
}

// dropped notes which later events need a record that is not in the window.
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
	case r.obj >= 0 && (m.objs[r.obj].opaque || m.objs[r.obj].reached || m.objs[r.obj].key.class == hiddenClass):
		m.objs[r.obj].poisoned = true
	}
}

// excludedSync keeps the order of an operation on an object that excluded code reaches (EX6).
func (m *syncs) excludedSync(i int, r *record, t *thread, o *synch) {
	k := r.Event.Kind
	// it is unknown whether other cases were ready
	if o.poisoned || k == format.SelectCase || r.Event.Aux == 0 && (k == format.ChanSend || k == format.ChanRecv) {
		m.cut(t)
		return
	}
	deps := m.reads.resolve(r.Needs)
	if k == format.ChanSend {
		deps = model.Union(deps, m.reads.resolve(r.From))
	}
	n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: deps})
	c := exclusive // also an RUnlock: another goroutine may have locked
	if k == format.Lock && r.Event.Flags&format.FlagRead != 0 {
		c = shared
	}
	m.keep(&o.order, t, n, c, ofOutside, true)
}
