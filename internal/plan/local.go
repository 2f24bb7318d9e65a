package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Local reports whether addr lies in a local Alloc whose address does not leave
// the function: a variable, not memory (R2).
func (f *Func) Local(addr ssa.Value) bool {
	switch x := addr.(type) {
	case *ssa.Alloc:
		return f.local[x]
	case *ssa.FieldAddr:
		return f.Local(x.X)
	case *ssa.IndexAddr:
		_, array := types.Unalias(x.X.Type()).Underlying().(*types.Pointer)
		return array && f.Local(x.X)
	}
	return false
}

// locals finds the Allocs of fn that are only loaded from and stored to, themselves
// or by field and element. go/ssa's Heap flag is an upper bound of what escapes but the emitter
// turns these into variables without an address, so it is checked.
func locals(fn *ssa.Function) map[*ssa.Alloc]bool {
	m := map[*ssa.Alloc]bool{}
	for _, a := range fn.Locals {
		if !a.Heap && onlyAccessed(a) {
			m[a] = true
		}
	}
	return m
}

// Kept reports whether in stores a result variable's own value to it: a return statement that names the
// variable. SSA has a load and a store there; Go leaves the variable alone, and so does the emitter.
//
//	func f() (a, b int) { …; return a, 10 }
func Kept(in *ssa.Store) bool {
	load, ok := in.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || load.X != in.Addr {
		return false
	}
	ret, ok := in.Block().Instrs[len(in.Block().Instrs)-1].(*ssa.Return)
	return ok && in.Pos().IsValid() && ret.Pos() == in.Pos()
}

func onlyAccessed(addr ssa.Value) bool {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if r.Val == addr {
				return false
			}
		case *ssa.FieldAddr:
			if !onlyAccessed(r) {
				return false
			}
		case *ssa.IndexAddr:
			if r.X != addr || !onlyAccessed(r) {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}
