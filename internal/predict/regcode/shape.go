package regcode

import (
	"go/token"
	"go/types"
	"slices"

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
	switch in := instructionAt(p, s).(type) {
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

// instructionAt returns the instruction at a site, nil if there is none.
func instructionAt(p *plan.Plan, s trace.Site) ssa.Instruction {
	if s == 0 || int(s) >= len(p.Sites) {
		return nil
	}
	f, block, instr := p.FuncAt(s)
	if f == nil || block < 0 || instr < 0 || block >= len(f.SSA.Blocks) || instr >= len(f.SSA.Blocks[block].Instrs) {
		return nil
	}
	return f.SSA.Blocks[block].Instrs[instr]
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

// ContentAt returns what the memory holds that the instruction at a site reads or writes: map,
// interface, slice, string, struct, pointer, counter, flag, number; "" if it is not known. A
// counter is what an update works on: the instruction writes the sum or difference of what was
// there and something else, or reads what is there for such a write.
func ContentAt(p *plan.Plan, s trace.Site) string {
	switch in := instructionAt(p, s).(type) {
	case *ssa.MapUpdate, *ssa.Lookup, *ssa.Next:
		return "map"
	case *ssa.UnOp:
		switch {
		case in.Op != token.MUL:
		case slices.ContainsFunc(*in.Referrers(), func(sum ssa.Instruction) bool { return ofUpdate(sum, in) }):
			return "counter"
		default:
			return content(in.Type())
		}
	case *ssa.Store:
		if sum, ok := in.Val.(*ssa.BinOp); ok && (updates(in, sum, sum.X) || updates(in, sum, sum.Y)) {
			return "counter"
		}
		return content(in.Val.Type())
	case *ssa.Call:
		if _, ok := in.Call.Value.(*ssa.Builtin); !ok {
			return atomicContent(atomicShape(in.Call.StaticCallee()))
		}
		if len(in.Call.Args) > 0 {
			if _, ok := plan.Core(in.Call.Args[0].Type()).(*types.Map); ok {
				return "map"
			}
		}
	}
	return ""
}

// ofUpdate reports whether an instruction computes what an update writes from what load has read.
func ofUpdate(in ssa.Instruction, load *ssa.UnOp) bool {
	sum, ok := in.(*ssa.BinOp)
	return ok && slices.ContainsFunc(*sum.Referrers(), func(in ssa.Instruction) bool {
		store, ok := in.(*ssa.Store)
		return ok && updates(store, sum, load)
	})
}

// updates reports whether a store writes a sum or difference of which the operand v is loaded from
// the same address.
func updates(store *ssa.Store, sum *ssa.BinOp, v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	return ok && load.Op == token.MUL && (sum.Op == token.ADD || sum.Op == token.SUB) &&
		store.Val == sum && content(sum.Type()) == "number" && same(load.X, store.Addr)
}

// same reports whether two values are written alike: the address of one statement may be computed
// twice.
func same(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && same(a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && same(a.X, b.X) && same(a.Index, b.Index)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == token.MUL && b.Op == token.MUL && same(a.X, b.X)
	}
	return false
}

func content(t types.Type) string {
	switch u := plan.Core(t).(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return "string"
		case u.Info()&types.IsBoolean != 0:
			return "flag"
		case u.Info()&types.IsNumeric != 0:
			return "number"
		}
		return "pointer"
	case *types.Interface:
		return "interface"
	case *types.Slice:
		return "slice"
	case *types.Struct, *types.Array:
		return "struct"
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return "pointer"
	}
	return ""
}

func atomicContent(shape string) string {
	switch shape {
	case "":
		return ""
	case "bool":
		return "flag"
	case "pointer":
		return "pointer"
	}
	return "number"
}
