package alternative

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// other executes what is neither control nor a load or store.
func (p *path) other(in *regcode.Instr) bool {
	if call, ok := in.SSA.(*ssa.Call); ok {
		switch {
		case in.Std != nil:
			return p.library(in)
		case plan.Idle(&call.Call):
			p.frame.IP++
			return true
		case in.Dynamic:
			if ok, going := (operation{p: p, in: in}).cancels(&call.Call, p.value(&in.Args[0])); ok {
				return going
			}
			if ok, going := (operation{p: p, in: in}).callsOnce(&call.Call); ok {
				return going
			}
			return p.call(in, &call.Call, p.values(in.Args), nil, false)
		}
	}
	if slices.ContainsFunc(in.Wants, func(w regcode.Want) bool { return w.Kind == regcode.WantBegin }) {
		return p.stop(opaqueCall)
	}
	switch x := in.SSA.(type) {
	case *ssa.Alloc:
		if in.Recorded {
			size, ok := p.frame.fixed(regcode.Pointee(x.Type()))
			if !ok {
				return p.stop(openType)
			}
			return p.alloc(in, size)
		}
	case *ssa.MakeSlice:
		return p.makeSlice(in, x)
	case *ssa.MakeClosure:
		return p.makeClosure(in, x)
	case *ssa.MakeInterface:
		return p.next(in, p.interfaces().box(x, p.value(&in.Args[0])))
	case *ssa.ChangeInterface:
		return p.next(in, p.interfaces().convert(p.value(&in.Args[0]), x.Type()))
	case *ssa.TypeAssert:
		return p.typeAssert(in, x)
	case *ssa.ChangeType:
		if v, c := p.value(&in.Args[0]), p.interfaces(); c.renames(x, v) {
			return p.next(in, c.convert(v, x.Type()))
		}
		return p.compute(in)
	case *ssa.BinOp, *ssa.Convert, *ssa.Extract, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Slice:
		return p.compute(in)
	case *ssa.UnOp:
		if x.Op != token.ARROW {
			return p.compute(in)
		}
		return operation{p: p, in: in}.receive(x)
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return p.builtin(in, b.Name())
		}
		if plan.Typed(x.Call.StaticCallee()) {
			return operation{p: p, in: in}.call(&x.Call, p.values(in.Args))
		}
	case *ssa.Go:
		return p.spawn(in, &x.Call)
	case *ssa.Send:
		return operation{p: p, in: in}.send(x)
	case *ssa.Select:
		return p.selects(in, x)
	case *ssa.MapUpdate:
		return maps{p}.writesMap(in, x.Map)
	case *ssa.Lookup:
		if _, ok := plan.Core(x.X.Type()).(*types.Map); ok {
			return maps{p}.readsMap(in)
		}
	}
	return p.notModelled(in)
}

// builtin executes the builtins without effect.
func (p *path) builtin(in *regcode.Instr, name string) bool {
	switch name {
	case "len", "cap":
		switch plan.Core(in.Type).(type) {
		case *types.Map:
			return maps{p}.readsMap(in)
		case *types.Chan:
			if name == "len" {
				return operation{p: p, in: in}.length()
			}
			return operation{p: p, in: in}.capacity()
		}
	case "min", "max", "real", "imag", "complex", "ssa:wrapnilchk":
	case "close":
		return operation{p: p, in: in}.on(closing, p.value(&in.Args[1]), 0)
	case "delete", "clear":
		if x := in.SSA.(*ssa.Call).Call.Args[0]; isMap(x.Type()) {
			return maps{p}.writesMap(in, x)
		}
		return p.notModelled(in)
	default:
		return p.notModelled(in)
	}
	return p.compute(in)
}

