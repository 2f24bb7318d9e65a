package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// rule is what a violation violates. The numbers are those of docs/theory/model.md.
type rule uint8

const (
	ruleNever     rule = iota // (MO4, MO7, MO8) x is in no reordering
	ruleStatic                // (MO1)–(MO4) a static predecessor y of x is missing
	ruleOrder                 // (MO9) conditional order y is broken
	ruleDep                   // (MO6) x needs the read y, which is not intact
	ruleRead                  // (MO6) the needed read x met the write y (-1: initial value)
	ruleElement               // (MO6) the needed receive x met the element of send y (-1: initial)
	ruleLen                   // (MO15) the needed length x differs
	ruleLock                  // (MO13)
	ruleUnlock                // (MO13)
	ruleTryFail               // (MO13)
	ruleAdd                   // (MO13) counter would be negative
	ruleWait                  // (MO13)
	ruleBegin                 // (MO13)
	ruleEnd                   // (MO13)
	rulePass                  // (MO13)
	ruleWake                  // (MO13)
	ruleFull                  // (MO13, MO14) no room
	ruleEmpty                 // (MO13, MO14) no element
	ruleClosed                // (MO13, MO14) x finds the channel closed, by y (-1: initially)
	ruleOpen                  // (MO13, MO14) x finds the channel open
	ruleRemaining             // (MO13, MO14) x finds an element
	ruleBlocked               // (MO14) the slot of x's thread, filled by y, is still full
	rulePartner               // (MO14) the receiver of x is not waiting
	ruleStolen                // (MO14) x takes the element of y, which is for y's partner
	ruleReady                 // (MO15) case number y of x is ready
	ruleImpatient             // (MO14) neither x nor the send y could have waited
	// the racing compare-and-swap x would meet the write y (-1: initial value)
	ruleSwap
	ruleGuard // (MO11) guard number y of x does not hold
	// the read x met the write y (-1: initial value), not its chosen source
	ruleSource
)

// violation says that event x, where the candidate order has it, violates rule.
type violation struct {
	rule rule
	x, y int32
}

// state is the state of one object during an execution.
type state struct {
	stamp  int32
	failed bool // had a violation; later operations on this object are not judged

	word
	writer int32 // last write, -1: initial value

	writers, readers int32
	counter          int64
	once             model.OnceState

	sends  []int32 // the window's sends so far
	got    int32   // elements removed
	closed int32   // the close, -1: initially, -2: open

	waiters []waiter
}

type waiter struct {
	thread   model.Thread
	event    int32 // the CondWait, or -1
	notified bool
}

const notClosed = -2

// machine executes candidate orders.
type machine struct {
	static  *static
	objects *objects
	reads   *reads // which reads must be intact

	// Of a window with terms; nil otherwise.
	values *values
	from   *readFrom

	states  []state
	run     int32
	intact  []bool  // of each executed read
	element []int32 // of each executed send: the number of its element
	ran     []int32 // run in which the event was executed
	plain   []bool  // the event only needs to be enabled by its object
	bad     []violation
	limit   int
	orders  orders
}

func newMachine(st *static, ob *objects, u *reads) *machine {
	n := st.n
	m := &machine{
		static: st, objects: ob, reads: u, states: make([]state, len(ob.objs)), orders: newOrders(st.w),
		intact: make([]bool, n), element: make([]int32, n), ran: make([]int32, n), plain: make([]bool, n),
	}
	for x := range n {
		m.plain[x] = !st.never[x] && len(st.w.Events[x].Deps) == 0 && len(st.w.Events[x].Guards) == 0 && ob.blocker[x] == -1 && ob.joins[x] == -1
	}
	return m
}

// execute runs seq from the initial state, then checks that the pair is next. It returns the
// violations, and stops at limit of them.
func (m *machine) execute(seq []int32, p model.Pair, limit int) []violation {
	m.run++
	m.bad, m.limit = m.bad[:0], limit
	if m.values != nil {
		m.from.findChoices(m.run)
	}
	for _, x := range seq {
		m.checkStatic(x)
		m.checkWeak(x)
		if m.static.w.Events[x].Last { // (MO8)
			m.fail(ruleNever, x, -1)
		}
		m.step(x)
		m.ran[x] = m.run
		m.checkOrders(x)
		if len(m.bad) >= limit {
			return m.bad
		}
	}
	for _, x := range [2]int32{p.A, p.B} {
		m.checkStatic(x)
		m.checkEvent(x)
		for _, r := range m.static.w.Events[x].Where { // (MO10)
			if !m.intact[r] {
				m.fail(ruleDep, x, r)
			}
		}
	}
	if x := onlyWrite(m.static.w, p); x >= 0 {
		e := &m.static.w.Events[x]
		if st := m.state(e.Obj); !st.known || st.val != e.Val {
			m.fail(ruleSwap, x, st.writer)
		}
	}
	return m.bad
}

