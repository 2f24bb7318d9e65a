package regcode

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// Shape returns how the bits of a value of type t are printed: as the basic type of that name, as
// "pointer" if they are an address, "" for other types.
func Shape(t types.Type) string {
	switch u := plan.Core(t).(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.UnsafePointer:
			return "pointer"
		case u.Info()&(types.IsBoolean|types.IsInteger) != 0, u.Kind() == types.Float32, u.Kind() == types.Float64:
			return u.Name()
		}
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return "pointer"
	}
	return ""
}

// ShapeAt returns the Shape of the value that the instruction at a site reads or writes.
func ShapeAt(p *plan.Plan, s trace.Site) string {
	if s == 0 || int(s) >= len(p.Sites) {
		return ""
	}
	f, block, instr := p.FuncAt(s)
	if f == nil || block < 0 || instr < 0 || block >= len(f.SSA.Blocks) || instr >= len(f.SSA.Blocks[block].Instrs) {
		return ""
	}
	switch in := f.SSA.Blocks[block].Instrs[instr].(type) {
	case *ssa.UnOp: // a load or receive
		if t, ok := in.Type().(*types.Tuple); ok {
			return Shape(t.At(0).Type())
		}
		return Shape(in.Type())
	case *ssa.Store:
		return Shape(in.Val.Type())
	case *ssa.Send:
		return Shape(in.X.Type())
	case *ssa.Call:
		return atomicShape(in.Call.StaticCallee())
	}
	return ""
}

// atomicShape returns the Shape of the word that an operation of sync/atomic works on.
func atomicShape(fn *ssa.Function) string {
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil { // has Params also if its package was not read from source
		fn = o
	}
	v := fn.Signature.Recv()
	if v == nil {
		if fn.Signature.Params().Len() == 0 {
			return ""
		}
		v = fn.Signature.Params().At(0)
	}
	p, ok := plan.Core(v.Type()).(*types.Pointer)
	if !ok {
		return ""
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok {
		return Shape(p.Elem())
	}
	switch n.Obj().Name() {
	case "Bool":
		return "bool"
	case "Int32":
		return "int32"
	case "Int64":
		return "int64"
	case "Uint32":
		return "uint32"
	case "Uint64":
		return "uint64"
	case "Uintptr":
		return "uintptr"
	case "Pointer":
		return "pointer"
	}
	return ""
}
