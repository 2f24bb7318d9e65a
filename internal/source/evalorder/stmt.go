package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// list rewrites a list of statements.
func (r *rewriter) list(l *[]ast.Stmt) {
	var out []ast.Stmt
	for i, s := range *l {
		pre := r.stmt(s)
		if len(pre) > 0 && out == nil {
			out = slices.Clone((*l)[:i])
		}
		if out != nil {
			out = append(append(out, pre...), s)
		}
	}
	if out != nil {
		set(r.edit, l, out)
	}
}

// alone rewrites a statement that is not in a list.
func (r *rewriter) alone(p *ast.Stmt) {
	if *p == nil {
		return
	}
	if pre := r.stmt(*p); len(pre) > 0 {
		set[ast.Stmt](r.edit, p, &ast.BlockStmt{Lbrace: (*p).Pos(), List: append(pre, *p), Rbrace: (*p).End()})
	}
}

// stmt rewrites a statement, and returns the statements to put before it.
func (r *rewriter) stmt(s ast.Stmt) (pre []ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		r.list(&s.List)
	case *ast.LabeledStmt:
		return r.labeled(s)
	case *ast.ExprStmt:
		return r.order(s, r.calls(s.X), func(o *order) { o.root(&s.X) })
	case *ast.SendStmt:
		return r.order(s, r.calls(s.Chan)+r.calls(s.Value), func(o *order) {
			o.child(&s.Chan)
			o.conv(&s.Value, elem(r.facts.typeOf(s.Chan)))
		})
	case *ast.IncDecStmt:
		return r.order(s, r.calls(s.X), func(o *order) { o.addr(&s.X, true) })
	case *ast.AssignStmt:
		return r.order(s, r.callsIn(s.Lhs)+r.callsIn(s.Rhs)+deep(s), func(o *order) { o.assignment(s) })
	case *ast.GoStmt:
		return r.order(s, r.calls(s.Call), func(o *order) { o.operands(s.Call) })
	case *ast.DeferStmt:
		return r.order(s, r.calls(s.Call), func(o *order) { o.operands(s.Call) })
	case *ast.ReturnStmt:
		return r.order(s, r.callsIn(s.Results), func(o *order) { o.returns(s) })
	case *ast.DeclStmt:
		return r.decl(s)
	case *ast.IfStmt:
		return r.ifStmt(s)
	case *ast.SwitchStmt:
		return r.switchStmt(s)
	case *ast.TypeSwitchStmt:
		return r.typeSwitch(s)
	case *ast.SelectStmt:
		return r.selectStmt(s)
	case *ast.ForStmt:
		return r.forStmt(s)
	case *ast.RangeStmt:
		return r.rangeStmt(s)
	}
	return nil
}

// order puts the operations of one statement in order: visit visits its expressions in gc's order.
func (r *rewriter) order(s ast.Stmt, calls int, visit func(*order)) []ast.Stmt {
	if calls == 0 || !r.matters(visit) {
		return nil
	}
	if s == r.pinned {
		r.gaps = append(r.gaps, s.Pos())
		return nil
	}
	o := r.newOrder(false)
	visit(o)
	r.gaps = append(r.gaps, o.gaps...)
	return o.out
}

// matters reports whether the order of the operations of a statement matters. The shared variables
// are computed only if the order matters when every variable is taken for one.
func (r *rewriter) matters(visit func(*order)) bool {
	o := r.newOrder(true)
	visit(o)
	if o.matters && o.shared == nil {
		r.outer.sharedVars()
		o = r.newOrder(true)
		visit(o)
	}
	return o.matters
}

func (r *rewriter) newOrder(dry bool) *order {
	return &order{facts: r.facts, edit: r.edit, results: r.results, shared: r.outer.shared, dry: dry}
}

// labeled keeps a label at the loop or switch that it names. Statements to put before the loop are
// put before the label.
func (r *rewriter) labeled(s *ast.LabeledStmt) []ast.Stmt {
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		if r.outer.isTarget(r.facts.info.Defs[s.Label]) {
			saved := r.pinned
			r.pinned = s.Stmt
			defer func() { r.pinned = saved }()
		}
		return r.stmt(s.Stmt)
	}
	r.alone(&s.Stmt)
	return nil
}

// header rewrites the operations that a compound statement executes first: its initialiser, and the
// expressions that visit visits.
func (r *rewriter) header(s ast.Stmt, init *ast.Stmt, calls int, visit func(*order)) (pre []ast.Stmt) {
	if *init != nil {
		if r.pinned == s {
			r.pinned = *init
			pre = r.stmt(*init)
			r.pinned = s
		} else {
			pre = r.stmt(*init)
		}
	}
	own := r.order(s, calls, visit)
	if len(pre)+len(own) > 0 && *init != nil {
		pre = append(pre, *init)
		set(r.edit, init, nil)
	}
	return append(pre, own...)
}

func (r *rewriter) ifStmt(s *ast.IfStmt) []ast.Stmt {
	pre := r.header(s, &s.Init, r.calls(s.Cond), func(o *order) { o.child(&s.Cond) })
	r.list(&s.Body.List)
	r.alone(&s.Else)
	return pre
}

