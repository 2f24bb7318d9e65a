package walk

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// contexts are what the trace shows of functions that cancel contexts, and of the parts of contexts
// (package format). Alternatives look it up while the walk continues.
type contexts struct{ parts places[uint64] }

func anyPart(uint64) bool { return true }

// CancelAt returns the channel that the function value at an address closes, if WithCancel has
// returned it, and no other context is cancelled with its own.
func (k *facts) CancelAt(addr uint64, before int64) (done uint64, ok bool) {
	ctx, ok := k.parts.at(addr, before, anyPart)
	if !ok {
		return 0, false
	}
	if _, child := k.parts.at(ctx, before, anyPart); child {
		return 0, false
	}
	return k.DoneAt(0, ctx, before)
}

// madeContext notes the channel that Done of a context will return, or a part of a context.
func (l *learner) madeContext(e *trace.Event, event int64) {
	switch {
	case e.Kind != format.AtomicWrite:
	case format.IsCancel(e.Obj):
		l.facts.parts.add(uint64(e.Obj-format.Cancels), e.Val, event, func(was uint64) bool { return was == e.Val })
	case format.IsContext(e.Obj):
		l.at(made{done: &contextDone{0, e.Val}}, goval.Known(uint64(e.Obj-format.Contexts)), event)
		if e.Val != 0 {
			l.at(made{size: 0}, goval.Known(e.Val), event)
		}
	}
}

// context notes the channel that Done of a context has returned.
func (l *learner) context(f *Frame, in *regcode.Instr, event int64) {
	word, ok := f.Value(&in.Args[0]).Word(0)
	data, ok2 := f.Value(&in.Args[0]).Word(1)
	ch, ok3 := f.regs[in.Reg].Bits()
	if ok && ok2 && ok3 {
		l.at(made{done: &contextDone{word, ch}}, goval.Known(data), event)
	}
}

// usesContext reports whether an instruction calls Done or Err of a context of package context, or
// a function that WithCancel has returned. They look at no memory but that of contexts.
func (l *learner) usesContext(f *Frame, in *regcode.Instr, event int64) (uses bool) {
	call, ok := in.SSA.(*ssa.Call)
	if !ok {
		return false
	}
	v := f.Value(&in.Args[0])
	switch plan.ContextMethod(&call.Call) {
	case "Done", "Err":
		data, ok := v.Word(1)
		if !ok {
			return false
		}
		_, uses = l.facts.DoneAt(0, data, event)
		return uses
	case "":
		addr, ok := v.Bits()
		if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() != nil {
			return false
		}
		_, uses = l.facts.parts.at(addr, event, anyPart)
	}
	return uses
}

// asksContext reports whether an instruction calls Err of a context of which Done is known.
func (k *forker) asksContext(f *Frame, in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || plan.ContextMethod(&call.Call) != "Err" {
		return false
	}
	word, ok := f.Value(&in.Args[0]).Word(0)
	data, ok2 := f.Value(&in.Args[0]).Word(1)
	if !ok || !ok2 {
		return false
	}
	ch, ok := k.w.facts.DoneAt(word, data, *k.event)
	return ok && ch != 0
}
