package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxBound is the size up to which Go's compiler captures a variable by value if nothing is
// assigned to it later.
const maxBound = 128

// binder finds the captured variables that are values.
type binder struct {
	funcs map[*ssa.Function]*Func
}

// bind finds the variables of f that closures share and that are values nevertheless (PL7): they
// have one store, before every load and every closure, and their address is used for nothing else.
//
//	for _, job := range jobs {               // one job for each iteration
//		go func() { done <- run(job) }()   // captures the value of job, not its address
//	}
//
// Parents are planned before their literals, because the function around a literal decides which
// free variables are bound.
func (bi *binder) bind(f *Func) {
	for _, b := range f.SSA.Blocks {
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.Alloc); ok && a.Heap && bi.bindable(f, a) {
				bi.setBound(f, a)
			}
		}
	}
}

// setBound marks the variable v of f, and the free variables that are bound to it in its literals.
func (bi *binder) setBound(f *Func, v ssa.Value) {
	if f.bound == nil {
		f.bound = map[ssa.Value]bool{}
	}
	f.bound[v] = true
	for _, r := range *v.Referrers() {
		if c, ok := r.(*ssa.MakeClosure); ok {
			for i, x := range c.Bindings {
				if lit := c.Fn.(*ssa.Function); x == v {
					bi.setBound(bi.funcs[lit], lit.FreeVars[i])
				}
			}
		}
	}
}

// bindable reports whether the variable a is a value from its only store on.
func (bi *binder) bindable(f *Func, a *ssa.Alloc) bool {
	elem := a.Type().Underlying().(*types.Pointer).Elem()
	if n := sizeOf(elem, f.Unit.Pkg.TypesSizes); n < 0 || n > maxBound {
		return false
	}
	var store *ssa.Store
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok {
			if store != nil || s.Val == ssa.Value(a) || again(a, s) {
				return false
			}
			store = s
		}
	}
	return store != nil && bi.onlyRead(a, store)
}

// onlyRead reports whether v, the address of a variable or of a part of it, is used only for loads:
// in this function after the store, and in closures made after the store.
func (bi *binder) onlyRead(v ssa.Value, store *ssa.Store) bool {
	for _, r := range *v.Referrers() {
		if in, ok := r.(*ssa.Store); ok && in == store {
			continue
		}
		if _, ok := r.(*ssa.DebugRef); ok {
			continue
		}
		if store != nil && !after(r, store) || !bi.reads(v, r, store) {
			return false
		}
	}
	return true
}

// reads reports whether the instruction does no more with the address v than to load from it.
func (bi *binder) reads(v ssa.Value, in ssa.Instruction, store *ssa.Store) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.MUL
	case *ssa.FieldAddr:
		return bi.onlyRead(in, store)
	case *ssa.IndexAddr:
		return in.X == v && bi.onlyRead(in, store)
	case *ssa.MakeClosure:
		lit := in.Fn.(*ssa.Function)
		if bi.funcs[lit] == nil || len(lit.Blocks) == 0 {
			return false // a bound method: its receiver
		}
		for i, b := range in.Bindings {
			if b == v && !bi.onlyRead(lit.FreeVars[i], nil) {
				return false
			}
		}
		return true
	}
	return false
}

// after reports whether in is executed only after the store has been.
func after(in ssa.Instruction, store *ssa.Store) bool {
	if in.Block() != store.Block() {
		return store.Block().Dominates(in.Block())
	}
	for _, x := range in.Block().Instrs {
		switch x {
		case ssa.Instruction(store):
			return true
		case in:
			return false
		}
	}
	return false
}

// again reports whether the store may be executed twice for one variable: whether a path leads from
// it to itself that does not make a new one.
func again(a *ssa.Alloc, store *ssa.Store) bool {
	if store.Block() == a.Block() {
		return false
	}
	seen := map[*ssa.BasicBlock]bool{a.Block(): true}
	var reach func(*ssa.BasicBlock) bool
	reach = func(b *ssa.BasicBlock) bool {
		for _, s := range b.Succs {
			if s == store.Block() || !seen[s] && func() bool { seen[s] = true; return reach(s) }() {
				return true
			}
		}
		return false
	}
	return reach(store.Block())
}
