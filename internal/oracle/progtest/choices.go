package progtest

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Operations of package sync whose outcome the schedule decides: TryLock, Once, OnceFunc, OnceValue
// and Cond; and the length of a channel.

// The states of a Once: its first word.
const (
	onceFresh = iota
	onceRunning
	onceDone
)

// try is a TryLock or TryRLock. It fails only if the lock is held: Go also permits a failure while
// the lock is free, but the implementation then tries again.
func (st *steps) try(s *state, g *goroutine, o *op) {
	w, readers := s.word(o.addr), uint64(0)
	if !o.ins.call.plainMutex {
		readers = *s.word(o.addr + 8)
	}
	free := *w == 0 && (readers == 0 || o.kind == opTryRLock)
	switch {
	case free && o.kind == opTryRLock:
		*s.word(o.addr + 8)++
	case free:
		*w = 1
	}
	if x := o.ins; x.n > 0 {
		g.regs[g.top().base+x.dst] = truth(free)
	}
	st.rec.try(g, o, free)
	st.finish(s, g, o)
}

func (r *recorder) try(g *goroutine, o *op, free bool) {
	if r == nil {
		return
	}
	e := trace.Event{Kind: format.TryFail, G: g.id(), Site: o.ins.site(), Obj: trace.Addr(o.addr)}
	if free {
		e.Kind, e.Flags = format.Lock, format.FlagTry
	}
	if o.kind == opTryRLock {
		e.Flags |= format.FlagRead
	}
	r.emit(e)
}

// pendingOnce is the next step of a Do: its begin, or its end when the function has returned.
func (s *state) pendingOnce(g *goroutine, x *ins, once uint64) op {
	o := op{kind: opOnce, ins: x, addr: once}
	if g.top().phase == 1 {
		o.kind = opOnceEnd
	}
	return o
}

// once is a step of a Do. The first goroutine executes the function. Others wait until it has
// returned, and pass. Which of the two a goroutine does counts as a branch of its path.
func (st *steps) once(s *state, g *goroutine, o *op) {
	w, f, x := s.word(o.addr), g.top(), o.ins
	switch {
	case o.kind == opOnceEnd:
		*w = onceDone
		st.rec.sync(g, o, 0, 0)
	case *w == onceDone:
		st.calls.decide(g, f.fn, passed, AtOnce)
		st.rec.once(g, o, format.OncePass)
	default:
		*w = onceRunning
		st.rec.once(g, o, format.OnceBegin)
		f.phase = 1
		value, kind := uint64(0), callback
		if x.call.dynamic {
			value, kind = *s.word(o.addr + 8), onceFunc
			st.rec.opaque(g, x, true)
		} else {
			value = g.arg1(f, &x.args[1])
		}
		st.calls.runs(s, g, x, value, kind)
		return
	}
	if x.call.dynamic && x.n > 0 {
		g.regs[f.base+x.dst] = *s.word(o.addr + 16)
	}
	st.finish(s, g, o)
}

// passed is the block of a decision not to be the first at a Once.
const passed = 1<<16 - 1

// runs enters the function value of a Once or a Pool.
func (cl *calls) runs(s *state, g *goroutine, x *ins, value uint64, kind entry) {
	at := AtOnce
	if kind == pooled {
		at = AtPool
	}
	if value < nilPage {
		panic(isPanic{})
	}
	fn, closure := cl.target(s, g, &ins{}, value)
	cl.decide(g, fn, 0, at)
	cl.enter(s, g, fn, kind, x, nil, closure)
}

// returned continues a Do, or a Get of a Pool, after its function, which returned res. The end of
// the Do is a step of its own.
func (cl *calls) returned(s *state, g *goroutine, f *frame, kind entry, res []uint64) {
	if kind == callback {
		return
	}
	x := &f.fn.ins[f.ip]
	if kind == pooled {
		copy(g.regs[f.base+x.dst:f.base+x.dst+x.n], res)
		f.phase = 0
		cl.rec.bracket(g, x, format.OpaqueEnd)
		cl.rec.after(s, g, x)
		f.ip++
		return
	}
	once := s.onceFunc(g, f, x)
	if len(res) > 0 {
		*s.word(once + 16) = res[0]
	}
	cl.rec.opaque(g, x, false)
}

