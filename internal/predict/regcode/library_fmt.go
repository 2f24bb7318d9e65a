package regcode

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
)

// Calls of package fmt (expr L6). Their operands are in an array that SSA makes for the call and nobody else sees:
//
//	t0 = new [1]any (varargs)
//	t1 = &t0[0]
//	t2 = make any <- int (x)
//	*t1 = t2
//	t3 = slice t0[:]
//	t4 = fmt.Sprint(t3...)
//
// Such a call is evaluated from x, and what is stored in t0 is stored for no one else: it is not pinned, wherever t0 is (F6, F9).

// variadic returns the operands of a call whose last argument is such an array, and the stores to it; ok is false if it is none, or one of the
// operands is not of a basic type without methods.
func variadic(call *ssa.Call) (operands []ssa.Value, stores []*ssa.Store, ok bool) {
	last := call.Call.Args[len(call.Call.Args)-1]
	if c, none := last.(*ssa.Const); none {
		return nil, nil, c.Value == nil
	}
	slice, ok := last.(*ssa.Slice)
	if !ok || slice.Low != nil || slice.High != nil || slice.Max != nil || slice.Block() != call.Block() || !usedBy(slice, call) {
		return nil, nil, false
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok || array.Block() != call.Block() {
		return nil, nil, false
	}
	of, ok := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok {
		return nil, nil, false
	}
	stores = make([]*ssa.Store, of.Len())
	for _, r := range *array.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Slice:
			if r != slice {
				return nil, nil, false
			}
		case *ssa.IndexAddr:
			i, constant := r.Index.(*ssa.Const)
			s := storeTo(r)
			if !constant || s == nil || s.Block() != call.Block() || stores[i.Int64()] != nil {
				return nil, nil, false
			}
			stores[i.Int64()] = s
		default:
			return nil, nil, false
		}
	}
	for _, s := range stores {
		if s == nil {
			return nil, nil, false
		}
		m, ok := s.Val.(*ssa.MakeInterface)
		if !ok || !printable(m.X.Type()) {
			return nil, nil, false
		}
		operands = append(operands, m.X)
	}
	return operands, stores, true
}

// usedBy reports whether v has no use but one.
func usedBy(v ssa.Value, one ssa.Instruction) bool {
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); !ok && r != one {
			return false
		}
	}
	return true
}

// storeTo is the only use of an address, if that is a store to it.
func storeTo(addr ssa.Value) *ssa.Store {
	for _, r := range *addr.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == addr && s.Val != addr && usedBy(addr, s) {
			return s
		}
	}
	return nil
}

// printable reports whether a value of type t is printed by its kind alone: a basic type without methods. A uintptr is printed as the one
// number by some verbs and as another by others.
func printable(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.Uintptr || b.Kind() == types.UnsafePointer || goval.WordKind(t) == 0 {
		return false
	}
	return types.NewMethodSet(t).Len() == 0
}

// printed is the call of a function of package fmt that is evaluated: what its arguments are for package expr.
func printed(call *ssa.Call) (args []ssa.Value, kinds string, stores []*ssa.Store, ok bool) {
	operands, stores, ok := variadic(call)
	if !ok {
		return nil, "", nil, false
	}
	names := make([]string, len(operands))
	for i, x := range operands {
		names[i] = goval.WordKind(x.Type()).String()
	}
	args = append(args, call.Call.Args[:len(call.Call.Args)-1]...)
	return append(args, operands...), strings.Join(names, " "), stores, true
}
