package regcode

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
)

// Calls of package fmt (TE4). Their operands are in an array that SSA allocates for the call
// and that nothing else uses:
//
//	t0 = new [1]any (varargs)
//	t1 = &t0[0]
//	t2 = make any <- int (x)
//	*t1 = t2
//	t3 = slice t0[:]
//	t4 = fmt.Sprint(t3...)
//
// Such a call is evaluated from x. Only the call reads what is stored in t0, so it is not pinned,
// wherever t0 is (WA3, WA4).

// variadic returns the operands of a call whose last argument is such an array, and the stores to
// the array. ok is false if the last argument is something else, or if the type of an operand is
// not a basic type without methods.
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

// usedBy reports whether one is the only use of v.
func usedBy(v ssa.Value, one ssa.Instruction) bool {
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); !ok && r != one {
			return false
		}
	}
	return true
}

// storeTo returns the only use of an address, if that is a store to it.
func storeTo(addr ssa.Value) *ssa.Store {
	for _, r := range *addr.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == addr && s.Val != addr && usedBy(addr, s) {
			return s
		}
	}
	return nil
}

// printable reports whether package fmt prints a value of type t by its kind alone: a basic type
// without methods. A uintptr is excluded: the verbs treat it differently.
func printable(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.Uintptr || b.Kind() == types.UnsafePointer || goval.WordKind(t) == 0 {
		return false
	}
	return types.NewMethodSet(t).Len() == 0
}

// printed returns the arguments that package expr has for a call of a function of package fmt.
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
