package walk

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// accepts reports whether the event is the record that an instruction has next, or a part of it.
func (f *Frame) accepts(w *regcode.Want, in *regcode.Instr, e *trace.Event) bool {
	if e.Site != in.Site {
		return false
	}
	switch w.Kind {
	case regcode.WantValue:
		return e.Kind == format.Value && (w.Hook.Case < 0 || w.Hook.Case == f.stage.chosen)
	case regcode.WantAccess:
		return e.Kind == w.Hook.Kind && (w.Hook.Extent == plan.Text) == e.IsText()
	case regcode.WantLen:
		return e.Kind == format.ChanLen
	case regcode.WantBegin:
		return e.Kind == format.OpaqueBegin
	case regcode.WantEnd:
		return e.Kind == format.OpaqueEnd
	case regcode.WantRuntime:
		return ofRuntime(e)
	}
	return false
}

// ofRuntime reports whether the record is one of those that the runtime side writes, not emitted
// code. A channel operation also reads or writes the channel as Go's race detector sees it.
func ofRuntime(e *trace.Event) bool {
	k := e.Kind
	if k.IsAccess() && !k.IsAtomic() {
		return e.Flags&format.FlagNoValue != 0
	}
	return k.IsAtomic() || k >= format.Lock && k <= format.Go && k != format.ChanLen
}

// optional reports whether the record may be missing, or has ended.
func (f *Frame) optional(w *regcode.Want) bool {
	switch w.Kind {
	case regcode.WantRuntime, regcode.WantLen:
		return true
	case regcode.WantBegin, regcode.WantEnd: // a typed operation need not have them
		return f.stage.typed
	case regcode.WantValue:
		return w.Hook.Size < 0 || w.Hook.Case >= 0 && w.Hook.Case != f.stage.chosen
	case regcode.WantAccess:
		return !f.stage.run && (w.Hook.Extent != plan.Pointee || w.Hook.Size < 0)
	}
	return false
}

// take consumes a record. It reports whether the walk still agrees with the trace.
func (g *goroutine) take(f *Frame, in *regcode.Instr, w *regcode.Want, index int64, e *trace.Event) bool {
	f.stage.took, f.stage.last, f.stage.fails = true, e.Kind, e.Kind == format.WGAdd && int64(e.Aux) < 0
	switch w.Kind {
	case regcode.WantValue:
		g.beginValue(f, e)
	case regcode.WantAccess:
		g.access(f, in, w, index, e)
	case regcode.WantLen:
		if g.w.opts.branching {
			g.learner.object(e, index)
		}
		f.regs[w.Reg] = goval.Known(e.Val)
		f.stage.reads = g.deps.read(index)
		f.stage.want++
	case regcode.WantBegin:
		switch {
		case f.stage.typed && e.Flags&format.FlagDirect != 0: // the result is kept for later calls
			g.machine.pass(f, in)
		case in.Dynamic && e.Flags&format.FlagDirect != 0:
			f.stage.call = begun
		case in.Reaches && !g.learner.usesContext(f, in, index):
			g.deps.pinStored() // (WA3)
			fallthrough
		default:
			g.machine.pass(f, in)
		}
		f.stage.inside = true
		f.stage.want++
		g.learner.timer = nil
	case regcode.WantEnd:
		g.learner.ended(f, in)
		f.stage.inside = false
		f.stage.want++
	case regcode.WantRuntime:
		f.stage.inside = false
		g.runtime(f, in, index, e)
	}
	return f.walked
}

// pass pins the arguments of a dynamic call of code that is not walked (WA2).
func (m *machine) pass(f *Frame, in *regcode.Instr) {
	for i := range in.Args {
		if in.Dynamic && i > 0 {
			m.pins.keep(f, &in.Args[i])
		}
	}
}

// access handles a Read or a Write, which may be one word of several.
func (g *goroutine) access(f *Frame, in *regcode.Instr, w *regcode.Want, index int64, e *trace.Event) {
	if w.Hook.Extent == plan.Text {
		g.emit.text(f, index, e)
		return
	}
	s := &f.stage
	if !s.run {
		s.run, s.addr, s.words, s.loads, s.size, s.known = true, uint64(e.Obj), s.words[:0], s.loads[:0], 0, true
		if !g.checkAddress(f, in, w, e) {
			return
		}
	}
	s.gather(e)
	if e.Kind == format.Read && e.Flags&format.FlagUnexplained != 0 && w.Hook.Type != nil {
		g.w.out.padding = g.w.padding(w.Hook, f.code.Sizes, int64(uint64(e.Obj)-s.addr), int64(e.Size))
	}
	if g.w.opts.branching {
		g.learner.loaded(w, index, e)
		if w.Hook.Extent == plan.MapObject {
			s.mapAt = index
			g.w.out.entry = g.learner.mapAccess(f, in, e, index)
		}
	}
	stack := e.Flags&format.FlagStack != 0
	if e.Kind == format.Read {
		switch {
		case stack: // (WA4)
		case w.Hook.Extent == plan.AppendGrown:
			g.emit.moved(f, in, index)
		default:
			s.reads = g.deps.union(s.reads, g.deps.read(index))
			if g.w.opts.symbolic {
				s.loads = append(s.loads, goval.LoadPart{Read: index, At: int64(uint64(e.Obj) - s.addr), Size: int64(e.Size), Bits: e.Val})
			}
		}
	} else {
		g.emit.stored(f, in, e.Obj, stack)
		if in.Op == regcode.OpStore && !stack {
			g.emit.value(f.termOf(&in.Args[1]).Part(int64(uint64(e.Obj)-s.addr), int64(e.Size)).Word(0), e.Val)
		}
	}
	if in.Appends && !stack && (w.Hook.Extent == plan.AppendGrown || w.Hook.Extent == plan.AppendTail) {
		g.emit.appended(f, in, e)
	}
	if e.Flags&format.FlagMore != 0 {
		return
	}
	s.run = false
	if g.w.opts.observer != nil {
		g.w.opts.observer.Access(g.id, f, in, w, index, e)
	}
	if w.Hook.Extent == plan.Pointee {
		g.checkAccess(f, in, w, e)
	}
	if in.Op == regcode.OpStore && g.w.opts.branching {
		g.learner.value(f, in, g.event)
	}
	if !w.Hook.Extent.Dynamic() {
		s.want++
	}
}