// compute executes an instruction that is a function of its operands.
func (p *path) compute(in *regcode.Instr) bool {
	if in.Extract {
		p.frame.Regs[in.Reg] = p.frame.Regs[in.Args[0].Reg+int32(in.Index)]
		p.frame.IP++
		return true
	}
	args := p.values(in.Args)
	code := p.frame.Code
	if why := checked(code, in, args); why != "" {
		return p.stop(why)
	}
	if slices.ContainsFunc(args, func(v Value) bool { return v.symbolic() }) {
		return p.next(in, bounded(code.Express(in, terms(args))))
	}
	vals := make([]goval.Value, len(args))
	for i := range args {
		vals[i] = args[i].Concrete
	}
	v, err := code.Eval(in, vals)
	if err != nil {
		return p.stop("panic")
	}
	if (floats(in.Kind) || floats(in.Kind2)) && !determined(code.Express(in, terms(args))) {
		return p.next(in, Value{})
	}
	return p.next(in, Value{Concrete: v})
}

// determined reports whether the value of a term of constants is the same on every machine. That of
// a NaN, or of a conversion of what does not fit, is not (TE1).
func determined(t *goval.Term) bool {
	if t == nil {
		return false
	}
	_, ok := goval.RecordedValue(t)
	return ok
}

// floats reports whether a kind is one of floating point.
func floats(k types.BasicKind) bool { return k >= types.Float32 && k <= types.Complex128 }

// makeClosure makes a function value.
func (p *path) makeClosure(in *regcode.Instr, x *ssa.MakeClosure) bool {
	c := closure{addr: p.memory.allocate(), fn: x.Fn.(*ssa.Function), free: p.values(in.Args)[1:]}
	p.closures = append(p.closures, c)
	return p.next(in, known(c.addr))
}

// typeAssert is x.(T).
func (p *path) typeAssert(in *regcode.Instr, x *ssa.TypeAssert) bool {
	v, holds, why := p.interfaces().assert(x, p.value(&in.Args[0]))
	switch {
	case why != "":
		return p.stop(why)
	case x.CommaOk && holds:
		p.frame.Regs[in.Reg+1] = known(1)
	case x.CommaOk:
		size, ok := p.frame.fixed(x.AssertedType)
		if !ok {
			return p.stop(openType)
		}
		v, p.frame.Regs[in.Reg+1] = zero(size), known(0)
	case !holds:
		return p.stop("panic")
	}
	return p.next(in, v)
}

// inBounds executes an index or slice expression of a string that depends on reads. That it does
// not panic is a guard of the next step. ok is false if in is no such expression.
func (p *path) inBounds(in *regcode.Instr) (going, ok bool) {
	switch in.SSA.(type) {
	case *ssa.Index, *ssa.Slice:
	default:
		return false, false
	}
	if in.Kind != types.String {
		return false, false
	}
	args := p.values(in.Args)
	list := terms(args)
	c := regcode.StringBounds(in, list)
	if !slices.ContainsFunc(args, func(v Value) bool { return v.symbolic() }) || c == nil || goval.TooLarge(c) {
		return false, false
	}
	if !p.events.assure(c) {
		return p.stop("panic"), true
	}
	if t := p.frame.Code.Express(in, list); t != nil {
		return p.next(in, bounded(t.Valued())), true
	}
	return p.next(in, Value{}), true
}

// library executes a call of the standard library that is evaluated. That it does not panic is a
// guard of the next step.
func (p *path) library(in *regcode.Instr) bool {
	results := in.Std.Express(p.frame.Code.Texts, terms(p.values(in.Std.Args)))
	if in.Std.Fn.Panics {
		c := in.Std.Returned(results)
		if c == nil {
			return p.stop("unknown-argument")
		}
		if !p.events.assure(c) {
			return p.stop("panic")
		}
	}
	for i, t := range results {
		p.frame.Regs[in.Reg+int32(i)] = Value{}
		if t != nil {
			p.frame.Regs[in.Reg+int32(i)] = bounded(t.Valued())
		}
	}
	p.frame.IP++
	return true
}
