package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// switchStmt rewrites a switch. If the order matters inside of one of its cases,
//
//	switch x { case a: A; case y + f(): B; default: D }
//
// becomes
//
//	n := 0
//	if x == a { n = 1 } else { t := f(); if x == y + t { n = 2 } }
//	switch n { case 1: A; case 2: B; default: D }
func (r *rewriter) switchStmt(s *ast.SwitchStmt) []ast.Stmt {
	pre := r.header(s, &s.Init, r.calls(s.Tag), func(o *order) { o.child(&s.Tag) })
	matters := false
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			cond := r.caseCond(s.Tag, e)
			if r.calls(e) > 0 && r.matters(func(o *order) { o.child(&cond) }) {
				matters = true
			}
		}
	}
	switch {
	case !matters:
	case s == r.pinned || s.Tag == nil && r.interfaceCase(s):
		r.gaps = append(r.gaps, s.Pos())
	default:
		pre = r.chain(s, pre)
	}
	for _, c := range s.Body.List {
		r.list(&c.(*ast.CaseClause).Body)
	}
	return pre
}

// interfaceCase reports whether a case of a switch without a tag compares an interface with true.
func (r *rewriter) interfaceCase(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if isInterface(r.facts.typeOf(e)) {
				return true
			}
		}
	}
	return false
}

// caseCond returns the condition of a case.
func (r *rewriter) caseCond(tag, e ast.Expr) ast.Expr {
	if tag == nil {
		return e
	}
	cond := &ast.BinaryExpr{X: tag, OpPos: e.Pos(), Op: token.EQL, Y: e}
	r.edit.typed(cond, types.Typ[types.Bool])
	return cond
}

// chain makes statements of the conditions of a switch.
func (r *rewriter) chain(s *ast.SwitchStmt, pre []ast.Stmt) []ast.Stmt {
	if s.Init != nil {
		pre = append(pre, s.Init)
		set(r.edit, &s.Init, nil)
	}
	tag := s.Tag
	if tag != nil && !r.facts.constant(tag) {
		v, d := r.edit.define(r.facts.typeOf(tag), tag)
		pre, tag = append(pre, d), r.edit.use(v)
	}
	chosen, zero := r.edit.define(types.Typ[types.Int], r.edit.number(s.Pos(), 0))
	pre = append(pre, zero)
	list := &pre
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for _, e := range c.List {
			cond := r.caseCond(tag, e)
			o := r.newOrder(false)
			o.child(&cond)
			next := &ast.BlockStmt{Lbrace: e.Pos(), Rbrace: e.End()}
			found := r.edit.assign(token.ASSIGN, []*types.Var{chosen}, r.edit.number(e.Pos(), i+1))
			branch := &ast.IfStmt{If: e.Pos(), Cond: cond, Body: &ast.BlockStmt{List: []ast.Stmt{found}}, Else: next}
			r.gaps = append(r.gaps, o.gaps...)
			*list = append(append(*list, o.out...), branch)
			list = &next.List
		}
		if c.List != nil {
			set(r.edit, &c.List, []ast.Expr{r.edit.number(c.Pos(), i+1)})
		}
	}
	set(r.edit, &s.Tag, r.edit.use(chosen))
	return pre
}
