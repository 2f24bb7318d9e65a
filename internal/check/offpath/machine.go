package offpath

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// machine executes one goroutine: it has the stack of calls, and sends each instruction to the type
// that executes it.
type machine struct {
	process *process
	env     *env
	memory  *memory
	ops     *operations
	steps   *queue
	frame   *frame
	resumed bool // it is the goroutine of the fork
}

// step executes one instruction (CP3).
func (m *machine) step() {
	f := m.frame
	switch in := f.instr().(type) {
	case *ssa.DebugRef, *ssa.Phi: // a phi has its value from the edge
	case *ssa.Jump:
		f.enter(0)
		return
	case *ssa.If:
		c, ok := f.val(in.Cond).bits()
		if !ok {
			throw("a branch on an unknown condition")
		}
		f.enter(int(1 - c&1))
		return
	case *ssa.Return:
		m.leave(in)
		return
	case *ssa.RunDefers:
		m.runDefers()
		return
	case *ssa.Defer:
		d := deferred{call: in, callee: f.callee(&in.Call), args: f.operands(in.Call.Args), free: f.bindings(in.Call.Value)}
		f.defers = append(f.defers, d)
	case *ssa.Go:
		m.start(in)
	case *ssa.Call:
		if m.call(in) {
			return
		}
	case *ssa.Store:
		if !plan.Kept(in) || f.fn.Local(in.Addr) {
			m.memory.store(f.at(), f.val(in.Addr), f.val(in.Val))
		}
	case *ssa.Send:
		m.ops.send(f.at().Site, f.val(in.Chan), f.val(in.X))
	case *ssa.MapUpdate:
		left := f.val(in.Value)
		m.writeMap(f.val(in.Map), plan.Core(in.Map.Type()).(*types.Map), f.val(in.Key), false, &left)
	case ssa.Value:
		f.vals[in] = m.result(in)
	default:
		throw("%T is not modelled", in)
	}
	f.ip++
}

// result executes an instruction that has a value: one of memory or synchronisation, or a function
// of operands.
func (m *machine) result(in ssa.Value) value {
	f := m.frame
	switch in := in.(type) {
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			return m.memory.load(f.at(), f.val(in.X), sizeof(in.Type()))
		case token.ARROW:
			return m.ops.receive(f.at().Site, in, f.val(in.X))
		}
	case *ssa.Lookup:
		if t, ok := plan.Core(in.X.Type()).(*types.Map); ok {
			return m.lookup(in, t)
		}
	case *ssa.Next:
		if r, ok := in.Iter.(*ssa.Range); ok && !in.IsString {
			m.memory.mapRead(f.at(), f.val(r.X), false)
		}
	case *ssa.Select:
		return m.ops.selects(f.at().Site, in, f.val)
	}
	return f.compute(in)
}
