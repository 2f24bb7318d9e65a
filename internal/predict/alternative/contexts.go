package alternative

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// context executes a call of Done or Err of a context.Context whose code is not instrumented (AL4).
// ok is false if in is no such call, or if nobody has called Done of the context before.
func (l library) context(in *regcode.Instr, call *ssa.CallCommon) (going, ok bool) {
	p := l.p
	method := plan.ContextMethod(call)
	if method != "Done" && method != "Err" {
		return false, false
	}
	v := p.value(&in.Args[0])
	if k := p.memory.contextOf(v); k >= 0 {
		return l.madeContext(in, call, k)
	}
	if t, ok := p.interfaces().dynamic(v); ok {
		if pf, _ := p.x.fork.Program.Plan.MethodOf(t.Type, call.Method); pf != nil {
			return false, false
		}
	}
	word, ok := v.piece(0, 8).Concrete.Bits()
	data, ok2 := v.piece(8, 8).Concrete.Bits()
	if v.symbolic() || !ok || !ok2 || data < lowestPointer || data >= freshMemory || !p.x.around.Settled(data) {
		return false, false
	}
	done, ok := p.x.fork.Facts.DoneAt(word, data, p.x.around.Until())
	switch {
	case !ok:
		return false, false
	case method == "Done":
		return p.next(in, known(done)), true
	case done == 0: // it is never cancelled
		return p.next(in, zero(16)), true
	}
	return l.contextErr(in, call, done)
}

// contextErr executes Err of a context (AL3): it finds the context cancelled, and waits for the end
// of that, which closes the channel of Done. Or it does not, and the channel is still open.
func (l library) contextErr(in *regcode.Instr, call *ssa.CallCommon, done uint64) (going, ok bool) {
	p := l.p
	e := trace.Event{Kind: format.ChanRecv, Flags: format.FlagClosed}
	if why := channelsOf(p).setChannel(&e, known(done)); why != "" {
		return p.stop(why), true
	}
	choices := []func(*path){func(q *path) {
		q.emit(in, trace.Event{Kind: format.SelectDefault}, flow.Flow{})
		q.events.last().Cases = []flow.StepCase{{Chan: done, Capacity: e.Aux}}
		q.next(in, zero(16))
	}}
	if channelsOf(p).closes(done) {
		choices = append(choices, func(q *path) {
			q.emit(in, e, flow.Flow{})
			q.next(in, libraryOf(q).newError(in.SSA.(*ssa.Call), formedError, Value{}))
		})
	}
	return p.split(choices), true
}

// cancels executes a call of a function f that cancels a context (AL3). ok is false if it is no
// such call.
func (o operation) cancels(call *ssa.CallCommon, f Value) (ok, going bool) {
	p := o.p
	addr, sure := f.Concrete.Bits()
	if call.IsInvoke() || !sure || f.symbolic() {
		return false, false
	}
	if k := p.memory.stoppedBy(addr); k >= 0 {
		return true, o.cancelsMade(k)
	}
	if !p.x.around.Settled(addr) {
		return false, false
	}
	c, ok := p.x.fork.Facts.CancelAt(addr, p.x.around.From(), p.x.around.Until())
	if !ok {
		return false, false
	}
	x := &cancelling{p: p}
	list := x.function(&c)
	if x.why != "" {
		return true, p.stop(x.why)
	}
	var choices []func(*path)
	for _, acts := range list {
		choices = append(choices, func(q *path) {
			for _, a := range acts {
				a.emitted(q, o.in)
			}
			operation{q, o.in}.returned()
		})
	}
	return true, p.split(choices)
}

// returned continues after a call without a result, which may be a deferred one.
func (o operation) returned() bool {
	if _, ok := o.in.SSA.(*ssa.Call); ok {
		return o.p.next(o.in, Value{})
	}
	return o.done()
}
