package progtest

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A machine executes a program. It has no state of the execution.
type machine struct {
	prog *Program
	rec  *recorder // nil: nothing is recorded
	// whether a step is a scheduling point; nil: every one is
	stops  func(s *state, g *goroutine, o *op) bool
	access func(s *state, g *goroutine, o *op) // called for every access of memory
	// of the goroutines, by name, that the execution is compared with; nil: with none
	paths map[uint64][]decision
	phis  []uint64
}

// initialise executes the initialisers of the package's variables, which are not recorded: code
// that is not instrumented does it. The dependencies' have no effect that matters here.
func (p *Program) initialise(init *fn) error {
	s := &state{globals: make([]uint64, p.nglobal), live: 1}
	m := &machine{prog: p, stops: func(*state, *goroutine, *op) bool { return false }}
	g := &goroutine{name: 1}
	s.gs = []*goroutine{g}
	m.enter(s, g, init, started, nil, nil, 0)
	if err := m.run(s, g); err != nil {
		return err
	}
	if !s.done && !g.ended {
		return fmt.Errorf("the initialisers do not end")
	}
	heap := g.heap
	g = &goroutine{name: 1, heap: heap, fresh: true}
	m.enter(s, g, p.main, started, nil, nil, 0)
	*s = state{globals: s.globals, gs: []*goroutine{g}, live: 1}
	p.start = s
	return nil
}

// run executes a goroutine up to its next scheduling point.
func (m *machine) run(s *state, g *goroutine) (err error) {
	for range maxSteps {
		if g.ended || s.done {
			return nil
		}
		o := m.pending(s, g)
		if o.kind == opNone {
			if err := m.silent(s, g); err != nil {
				return err
			}
			continue
		}
		if m.stop(s, g, &o) {
			return nil
		}
		if err := m.perform(s, transition{g: g.slot, h: -1, op: o}); err != nil {
			return err
		}
	}
	return fmt.Errorf("more than %d steps", maxSteps)
}

// silent executes one instruction; if it panics, that is the goroutine's next step.
func (m *machine) silent(s *state, g *goroutine) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case isPanic:
			g.panics = true
		case fault:
			err = fmt.Errorf("%s", string(r))
		default:
			panic(r)
		}
	}()
	m.exec(s, g)
	return nil
}

// stop reports whether the step is a scheduling point. Steps that may end the program or have to
// wait always are.
func (m *machine) stop(s *state, g *goroutine, o *op) bool {
	if m.stops == nil {
		return true
	}
	switch o.kind {
	case opAccess, opAtomic, opGo, opStart:
		return m.stops(s, g, o)
	case opExit:
		return m.prog.start != nil
	}
	return true
}

// perform does a step that is enabled.
func (m *machine) perform(s *state, t transition) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case isPanic:
			s.done = true
		case fault:
			err = fmt.Errorf("%s", string(r))
		default:
			panic(r)
		}
	}()
	g := s.gs[t.g]
	o := &t.op
	switch o.kind {
	case opStart:
		g.fresh = false
		m.rec.enter(s, g)
		m.rec.block(g, 0)
	case opAccess:
		m.memory(s, g, o)
	case opAtomic:
		m.atomic(s, g, o)
	case opGo:
		m.goes(s, g, o)
	case opExit:
		g.leaving = false
		m.rec.exit(g)
		s.done, g.ended = true, true
		s.live--
	case opPanic:
		s.done = true
	case opSend, opRecv, opSelect:
		m.communicate(s, t)
	case opClose:
		if *m.word(s, o.addr+8) != 0 {
			panic(isPanic{})
		}
		m.rec.chanOp(s, g, o)
		*m.word(s, o.addr+8) = 1
		m.finish(s, g, o)
	default:
		m.sync(s, g, o)
	}
	return nil
}

// finish ends the instruction, or the deferred call, of a step.
func (m *machine) finish(s *state, g *goroutine, o *op) {
	g.steps++
	f := g.top()
	f.phase = 0
	if o.defer_ {
		g.defers = g.defers[:len(g.defers)-1]
		return
	}
	m.rec.after(s, g, o.ins)
	f.ip++
}

