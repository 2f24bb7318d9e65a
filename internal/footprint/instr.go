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
		return p.ofContents(in.Map.Type(), true), true
	case *ssa.Lookup:
		return p.ofContents(in.X.Type(), false), true
	case *ssa.Next:
		if r, isRange := in.Iter.(*ssa.Range); isRange && !in.IsString {
			return p.ofContents(r.X.Type(), false), true
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
	t := types.Unalias(args[0].Type())
	_, ok := t.(*types.TypeParam)
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		ok = true
	}
	if !ok {
		return Set{}, false
	}
	return p.ofContents(t, b.Name() != "len"), true
}
