package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// outermost is a declaration, or a function literal of a variable initialiser, with all function
// literals in it. What is computed from all of it is computed on first use.
type outermost struct {
	info *types.Info
	node ast.Node

	shared map[types.Object]bool // see sharedVars; nil: not computed yet
	gotos  map[types.Object]bool // the labels that goto statements name; nil: not computed yet
}

// sharedVars returns the local variables that a call may change: those that a function literal
// captures, and those whose address is taken.
func (o *outermost) sharedVars() map[types.Object]bool {
	if o.shared == nil {
		o.shared = map[types.Object]bool{}
		ast.Walk(&sharing{info: o.info, found: o.shared}, o.node)
	}
	return o.shared
}

// isTarget reports whether a goto names the label.
func (o *outermost) isTarget(label types.Object) bool {
	if o.gotos == nil {
		o.gotos = map[types.Object]bool{}
		ast.Inspect(o.node, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
				o.gotos[o.info.Uses[b.Label]] = true
			}
			return true
		})
	}
	return o.gotos[label]
}

// sharing is the ast.Visitor of sharedVars.
type sharing struct {
	info  *types.Info
	lit   *ast.FuncLit // the innermost literal around the node, nil: none
	found map[types.Object]bool
}

// Visit implements ast.Visitor.
func (s *sharing) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit:
		return &sharing{s.info, n, s.found}
	case *ast.Ident:
		if v, ok := s.info.Uses[n].(*types.Var); ok && s.lit != nil && !v.IsField() && (v.Pos() < s.lit.Pos() || v.Pos() >= s.lit.End()) {
			s.found[v] = true
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.root(n.X)
		}
	case *ast.SliceExpr:
		s.root(n.X)
	case *ast.SelectorExpr:
		if sel := s.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && !pointer(sel.Recv()) {
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
			if v, ok := s.info.Uses[x].(*types.Var); ok {
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