// memory is one piece of a load or store, or an access that only the race detector sees.
func (m *machine) memory(s *state, g *goroutine, o *op) {
	if m.access != nil {
		m.access(s, g, o)
	}
	f := g.top()
	x := o.ins
	if o.pseudo {
		m.rec.pseudo(g, o)
		switch x.call.op {
		case opWait:
			g.waits = true
		case opAdd:
			m.finish(s, g, o)
		default:
			f.phase++
		}
		return
	}
	v := g.regs[f.base:]
	if o.write {
		w := bytesAt(g.arg(f, &x.args[1]), o.done, o.size)
		m.store(s, o.addr, o.size, w)
		m.rec.access(g, o, w)
	} else {
		if f.phase == 0 {
			clear(v[x.dst : x.dst+x.n])
		}
		w := m.load(s, o.addr, o.size)
		putBytes(v[x.dst:x.dst+x.n], o.done, o.size, w)
		m.rec.access(g, o, w)
	}
	if f.phase++; o.done+o.size == x.size {
		m.finish(s, g, o)
	}
}

// goes is a go statement.
func (m *machine) goes(s *state, g *goroutine, o *op) {
	f := g.top()
	args, value := m.gather(g, f, o.ins)
	fn, closure := m.target(s, g, o.ins, value)
	if g.children++; g.children >= fanout || len(s.gs) >= maxGos || g.name > 1<<9 {
		panic(fault("too many goroutines"))
	}
	c := &goroutine{name: g.name*fanout + g.children, slot: len(s.gs), fresh: true}
	s.gs = append(s.gs, c)
	s.live++
	s.started = true
	m.rec.goes(g, c, o.ins)
	m.enter(s, c, fn, started, o.ins, args, closure)
	m.finish(s, g, o)
}

// sync is an operation on a lock or a WaitGroup that is enabled. What Go ends with a fatal error
// ends the program.
func (m *machine) sync(s *state, g *goroutine, o *op) {
	w := m.word(s, o.addr)
	switch o.kind {
	case opLock:
		*w = 1
	case opUnlock:
		if *w == 0 {
			panic(isPanic{})
		}
		*w = 0
	case opRLock:
		*m.word(s, o.addr+8)++
	case opRUnlock:
		r := m.word(s, o.addr+8)
		if *r == 0 {
			panic(isPanic{})
		}
		*r--
	case opAdd:
		m.add(s, g, o, w)
		return
	case opWait:
		g.waits = false
	}
	m.rec.sync(g, o, *w, 0)
	m.finish(s, g, o)
}

func (m *machine) add(s *state, g *goroutine, o *op, w *uint64) {
	delta, old := int64(-1), int64(*w)
	if o.ins.call.delta {
		if o.defer_ {
			delta = int64(g.deferral().args[1])
		} else {
			delta = int64(g.arg1(g.top(), &o.ins.args[1]))
		}
	}
	if old+delta < 0 {
		panic(isPanic{})
	}
	*w = uint64(old + delta)
	m.rec.sync(g, o, uint64(old+delta), uint64(delta))
	if old == 0 && delta > 0 && !o.defer_ {
		g.top().phase = 1
		return
	}
	m.finish(s, g, o)
}

// atomic is an operation of sync/atomic.
func (m *machine) atomic(s *state, g *goroutine, o *op) {
	if m.access != nil {
		m.access(s, g, o)
	}
	f, x := g.top(), o.ins
	c := &x.call
	arg := func(i int) uint64 {
		if o.defer_ {
			return g.deferral().args[i]
		}
		return g.arg1(f, &x.args[i])
	}
	old := m.load(s, o.addr, c.size)
	now, res := old, old
	switch c.atomic {
	case atomicStore:
		now = arg(1)
	case atomicAdd:
		now = clip(c.kind, old+arg(1))
		res = now
	case atomicSwap:
		now = arg(1)
	case atomicCAS:
		res = truth(old == arg(1))
		if res != 0 {
			now = arg(2)
		}
	case atomicAnd:
		now = old & arg(1)
	case atomicOr:
		now = old | arg(1)
	}
	m.store(s, o.addr, c.size, now)
	m.rec.atomic(g, o, old, now)
	if !o.defer_ && x.n > 0 {
		g.regs[f.base+x.dst] = res
	}
	m.finish(s, g, o)
}

