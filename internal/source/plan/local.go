package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Local reports whether addr lies in a variable that is not memory: in a local Alloc whose address
// does not leave the function or is only a number (PL2), or in one that is bound (PL7).
func (f *Func) Local(addr ssa.Value) bool {
	switch x := addr.(type) {
	case *ssa.Alloc:
		return f.local[x] || f.bound[x]
	case *ssa.FreeVar:
		return f.bound[x]
	case *ssa.FieldAddr:
		return f.Local(x.X)
	case *ssa.IndexAddr:
		_, array := types.Unalias(x.X.Type()).Underlying().(*types.Pointer)
		return array && f.Local(x.X)
	}
	return false
}

// IsNumber reports whether v is a fused conversion of an address to unsafe.Pointer, of which only
// the number is used (PL2).
func (f *Func) IsNumber(v ssa.Value) bool { return f.numbers[v] }

// OnStack reports whether a is not memory although SSA has it on the heap, because its address is
// only a number (PL2).
func (f *Func) OnStack(a *ssa.Alloc) bool { return a.Heap && f.local[a] }

// Bound reports whether addr lies in a variable that is a value from its only store on (PL7).
func (f *Func) Bound(addr ssa.Value) bool {
	switch x := addr.(type) {
	case *ssa.FieldAddr:
		return f.Bound(x.X)
	case *ssa.IndexAddr:
		return f.Bound(x.X)
	}
	return f.bound[addr]
}

// VarType returns the type that the parameter or free variable v has in emitted code: a bound one
// is a value.
func (f *Func) VarType(v ssa.Value) types.Type {
	if f.bound[v] {
		return v.Type().Underlying().(*types.Pointer).Elem()
	}
	return v.Type()
}

// MaxFollowed is the size in bytes up to which the walker tracks the contents of a local variable.
const MaxFollowed = 504

// followed reports whether the walker tracks the memory at an address in a local variable.
func (h *planner) followed(addr ssa.Value) bool {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			addr = x.X
			continue
		case *ssa.IndexAddr:
			addr = x.X
			continue
		}
		n := sizeOf(addr.Type().Underlying().(*types.Pointer).Elem(), h.sizes)
		return 0 <= n && n <= MaxFollowed
	}
}

// locals finds the Allocs of fn that are only loaded from and stored to, themselves
// or by field and element. go/ssa's Heap flag is an upper bound of what escapes but the emitter
// turns these into variables without an address, so it is checked.
func locals(fn *ssa.Function) map[*ssa.Alloc]bool {
	m := map[*ssa.Alloc]bool{}
	for _, a := range fn.Locals {
		if !a.Heap && onlyAccessed(a, never) {
			m[a] = true
		}
	}
	return m
}

// Locals returns the variables that have loads and stores without records, in the order of their
// instructions: those of Local without the bound ones.
func (f *Func) Locals() []*ssa.Alloc {
	var list []*ssa.Alloc
	instructions(f.SSA, func(in ssa.Instruction) {
		if a, ok := in.(*ssa.Alloc); ok && f.local[a] {
			list = append(list, a)
		}
	})
	return list
}

// Kept reports whether in stores a result variable's own value to it: a return statement that names
// the variable. SSA has a load and a store there; Go does not write the variable, and neither does
// the emitter.
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

// onlyAccessed reports whether an address is used only for loads and stores, itself or by field and
// element, and in conversions for which conversion returns true.
func onlyAccessed(addr ssa.Value, conversion func(*ssa.Convert) bool) bool {
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
			if !onlyAccessed(r, conversion) {
				return false
			}
		case *ssa.IndexAddr:
			if r.X != addr || !onlyAccessed(r, conversion) {
				return false
			}
		case *ssa.Convert:
			if !conversion(r) {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

func never(*ssa.Convert) bool { return false }
