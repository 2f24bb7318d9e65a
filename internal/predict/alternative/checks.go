package alternative

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// checked executes the implicit checks of an instruction, whose operands are known by now. It
// returns the reason for which the path ends, or "".
func checked(code *regcode.Code, in *regcode.Instr, args []Value) string {
	switch x := in.SSA.(type) {
	case *ssa.FieldAddr:
		if code.Plan.Local(x.X) { // no memory, and no address
			return ""
		}
		return isPointer(args[0].Concrete)
	case *ssa.IndexAddr:
		n, ok := lengthOf(in, args[0].Concrete)
		if !ok {
			return "unknown-length"
		}
		if _, ok := plan.Core(in.Type).(*types.Pointer); ok && !code.Plan.Local(x.X) {
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
		return divisible(in, x, args)
	case *ssa.Convert:
		if in.Kind == types.Invalid && !regcode.IsWord(x.X.Type()) {
			return "conversion"
		}
	}
	return ""
}

// divisible checks the divisor of a division and the count of a shift.
func divisible(in *regcode.Instr, x *ssa.BinOp, args []Value) string {
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
	case a < lowestPointer:
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