// communicate is a send, a receive, a select, or a send and a receive that meet.
func (m *machine) communicate(s *state, t transition) {
	g := s.gs[t.g]
	o := t.op
	if t.c < 0 {
		m.rec.cases(s, g, o.ins, -1)
		m.selected(s, g, o.ins, -1, 0, false)
		return
	}
	c := o.addr
	switch {
	case t.h >= 0:
		h := s.gs[t.h]
		v := m.sent(g, o.ins, t.c)
		y := h.next()
		m.rec.cases(s, g, o.ins, t.c)
		m.rec.cases(s, h, y, t.hc)
		m.rec.send(s, g, o.ins, c, v)
		m.rec.recv(s, h, y, c, v, false)
		m.sendDone(s, g, o.ins, t.c)
		m.received(s, h, y, t.hc, v, true)
	case o.kind == opSend:
		if *m.word(s, c+8) != 0 {
			panic(isPanic{})
		}
		v := m.sent(g, o.ins, t.c)
		n := m.word(s, c+16)
		*m.word(s, c+24+8**n) = v
		*n++
		m.rec.cases(s, g, o.ins, t.c)
		m.rec.send(s, g, o.ins, c, v)
		m.sendDone(s, g, o.ins, t.c)
	default:
		n := m.word(s, c+16)
		v, ok := uint64(0), *n > 0
		if ok {
			v = *m.word(s, c+24)
			*n--
			for i := range *n {
				*m.word(s, c+24+8*i) = *m.word(s, c+32+8*i)
			}
			*m.word(s, c+24+8**n) = 0
		}
		m.rec.cases(s, g, o.ins, t.c)
		m.rec.recv(s, g, o.ins, c, v, !ok)
		m.received(s, g, o.ins, t.c, v, ok)
	}
}

// sent returns the value that a send, or case c of a select, sends.
func (m *machine) sent(g *goroutine, x *ins, c int) uint64 {
	if _, ok := x.in.(*ssa.Select); ok {
		if x.args[2*c+1].n == 0 {
			return 0
		}
		return g.arg1(g.top(), &x.args[2*c+1])
	}
	if x.args[1].n == 0 {
		return 0
	}
	return g.arg1(g.top(), &x.args[1])
}

func (m *machine) sendDone(s *state, g *goroutine, x *ins, c int) {
	if _, ok := x.in.(*ssa.Select); ok {
		m.selected(s, g, x, c, 0, false)
		return
	}
	m.finish(s, g, &op{ins: x})
}

func (m *machine) received(s *state, g *goroutine, x *ins, c int, v uint64, ok bool) {
	if _, sel := x.in.(*ssa.Select); sel {
		m.selected(s, g, x, c, v, ok)
		return
	}
	f := g.top()
	dst := g.regs[f.base+x.dst : f.base+x.dst+x.n]
	clear(dst)
	w := words(x.size)
	if w > 0 {
		dst[0] = v
	}
	if len(dst) > w {
		dst[w] = truth(ok)
	}
	m.finish(s, g, &op{ins: x})
}

// selected ends a select: its tuple is the index, whether something was received, and what each
// receive case received.
func (m *machine) selected(s *state, g *goroutine, x *ins, c int, v uint64, ok bool) {
	f := g.top()
	dst := g.regs[f.base+x.dst : f.base+x.dst+x.n]
	clear(dst)
	dst[0], dst[1] = uint64(int64(c)), truth(ok)
	w := 2
	for i, st := range x.in.(*ssa.Select).States {
		if st.Dir != types.RecvOnly {
			continue
		}
		n := m.prog.width(st.Chan.Type().Underlying().(*types.Chan).Elem())
		if i == c && n > 0 {
			dst[w] = v
		}
		w += n
	}
	m.rec.chosen(c)
	m.finish(s, g, &op{ins: x})
}