func (r *recorder) once(g *goroutine, o *op, k format.Kind) {
	if r != nil {
		r.emit(trace.Event{Kind: k, G: g.id(), Site: o.ins.site(), Obj: trace.Addr(o.addr)})
	}
}

// onceCode is the code of a function that OnceFunc or OnceValue has returned. The function value
// has it, the state of the Once, the function, and its result.
const onceCode = funcBase - 64

// onceFunc returns the Once of a call of such a function; 0 if the call is of another function.
func (s *state) onceFunc(g *goroutine, f *frame, x *ins) uint64 {
	if !x.call.dynamic || x.call.method != nil {
		return 0
	}
	v := g.arg1(f, &x.args[len(x.args)-1])
	if v < heapBase || *s.word(v) != onceCode {
		return 0
	}
	return v + 8
}

// makeOnce is a call of OnceFunc or OnceValue.
func (ev *evaluator) makeOnce(s *state, g *goroutine, f *frame, x *ins) {
	ev.rec.opaque(g, x, true)
	a := g.alloc(32)
	*s.word(a), *s.word(a + 16) = onceCode, g.arg1(f, &x.args[0])
	g.regs[f.base+x.dst] = a
	ev.rec.opaque(g, x, false)
}

// pendingWait is the next step of a Wait of a Cond, which has four: the goroutine joins the queue,
// unlocks, is woken, and locks again.
func (s *state) pendingWait(g *goroutine, o op) op {
	switch g.top().phase {
	case 1:
		o.kind, o.addr = opUnlock, s.locker(o.addr)
	case 2:
		o.kind = opCondWake
	case 3:
		o.kind, o.addr = opLock, s.locker(o.addr)
	}
	if o.addr < nilPage {
		g.panics = true
		return op{kind: opPanic, ins: o.ins}
	}
	return o
}

// locker returns the Mutex of a Cond.
func (s *state) locker(cond uint64) uint64 { return *s.word(cond + 8) }

// hasMutex fails if the Locker of a Cond is not a Mutex.
func hasMutex(p *Program, s *state, cond uint64) {
	switch w := *s.word(cond); {
	case w == 0:
		panic(isPanic{})
	case p.typeOf(w).String() != "*sync.Mutex":
		panic(fault("a Cond with another Locker than a Mutex"))
	}
}

// makeCond is a call of NewCond.
func (ev *evaluator) makeCond(s *state, g *goroutine, f *frame, x *ins) {
	ev.rec.opaque(g, x, true)
	a := g.alloc(ev.prog.layout.sizeof(x.in.(*ssa.Call).Type().(*types.Pointer).Elem()))
	*s.word(a), *s.word(a + 8) = g.arg(f, &x.args[0])[0], g.arg(f, &x.args[0])[1]
	g.regs[f.base+x.dst] = a
	ev.rec.opaque(g, x, false)
}

// queued returns how many goroutines are in the queue of a Cond and not notified.
func (s *state) queued(cond uint64) (n int) {
	for _, g := range s.gs {
		n = max(n, g.place(cond))
	}
	return n
}

// notify wakes the first goroutine in the queue of a Cond, or all.
func (s *state) notify(cond uint64, all bool) {
	for _, g := range s.gs {
		if g.place(cond) == 0 {
			continue
		}
		if g.ticket--; all {
			g.ticket = 0
		}
	}
}

// place returns the goroutine's place in the queue of a Cond, 0 if it is not there.
func (g *goroutine) place(cond uint64) int {
	if g.ended || g.ticket == 0 || g.arg1(g.top(), &g.next().args[0]) != cond {
		return 0
	}
	return g.ticket
}

// length is len of a channel.
func (st *steps) length(s *state, g *goroutine, o *op) {
	n := uint64(0)
	if o.addr != 0 {
		n = *s.word(o.addr + 16)
		st.rec.length(s, g, o, n)
	}
	if x := o.ins; x.n > 0 {
		g.regs[g.top().base+x.dst] = n
	}
	st.finish(s, g, o)
}

func (r *recorder) length(s *state, g *goroutine, o *op, n uint64) {
	if r != nil && o.ins.hook(format.ChanLen) != nil {
		r.emit(trace.Event{Kind: format.ChanLen, G: g.id(), Site: o.ins.site(), Obj: trace.Addr(o.addr), Val: n, Aux: r.capacity(s, o.addr)})
	}
}
