package tracetest

import (
	"encoding/binary"
	"fmt"
	"slices"

	"presage/internal/trace/format"
	"presage/internal/window"
)

// Races are the racing pairs of a window, with A < B, each with a witness.
type Races map[window.Pair][]int32

// Explore visits every state that a reordering of w can reach, and returns all
// pairs that race in one of them. It gives up, with complete false, after limit
// states (0: no limit).
//
// A state is what later events can notice of a reordering: the position of each
// thread, the contents of the objects, and which reads kept their values, as far
// as an event not yet executed asks for them. Two reorderings that lead to the
// same state have the same futures, so each state is visited once.
func Explore(w *window.Window, limit int) (races Races, complete bool) {
	m := newModel(w)
	races = Races{}
	complete = m.search(limit, func(v *visit) {
		for _, p := range m.racing(v.st) {
			if _, ok := races[p]; !ok {
				races[p] = v.order()
			}
		}
	}, func(*visit, int32, error) {})
	return races, complete
}

// Steps visits the same states, and for each calls f with a reordering that leads
// to it, once for each thread's next event, with the reason why it is not allowed
// there, if it is not.
func Steps(w *window.Window, limit int, f func(order []int32, next int32, err error)) (complete bool) {
	return newModel(w).search(limit, func(*visit) {}, func(v *visit, i int32, err error) { f(v.order(), i, err) })
}

// visit is a state with the way to it.
type visit struct {
	st    *state
	event int32
	from  *visit
}

func (v *visit) order() []int32 {
	var order []int32
	for ; v.from != nil; v = v.from {
		order = append(order, v.event)
	}
	slices.Reverse(order)
	return order
}

// search visits the states depth first, calling at for each and try for each
// attempt to go on from it.
func (m *model) search(limit int, at func(*visit), try func(*visit, int32, error)) (complete bool) {
	first := &visit{st: m.start(), event: -1}
	seen := map[string]bool{string(m.encode(nil, first.st)): true}
	stack := []*visit{first}
	var key []byte
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at(v)
		for t := range m.threads {
			i, ok := m.upcoming(v.st, window.Thread(t))
			if !ok {
				continue
			}
			st, err := m.after(v.st, i)
			try(v, i, err)
			if err != nil {
				continue
			}
			if key = m.encode(key[:0], st); seen[string(key)] {
				continue
			}
			if limit > 0 && len(seen) >= limit {
				return false
			}
			seen[string(key)] = true
			stack = append(stack, &visit{st, i, v})
		}
	}
	return true
}

// Replay runs order by the explorer's own rules and says whether the pair races
// after it.
func Replay(w *window.Window, p window.Pair, order []int32) error {
	m := newModel(w)
	st, err := m.run(order)
	if err != nil {
		return err
	}
	if p.A > p.B {
		p.A, p.B = p.B, p.A
	}
	for _, q := range m.racing(st) {
		if p == q {
			return nil
		}
	}
	return fmt.Errorf("%v does not race after the reordering", p)
}

// Validate reports whether the window's events, in the order recorded, are a
// reordering of the window, as the model demands; and whether its numbers fit.
func Validate(w *window.Window) error {
	if err := WellFormed(w); err != nil {
		return err
	}
	for _, c := range w.Orders {
		if c.From >= c.To {
			return fmt.Errorf("order %d→%d against the recorded order", c.From, c.To)
		}
	}
	for _, e := range w.Edges {
		if e.From >= e.To {
			return fmt.Errorf("hard edge %d→%d against the recorded order", e.From, e.To)
		}
	}
	for i := range w.Events {
		if p := w.Events[i].Partner; p >= 0 && int(p) <= i {
			return fmt.Errorf("event %d has partner %d, which is not later", i, p)
		}
	}
	_, err := newModel(w).run(recorded(w))
	return err
}

