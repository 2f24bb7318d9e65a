package footprint

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// OfInstr returns the footprint of an instruction: of the memory that a traced access
// touches, or, for a call, of what its callee may touch if it is not instrumented.
// ok is false for an instruction that touches no memory. traced says which packages are instrumented.
func OfInstr(in ssa.Instruction, traced Traced) (s Set, ok bool) {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op == token.MUL {
			return OfAccess(in.X, false), true
		}
	case *ssa.Store:
		return OfAccess(in.Addr, true), true
	case *ssa.MapUpdate:
		return OfMap(in.Map.Type(), true), true
	case *ssa.Lookup:
		if m, isMap := in.X.Type().Underlying().(*types.Map); isMap {
			return OfMap(m, false), true
		}
	case *ssa.Next:
		if r, isRange := in.Iter.(*ssa.Range); isRange && !in.IsString {
			return OfMap(r.X.Type(), false), true
		}
	case ssa.CallInstruction:
		if b, builtin := in.Common().Value.(*ssa.Builtin); builtin {
			return ofBuiltin(b, in.Common().Args)
		}
		return OfCall(in.Common(), traced), true
	}
	return Set{}, false
}

// ofBuiltin returns the footprint of a builtin that accesses elements or maps.
func ofBuiltin(b *ssa.Builtin, args []ssa.Value) (Set, bool) {
	switch b.Name() {
	case "append", "copy", "clear", "delete", "len":
	default:
		return Set{}, false
	}
	switch t := args[0].Type().Underlying().(type) {
	case *types.Map:
		return OfMap(t, b.Name() != "len"), true
	case *types.Slice:
		r := newReacher(nil)
		names := map[string]bool{}
		inside(t.Elem(), names)
		for n := range names {
			r.add(n)
		}
		return Set{Effect: Write, Types: r.names()}, true
	}
	return Set{}, false
}
