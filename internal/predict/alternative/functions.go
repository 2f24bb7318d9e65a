package alternative

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// A closure is a function value that an alternative has made.
type closure struct {
	addr uint64
	fn   *ssa.Function
	free []Value
}

// A callee is the code that a call enters, with all its arguments.
type callee struct {
	code       *regcode.Code
	args, free []Value
}

// A resolver finds out which function a call enters (AL4).
type resolver struct {
	program    *regcode.Program
	facts      Facts
	around     flow.Surroundings
	closures   []closure // that the alternative has made
	interfaces interfaces
}

// opaqueCall is the reason of a call whose callee is not instrumented, or may not be.
const opaqueCall = "opaque-call"

// callee returns what a call enters: the function value or interface is operands[0], the arguments
// follow, and free is what the closure captures if the call makes it. why is the reason if the code
// is unknown or not instrumented.
func (r resolver) callee(call *ssa.CallCommon, operands, free []Value) (c callee, why string) {
	c, why = r.target(call, operands[0], operands[1:1+len(call.Args)], free)
	if why == "" && len(c.args)+len(c.free) != len(c.code.Args) {
		why = opaqueCall
	}
	return c, why
}

func (r resolver) target(call *ssa.CallCommon, f Value, args, free []Value) (c callee, why string) {
	if fn := call.StaticCallee(); fn != nil && regcode.BoundMethod(fn) == nil {
		if plan.Typed(fn) {
			return callee{}, opaqueCall
		}
		return r.enters(fn, args, free)
	}
	if call.IsInvoke() {
		return r.method(call, f, args)
	}
	return r.called(f, args)
}

// called returns what a call of a function value enters.
func (r resolver) called(f Value, args []Value) (c callee, why string) {
	fn, free, why := r.function(f)
	if fn == nil {
		return callee{}, why
	}
	if m := regcode.BoundMethod(fn); m != nil { // what it has captured is the receiver
		fn, args, free = m, slices.Concat(free, args), nil
	}
	if plan.Typed(fn) {
		return callee{}, opaqueCall
	}
	return r.enters(fn, args, free)
}

func (r resolver) enters(fn *ssa.Function, args, free []Value) (c callee, why string) {
	pf := r.program.Plan.Func(fn)
	if pf == nil {
		return callee{}, opaqueCall
	}
	return callee{r.program.Code(pf), args, free}, ""
}

// method returns the method of an interface that a call enters, with the receiver.
func (r resolver) method(call *ssa.CallCommon, v Value, args []Value) (c callee, why string) {
	if v.isZero() {
		return callee{}, "panic"
	}
	t, ok := r.interfaces.dynamic(v)
	if !ok {
		return callee{}, "unknown-type"
	}
	pf, boxed := r.program.Plan.MethodOf(t.Type, call.Method)
	if pf == nil {
		return callee{}, opaqueCall
	}
	receiver := v.piece(8, 8)
	if boxed {
		receiver = r.interfaces.unbox(t.Type, receiver)
	}
	return callee{code: r.program.Code(pf), args: slices.Concat([]Value{receiver}, args)}, ""
}

// function returns the function of a function value, with what it has captured.
func (r resolver) function(v Value) (fn *ssa.Function, free []Value, why string) {
	const unknown = "unknown-callee"
	if v.symbolic() {
		return nil, nil, unknown
	}
	if fn := v.Concrete.Function(); fn != nil {
		return fn, nil, ""
	}
	addr, ok := v.Concrete.Bits()
	switch {
	case !ok:
		return nil, nil, unknown
	case addr < lowestPointer:
		return nil, nil, "panic"
	case addr >= freshMemory:
		if i := slices.IndexFunc(r.closures, func(c closure) bool { return c.addr == addr }); i >= 0 {
			return r.closures[i].fn, r.closures[i].free, ""
		}
		return nil, nil, unknown
	}
	fn, captured, ok := r.facts.FunctionAt(addr, r.around.Until())
	if !ok || !r.around.Settled(addr) {
		return nil, nil, opaqueCall
	}
	for _, c := range captured {
		free = append(free, Value{Concrete: c})
	}
	return fn, free, ""
}
