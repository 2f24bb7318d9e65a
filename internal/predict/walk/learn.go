package walk

import (
	"go/types"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A learner notes what the records of a goroutine show: where variables of packages are, the
// function values and type words that walked code makes or stores, and the channels and Conds that
// it makes or operates on.
type learner struct {
	facts   *facts
	program *regcode.Program
	g       trace.GoID
	stacks  *spans
	fresh   spans      // memory that the goroutine has allocated since the last call (passed)
	timer   *timer     // on which the call under way has operated last; nil: none
	cond    uint64     // that the goroutine begins to wait for; 0: none
	wrote   int64      // the last write of a map by walked code
	keys    trace.Addr // the keys of a sync.Map that the goroutine is about to change; 0: none
	changed trace.Addr // those that it has just changed
	known   int64      // the last operation of a sync.Map of which the key is known
}

// value notes a function value that an instruction has made or stored, or a channel.
func (l *learner) value(f *Frame, in *regcode.Instr, event int64) {
	switch x := in.SSA.(type) {
	case *ssa.MakeClosure:
		m := made{fn: x.Fn.(*ssa.Function)}
		for i := range x.Bindings {
			m.free = append(m.free, f.Value(&in.Args[1+i]))
		}
		l.closure(f, m, f.regs[in.Reg], event)
	case *ssa.MakeChan:
		if n, ok := f.Value(&in.Args[0]).Bits(); ok {
			l.at(made{size: n}, f.regs[in.Reg], event)
		}
	case *ssa.Call:
		l.returned(f, in, event)
	case *ssa.MakeMap:
		l.makesMap(f.regs[in.Reg], event)
	case *ssa.Lookup:
		l.looked(f, in, x, event)
	case *ssa.Store:
		if fn := f.Value(&in.Args[1]).Function(); fn != nil && f.stage.known && len(f.stage.words) == 1 {
			l.at(made{fn: fn}, goval.Known(f.stage.words[0]), event)
		}
	}
}

// maxFresh bounds the allocations of a goroutine that are kept: they are the last ones.
const maxFresh = 64

// passed keeps what the goroutine allocates, up to the next event after which its stack may have
// moved, or the memory may have another use.
func (l *learner) passed(e *trace.Event) {
	switch e.Kind {
	case format.Alloc:
		if e.Flags&format.FlagStack == 0 {
			if len(l.fresh) == maxFresh {
				l.fresh = append(l.fresh[:0], l.fresh[maxFresh/2:]...)
			}
			l.fresh = append(l.fresh, [2]uint64{uint64(e.Obj), uint64(e.Obj) + e.Val})
		}
	case format.Value, format.Word, format.Block, format.Read, format.Write, format.OpaqueEnd:
	default:
		l.fresh = l.fresh[:0]
	}
}

// lasts reports whether what an instruction has just made lasts: it is in memory that was
// allocated, or static. Else it is on the stack.
func (l *learner) lasts(addr uint64) bool {
	return l.fresh.contains(addr) || l.facts.image[0] <= addr && addr < l.facts.image[1]
}

// closure notes a function value that an instruction has made. One on the stack is in the frame.
func (l *learner) closure(f *Frame, m made, at goval.Value, event int64) {
	addr, ok := at.Bits()
	switch {
	case !ok:
	case l.lasts(addr):
		l.at(m, at, event)
	default:
		m.at = event
		l.facts.frames.add(addr, stackFunction{m, l.g}, event, func(stackFunction) bool { return false })
		f.closures = append(f.closures, addr)
	}
}

// leaves forgets the function values in a frame that is left.
func (l *learner) leaves(f *Frame, event int64) {
	for _, addr := range f.closures {
		l.facts.frames.replaced(addr, event)
	}
}

// at notes what is at an address that is not on a stack: stacks move.
func (l *learner) at(m made, at goval.Value, event int64) {
	addr, ok := at.Bits()
	if !ok || addr < 4096 || l.stacks.contains(addr) {
		return
	}
	l.facts.made(addr, m, event)
}

// object notes the capacity of a channel, or the lock of a Cond, from an operation on it.
func (l *learner) object(e *trace.Event, event int64) {
	cond := l.cond
	l.cond = 0
	switch e.Kind {
	case format.CondWait:
		l.cond = uint64(e.Obj)
	case format.Unlock:
		if cond != 0 {
			l.at(made{lock: &flow.Locker{Lock: uint64(e.Obj), Shared: e.Flags&format.FlagRead != 0}}, goval.Known(cond), event)
		}
	case format.ChanSend, format.ChanRecv, format.ChanLen, format.ChanClose:
		l.at(made{size: e.Aux}, goval.Known(uint64(e.Obj)), event)
	}
}

// ended notes what a call that ends has done to a timer.
func (l *learner) ended(f *Frame, in *regcode.Instr) {
	c, ok := timerCallOf(in)
	if !ok || l.timer == nil {
		return
	}
	if d, ok := f.Value(&in.Args[c.time]).Bits(); ok && int64(d) > 0 {
		l.facts.armed(l.timer, time.Duration(d))
	}
}

// onceOf returns the Once that executes the function that is entered, if the caller is at the call;
// 0: none.
func (l *learner) onceOf(caller, f *Frame, event int64) trace.Addr {
	if caller == nil || !caller.walked || caller.stage.once == 0 || f.code == nil {
		return 0
	}
	in := caller.Instr()
	var runs goval.Value
	if in.Dynamic {
		addr, ok := caller.Value(&in.Args[0]).Bits()
		if !ok {
			return 0
		}
		o, ok := l.facts.isOnce(addr, event)
		if !ok {
			return 0
		}
		runs = o.runs
	} else {
		runs = caller.Value(&in.Args[2])
	}
	if fn := (ownFacts{l.facts, l.g, event}).functionOf(runs); fn == nil || fn != f.code.Plan.SSA {
		return 0
	}
	return caller.stage.once
}

// operates notes the Once of a function value from an operation on it.
func (l *learner) operates(f *Frame, in *regcode.Instr, e *trace.Event, event int64) {
	addr, ok := f.Value(&in.Args[0]).Bits()
	if !ok || e.Kind != format.OnceBegin && e.Kind != format.OncePass {
		return
	}
	if o, ok := l.facts.isOnce(addr, event); ok && o.object == 0 {
		l.at(made{once: &onceFunc{uint64(e.Obj), o.runs}}, goval.Known(addr), event)
	}
}

// syncFunc returns the name of the function of package sync that fn is, "" if it is none.
func syncFunc(fn *ssa.Function) string {
	if fn == nil {
		return ""
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg().Path() != "sync" || obj.Signature().Recv() != nil {
		return ""
	}
	return obj.Name()
}

// returned notes what a call has returned: a timer, or its channel, a function value with a Once, a
// Cond, or the channel of a context.
func (l *learner) returned(f *Frame, in *regcode.Instr, event int64) {
	call := &in.SSA.(*ssa.Call).Call
	if plan.ContextMethod(call) == "Done" {
		l.context(f, in, event)
	}
	switch syncFunc(call.StaticCallee()) {
	case "OnceFunc", "OnceValue", "OnceValues":
		if at, ok := f.regs[in.Reg].Bits(); !ok || !l.lasts(at) {
			break
		}
		l.at(made{once: &onceFunc{runs: f.Value(&in.Args[1])}}, f.regs[in.Reg], event)
	case "NewCond":
		l.newCond(f, in, event)
	}
	c, ok := timerCallOf(in)
	addr, known := f.regs[in.Reg].Bits()
	if !ok || l.timer == nil || !known {
		return
	}
	same := func(t *timer) bool { return t == l.timer }
	switch {
	case c.channel:
		l.facts.channels.add(addr, l.timer, event, same)
	case c.handle:
		l.facts.handles.add(addr, l.timer, event, same)
	}
}

// newCond notes the lock of a Cond that a call has returned, if it is a Mutex or an RWMutex.
func (l *learner) newCond(f *Frame, in *regcode.Instr, event int64) {
	word, ok := f.Value(&in.Args[1]).Word(0)
	lock, ok2 := f.Value(&in.Args[1]).Word(1)
	if !ok || !ok2 {
		return
	}
	t, ok := l.facts.TypeOf(word, event)
	if ok && (t.Type.String() == "*sync.Mutex" || t.Type.String() == "*sync.RWMutex") {
		l.at(made{lock: &flow.Locker{Lock: lock}}, f.regs[in.Reg], event)
	}
}

// loaded notes the channel of a timer, which is its first field, from a load of a channel.
func (l *learner) loaded(w *regcode.Want, event int64, e *trace.Event) {
	if w.Hook.Type == nil || e.Kind != format.Read || e.Size != 8 || e.Flags&format.FlagNoValue != 0 {
		return
	}
	if _, ok := w.Hook.Type.Underlying().(*types.Chan); !ok {
		return
	}
	if t, ok := l.facts.handles.at(uint64(e.Obj), event, anyTimer); ok && e.Val != 0 {
		l.facts.channels.add(e.Val, t, event, func(was *timer) bool { return was == t })
	}
}

// entered notes the function value of a call that entered a function at once, if the function
// captures nothing and is no method.
func (l *learner) entered(caller, f *Frame, event int64) {
	in := caller.Instr()
	fn := f.code.Plan.SSA
	if call, ok := in.SSA.(*ssa.Call); !ok || call.Call.IsInvoke() || !in.Dynamic || fn.Signature.Recv() != nil || len(fn.FreeVars) > 0 || plan.Generic(fn) {
		return
	}
	l.at(made{fn: fn}, caller.Value(&in.Args[0]), event)
}

// dynamicType notes the type word of an interface that an instruction has made.
func (l *learner) dynamicType(f *Frame, in *regcode.Instr, event int64) {
	var bits uint64
	ok := false
	if in.Reg >= 0 && in.N > 0 {
		bits, ok = f.regs[in.Reg].Bits()
	}
	if !ok || bits == 0 || plan.Generic(f.code.Plan.SSA) {
		return
	}
	prog := f.code.Plan.SSA.Prog
	from := func(x ssa.Value) {
		if w, ok := f.Value(&in.Args[0]).Bits(); ok {
			if t, ok := l.facts.TypeOf(w, event+1); ok {
				l.facts.addType(in.SSA.(ssa.Value).Type(), t.Type, t.Prog, bits, event)
			}
		}
	}
	switch x := in.SSA.(type) {
	case *ssa.MakeInterface:
		l.facts.addType(x.Type(), x.X.Type(), prog, bits, event)
		l.boxed(f, in, x, event)
	case *ssa.ChangeInterface:
		from(x.X)
	case *ssa.TypeAssert:
		if types.IsInterface(x.AssertedType) && !x.CommaOk {
			from(x.X)
		}
	}
}

// global notes the address of a variable of a package, if v is its address, or that of a part of
// it. The value of v is addr.
func (l *learner) global(c *regcode.Code, v ssa.Value, addr uint64, event int64) {
	switch v := v.(type) {
	case *ssa.Global:
		if x := l.program.Global(v); x.Addr.Unknown() {
			x.Learn(addr, event)
		}
	case *ssa.FieldAddr:
		if s, ok := regcode.Pointee(v.X.Type()).Underlying().(*types.Struct); ok && !plan.Open(s) {
			fields := make([]*types.Var, v.Field+1)
			for i := range fields {
				fields[i] = s.Field(i)
			}
			l.global(c, v.X, addr-uint64(c.Sizes.Offsetsof(fields)[v.Field]), event)
		}
	case *ssa.IndexAddr:
		i, ok := v.Index.(*ssa.Const)
		if a, array := regcode.Pointee(v.X.Type()).Underlying().(*types.Array); ok && array && !plan.Open(a) {
			l.global(c, v.X, addr-uint64(i.Int64()*c.Sizes.Sizeof(a.Elem())), event)
		}
	}
}
