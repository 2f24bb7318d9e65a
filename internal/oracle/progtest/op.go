package progtest

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// opKind is the kind of a step that other goroutines can observe.
type opKind uint8

const (
	opNone   opKind = iota // the next instruction cannot be observed
	opAccess               // memory
	opAtomic
	opLock
	opUnlock
	opRLock
	opRUnlock
	opAdd  // of a WaitGroup
	opWait // of a WaitGroup
	opTryLock
	opTryRLock
	opOnce    // Do: the goroutine is first, or passes
	opOnceEnd // the function of a Do has returned
	opCondWait
	opCondWake
	opSignal
	opBroadcast
	opSend
	opRecv
	opClose
	opSelect
	opLen     // of a channel
	opFire    // of a timer
	opOutside // an operation of the standard library that is not typed
	opGo
	opGroupGo  // WaitGroup.Go: an Add and a go statement
	opGroupEnd // the end of the goroutine that it has started
	opStart    // the first step of a goroutine
	opExit     // main returns
	opPanic
)

// An op is the next step of a goroutine.
type op struct {
	kind    opKind
	ins     *ins
	addr    uint64 // memory, lock, WaitGroup, channel
	size    int64  // access: bytes, within one word
	done    int64  // access: bytes before them
	write   bool
	pseudo  bool // an access without a value, as the race detector has it
	mapped  bool // an operation on a map
	defer_  bool // a deferred call
	outside func(*outside)
	takes   bool // Get of a pool
	cancels bool // call of a cancel function
	item    int  // what a Get takes
}

// arg returns the words of an operand.
func (g *goroutine) arg(f *frame, a *operand) []uint64 {
	if a.slot < 0 {
		return a.words
	}
	return g.regs[f.base+a.slot : f.base+a.slot+a.n]
}

func (g *goroutine) arg1(f *frame, a *operand) uint64 {
	if a.slot < 0 {
		return a.words[0]
	}
	return g.regs[f.base+a.slot]
}

const nilPage = 4096

// pending returns the next step of a goroutine; opNone if others cannot observe the next
// instruction.
func (s *state) pending(g *goroutine) op {
	if g.ended || s.done {
		return op{}
	}
	if g.timer.at != 0 {
		return op{kind: opFire}
	}
	if g.fresh {
		return op{kind: opStart}
	}
	f := g.top()
	x := &f.fn.ins[f.ip]
	if g.panics {
		return op{kind: opPanic, ins: x}
	}
	switch in := x.in.(type) {
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			if !x.local {
				return g.accessOf(f, x, false)
			}
		case token.ARROW:
			return op{kind: opRecv, ins: x, addr: g.arg1(f, &x.args[0])}
		}
	case *ssa.Store:
		if !x.local {
			return g.accessOf(f, x, true)
		}
	case *ssa.Lookup:
		if _, ok := in.X.Type().Underlying().(*types.Map); ok {
			return g.mapOp(f, x, false)
		}
	case *ssa.MapUpdate:
		return g.mapOp(f, x, true)
	case *ssa.Send:
		c := g.arg1(f, &x.args[0])
		if f.phase == 0 && c != 0 {
			return op{kind: opAccess, ins: x, addr: c, size: 1, pseudo: true}
		}
		return op{kind: opSend, ins: x, addr: c}
	case *ssa.Select:
		return g.pendingSelect(f, x, in)
	case *ssa.Go:
		return op{kind: opGo, ins: x}
	case *ssa.Call:
		switch x.call.builtin {
		case "delete", "maplen":
			return g.mapOp(f, x, x.call.builtin == "delete")
		}
		if x.call.outside != nil {
			o := op{kind: opOutside, ins: x, outside: x.call.outside, takes: x.call.takes}
			if o.takes {
				if o.addr = g.arg1(f, &x.args[0]); o.addr < nilPage {
					g.panics = true
					return op{kind: opPanic, ins: x}
				}
			}
			return o
		}
		if do, ctx := s.ofContext(g, f, x); do != nil {
			return op{kind: opOutside, ins: x, addr: ctx, outside: do, cancels: x.call.method == nil}
		}
		if once := s.onceFunc(g, f, x); once != 0 {
			return s.pendingOnce(g, x, once)
		}
		return s.typedOp(g, x, x.call, func(i int) uint64 { return g.arg1(f, &x.args[i]) })
	case *ssa.Panic:
		return op{kind: opPanic, ins: x}
	case *ssa.Return:
		return s.pendingReturn(g, x)
	}
	return op{}
}

