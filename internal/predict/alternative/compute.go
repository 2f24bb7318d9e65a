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

// Instructions that compute a value, and their implicit checks.

// other executes what is neither control nor memory.
func (p *path) other(in *regcode.Instr) bool {
	if call, ok := in.SSA.(*ssa.Call); ok {
		switch {
		case in.Std != nil:
			return p.std(in)
		case plan.Idle(&call.Call):
			p.frame.IP++
			return true
		}
	}
	if call, ok := in.SSA.(*ssa.Call); ok && in.Dynamic {
		return p.enters(in, &call.Call, p.operands(in), nil, false)
	}
	if slices.ContainsFunc(in.Wants, func(w regcode.Want) bool { return w.Kind == regcode.WantBegin }) {
		return p.stop("opaque-call")
	}
	switch x := in.SSA.(type) {
	case *ssa.Alloc:
		if in.Recorded {
			return p.allocate(in, p.frame.Code.Sizes.Sizeof(regcode.Pointee(x.Type())))
		}
	case *ssa.MakeSlice:
		return p.makeSlice(in, x)
	case *ssa.MakeClosure:
		return p.makeClosure(in, x)
	case *ssa.MakeInterface:
		return p.makeInterface(in, x)
	case *ssa.ChangeInterface:
		return p.changeInterface(in, x.Type())
	case *ssa.TypeAssert:
		return p.typeAssert(in, x)
	case *ssa.ChangeType:
		if p.changesInterface(in, x) {
			return p.changeInterface(in, x.Type())
		}
		return p.compute(in)
	case *ssa.BinOp, *ssa.Convert, *ssa.Extract, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Slice:
		return p.compute(in)
	case *ssa.UnOp:
		if x.Op != token.ARROW {
			return p.compute(in)
		}
		return p.receive(in, x)
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return p.builtin(in, b.Name())
		}
		if plan.Typed(x.Call.StaticCallee()) {
			return p.typed(in, &x.Call, p.operands(in))
		}
	case *ssa.Go:
		return p.spawn(in, &x.Call)
	case *ssa.Send:
		return p.send(in)
	case *ssa.Select:
		return p.selects(in, x)
	}
	return p.touched(in)
}

func (p *path) operands(in *regcode.Instr) []Value {
	args := make([]Value, len(in.Args))
	for i := range in.Args {
		args[i] = p.val(&in.Args[i])
	}
	return args
}

