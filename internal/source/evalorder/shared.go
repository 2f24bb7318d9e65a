package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// sharedVars are the local variables of the function around that a call may change: those that a
// literal captures, and those whose address is taken.
func (r *rewriter) sharedVars() map[types.Object]bool {
	s := &sharing{r: r, found: map[types.Object]bool{}}
	ast.Walk(s, r.outer)
	return s.found
}

type sharing struct {
	r     *rewriter
	lit   *ast.FuncLit // around
	found map[types.Object]bool
}

// Visit implements ast.Visitor.
func (s *sharing) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit:
		return &sharing{s.r, n, s.found}
	case *ast.Ident:
		if v, ok := s.r.info.Uses[n].(*types.Var); ok && s.lit != nil && !v.IsField() && (v.Pos() < s.lit.Pos() || v.Pos() >= s.lit.End()) {
			s.found[v] = true
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.root(n.X)
		}
	case *ast.SliceExpr:
		s.root(n.X)
	case *ast.SelectorExpr:
		if sel := s.r.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && !pointer(sel.Recv()) {
			s.root(n.X)
		}
	}
	return s
}

// root marks the variable that e is a part of.
func (s *sharing) root(e ast.Expr) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if v, ok := s.r.info.Uses[x].(*types.Var); ok {
				s.found[v] = true
			}
			return
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return
		}
	}
}
