package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// rule names what a violation violates; the numbers are those of docs/theory/model.md.
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
	failed bool // had a violation: what follows on this object says nothing

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
	states  []state
	run     int32
	intact  []bool  // of each executed read
	values  *values // of reads and sends, if the window has terms
	element []int32 // of each executed send: the number of its element
	ran     []int32 // run in which the event was executed
	plain   []bool  // event needs no more than that its object lets it
	bad     []violation
	limit   int
	orders  orders
}

func (m *machine) prepare(st *static, ob *objects) {
	n := st.n
	m.states = make([]state, len(ob.objs))
	m.orders = newOrders(st.w)
	m.intact, m.element, m.ran, m.plain = make([]bool, n), make([]int32, n), make([]int32, n), make([]bool, n)
	for x := range n {
		m.plain[x] = !st.never[x] && len(st.w.Events[x].Deps) == 0 && len(st.w.Events[x].Guards) == 0 && ob.blocker[x] == -1 && ob.joins[x] == -1
	}
}

// execute runs seq from the initial state, then looks whether the pair is next. It
// returns the violations it met, at most limit.
func (s *Solver) execute(seq []int32, p model.Pair, limit int) []violation {
	s.run++
	s.bad, s.limit = s.bad[:0], limit
	if s.values != nil {
		s.findChoices()
	}
	for _, x := range seq {
		s.checkStatic(x)
		s.checkWeak(x)
		if s.w.Events[x].Last { // (MO8)
			s.fail(ruleNever, x, -1)
		}
		s.step(x)
		s.ran[x] = s.run
		s.checkOrders(x)
		if len(s.bad) >= limit {
			return s.bad
		}
	}
	for _, x := range [2]int32{p.A, p.B} {
		s.checkStatic(x)
		s.checkEvent(x)
		for _, r := range s.w.Events[x].Where { // (MO10)
			if !s.intact[r] {
				s.fail(ruleDep, x, r)
			}
		}
	}
	if x := s.onlyWrite(p); x >= 0 {
		e := &s.w.Events[x]
		if st := s.state(e.Obj); !st.known || st.val != e.Val {
			s.fail(ruleSwap, x, st.writer)
		}
	}
	return s.bad
}

// onlyWrite returns the read-modify-write of a pair whose other access is a read.
func (s *Solver) onlyWrite(p model.Pair) int32 {
	a, b := s.w.Events[p.A].Kind, s.w.Events[p.B].Kind
	switch {
	case a == format.AtomicRMW && b == format.Read:
		return p.A
	case b == format.AtomicRMW && a == format.Read:
		return p.B
	}
	return -1
}

func (s *Solver) fail(r rule, x, y int32) {
	s.bad = append(s.bad, violation{r, x, y})
}

