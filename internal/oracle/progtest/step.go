package progtest

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// steps executes the operations of goroutines that others can observe.
type steps struct {
	prog   *Program
	rec    *recorder
	calls  *calls
	access func(s *state, g *goroutine, o *op) // if not nil: called for every access of memory
}

// perform executes a step that is enabled.
func (st *steps) perform(s *state, t transition) (err error) {
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
		st.rec.enter(s, g)
		st.rec.block(g, 0)
	case opAccess:
		st.memory(s, g, o)
	case opAtomic:
		st.atomic(s, g, o)
	case opGo:
		st.goes(s, g, o)
	case opExit:
		g.leaving = false
		st.rec.exit(g)
		s.done, g.ended = true, true
		s.live--
	case opPanic:
		s.done = true
	case opSend, opRecv, opSelect:
		st.communicate(s, t)
	case opClose:
		if *s.word(o.addr + 8) != 0 {
			panic(isPanic{})
		}
		st.rec.chanOp(s, g, o)
		*s.word(o.addr + 8) = 1
		st.finish(s, g, o)
	case opOnce, opOnceEnd:
		st.once(s, g, o)
	case opGroupEnd:
		st.groupEnd(s, g, o)
	case opOutside:
		st.outside(s, g, o)
	case opFire:
		st.fire(s, g)
	case opLen:
		st.length(s, g, o)
	default:
		st.sync(s, g, o)
	}
	return nil
}

// finish ends the instruction, or the deferred call, of a step.
func (st *steps) finish(s *state, g *goroutine, o *op) {
	g.steps++
	f := g.top()
	f.phase = 0
	if o.defer_ {
		g.defers = g.defers[:len(g.defers)-1]
		return
	}
	st.rec.after(s, g, o.ins)
	f.ip++
}

// memory is one piece of a load or store, or an access that only the race detector sees.
func (st *steps) memory(s *state, g *goroutine, o *op) {
	if st.access != nil {
		st.access(s, g, o)
	}
	f := g.top()
	x := o.ins
	if o.mapped {
		st.rec.pseudo(g, o)
		st.mapOp(s, g, o)
		return
	}
	if o.pseudo {
		st.rec.pseudo(g, o)
		switch x.call.op {
		case opWait:
			g.waits = true
		case opAdd:
			st.finish(s, g, o)
		default:
			f.phase++
		}
		return
	}
	v := g.regs[f.base:]
	if o.write {
		w := bytesAt(g.arg(f, &x.args[1]), o.done, o.size)
		s.store(o.addr, o.size, w)
		st.rec.access(g, o, w)
	} else {
		if f.phase == 0 {
			clear(v[x.dst : x.dst+x.n])
		}
		w := s.load(o.addr, o.size)
		putBytes(v[x.dst:x.dst+x.n], o.done, o.size, w)
		st.rec.access(g, o, w)
	}
	if f.phase++; o.done+o.size == x.size {
		st.finish(s, g, o)
	}
}

// goes is a go statement.
func (st *steps) goes(s *state, g *goroutine, o *op) {
	f := g.top()
	args, value := st.calls.gather(g, f, o.ins)
	group := uint64(0)
	if o.ins.call.op == opGroupGo {
		group, args, value = o.addr, nil, g.arg1(f, &o.ins.args[1])
	}
	fn, closure := st.calls.target(s, g, o.ins, value)
	if g.children++; g.children >= fanout || len(s.gs) >= maxGos || g.name > 1<<9 {
		panic(fault("too many goroutines"))
	}
	c := &goroutine{name: g.name*fanout + g.children, slot: len(s.gs), fresh: true, group: group}
	s.gs = append(s.gs, c)
	s.live++
	s.started = true
	st.rec.goes(g, c, o.ins)
	st.calls.enter(s, c, fn, started, o.ins, args, closure)
	st.finish(s, g, o)
}

// groupEnd is the end of a goroutine that WaitGroup.Go has started.
func (st *steps) groupEnd(s *state, g *goroutine, o *op) {
	w := s.word(o.addr)
	if *w == 0 {
		panic(isPanic{})
	}
	*w--
	f := g.top()
	st.calls.leave(s, g, f, &f.fn.ins[f.ip])
}

// sync is an enabled operation on a lock or a WaitGroup. A fatal error of Go ends the program.
func (st *steps) sync(s *state, g *goroutine, o *op) {
	w := s.word(o.addr)
	switch o.kind {
	case opLock:
		*w = 1
	case opUnlock:
		if *w == 0 {
			panic(isPanic{})
		}
		*w = 0
	case opRLock:
		*s.word(o.addr + 8)++
	case opRUnlock:
		r := s.word(o.addr + 8)
		if *r == 0 {
			panic(isPanic{})
		}
		*r--
	case opAdd:
		st.add(s, g, o, w)
		return
	case opWait:
		g.waits = false
	case opTryLock, opTryRLock:
		st.try(s, g, o)
		return
	case opCondWait:
		hasMutex(st.prog, s, o.addr)
		g.ticket = 1 + s.queued(o.addr)
	case opSignal, opBroadcast:
		s.notify(o.addr, o.kind == opBroadcast)
	}
	st.rec.sync(g, o, *w, 0)
	if o.ins.call.op == opCondWait && o.kind != opLock {
		g.top().phase++
		return
	}
	st.finish(s, g, o)
}

