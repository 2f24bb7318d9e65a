package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// A pointer that is converted to uintptr is kept alive by the expression that contains the
// conversion:
//
//	unsafe.Pointer(uintptr(p) + 8)   // in arithmetic
//	syscall.Syscall(1, uintptr(p))   // in the arguments of a call whose callee has //go:uintptrescapes,
//	                                 // //go:uintptrkeepalive or no body
//
// In emitted code a conversion of the first kind is written inside its user (inline). So is an
// argument of a call. The arguments of a variadic parameter are in a slice that the emitted code
// makes itself: a use after the call keeps alive the memory that they point to (keepAlive).

// inline finds the instructions that are written inside the one that uses them: conversions of
// unsafe.Pointer to uintptr and the values computed from them. In separate statements, the pointer
// would be only a number between them, and the collector or the copy of a stack would miss it.
// Numbers that never become pointers again have records, and so statements (plan, PL2).
func inline(f *plan.Func, unit ast.Node, info *types.Info) map[ssa.Value]bool {
	m := map[ssa.Value]bool{}
	var args map[token.Pos]token.Pos
	for _, blk := range f.SSA.Blocks {
		for _, in := range blk.Instrs {
			switch v := in.(type) {
			case *ssa.Convert:
				if f.IsNumber(v.X) || !fromPointer(v) && !(isUintptr(v.Type()) && m[v.X]) {
					continue
				}
				if args == nil {
					args = arguments(unit, info)
				}
				m[v] = usedOnceIn(v, blk) || fromPointer(v) && isArgument(v, args)
			case *ssa.BinOp:
				m[v] = isUintptr(v.Type()) && (m[v.X] || m[v.Y]) && usedOnceIn(v, blk)
			}
		}
	}
	return m
}

// fromPointer reports whether v is uintptr(p) of an unsafe.Pointer p.
func fromPointer(v ssa.Value) bool {
	c, ok := v.(*ssa.Convert)
	return ok && isUintptr(c.Type()) && isUnsafePointer(c.X.Type())
}

// usedOnceIn reports whether v has one use, in blk, by an instruction that may contain it.
func usedOnceIn(v ssa.Value, blk *ssa.BasicBlock) bool {
	refs := *v.Referrers()
	if len(refs) != 1 || refs[0].Block() != blk {
		return false
	}
	switch refs[0].(type) {
	case *ssa.Convert, *ssa.BinOp, *ssa.Call:
		return true
	}
	return false
}

// isArgument reports whether the only use of a conversion is as an argument of the call that
// contains it. The call may be in a later block: f(uintptr(p), a && b). Its operand has the same
// value there, because the conversion dominates it.
func isArgument(v *ssa.Convert, args map[token.Pos]token.Pos) bool {
	refs := *v.Referrers()
	if len(refs) != 1 {
		return false
	}
	c, ok := refs[0].(ssa.CallInstruction)
	return ok && v.Pos().IsValid() && args[v.Pos()] == c.Common().Pos()
}

// arguments maps the conversions that are arguments to the calls that they are arguments of.
// Positions are those of the left parentheses, as in SSA.
func arguments(unit ast.Node, info *types.Info) map[token.Pos]token.Pos {
	found := map[token.Pos]token.Pos{}
	ast.Inspect(unit, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || info.Types[c.Fun].IsType() {
			return true
		}
		for _, a := range c.Args {
			if conv, ok := ast.Unparen(a).(*ast.CallExpr); ok && info.Types[conv.Fun].IsType() {
				found[conv.Lparen] = c.Lparen
			}
		}
		return true
	})
	return found
}

// mustKeepAlive refuses a go or defer statement with such arguments: the memory that they point to
// must live until the later call returns.
func (cs *calls) mustKeepAlive(c *ssa.CallCommon) {
	if len(hiddenPointers(c)) > 0 {
		refuse("go or defer with pointers in arguments of type ...uintptr")
	}
}

// hiddenPointers returns the pointers that are converted to uintptr in the arguments of a variadic
// parameter.
func hiddenPointers(c *ssa.CallCommon) (list []ssa.Value) {
	if _, builtin := c.Value.(*ssa.Builtin); builtin || !c.Signature().Variadic() || len(c.Args) == 0 {
		return nil
	}
	s, ok := c.Args[len(c.Args)-1].(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return nil
	}
	for _, elem := range *array.Referrers() {
		addr, ok := elem.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *addr.Referrers() {
			if st, ok := use.(*ssa.Store); ok && fromPointer(st.Val) {
				list = append(list, st.Val.(*ssa.Convert).X)
			}
		}
	}
	return list
}

func isUintptr(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uintptr
}

func isUnsafePointer(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}
