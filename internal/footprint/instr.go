package footprint

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// OfInstr returns the footprint of an instruction: of the memory that a traced access
// touches, or, for a call, of what its callee may touch if it is not instrumented.
// ok is false for an instruction that touches no memory.
func (p *Program) OfInstr(in ssa.Instruction) (s Set, ok bool) {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op == token.MUL {
			return p.ofAccess(in.X, false), true
		}
	case *ssa.Store:
		return p.ofAccess(in.Addr, true), true
	case *ssa.MapUpdate:
		return p.ofMap(in.Map.Type(), true), true
	case *ssa.Lookup:
		if m, isMap := in.X.Type().Underlying().(*types.Map); isMap {
			return p.ofMap(m, false), true
		}
	case *ssa.Next:
		if r, isRange := in.Iter.(*ssa.Range); isRange && !in.IsString {
			return p.ofMap(r.X.Type(), false), true
		}
	case ssa.CallInstruction:
		if b, builtin := in.Common().Value.(*ssa.Builtin); builtin {
			return p.ofBuiltin(b, in.Common().Args)
		}
		return p.ofCall(in.Common()), true
	}
	return Set{}, false
}

// ofBuiltin returns the footprint of a builtin that accesses elements or maps.
func (p *Program) ofBuiltin(b *ssa.Builtin, args []ssa.Value) (Set, bool) {
	switch b.Name() {
	case "append", "copy", "clear", "delete", "len":
	default:
		return Set{}, false
	}
	switch t := args[0].Type().Underlying().(type) {
	case *types.Map:
		return p.ofMap(t, b.Name() != "len"), true
	case *types.Slice:
		names := map[string]bool{}
		inside(t.Elem(), names)
		return p.access(names, Write), true
	}
	return Set{}, false
}
