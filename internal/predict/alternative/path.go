package alternative

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A path is an alternative under way: a goroutine that executes, the goroutines that wait to be
// executed after it, the events so far, and what is known of memory.
//
// The methods that execute an instruction return whether the path goes on or has ended, and false
// if it was split into others.
type path struct {
	x        *explorer
	g        trace.GoID
	frame    *Frame
	waiting  []started
	events   events
	memory   memory
	closures []closure
	off      bool         // the choice at the fork is made: the path has left the recorded one
	unfired  []flow.Timer // timers that have fired in the recorded run, and do not on the path
	left     int          // functions of the fork's stack that have returned
	instrs   int          // executed so far
	long     bool         // it has maxSteps steps or maxInstrs instructions, and may go on in one
	end      string
}

// started is a goroutine that the path has started.
type started struct {
	g     trace.GoID
	frame *Frame
}

// Broken is the reason for which a path ends at an error of presage.
const Broken = "broken"

// run executes a path to its end. It returns false if the path was split into others.
func (p *path) run() (ended bool) {
	defer func() {
		if r := recover(); r != nil {
			p.stop(Broken)
			ended = true
		}
	}()
	for {
		for p.end == "" {
			if p.instrs++; p.instrs > maxInstrs && !p.lengthen() || p.instrs > longInstrs {
				p.stop("too-long")
				break
			}
			if !p.step() {
				return false
			}
		}
		n := len(p.waiting)
		if n == 0 {
			return true
		}
		next := p.waiting[n-1]
		p.waiting = p.waiting[: n-1 : n-1]
		p.g, p.frame, p.end = next.g, next.frame.clone(), "" // other paths have the same frame
		p.events.needs, p.events.guards = nil, nil
		p.memory.reader = true
	}
}

// lengthen makes a path a long one, if it may be.
func (p *path) lengthen() bool {
	p.long = p.long || p.x.around.Long()
	return p.long
}

// stop ends the goroutine that executes.
func (p *path) stop(why string) bool {
	p.end = why
	return true
}

// A branch is a path that has not been split off yet: the path p, which executes no more, and what
// happens on this branch of it. Most branches of an exploration are never taken.
type branch struct {
	p      *path
	choice func(*path)
}

// split makes a branch for each choice; of a long path, for the first one.
func (p *path) split(choices []func(*path)) bool {
	if len(choices) == 0 {
		return p.stop("no-value")
	}
	if p.long {
		choices = choices[:1]
	}
	for _, c := range slices.Backward(choices) {
		p.x.branches = append(p.x.branches, branch{p, c})
	}
	return false
}

// take returns the path of a branch.
func (b branch) take() (q *path) {
	defer func() {
		if r := recover(); r != nil {
			q.waiting = nil
			q.stop(Broken)
		}
	}()
	c := *b.p
	q = &c
	q.frame = b.p.frame.clone()
	q.events.clip()
	q.memory.clip()
	q.waiting, q.closures, q.unfired = slices.Clip(q.waiting), slices.Clip(q.closures), slices.Clip(q.unfired)
	b.choice(q)
	return q
}

// choose is a choice of the path q: the guards hold from here on. leaves reports that this choice
// leaves the recorded path.
func (p *path) choose(guards []flow.Guard, leaves bool) {
	p.events.require(guards...)
	if leaves {
		p.events.chosen, p.off = guards, true
	}
}

// value returns an operand.
func (p *path) value(a *regcode.Arg) Value {
	if a.Reg >= 0 {
		return p.frame.Regs[a.Reg]
	}
	return p.x.constants.value(a)
}

func (p *path) values(args []regcode.Arg) []Value {
	vals := make([]Value, len(args))
	for i := range args {
		vals[i] = p.value(&args[i])
	}
	return vals
}

// next gives an instruction its result and goes to the next one.
func (p *path) next(in *regcode.Instr, v Value) bool {
	p.frame.finish(in, v)
	return true
}

// emit appends an event to the path. It returns the number of its step.
func (p *path) emit(in *regcode.Instr, e trace.Event, f flow.Flow) int64 {
	e.Site, e.G = in.Site, p.g
	calls := p.frame.entered()
	if p.g != p.x.fork.G {
		calls = append(calls, flow.Call{Fn: p.frame.root().Code.Plan.Site})
	}
	n := p.events.add(flow.Step{Event: e, Flow: f, Left: p.left, Calls: calls})
	if k := len(p.events.steps); k >= longSteps || k >= maxSteps && !p.lengthen() {
		p.stop("too-many-steps")
	}
	return n
}

// access appends an access to memory. A write whose value is not known can race but not be
// executed, and so can an access that conflicts with opaque code: each is the last step.
func (p *path) access(in *regcode.Instr, e trace.Event, f flow.Flow, known bool) (step int64, going bool) {
	opaque := p.opaque(in, e)
	step = p.emit(in, e, f)
	switch {
	case !known && (e.Kind == format.Write || e.Kind == format.AtomicWrite):
		p.events.last().Unknown = true
		return step, true
	case !known:
		p.last("unknown-value")
	case opaque:
		p.last("opaque-memory")
	default:
		return step, true
	}
	return step, false
}

// opaque reports whether a call of opaque code may conflict with an access.
func (p *path) opaque(in *regcode.Instr, e trace.Event) bool {
	e.Site, e.G = in.Site, p.g
	return p.x.around.Opaque(&e)
}

// last marks the last step: it can race, but it cannot be executed.
func (p *path) last(why string) bool {
	p.events.last().Last = true
	return p.stop(why)
}