// pendingSelect is the next step of a select: first a read of each channel that it may send on, as
// the race detector has it, then the select itself.
func (g *goroutine) pendingSelect(f *frame, x *ins, in *ssa.Select) op {
	k := 0
	for i := range in.States {
		if in.States[i].Dir != types.SendOnly {
			continue
		}
		if c := g.arg1(f, &x.args[2*i]); c != 0 {
			if k == f.phase {
				return op{kind: opAccess, ins: x, addr: c, size: 1, pseudo: true}
			}
			k++
		}
	}
	return op{kind: opSelect, ins: x}
}

// pendingReturn is the next step of a return: a deferred operation, or the end of the program.
func (s *state) pendingReturn(g *goroutine, x *ins) op {
	d := g.deferral()
	if g.leaving && d != nil && d.ins.call.typed() {
		o := s.typedOp(g, d.ins, d.ins.call, func(i int) uint64 { return d.args[i] })
		o.defer_ = true
		return o
	}
	if g.slot == 0 && len(g.frames) == 1 && (g.leaving && d == nil || !g.top().fn.defers()) {
		return op{kind: opExit, ins: x}
	}
	if g.group != 0 && len(g.frames) == 1 && (g.leaving && d == nil || !g.top().fn.defers()) {
		return op{kind: opGroupEnd, ins: g.top().site, addr: g.group}
	}
	return op{}
}

func (f *fn) defers() bool { return f.plan != nil && f.plan.Defers }

// deferral returns the deferred call of the frame on top that runs next, nil if there is none.
func (g *goroutine) deferral() *deferral {
	if n := len(g.defers); n > g.top().defers {
		return &g.defers[n-1]
	}
	return nil
}

// accessOf is the next piece of an access: the part in one word.
func (g *goroutine) accessOf(f *frame, x *ins, write bool) op {
	addr := g.arg1(f, &x.args[0])
	if addr < nilPage {
		g.panics = true
		return op{kind: opPanic, ins: x}
	}
	if x.size == 0 {
		return op{}
	}
	o := op{kind: opAccess, ins: x, addr: addr, write: write}
	for i := 0; ; i++ {
		o.size = min(8-int64(o.addr&7), x.size-o.done)
		if i == f.phase {
			return o
		}
		o.addr, o.done = o.addr+uint64(o.size), o.done+o.size
	}
}

// typedOp is the step of a call of sync, sync/atomic, or close.
func (s *state) typedOp(g *goroutine, x *ins, c callee, arg func(int) uint64) op {
	if !c.typed() {
		return op{}
	}
	o := op{kind: c.op, ins: x, addr: arg(0)}
	f := g.top()
	if o.addr < nilPage && c.op != opLen {
		g.panics = true
		return op{kind: opPanic, ins: x}
	}
	switch c.op {
	case opAtomic:
		o.addr += uint64(c.off)
		o.size, o.write = c.size, c.atomic != atomicLoad
		if c.atomic == atomicCAS { // with another value it writes nothing
			o.write = s.load(o.addr, c.size) == arg(1)
		}
	case opClose:
		if f.phase == 0 {
			return op{kind: opAccess, ins: x, addr: o.addr, size: 1, write: true, pseudo: true}
		}
	case opGroupGo:
		o.kind = []opKind{opAdd, opAccess, opGo}[f.phase]
		if f.phase == 1 {
			o.addr, o.size, o.pseudo = o.addr+8, 4, true
		}
	case opAdd:
		if f.phase == 1 {
			return op{kind: opAccess, ins: x, addr: o.addr + 8, size: 4, pseudo: true}
		}
	case opOnce:
		return s.pendingOnce(g, x, o.addr)
	case opCondWait:
		return s.pendingWait(g, o)
	case opWait:
		if !g.waits && *s.word(o.addr) != 0 && !s.waited(o.addr) {
			return op{kind: opAccess, ins: x, addr: o.addr + 8, size: 4, write: true, pseudo: true}
		}
	}
	return o
}

// waited reports whether a goroutine has begun to wait on the WaitGroup.
func (s *state) waited(wg uint64) bool {
	for _, g := range s.gs {
		if !g.ended && g.waits && g.arg1(g.top(), &g.next().args[0]) == wg {
			return true
		}
	}
	return false
}

// enabled computes which of the next steps of the goroutines are enabled.
type enabled struct {
	s   *state
	ops []op // by goroutine
}