// onlyWrite returns the read-modify-write of a pair whose other access is a read.
func onlyWrite(w *model.Window, p model.Pair) int32 {
	a, b := w.Events[p.A].Kind, w.Events[p.B].Kind
	switch {
	case a == format.AtomicRMW && b == format.Read:
		return p.A
	case b == format.AtomicRMW && a == format.Read:
		return p.B
	}
	return -1
}

func (m *machine) fail(r rule, x, y int32) {
	m.bad = append(m.bad, violation{r, x, y})
}

// state returns the state of an object, which starts from the window's.
func (m *machine) state(o model.Obj) *state {
	st := &m.states[o]
	if st.stamp == m.run {
		return st
	}
	in := &m.static.w.Init[o]
	*st = state{
		stamp: m.run, word: word{in.Val, !in.Unknown}, writer: -1,
		readers: in.Readers, counter: in.Counter, once: in.Once,
		closed: notClosed, sends: st.sends[:0], waiters: st.waiters[:0],
	}
	if in.Writer {
		st.writers = 1
	}
	if in.Closed {
		st.closed = -1
	}
	for _, w := range in.Waiters {
		st.waiters = append(st.waiters, waiter{w.Thread, -1, w.Notified})
	}
	return st
}

// checkStatic checks that the static predecessors of x were executed. This holds in every candidate
// order, but not in every proposal of the closure.
func (m *machine) checkStatic(x int32) {
	for _, p := range m.static.pre[x] {
		if m.ran[p] != m.run {
			m.fail(ruleStatic, x, p)
		}
	}
	if p := m.static.prev[x]; p >= 0 && m.ran[p] != m.run {
		m.fail(ruleStatic, x, p)
	}
}

// checkWeak checks the weak edges to an executed event.
func (m *machine) checkWeak(x int32) {
	if m.static.weak == nil {
		return
	}
	for _, p := range m.static.weak[x] {
		if m.ran[p] != m.run {
			m.fail(ruleStatic, x, p)
		}
	}
}

// checkEvent checks what x needs of any kind: its reads and guards, and that its thread is not
// blocked.
func (m *machine) checkEvent(x int32) {
	if m.plain[x] {
		return
	}
	if m.static.never[x] {
		m.fail(ruleNever, x, -1)
	}
	for _, r := range m.static.w.Events[x].Deps {
		if !m.intact[r] {
			m.fail(ruleDep, x, r)
		}
	}
	for k := range m.static.w.Events[x].Guards {
		if !m.guardHolds(x, k) {
			m.fail(ruleGuard, x, int32(k))
		}
	}
	m.checkBlocker(x, m.objects.blocker[x])
	m.checkBlocker(x, m.objects.joins[x])
}

func (m *machine) checkBlocker(x, b int32) {
	if b == -1 {
		return
	}
	o, number := m.slot(b)
	if st := m.state(o); !st.failed && st.got <= number {
		m.fail(ruleBlocked, x, b)
	}
}

// slot returns the unbuffered channel and the number of the element of blocker b.
func (m *machine) slot(b int32) (o model.Obj, number int32) {
	if b <= initialSlot {
		return model.Obj(initialSlot - b), 0
	}
	return m.static.w.Events[b].Obj, m.element[b]
}

// step executes x. One switch, one call per kind.
func (m *machine) step(x int32) {
	m.checkEvent(x)
	e := &m.static.w.Events[x]
	switch e.Kind {
	case format.Read, format.AtomicRead:
		m.stepRead(x, e)
	case format.Write, format.AtomicWrite:
		m.stepWrite(x, e, e.Val, true)
	case format.AtomicRMW:
		m.stepRead(x, e)
		m.stepWrite(x, e, e.Aux, m.intact[x])
	case format.Lock:
		m.stepLock(x, e)
	case format.Unlock:
		m.stepUnlock(x, e)
	case format.TryFail:
		m.stepTryFail(x, e)
	case format.WGAdd:
		m.stepAdd(x, e)
	case format.WGWait:
		m.stepWait(x, e)
	case format.OnceBegin, format.OnceEnd, format.OncePass:
		m.stepOnce(x, e)
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		m.stepCond(x, e)
	case format.ChanSend:
		m.stepSend(x, e)
	case format.ChanRecv:
		m.stepRecv(x, e)
	case format.ChanClose:
		m.stepClose(x, e)
	case format.ChanLen:
		m.stepLen(x, e)
	case format.SelectDefault:
		m.stepDefault(x, e)
	case format.Go, format.Start, format.End, format.Join, model.Pin:
		// (MO5, MO6); MO2 and MO3 are static
	default:
		panic("engine: event kind " + e.Kind.String() + " in a window")
	}
}

// failOn reports a violation on the state of an object.
func (m *machine) failOn(st *state, r rule, x, y int32) {
	st.failed = true
	m.fail(r, x, y)
}