func (st *steps) add(s *state, g *goroutine, o *op, w *uint64) {
	delta, old := int64(-1), int64(*w)
	if o.ins.call.op == opGroupGo {
		delta = 1
	}
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
	st.rec.sync(g, o, uint64(old+delta), uint64(delta))
	if old == 0 && delta > 0 && !o.defer_ {
		g.top().phase = 1
		return
	}
	if o.ins.call.op == opGroupGo {
		g.top().phase = 2
		return
	}
	st.finish(s, g, o)
}

// atomic is an operation of sync/atomic.
func (st *steps) atomic(s *state, g *goroutine, o *op) {
	if st.access != nil {
		st.access(s, g, o)
	}
	f, x := g.top(), o.ins
	c := &x.call
	arg := func(i int) uint64 {
		if o.defer_ {
			return g.deferral().args[i]
		}
		return g.arg1(f, &x.args[i])
	}
	old := s.load(o.addr, c.size)
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
	s.store(o.addr, c.size, now)
	st.rec.atomic(g, o, old, now)
	if !o.defer_ && x.n > 0 {
		g.regs[f.base+x.dst] = res
	}
	st.finish(s, g, o)
}

// communicate is a send, a receive, a select, or a rendezvous.
func (st *steps) communicate(s *state, t transition) {
	g := s.gs[t.g]
	o := t.op
	if t.c < 0 {
		st.rec.cases(s, g, o.ins, -1)
		st.selected(s, g, o.ins, -1, 0, false)
		return
	}
	c := o.addr
	switch {
	case t.h >= 0:
		h := s.gs[t.h]
		v := st.sent(g, o.ins, t.c)
		y := h.next()
		st.rec.cases(s, g, o.ins, t.c)
		st.rec.cases(s, h, y, t.hc)
		st.rec.send(s, g, o.ins, t.c, v)
		st.rec.recv(s, h, y, t.hc, v, false)
		st.sendDone(s, g, o.ins, t.c)
		st.received(s, h, y, t.hc, v, true)
	case o.kind == opSend:
		if *s.word(c + 8) != 0 {
			panic(isPanic{})
		}
		v := st.sent(g, o.ins, t.c)
		n := s.word(c + 16)
		*s.word(c + 24 + 8**n) = v
		*n++
		st.rec.cases(s, g, o.ins, t.c)
		st.rec.send(s, g, o.ins, t.c, v)
		st.sendDone(s, g, o.ins, t.c)
	default:
		n := s.word(c + 16)
		v, ok := uint64(0), *n > 0
		if ok {
			v = *s.word(c + 24)
			*n--
			for i := range *n {
				*s.word(c + 24 + 8*i) = *s.word(c + 32 + 8*i)
			}
			*s.word(c + 24 + 8**n) = 0
		}
		st.rec.cases(s, g, o.ins, t.c)
		st.rec.recv(s, g, o.ins, t.c, v, !ok)
		st.received(s, g, o.ins, t.c, v, ok)
	}
}

// sent returns the value that a send, or case c of a select, sends.
func (st *steps) sent(g *goroutine, x *ins, c int) uint64 {
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

func (st *steps) sendDone(s *state, g *goroutine, x *ins, c int) {
	if _, ok := x.in.(*ssa.Select); ok {
		st.selected(s, g, x, c, 0, false)
		return
	}
	st.finish(s, g, &op{ins: x})
}

func (st *steps) received(s *state, g *goroutine, x *ins, c int, v uint64, ok bool) {
	if _, sel := x.in.(*ssa.Select); sel {
		st.selected(s, g, x, c, v, ok)
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
	st.finish(s, g, &op{ins: x})
}

// selected ends a select. Its tuple has the index of the case, whether a value was received, and
// the value of each receive case.
func (st *steps) selected(s *state, g *goroutine, x *ins, c int, v uint64, ok bool) {
	f := g.top()
	dst := g.regs[f.base+x.dst : f.base+x.dst+x.n]
	clear(dst)
	dst[0], dst[1] = uint64(int64(c)), truth(ok)
	w := 2
	for i, sc := range x.in.(*ssa.Select).States {
		if sc.Dir != types.RecvOnly {
			continue
		}
		n := st.prog.layout.width(sc.Chan.Type().Underlying().(*types.Chan).Elem())
		if i == c && n > 0 {
			dst[w] = v
		}
		w += n
	}
	st.rec.chosen(c)
	st.finish(s, g, &op{ins: x})
}