// A transition is a step of the program: of goroutine g, in case c of its select, or of two that
// meet at an unbuffered channel.
type transition struct {
	g, c  int // c: -1: the default
	h, hc int // h: -1: g alone
	op    op
}

// transitions appends the steps that are enabled. A goroutine whose step is not among them is
// blocked.
func (e *enabled) transitions(out []transition) []transition {
	for i, o := range e.ops {
		t := transition{g: i, h: -1, op: o}
		switch o.kind {
		case opNone:
		case opLock:
			if *e.s.word(o.addr) == 0 && (o.ins.call.plainMutex || *e.s.word(o.addr + 8) == 0) {
				out = append(out, t)
			}
		case opRLock:
			if *e.s.word(o.addr) == 0 {
				out = append(out, t)
			}
		case opWait:
			if int64(*e.s.word(o.addr)) == 0 {
				out = append(out, t)
			}
		case opOnce:
			if *e.s.word(o.addr) != onceRunning {
				out = append(out, t)
			}
		case opCondWake:
			if e.s.gs[i].ticket == 0 {
				out = append(out, t)
			}
		case opOutside:
			switch {
			case o.takes:
				out = e.poolSteps(t, out)
			case !o.cancels || !e.s.cancelWaits(e.s.gs[i], o.addr):
				out = append(out, t)
			}
		case opSend, opRecv:
			out = e.chanSteps(t, out)
		case opSelect:
			sel := o.ins.in.(*ssa.Select)
			f := e.s.gs[i].top()
			n := len(out)
			for c, st := range sel.States {
				t := t
				t.c = c
				t.op.addr = e.s.gs[i].arg1(f, &o.ins.args[2*c])
				t.op.kind = opRecv
				if st.Dir == types.SendOnly {
					t.op.kind = opSend
				}
				out = e.chanSteps(t, out)
			}
			if !sel.Blocking && !alone(out[n:]) {
				t.c = -1
				out = append(out, t)
			}
		default:
			out = append(out, t)
		}
	}
	return out
}

// alone reports whether one of the steps needs no partner. Then a default is not taken.
func alone(ts []transition) bool {
	for _, t := range ts {
		if t.h < 0 {
			return true
		}
	}
	return false
}

// chanSteps appends the steps of one channel operation, or of one case of a select. A rendezvous is
// a step of the sender.
func (e *enabled) chanSteps(t transition, out []transition) []transition {
	c := t.op.addr
	if c == 0 {
		return out
	}
	capacity, closed, count := *e.s.word(c), *e.s.word(c + 8), *e.s.word(c + 16)
	if t.op.kind == opRecv {
		if count > 0 || closed != 0 {
			out = append(out, t)
		}
		return out
	}
	switch {
	case closed != 0 || count < capacity:
		return append(out, t)
	case capacity > 0:
		return out
	}
	for h, o := range e.ops {
		if h == t.g {
			continue
		}
		switch o.kind {
		case opRecv:
			if o.addr == c && (e.patient(t.g) || e.patient(h)) {
				out = append(out, transition{g: t.g, c: t.c, h: h, op: t.op})
			}
		case opSelect:
			f := e.s.gs[h].top()
			for hc, st := range o.ins.in.(*ssa.Select).States {
				if st.Dir == types.RecvOnly && e.s.gs[h].arg1(f, &o.ins.args[2*hc]) == c && (e.patient(t.g) || e.patient(h)) {
					out = append(out, transition{g: t.g, c: t.c, h: h, hc: hc, op: t.op})
				}
			}
		}
	}
	return out
}

// patient reports whether the goroutine could have been waiting at its channel operation: it has no
// default, and no case of its select is ready without a partner.
func (e *enabled) patient(g int) bool {
	o := e.ops[g]
	if o.kind != opSelect {
		return true
	}
	sel := o.ins.in.(*ssa.Select)
	if !sel.Blocking {
		return false
	}
	f := e.s.gs[g].top()
	for i, st := range sel.States {
		c := e.s.gs[g].arg1(f, &o.ins.args[2*i])
		if c == 0 {
			continue
		}
		capacity, closed, count := *e.s.word(c), *e.s.word(c + 8), *e.s.word(c + 16)
		if closed != 0 || st.Dir == types.RecvOnly && count > 0 || st.Dir == types.SendOnly && count < capacity {
			return false
		}
	}
	return true
}