// recorded is the recorded order.
func recorded(w *window.Window) []int32 {
	order := make([]int32, len(w.Events))
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// WellFormed checks what the model takes for granted of every window, of a variant too,
// whose recorded order is none: that its numbers fit.
func WellFormed(w *window.Window) error {
	started := map[window.Obj]bool{}
	for i := range w.Events {
		e := &w.Events[i]
		for _, d := range append(append([]int32{}, e.Deps...), e.ValDeps...) {
			if d < 0 || int(d) >= i || w.Events[d].Thread != e.Thread || !isRead(&w.Events[d]) {
				return fmt.Errorf("event %d depends on %d, which is not an earlier read of its thread", i, d)
			}
		}
		for _, t := range terms(e) {
			if err := termFits(w, int32(i), t); err != nil {
				return err
			}
		}
		switch e.Kind {
		case format.Go:
			if started[e.Obj] || e.Obj == window.Obj(e.Thread) {
				return fmt.Errorf("event %d starts thread %d again", i, e.Obj)
			}
			started[e.Obj] = true
			if slices.ContainsFunc(w.Events[:i], func(f window.Event) bool { return window.Obj(f.Thread) == e.Obj }) {
				return fmt.Errorf("event %d starts thread %d, which has earlier events", i, e.Obj)
			}
		case format.ChanSend:
			if p := e.Partner; p >= 0 {
				if int(p) >= len(w.Events) || w.Events[p].Kind != format.ChanRecv ||
					w.Events[p].Obj != e.Obj || w.Events[p].Thread == e.Thread {
					return fmt.Errorf("event %d has partner %d, which is not a receive of another thread", i, p)
				}
			}
		}
	}
	for _, e := range w.Edges {
		if e.From < 0 || e.To < 0 || int(e.From) >= len(w.Events) || int(e.To) >= len(w.Events) {
			return fmt.Errorf("hard edge %d→%d has no events", e.From, e.To)
		}
	}
	for _, c := range w.Orders {
		for _, i := range []int32{c.If, c.From, c.To} {
			if i < 0 || int(i) >= len(w.Events) {
				return fmt.Errorf("order %d→%d if %d has no events", c.From, c.To, c.If)
			}
		}
	}
	return nil
}

// Candidates lists the conflicting pairs of a window, with A < B.
func Candidates(w *window.Window) []window.Pair {
	var pairs []window.Pair
	for j := range w.Events {
		for i := range j {
			if conflict(&w.Events[i], &w.Events[j]) {
				pairs = append(pairs, window.Pair{A: int32(i), B: int32(j)})
			}
		}
	}
	return pairs
}

func conflict(e, f *window.Event) bool {
	return e.Kind.IsAccess() && f.Kind.IsAccess() && e.Thread != f.Thread && e.Obj == f.Obj &&
		(e.Kind.IsWrite() || f.Kind.IsWrite()) && !(e.Kind.IsAtomic() && f.Kind.IsAtomic())
}

func isRead(e *window.Event) bool {
	return e.Kind == format.Read || e.Kind == format.AtomicRead || e.Kind == format.AtomicRMW ||
		e.Kind == format.ChanRecv || e.Kind == format.ChanLen
}

// model is a window prepared for execution.
type model struct {
	w       *window.Window
	threads [][]int32
	rank    []int32         // by event: its place in its thread
	goes    map[int32]int32 // thread → the Go event that starts it
	class   []class         // by object
	preds   [][]int32       // hard edges, by target
	weak    [][]int32       // weak ones
	lastUse []int32         // by event: the last event of its thread that has it as a dependency, or -1
	waiting bool            // tests: a non-blocking send takes place only when its Partner can (TestMeetings)

	hasTerms bool
}

// state is one node of the search. States are immutable: after makes new ones.
type state struct {
	at   []int32 // by thread: events executed
	kept []bool  // by event: a read that kept its value
	saw  []saw   // by event: what a read saw, where terms ask for it
	objs []cell
	late []bool // by order on condition: what should be second was executed without the first
}

// saw is what a read saw.
type saw struct {
	v  uint64
	ok bool // it was known
}

// cell is the state of one object.
//
//	memory     a: value             b: 1 if the value is known
//	lock       a: 1 if written      b: readers
//	WaitGroup  a: counter
//	Once       a: state
//	Cond       list: thread, ok if notified
//	channel    a: 1 if closed       b: 1 + the receive the slot is reserved for
//	           list: elements; unbuffered: at most one, with its thread and send
type cell struct {
	a, b int64
	list []item
}

type item struct {
	v    uint64
	ok   bool
	who  window.Thread
	send int32
}

func newModel(w *window.Window) *model {
	m := &model{
		w:       w,
		threads: make([][]int32, len(w.Threads)),
		rank:    make([]int32, len(w.Events)),
		goes:    map[int32]int32{},
		class:   classes(w),
		preds:   make([][]int32, len(w.Events)),
		weak:    make([][]int32, len(w.Events)),
		lastUse: make([]int32, len(w.Events)),
	}
	for i := range w.Events {
		e := &w.Events[i]
		m.rank[i] = int32(len(m.threads[e.Thread]))
		m.threads[e.Thread] = append(m.threads[e.Thread], int32(i))
		m.lastUse[i] = -1
		if e.Kind == format.Go {
			m.goes[int32(e.Obj)] = int32(i)
		}
		for _, d := range e.Deps {
			m.lastUse[d] = int32(i)
		}
		for _, d := range e.ValDeps {
			m.lastUse[d] = int32(i)
		}
		for _, t := range terms(e) {
			m.hasTerms = true
			for _, d := range t.Reads() {
				m.lastUse[d] = int32(i)
			}
		}
	}
	for _, e := range w.Edges {
		if e.Weak {
			m.weak[e.To] = append(m.weak[e.To], e.From)
		} else {
			m.preds[e.To] = append(m.preds[e.To], e.From)
		}
	}
	return m
}

func (m *model) start() *state {
	st := &state{
		at:   make([]int32, len(m.threads)),
		kept: make([]bool, len(m.w.Events)),
		objs: make([]cell, len(m.w.Init)),
		late: make([]bool, len(m.w.Orders)),
	}
	if m.hasTerms {
		st.saw = make([]saw, len(m.w.Events))
	}
	for o := range m.w.Init {
		in, c := &m.w.Init[o], &st.objs[o]
		// An object has one class, so at most one of these terms is not zero.
		c.a = int64(in.Val) + in.Counter + int64(in.Once)
		if in.Writer || in.Closed {
			c.a++
		}
		c.b = int64(in.Readers)
		switch {
		case m.class[o] != classMemory:
		case in.Unknown:
			c.a = 0
		default:
			c.b = 1
		}
		for _, v := range in.Queue {
			c.list = append(c.list, item{v: v, ok: true, who: in.SlotOf, send: -1})
		}
		for _, q := range in.Waiters {
			c.list = append(c.list, item{who: q.Thread, ok: q.Notified})
		}
	}
	return st
}

// class tells apart the objects whose cells need it.
type class uint8

const (
	classOther class = iota
	classMemory
	classSlot // unbuffered channel
)

func classes(w *window.Window) []class {
	cl := make([]class, len(w.Init))
	for o := range w.Init {
		if in := &w.Init[o]; in.Cap == 0 && len(in.Queue) > 0 { // it blocks a thread, if no event uses it
			cl[o] = classSlot
		}
	}
	for i := range w.Events {
		e := &w.Events[i]
		switch {
		case e.Kind.IsAccess():
			cl[e.Obj] = classMemory
		case e.Kind >= format.ChanSend && e.Kind <= format.ChanLen && w.Init[e.Obj].Cap == 0:
			cl[e.Obj] = classSlot
		}
		for _, k := range e.Cases {
			if w.Init[k.Chan].Cap == 0 {
				cl[k.Chan] = classSlot
			}
		}
	}
	return cl
}

// encode writes what distinguishes st from other states.
func (m *model) encode(key []byte, st *state) []byte {
	for t, n := range st.at {
		key = binary.AppendUvarint(key, uint64(n))
		for k := range n {
			// A read's fate is remembered until its last use.
			r := m.threads[t][k]
			if u := m.lastUse[r]; u >= 0 && m.rank[u] >= n {
				key = append(key, b2u(st.kept[r]))
				if m.hasTerms {
					key = binary.AppendUvarint(append(key, b2u(st.saw[r].ok)), st.saw[r].v)
				}
			}
		}
	}
	for o := range st.objs {
		c := &st.objs[o]
		key = binary.AppendVarint(key, c.a)
		key = binary.AppendVarint(key, c.b)
		key = binary.AppendUvarint(key, uint64(len(c.list)))
		for _, x := range c.list {
			key = binary.AppendUvarint(key, x.v)
			key = append(key, b2u(x.ok), byte(x.who), byte(x.send), byte(x.send>>8))
		}
	}
	for _, l := range st.late {
		key = append(key, b2u(l))
	}
	return key
}

func b2u(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// run executes order from the start.
func (m *model) run(order []int32) (*state, error) {
	st := m.start()
	for _, i := range order {
		if i < 0 || int(i) >= len(m.w.Events) {
			return nil, fmt.Errorf("no event %d", i)
		}
		if n, ok := m.upcoming(st, m.w.Events[i].Thread); !ok || n != i {
			return nil, fmt.Errorf("event %d is not next in its thread", i)
		}
		next, err := m.after(st, i)
		if err != nil {
			return nil, fmt.Errorf("event %d %s: %w", i, m.w.Events[i].Kind, err)
		}
		st = next
	}
	return st, nil
}

// upcoming returns the next event of t. (M1)
func (m *model) upcoming(st *state, t window.Thread) (int32, bool) {
	if n := st.at[t]; int(n) < len(m.threads[t]) {
		return m.threads[t][n], true
	}
	return -1, false
}

func (m *model) past(st *state, i int32) bool {
	return m.rank[i] < st.at[m.w.Events[i].Thread]
}

// reachable reports whether t can go on to event i, whatever i does. (M2, M4, M6, U)
func (m *model) reachable(st *state, i int32) bool {
	if m.w.Events[i].Never { // (M7)
		return false
	}
	e := &m.w.Events[i]
	if g, ok := m.goes[int32(e.Thread)]; ok && !m.past(st, g) {
		return false
	}
	if m.stuck(st, e.Thread) {
		return false
	}
	for _, f := range m.preds[i] {
		if !m.past(st, f) {
			return false
		}
	}
	return m.known(st, e.Deps) && m.guarded(st, e)
}

// guarded reports that the guards of e hold. (V)
func (m *model) guarded(st *state, e *window.Event) bool {
	for _, g := range e.Guards {
		if v := m.amounts(st, g.Term); !v.ok || v.v != g.Want {
			return false
		}
	}
	return true
}

// amounts evaluates a term. (V)
func (m *model) amounts(st *state, t *window.Term) saw {
	v, ok := amount(t.Expr, func(r int32) (uint64, bool) { return st.saw[r].v, st.saw[r].ok })
	return saw{v, ok}
}

// stuck reports whether t waits for a receiver. (U)
func (m *model) stuck(st *state, t window.Thread) bool {
	for o := range st.objs {
		if c := &st.objs[o]; m.class[o] == classSlot && len(c.list) == 1 && c.list[0].who == t {
			return true
		}
	}
	return false
}

func (m *model) known(st *state, reads []int32) bool {
	for _, r := range reads {
		if !st.kept[r] {
			return false
		}
	}
	return true
}

// racing lists the pairs that race in st.
func (m *model) racing(st *state) []window.Pair {
	var front []int32
	for t := range m.threads {
		if i, ok := m.upcoming(st, window.Thread(t)); ok && m.w.Events[i].Kind.IsAccess() && m.reachable(st, i) {
			front = append(front, i)
		}
	}
	var pairs []window.Pair
	for _, i := range front {
		for _, j := range front {
			if i < j && conflict(&m.w.Events[i], &m.w.Events[j]) && m.writes(st, i, j) {
				pairs = append(pairs, window.Pair{A: i, B: j})
			}
		}
	}
	return pairs
}

// writes is the race rule's exception: between a compare-and-swap and a plain
// read there is a write only if the swap takes place.
func (m *model) writes(st *state, i, j int32) bool {
	e, f := &m.w.Events[i], &m.w.Events[j]
	if f.Kind == format.AtomicRMW {
		e, f = f, e
	}
	if e.Kind == format.AtomicRMW && f.Kind == format.Read {
		c := st.objs[e.Obj]
		return c.b == 1 && uint64(c.a) == e.Val
	}
	return true
}