// settle makes operand i known (AL2). If ok is false, the path was split or has ended.
func (p *path) settle(in *regcode.Instr, i int) (ok, going bool) {
	a := &in.Args[i]
	v := p.value(a)
	if !v.symbolic() {
		return true, true
	}
	type choice struct {
		w      goval.Value
		guards []flow.Guard
	}
	var list []choice
	fork := !p.off && slices.Contains(p.x.fork.Args, i)
	// if it is not the last one, a later operand may have another value
	last := fork && i == p.x.fork.Args[len(p.x.fork.Args)-1]
	var recorded goval.Value
	if fork {
		recorded, _ = goval.RecordedValue(v.Term)
	}
	for _, w := range p.domain().values(v.Term) {
		same := fork && goval.Same(w, recorded)
		if same && last {
			continue
		}
		guards, ok := equal(v.Term, w)
		if !ok {
			continue
		}
		list = append(list, choice{w, guards})
	}
	if len(list) > maxChoices {
		p.x.bounded = true
		others := slices.DeleteFunc(slices.Clone(list), func(c choice) bool { return usedByOthers(p, in, i, c.w) })
		list = slices.DeleteFunc(list, func(c choice) bool { return !usedByOthers(p, in, i, c.w) })
		list = append(list, others...)[:maxChoices]
	}
	var choices []func(*path)
	for _, c := range list {
		choices = append(choices, func(q *path) {
			q.choose(c.guards, fork && !goval.Same(c.w, recorded))
			q.frame.Regs[a.Reg] = Value{Concrete: c.w}
			q.memory.learns(c.w)
		})
	}
	return false, p.split(choices)
}

// usedByOthers reports whether other goroutines use the memory that an instruction is about if w is
// its operand i. It is a hint of which values to try first.
func usedByOthers(p *path, in *regcode.Instr, i int, w goval.Value) bool {
	addr, ok := w.Bits()
	size := int64(8)
	switch in.SSA.(type) {
	case *ssa.IndexAddr:
		base, index := p.value(&in.Args[0]).Concrete, p.value(&in.Args[1]).Concrete
		if i == 0 {
			base = w
		} else {
			index = w
		}
		at, known := index.Bits()
		if addr, ok = base.Bits(); !known {
			ok = false
		}
		size = max(in.Elem, 1)
		addr += uint64(goval.Signed(in.Kind2, at) * size)
	case *ssa.FieldAddr:
		if in.Offsets != nil {
			addr += uint64(in.Offsets[in.Index])
		}
	}
	return ok && addr >= lowestPointer && p.x.around.Used(addr, size)
}

func (p *path) domain() domain {
	return domain{p.x.around, &p.events, &p.memory, &p.x.eval, &p.x.bounded}
}

func (p *path) interfaces() interfaces {
	return interfaces{p.x.fork.Facts, p.x.around.Until(), p.frame.Code, &p.memory}
}

func (p *path) resolver() resolver {
	x := p.x.fork
	return resolver{x.Program, x.Facts, p.x.around, p.closures, p.interfaces()}
}

// settleAll makes the operands known that have to be (AL2). If ok is false, the path was split or
// has ended.
func (p *path) settleAll(in *regcode.Instr) (ok, going bool) {
	pins := in.Pins
	if _, ok := in.SSA.(*ssa.TypeAssert); ok || in.Dynamic { // the arguments may be terms
		pins = 1
	}
	if pins == 0 || in.Op == regcode.OpIf || in.Std != nil {
		return true, true
	}
	for i := range in.Args {
		if pins != regcode.AllOperands && pins>>min(i, 63)&1 == 0 {
			continue
		}
		if ok, going := p.settle(in, i); !ok {
			return false, going
		}
	}
	return true, true
}

// step executes one instruction.
func (p *path) step() bool {
	f := p.frame
	in := f.instr()
	if going, ok := p.inBounds(in); ok {
		return going
	}
	if p.off {
		if going, ok := libraryOf(p).made(in); ok {
			return going
		}
	}
	if ok, going := p.settleAll(in); !ok {
		return going
	}
	if !p.off && in.Op != regcode.OpIf {
		return p.stop("no-value")
	}
	switch in.Op {
	case regcode.OpNop:
		return p.nop(in)
	case regcode.OpAlloc:
		f.Cells[in.Cell] = zero(f.Code.Cells[in.Cell])
		return p.next(in, known(0))
	case regcode.OpSet:
		f.storeLocal(in, p.value(&in.Args[0]), p.value(&in.Args[1]))
	case regcode.OpBind:
		f.Regs[in.Args[0].Reg] = p.value(&in.Args[1])
	case regcode.OpPart:
		v, why := boundPart(in, p.values(in.Args))
		if why != "" {
			return p.stop(why)
		}
		return p.next(in, v)
	case regcode.OpLocal:
		return p.next(in, f.loadLocal(in, p.value(&in.Args[0])))
	case regcode.OpLoad:
		return p.load(in)
	case regcode.OpStore:
		return p.store(in)
	case regcode.OpJump:
		p.enter(f.Code.Blocks[f.Block].Succs[0])
		return true
	case regcode.OpIf:
		return p.branch(in)
	case regcode.OpReturn:
		return p.ret(in)
	case regcode.OpPanic:
		return p.stop("panic")
	case regcode.OpCall:
		return p.call(in, &in.SSA.(*ssa.Call).Call, p.values(in.Args), p.values(in.Free), false)
	default:
		return p.other(in)
	}
	f.IP++
	return true
}