// checkAddress compares the address of an access with the recomputed one, and learns where
// global variables are.
func (g *goroutine) checkAddress(f *Frame, in *regcode.Instr, w *regcode.Want, e *trace.Event) bool {
	if w.Hook.Extent != plan.Pointee && w.Hook.Extent != plan.MapObject {
		return true
	}
	i := 0
	if _, ok := in.SSA.(*ssa.Call); ok {
		i = 1
	}
	a := &in.Args[i]
	p, ok := f.Value(a).Bits()
	if !ok {
		g.learner.global(f.code, *in.SSA.Operands(nil)[i], uint64(e.Obj), g.event)
		return true
	}
	g.w.stats.Checked++
	if p == uint64(e.Obj) || g.stacks.moved(goval.Known(p), goval.Known(uint64(e.Obj)), 8) {
		return true
	}
	g.mismatchAt(f, in, e, goval.Known(p), goval.Known(uint64(e.Obj)), "address")
	return false
}

// checkAccess compares the size of an access, and the value of a store.
func (g *goroutine) checkAccess(f *Frame, in *regcode.Instr, w *regcode.Want, e *trace.Event) {
	s := &f.stage
	if w.Hook.Size >= 0 && s.size != w.Hook.Size {
		g.mismatchAt(f, in, e, goval.Known(uint64(w.Hook.Size)), goval.Known(uint64(s.size)), "size")
		return
	}
	if in.Op != regcode.OpStore || !s.known {
		return
	}
	v := f.Value(&in.Args[1])
	if r := goval.Words(s.words); goval.Differ(v, r, s.size) {
		g.check(f, in, e, w.Hook, v, goval.Words(append([]uint64(nil), s.words...)), s.size)
		return
	}
	g.w.stats.Checked++
}

// runtime handles a record that the runtime side wrote for the instruction.
func (g *goroutine) runtime(f *Frame, in *regcode.Instr, index int64, e *trace.Event) {
	if in.Maybe {
		g.typed(f, in, e)
	} else if call, ok := in.SSA.(ssa.CallInstruction); ok && len(call.Common().Args) > 0 && (e.Kind >= format.Lock && e.Kind <= format.CondBroadcast || e.Kind.IsAtomic() && regcode.IsAtomic(call.Common())) {
		g.learner.global(f.code, call.Common().Args[0], uint64(e.Obj), g.event)
	}
	if g.w.opts.observer != nil {
		g.w.opts.observer.Synchronise(g.id, f, in, index, e)
	}
	if g.w.opts.branching {
		g.learner.object(e, index)
		g.learner.mapWord(f, in, e, index)
	}
	switch e.Kind {
	case format.AtomicWrite, format.AtomicRMW, format.ChanSend:
		g.emit.stored(f, in, e.Obj, false)
	case format.Go:
		g.starts(f, in, trace.GoID(e.Obj))
	case format.OnceBegin, format.OnceEnd:
		f.stage.once = 0
		if _, ok := in.SSA.(*ssa.Call); ok && e.Kind == format.OnceBegin {
			f.stage.once = e.Obj
		}
	}
	switch e.Kind {
	case format.AtomicRead, format.AtomicRMW, format.ChanRecv:
		if in.CompareAndSwap || !in.Atomic && e.Kind != format.ChanRecv { // (WA2)
			g.deps.pinLater(index)
			return
		}
		f.stage.reads = g.deps.union(f.stage.reads, g.deps.read(index))
		if g.w.opts.symbolic {
			f.stage.term = readWord(index, e)
		}
	}
	if !g.w.opts.symbolic {
		return
	}
	switch e.Kind {
	case format.AtomicWrite:
		g.emit.value(f.updated(in, nil, int64(e.Size)), e.Val)
	case format.AtomicRMW:
		t := f.updated(in, f.stage.term, int64(e.Size))
		g.emit.value(t, e.Aux)
		if isAdd(in) {
			f.stage.term = goval.Single(t)
		}
	case format.ChanSend:
		if _, ok := in.SSA.(*ssa.Send); ok && e.Flags&format.FlagNoValue == 0 {
			g.emit.value(f.termOf(&f.Instr().Args[1]).Word(0), e.Val)
		}
	}
}

// typed handles a record of a dynamic call that turns out to be one of a typed operation. Its
// operands are pinned (WA2).
func (g *goroutine) typed(f *Frame, in *regcode.Instr, e *trace.Event) {
	if !f.stage.typed {
		f.stage.typed = true
		for i := range in.Args {
			g.pins.keep(f, &in.Args[i])
		}
	}
	if g.w.opts.branching {
		g.learner.operates(f, in, e, g.event)
	}
	switch e.Kind {
	case format.OnceBegin, format.CondWait:
		f.stage.runs = true
	case format.OnceEnd:
		f.stage.runs = false
	}
}
