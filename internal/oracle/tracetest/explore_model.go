package tracetest

import (
	"encoding/binary"
	"fmt"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// machine is a window prepared for execution.
type machine struct {
	w       *model.Window
	threads [][]int32
	rank    []int32         // by event: its place in its thread
	goes    map[int32]int32 // thread → the Go event that starts it
	class   []class         // by object
	preds   [][]int32       // hard edges, by target
	weak    [][]int32       // weak ones
	// by event: the last event of its thread that has it as a dependency, or -1
	lastUse []int32
	// for TestMeetings: a non-blocking send is enabled only if its Partner can be executed
	waiting bool

	hasTerms bool
}

// state is one node of the search. States are immutable: after makes new ones.
type state struct {
	at   []int32 // by thread: events executed
	kept []bool  // by event: a read that is intact
	saw  []saw   // by event: what a read returned, if there are terms
	objs []cell
	late []bool // by conditional order: the second event was executed without the first
}

// saw is what a read returned.
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
//	channel    a: 1 if closed       list: elements; unbuffered: at most one, with its thread and send
//	           wait: the receives that the slot is reserved for, if a send found them waiting
type cell struct {
	a, b int64
	list []item
	wait []int32
}

type item struct {
	v    uint64
	ok   bool
	who  model.Thread
	send int32
}

func newMachine(w *model.Window) *machine {
	m := &machine{
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
		for _, d := range e.Where {
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

func (m *machine) start() *state {
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

// class is the class of an object, as far as cells differ.
type class uint8

const (
	classOther class = iota
	classMemory
	classSlot // unbuffered channel
)

func classes(w *model.Window) []class {
	cl := make([]class, len(w.Init))
	for o := range w.Init {
		if in := &w.Init[o]; in.Cap == 0 && len(in.Queue) > 0 {
			// it blocks a thread, even if no event uses it
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
func (m *machine) encode(key []byte, st *state) []byte {
	for t, n := range st.at {
		key = binary.AppendUvarint(key, uint64(n))
		for k := range n {
			// Whether a read is intact matters until its last use.
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
		key = binary.AppendUvarint(key, uint64(len(c.wait)))
		for _, r := range c.wait {
			key = binary.AppendUvarint(key, uint64(r))
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
func (m *machine) run(order []int32) (*state, error) {
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

// upcoming returns the next event of t (MO1).
func (m *machine) upcoming(st *state, t model.Thread) (int32, bool) {
	if n := st.at[t]; int(n) < len(m.threads[t]) {
		return m.threads[t][n], true
	}
	return -1, false
}

func (m *machine) past(st *state, i int32) bool {
	return m.rank[i] < st.at[m.w.Events[i].Thread]
}

// reachable reports whether event i can be next, its own effect aside (MO2, MO4, MO6, U).
func (m *machine) reachable(st *state, i int32) bool {
	if m.w.Events[i].Never { // (MO7)
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

// guarded reports whether the guards of e hold (V).
func (m *machine) guarded(st *state, e *model.Event) bool {
	for _, g := range e.Guards {
		if v := m.amounts(st, g.Term); !v.ok || v.v != g.Want {
			return false
		}
	}
	return true
}

// amounts evaluates a term (V).
func (m *machine) amounts(st *state, t *model.Term) saw {
	v, ok := amount(t.Expr, func(r int32) (uint64, bool) { return st.saw[r].v, st.saw[r].ok })
	return saw{v, ok}
}

// stuck reports whether t waits for a receiver (U).
func (m *machine) stuck(st *state, t model.Thread) bool {
	for o := range st.objs {
		if c := &st.objs[o]; m.class[o] == classSlot && len(c.list) == 1 && c.list[0].who == t {
			return true
		}
	}
	return false
}

func (m *machine) known(st *state, reads []int32) bool {
	for _, r := range reads {
		if !st.kept[r] {
			return false
		}
	}
	return true
}

// racing lists the pairs that race in st.
func (m *machine) racing(st *state) []model.Pair {
	var front []int32
	for t := range m.threads {
		if i, ok := m.upcoming(st, model.Thread(t)); ok && m.w.Events[i].Kind.IsAccess() && m.reachable(st, i) && m.known(st, m.w.Events[i].Where) {
			// (MO10)
			front = append(front, i)
		}
	}
	var pairs []model.Pair
	for _, i := range front {
		for _, j := range front {
			if i < j && conflict(&m.w.Events[i], &m.w.Events[j]) && m.writes(st, i, j) {
				pairs = append(pairs, model.Pair{A: i, B: j})
			}
		}
	}
	return pairs
}

// writes is the exception of the race rule: between a compare-and-swap and a plain read there is a
// write only if the swap succeeds.
func (m *machine) writes(st *state, i, j int32) bool {
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