// builtin executes the builtins without effect.
func (p *path) builtin(in *regcode.Instr, name string) bool {
	switch name {
	case "len", "cap":
		switch plan.Core(in.Type).(type) {
		case *types.Map, *types.Chan:
			return p.touched(in)
		}
	case "min", "max", "real", "imag", "complex", "ssa:wrapnilchk":
	case "close":
		return p.sync(in, closing, p.operands(in)[1], 0)
	default:
		return p.touched(in)
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
	args := p.operands(in)
	if why := p.checked(in, args); why != "" {
		return p.stop(why)
	}
	code := p.frame.Code
	if slices.ContainsFunc(args, func(s Value) bool { return s.symbolic() }) {
		terms := make([]*goval.Term, len(args))
		for i := range args {
			terms[i] = args[i].term()
		}
		return p.next(in, bounded(code.Express(in, terms)))
	}
	vals := make([]goval.Value, len(args))
	for i := range args {
		vals[i] = args[i].Concrete
	}
	v, err := code.Eval(in, vals)
	if err != nil {
		return p.stop("panic")
	}
	return p.next(in, Value{Concrete: v})
}

// checked makes the implicit checks of an instruction (A4), whose operands are known by now. It
// returns the reason for which the path ends, or "".
func (p *path) checked(in *regcode.Instr, args []Value) string {
	switch x := in.SSA.(type) {
	case *ssa.FieldAddr:
		if p.frame.Code.Plan.Local(x.X) { // no memory, and no address
			return ""
		}
		return isPointer(args[0].Concrete)
	case *ssa.IndexAddr:
		n, ok := lengthOf(in, args[0].Concrete)
		if !ok {
			return "unknown-length"
		}
		if _, ok := plan.Core(in.Type).(*types.Pointer); ok && !p.frame.Code.Plan.Local(x.X) {
			if why := isPointer(args[0].Concrete); why != "" {
				return why
			}
		}
		return within(in.Kind2, args[1].Concrete, n)
	case *ssa.Index:
		n, ok := lengthOf(in, args[0].Concrete)
		if !ok || args[0].symbolic() {
			return "unknown-length"
		}
		return within(in.Kind2, args[1].Concrete, n)
	case *ssa.Slice:
		return sliceable(in, x, args)
	case *ssa.BinOp:
		return p.checkedBinOp(in, x, args)
	case *ssa.Convert:
		if in.Kind == types.Invalid && !regcode.IsWord(x.X.Type()) {
			return "conversion"
		}
	}
	return ""
}

func (p *path) checkedBinOp(in *regcode.Instr, x *ssa.BinOp, args []Value) string {
	switch x.Op {
	case token.QUO, token.REM:
		if regcode.PinnedBinOp(x) == 0 {
			return ""
		}
		if d, ok := args[1].Concrete.Bits(); !ok {
			return "unknown-divisor"
		} else if d == 0 {
			return "panic"
		}
	case token.SHL, token.SHR:
		if regcode.PinnedBinOp(x) == 0 {
			return ""
		}
		if n, ok := args[1].Concrete.Bits(); !ok || goval.Signed(in.Kind2, n) < 0 {
			return "panic"
		}
	}
	return ""
}

// sliceable checks the bounds of x[lo:hi:max], 0 ≤ lo ≤ hi ≤ max ≤ capacity.
func sliceable(in *regcode.Instr, s *ssa.Slice, args []Value) string {
	ptr, n, limit := in.Sliced(args[0].Concrete)
	capacity, ok := limit.Bits()
	if in.Kind == types.String {
		capacity, ok = n.Bits()
	}
	if !ok {
		return "unknown-length"
	}
	if _, ok := plan.Core(in.Type).(*types.Pointer); ok {
		if why := isPointer(ptr); why != "" {
			return why
		}
	}
	bounds := []uint64{0}
	for i, v := range []ssa.Value{s.Low, s.High, s.Max} {
		switch {
		case v != nil:
			b, ok := regcode.Extend(v, args[1+i].Concrete).Bits()
			if !ok {
				return "unknown-index"
			}
			bounds = append(bounds, b)
		case i == 1:
			b, ok := n.Bits()
			if !ok {
				return "unknown-length"
			}
			bounds = append(bounds, b)
		}
	}
	for i, b := range append(bounds, capacity) {
		if i > 0 && (b < bounds[i-1] || int64(b) < 0) {
			return "panic"
		}
	}
	return ""
}

// isPointer checks that v is a known address and not nil.
func isPointer(v goval.Value) string {
	a, ok := v.Bits()
	switch {
	case !ok:
		return "unknown-address"
	case a < 4096:
		return "panic"
	}
	return ""
}

// lengthOf returns the length of the operand x that in indexes.
func lengthOf(in *regcode.Instr, x goval.Value) (uint64, bool) {
	switch u := plan.Core(regcode.Pointee(in.Type)).(type) {
	case *types.Array:
		return uint64(u.Len()), true
	case *types.Slice:
		return x.Part(8, 8).Bits()
	case *types.Basic:
		return x.Part(8, 8).Bits()
	}
	return 0, false
}

// within checks an index.
func within(kind types.BasicKind, i goval.Value, n uint64) string {
	at, ok := i.Bits()
	switch {
	case !ok:
		return "unknown-index"
	case goval.Signed(kind, at) < 0 || uint64(goval.Signed(kind, at)) >= n:
		return "panic"
	}
	return ""
}