// forStmt moves a condition that needs statements of its own into the body. The initialiser stays,
// because its variables are new in each iteration.
func (r *rewriter) forStmt(s *ast.ForStmt) (pre []ast.Stmt) {
	if s.Init != nil {
		pinned := r.pinned
		if pinned == s {
			r.pinned = s.Init
		}
		pre = r.stmt(s.Init)
		r.pinned = pinned
	}
	calls := r.calls(s.Cond)
	r.alone(&s.Post)
	r.list(&s.Body.List)
	pinned := r.pinned
	r.pinned = nil // an iteration begins in the body
	own := r.order(s, calls, func(o *order) { o.child(&s.Cond) })
	r.pinned = pinned
	if len(own) > 0 {
		leave := &ast.IfStmt{
			If: s.Cond.Pos(), Cond: &ast.UnaryExpr{OpPos: s.Cond.Pos(), Op: token.NOT, X: s.Cond},
			Body: &ast.BlockStmt{List: []ast.Stmt{&ast.BranchStmt{TokPos: s.Cond.Pos(), Tok: token.BREAK}}},
		}
		set(r.edit, &s.Body.List, append(append(own, leave), s.Body.List...))
		set(r.edit, &s.Cond, nil)
	}
	return pre
}

func (r *rewriter) rangeStmt(s *ast.RangeStmt) []ast.Stmt {
	if s.Tok == token.ASSIGN {
		for _, p := range []*ast.Expr{&s.Key, &s.Value} {
			r.keep(*p, func(o *order) { o.addr(p, true) })
		}
	}
	calls := r.calls(s.X)
	r.length(s)
	pre := r.order(s, calls, func(o *order) { o.child(&s.X) })
	r.list(&s.Body.List)
	return pre
}

// length replaces the operand of a range over the indices of an array by the length of the array
// (EO8): the language does not evaluate the array, go/ssa does.
func (r *rewriter) length(s *ast.RangeStmt) {
	if s.Value != nil {
		if id, ok := s.Value.(*ast.Ident); !ok || id.Name != "_" {
			return
		}
	}
	t := types.Unalias(r.facts.typeOf(s.X)).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if t, ok := t.(*types.Array); ok && !simple(s.X) && !r.facts.acts(s.X) {
		set(r.edit, &s.X, r.edit.number(s.X.Pos(), int(t.Len())))
		set(r.edit, &s.Value, nil)
	}
}

// keep counts an expression before which no statement can stand, if its order matters (EO7).
func (r *rewriter) keep(e ast.Expr, visit func(*order)) {
	if e == nil || r.calls(e) == 0 {
		return
	}
	if r.matters(visit) {
		r.gaps = append(r.gaps, e.Pos())
	}
}

func (r *rewriter) typeSwitch(s *ast.TypeSwitchStmt) []ast.Stmt {
	var guard ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		guard = a.X
	case *ast.AssignStmt:
		guard = a.Rhs[0]
	}
	x := ast.Unparen(guard).(*ast.TypeAssertExpr)
	pre := r.header(s, &s.Init, r.calls(x.X), func(o *order) { o.child(&x.X) })
	for _, c := range s.Body.List {
		r.list(&c.(*ast.CaseClause).Body)
	}
	return pre
}

// decl rewrites a declaration; each of its specifications is a statement.
func (r *rewriter) decl(s *ast.DeclStmt) (pre []ast.Stmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return nil
	}
	done := 0
	for i, spec := range d.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		own := r.order(s, r.callsIn(spec.Values), func(o *order) { o.spec(spec) })
		if len(own) == 0 {
			continue
		}
		if i > done {
			pre = append(pre, &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: d.TokPos, Tok: token.VAR, Specs: d.Specs[done:i]}})
		}
		pre = append(pre, own...)
		done = i
	}
	if done > 0 {
		set(r.edit, &d.Specs, d.Specs[done:])
	}
	return pre
}

// selectStmt evaluates channels and values clause by clause, each in place (EO3).
func (r *rewriter) selectStmt(s *ast.SelectStmt) []ast.Stmt {
	calls := 0
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		switch comm := c.Comm.(type) {
		case *ast.SendStmt:
			calls += r.calls(comm.Chan) + r.calls(comm.Value)
		case *ast.ExprStmt:
			calls += r.calls(received(comm.X).X)
		case *ast.AssignStmt:
			calls += r.calls(received(comm.Rhs[0]).X)
			r.received(c, comm)
		}
	}
	pre := r.order(s, calls, func(o *order) { o.clauses(s) })
	for _, c := range s.Body.List {
		r.list(&c.(*ast.CommClause).Body)
	}
	return pre
}

func received(e ast.Expr) *ast.UnaryExpr { return ast.Unparen(e).(*ast.UnaryExpr) }

// received rewrites case l = <-c: … as case v := <-c: l = v; … if the order of l matters.
func (r *rewriter) received(c *ast.CommClause, s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN || r.callsIn(s.Lhs) == 0 {
		return
	}
	if !r.matters(func(o *order) { o.lvalues(s.Lhs) }) {
		return
	}
	vars, values := r.edit.temporaries(s.Rhs[0], len(s.Lhs))
	set[ast.Stmt](r.edit, &c.Comm, r.edit.assign(token.DEFINE, vars, s.Rhs[0]))
	set(r.edit, &c.Body, append([]ast.Stmt{&ast.AssignStmt{Lhs: s.Lhs, TokPos: s.TokPos, Tok: s.Tok, Rhs: values}}, c.Body...))
}
