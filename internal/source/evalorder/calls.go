package evalorder

import (
	"go/ast"
	"go/token"
)

// calls counts the operations in e that may be in place, by their syntax: calls, receives, slices
// and type assertions. It rewrites the bodies of function literals in e, and does not count in
// them. A statement without such operations has only one order, and needs no type information.
func (r *rewriter) calls(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.calls(e.X)
	case *ast.FuncLit:
		r.literal(e)
	case *ast.CompositeLit:
		return r.callsIn(e.Elts)
	case *ast.KeyValueExpr:
		return r.calls(e.Key) + r.calls(e.Value)
	case *ast.SelectorExpr:
		return r.calls(e.X)
	case *ast.IndexExpr:
		return r.calls(e.X) + r.calls(e.Index)
	case *ast.SliceExpr:
		return 1 + r.calls(e.X) + r.calls(e.Low) + r.calls(e.High) + r.calls(e.Max)
	case *ast.TypeAssertExpr:
		return 1 + r.calls(e.X)
	case *ast.CallExpr:
		return 1 + r.calls(e.Fun) + r.callsIn(e.Args)
	case *ast.StarExpr:
		return r.calls(e.X)
	case *ast.UnaryExpr:
		n := r.calls(e.X)
		if e.Op == token.ARROW {
			n++
		}
		return n
	case *ast.BinaryExpr:
		return r.calls(e.X) + r.calls(e.Y)
	}
	return 0
}

func (r *rewriter) callsIn(list []ast.Expr) int {
	n := 0
	for _, e := range list {
		n += r.calls(e)
	}
	return n
}

// deep is 1 for an assignment whose two sides may both panic, by their syntax, the left side before
// the assignment.
func deep(s *ast.AssignStmt) int {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 {
		return 0
	}
	var x ast.Expr
	index := false
	switch l := ast.Unparen(s.Lhs[0]).(type) {
	case *ast.IndexExpr:
		x, index = l.X, !simple(l.Index)
	case *ast.SelectorExpr:
		x = l.X
	case *ast.StarExpr:
		x = l.X
	default:
		return 0
	}
	if !index && simple(x) || simple(s.Rhs[0]) {
		return 0
	}
	return 1
}

func simple(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit:
		return true
	}
	return false
}
