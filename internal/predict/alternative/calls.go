package alternative

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// Calls, direct and through function values (A8).

// closure is a function value that an alternative has made.
type closure struct {
	addr uint64
	fn   *ssa.Function
	free []Value
}

// makeClosure makes a function value.
func (p *path) makeClosure(in *regcode.Instr, x *ssa.MakeClosure) bool {
	p.fresh++
	c := closure{addr: freshMemory + p.fresh*freshSize, fn: x.Fn.(*ssa.Function), free: p.operands(in)[1:]}
	p.closures = append(slices.Clip(p.closures), c)
	return p.next(in, Value{Concrete: goval.Known(c.addr)})
}

// target returns the code that a call enters, with all its arguments. The code is nil if it is not
// known or not instrumented; why is the reason. callee and free are those of the call.
func (p *path) target(call *ssa.CallCommon, callee Value, args, free []Value) (c *regcode.Code, all, captured []Value, why string) {
	if fn := call.StaticCallee(); fn != nil && regcode.BoundMethod(fn) == nil {
		if plan.Typed(fn) {
			return nil, nil, nil, "opaque-call"
		}
		if pf := p.x.Program.Plan.Func(fn); pf != nil {
			return p.x.Program.Code(pf), args, free, ""
		}
		return nil, nil, nil, "opaque-call"
	}
	if call.IsInvoke() {
		c, recv, why := p.invoked(call, callee)
		return c, slices.Concat([]Value{recv}, args), nil, why
	}
	fn, free, why := p.called(callee)
	if fn == nil {
		return nil, nil, nil, why
	}
	c, before, captured := p.entered(fn, free)
	if c == nil {
		return nil, nil, nil, "opaque-call"
	}
	return c, slices.Concat(before, args), captured, ""
}

// entered returns the code of a function value's function, with the arguments that come before
// those of the call.
func (p *path) entered(fn *ssa.Function, free []Value) (c *regcode.Code, before, captured []Value) {
	if m := regcode.BoundMethod(fn); m != nil {
		fn, before, free = m, free, nil
	}
	if plan.Typed(fn) {
		return nil, nil, nil
	}
	pf := p.x.Program.Plan.Func(fn)
	if pf == nil {
		return nil, nil, nil
	}
	return p.x.Program.Code(pf), before, free
}

// called returns the function of a function value (A8), with what it has captured.
func (p *path) called(callee Value) (fn *ssa.Function, free []Value, why string) {
	if callee.symbolic() {
		return nil, nil, "unknown-callee"
	}
	if fn := callee.Concrete.Function(); fn != nil {
		return fn, nil, ""
	}
	addr, ok := callee.Concrete.Bits()
	switch {
	case !ok:
		return nil, nil, "unknown-callee"
	case addr < 4096:
		return nil, nil, "panic"
	case addr >= freshMemory:
		if i := slices.IndexFunc(p.closures, func(c closure) bool { return c.addr == addr }); i >= 0 {
			return p.closures[i].fn, p.closures[i].free, ""
		}
		return nil, nil, "unknown-callee"
	}
	fn, captured, ok := p.x.Facts.FunctionAt(addr, p.s.Until())
	if !ok || !p.s.Settled(addr) {
		return nil, nil, "opaque-call"
	}
	for _, v := range captured {
		free = append(free, Value{Concrete: v})
	}
	return fn, free, ""
}

// enters executes a call of a function whose code is known.
func (p *path) enters(in *regcode.Instr, call *ssa.CallCommon, operands, free []Value, deferred bool) bool {
	c, args, captured, why := p.target(call, operands[0], operands[1:1+len(call.Args)], free)
	if c == nil {
		return p.stop(why)
	}
	if len(args)+len(captured) != len(c.Args) {
		return p.stop("opaque-call")
	}
	return p.push(c, args, captured, deferred)
}

func (p *path) free(in *regcode.Instr) []Value {
	var free []Value
	for i := range in.Free {
		free = append(free, p.val(&in.Free[i]))
	}
	return free
}
