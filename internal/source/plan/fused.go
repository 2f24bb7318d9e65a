package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Go source cannot name the unexported types and fields of other packages, SSA has registers for
// them. The emitter fuses such an instruction into the one that uses it (PL1):
//
//	import "encoding/binary"
//	binary.BigEndian.Uint16(b)   // t0 = *binary.BigEndian has an unexported type
//	x.Promoted                   // t1 = &x.unexported (embedded); t2 = &t1.Promoted
//
// A load of an array variable that nothing uses is fused with nothing: SSA evaluates the operand of
// a range over an array even where Go does not.
//
//	for i := range array {}      // t0 = *array
//
// Loads through pointers stay, because they panic if the pointer is nil. Package evalorder removes
// those that Go does not evaluate.
//
//	for i := range *f() {}       // t0 = f(); t1 = *t0

// Fused reports whether the instruction has no place of its own in emitted code (PL1).
func (f *Func) Fused(in ssa.Instruction) bool {
	v, ok := in.(ssa.Value)
	return fused(f.Unit.Pkg, in) || ok && f.numbers[v]
}

// fused reports whether the instruction has no place of its own in emitted code.
func fused(pkg *Package, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.FieldAddr:
		return ForeignField(pkg, in.X.Type(), in.Field)
	case *ssa.Field:
		return ForeignField(pkg, in.X.Type(), in.Field)
	case *ssa.UnOp:
		if in.Op != token.MUL {
			return false
		}
		if fa, ok := in.X.(*ssa.FieldAddr); ok && ForeignField(pkg, fa.X.Type(), fa.Field) {
			return true
		}
		if _, array := Core(in.Type()).(*types.Array); array && named(in.X) && len(*in.Referrers()) == 0 {
			return true
		}
		return ForeignGlobal(pkg, in) != nil
	}
	return false
}

// named reports whether addr is the address of a variable, which is never nil.
func named(addr ssa.Value) bool {
	switch addr.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
		return true
	}
	return false
}

// ForeignGlobal returns the exported variable of another package that v is loaded from, if its type
// is an unexported one of that package; else nil.
func ForeignGlobal(pkg *Package, v ssa.Value) *ssa.Global {
	u, ok := v.(*ssa.UnOp)
	if !ok || u.Op != token.MUL {
		return nil
	}
	g, ok := u.X.(*ssa.Global)
	if !ok || g.Object() == nil || !g.Object().Exported() {
		return nil
	}
	t, ok := types.Unalias(u.Type()).(*types.Named)
	if !ok || t.Obj().Exported() || t.Obj().Pkg() == nil || t.Obj().Pkg().Path() == pkg.Types.Path() {
		return nil
	}
	return g
}

// ForeignField reports whether field i of the struct t (or the struct t points to) is
// an unexported one of another package.
func ForeignField(pkg *Package, t types.Type, i int) bool {
	s := StructOf(t)
	if s == nil {
		return false
	}
	f := s.Field(i)
	return !f.Exported() && f.Pkg() != nil && f.Pkg().Path() != pkg.Types.Path()
}

// StructOf returns the struct type of t, of what t points to, or of its core type; else nil.
func StructOf(t types.Type) *types.Struct {
	if p, ok := Core(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := Core(t).(*types.Struct)
	return s
}