// state returns the state of an object, which starts from the window's.
func (s *Solver) state(o model.Obj) *state {
	st := &s.states[o]
	if st.stamp == s.run {
		return st
	}
	in := &s.w.Init[o]
	*st = state{
		stamp: s.run, word: word{in.Val, !in.Unknown}, writer: -1,
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

// checkStatic checks that what must precede x did; a candidate order sees to that
// anyway, a proposal may not.
func (s *Solver) checkStatic(x int32) {
	for _, p := range s.pre[x] {
		if s.ran[p] != s.run {
			s.fail(ruleStatic, x, p)
		}
	}
	if p := s.prev[x]; p >= 0 && s.ran[p] != s.run {
		s.fail(ruleStatic, x, p)
	}
}

// checkWeak checks what weak edges ask of an event that is executed.
func (s *Solver) checkWeak(x int32) {
	if s.weak == nil {
		return
	}
	for _, p := range s.weak[x] {
		if s.ran[p] != s.run {
			s.fail(ruleStatic, x, p)
		}
	}
}

// checkEvent checks what every event needs: its reads, and a thread that can go on.
func (s *Solver) checkEvent(x int32) {
	if s.plain[x] {
		return
	}
	if s.never[x] {
		s.fail(ruleNever, x, -1)
	}
	for _, r := range s.w.Events[x].Deps {
		if !s.intact[r] {
			s.fail(ruleDep, x, r)
		}
	}
	for k := range s.w.Events[x].Guards {
		if !s.guardHolds(x, k) {
			s.fail(ruleGuard, x, int32(k))
		}
	}
	s.checkBlocker(x, s.blocker[x])
	s.checkBlocker(x, s.joins[x])
}

func (s *Solver) checkBlocker(x, b int32) {
	if b == -1 {
		return
	}
	o, number := s.slot(b)
	if st := s.state(o); !st.failed && st.got <= number {
		s.fail(ruleBlocked, x, b)
	}
}

// slot returns the unbuffered channel and the number of the element of blocker b.
func (s *Solver) slot(b int32) (o model.Obj, number int32) {
	if b <= initialSlot {
		return model.Obj(initialSlot - b), 0
	}
	return s.w.Events[b].Obj, s.element[b]
}

// step executes x. One switch, one call per kind.
func (s *Solver) step(x int32) {
	s.checkEvent(x)
	e := &s.w.Events[x]
	switch e.Kind {
	case format.Read, format.AtomicRead:
		s.stepRead(x, e)
	case format.Write, format.AtomicWrite:
		s.stepWrite(x, e, e.Val, true)
	case format.AtomicRMW:
		s.stepRead(x, e)
		s.stepWrite(x, e, e.Aux, s.intact[x])
	case format.Lock:
		s.stepLock(x, e)
	case format.Unlock:
		s.stepUnlock(x, e)
	case format.TryFail:
		s.stepTryFail(x, e)
	case format.WGAdd:
		s.stepAdd(x, e)
	case format.WGWait:
		s.stepWait(x, e)
	case format.OnceBegin, format.OnceEnd, format.OncePass:
		s.stepOnce(x, e)
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		s.stepCond(x, e)
	case format.ChanSend:
		s.stepSend(x, e)
	case format.ChanRecv:
		s.stepRecv(x, e)
	case format.ChanClose:
		s.stepClose(x, e)
	case format.ChanLen:
		s.stepLen(x, e)
	case format.SelectDefault:
		s.stepDefault(x, e)
	case format.Go, format.Start, format.End, format.Join, model.Pin: // (MO5, MO6); MO2 and MO3 are static
	default:
		panic("engine: event kind " + e.Kind.String() + " in a window")
	}
}

// met notes what the read x sees of the write or send y; a needed one must see what it saw.
func (s *Solver) met(x int32, see word, r rule, y int32) {
	s.intact[x] = see.known && see.val == s.w.Events[x].Val
	if s.values != nil {
		s.values.seen[x], s.values.from[x] = see, y
	}
	if !s.intact[x] && s.needed(x) {
		s.fail(r, x, y)
	}
}

// needed reports that x must be intact: it is strict, or the search assumes so.
func (s *Solver) needed(x int32) bool {
	if s.w.Events[x].Strict {
		return true
	}
	l := s.needLit[x]
	return l != noLit && s.holds(l)
}

func (s *Solver) allIntact(reads []int32) bool {
	for _, r := range reads {
		if !s.intact[r] {
			return false
		}
	}
	return true
}

func (s *Solver) stepRead(x int32, e *model.Event) {
	st := s.state(e.Obj)
	s.met(x, st.word, ruleRead, st.writer)
	if s.values != nil {
		s.checkSource(x, st.writer)
	}
}

func (s *Solver) stepWrite(x int32, e *model.Event, val uint64, ok bool) {
	st := s.state(e.Obj)
	st.word, st.writer = s.produced(e, val, ok), x
}

// failOn reports a violation on the state of an object.
func (s *Solver) failOn(st *state, r rule, x, y int32) {
	st.failed = true
	s.fail(r, x, y)
}

func (s *Solver) stepLock(x int32, e *model.Event) { // (MO13)
	st := s.state(e.Obj)
	read := e.Flags&format.FlagRead != 0
	switch {
	case st.failed:
	case st.writers > 0 || !read && st.readers > 0:
		s.failOn(st, ruleLock, x, -1)
	case read:
		st.readers++
	default:
		st.writers++
	}
}

func (s *Solver) stepUnlock(x int32, e *model.Event) { // (MO13)
	st := s.state(e.Obj)
	n := &st.writers
	if e.Flags&format.FlagRead != 0 {
		n = &st.readers
	}
	switch {
	case st.failed:
	case *n <= 0:
		s.failOn(st, ruleUnlock, x, -1)
	default:
		*n--
	}
}

func (s *Solver) stepTryFail(x int32, e *model.Event) { // (MO13)
	st := s.state(e.Obj)
	read := e.Flags&format.FlagRead != 0
	if !st.failed && st.writers == 0 && (read || st.readers == 0) {
		s.failOn(st, ruleTryFail, x, -1)
	}
}

func (s *Solver) stepAdd(x int32, e *model.Event) { // (MO13)
	st := s.state(e.Obj)
	if st.failed {
		return
	}
	if st.counter += int64(e.Val); st.counter < 0 {
		s.failOn(st, ruleAdd, x, -1)
	}
}

func (s *Solver) stepWait(x int32, e *model.Event) { // (MO13)
	if st := s.state(e.Obj); !st.failed && st.counter != 0 {
		s.failOn(st, ruleWait, x, -1)
	}
}

func (s *Solver) stepOnce(x int32, e *model.Event) { // (MO13)
	st := s.state(e.Obj)
	switch {
	case st.failed:
	case e.Kind == format.OnceBegin:
		if st.once != model.OnceFresh {
			s.failOn(st, ruleBegin, x, -1)
		}
		st.once = model.OnceRunning
	case e.Kind == format.OnceEnd:
		if st.once != model.OnceRunning {
			s.failOn(st, ruleEnd, x, -1)
		}
		st.once = model.OnceDone
	case st.once != model.OnceDone:
		s.failOn(st, rulePass, x, -1)
	}
}

func (s *Solver) stepCond(x int32, e *model.Event) { // (MO13)
	st := s.state(e.Obj)
	switch {
	case st.failed:
	case e.Kind == format.CondWait:
		st.waiters = append(st.waiters, waiter{e.Thread, x, false})
	case e.Kind == format.CondWake:
		if !st.wake(e.Thread) {
			s.failOn(st, ruleWake, x, s.waited[x])
		}
	default:
		st.notify(e.Kind == format.CondBroadcast)
	}
}

func (st *state) notify(all bool) {
	for i := range st.waiters {
		if !st.waiters[i].notified {
			st.waiters[i].notified = true
			if !all {
				return
			}
		}
	}
}

// wake takes the notified entry of t out of the queue.
func (st *state) wake(t model.Thread) bool {
	for i, w := range st.waiters {
		if w.thread == t && w.notified {
			st.waiters = append(st.waiters[:i], st.waiters[i+1:]...)
			return true
		}
	}
	return false
}
