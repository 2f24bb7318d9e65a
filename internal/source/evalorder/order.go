package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// order visits the expressions of one statement from left to right. It counts the operands that gc
// evaluates late, and makes statements of the operations that gc evaluates in place. A dry order
// changes nothing, and finds out whether an operation in place follows a late operand.
type order struct {
	facts   *facts
	edit    *editor
	results *types.Tuple // of the function around
	// local variables that calls may change; nil: any variable may be one
	shared map[types.Object]bool

	dry     bool // only find out whether the order matters
	matters bool // gc executes an operation before a late read to the left of it

	late    int // late operands so far (EO1)
	failing int // the first of these that may panic, counted from 1; 0 if none
	effects int // operations with an effect so far (EO2)

	out  []ast.Stmt  // statements to put before this one
	gaps []token.Pos // operands that keep the order of go/ssa (EO7)
}

// sub returns an order for a part that is a statement of its own.
func (o *order) sub(dry bool) *order {
	return &order{facts: o.facts, edit: o.edit, results: o.results, shared: o.shared, dry: dry}
}

// read counts an operand that is evaluated late.
func (o *order) read() { o.late++ }

// fail counts an operand that is evaluated late and may panic.
func (o *order) fail() {
	o.late++
	if o.failing == 0 || o.late < o.failing {
		o.failing = o.late
	}
}

// effect counts an operation with an effect. The late operands since mark belong to it.
func (o *order) effect(mark int) {
	o.effects++
	if mark > 0 {
		o.matters = true
	}
}

// here evaluates e in place (EO2, EO3), with the late operands since mark.
func (o *order) here(e ast.Expr, mark int) ast.Expr {
	o.early(e, mark)
	if o.dry || o.facts.constant(e) {
		return e
	}
	v, s := o.edit.define(o.facts.typeOf(e), e)
	o.out = append(o.out, s)
	return o.edit.use(v)
}

// early notes that e is evaluated before the late operands up to mark. If both panic, that changes
// which panic occurs.
func (o *order) early(e ast.Expr, mark int) {
	if o.dry && 0 < o.failing && o.failing <= mark && o.facts.mayPanic(e) {
		o.matters = true
	}
	o.late = mark
}

func (o *order) child(p *ast.Expr) {
	if *p == nil {
		return
	}
	if e := o.expr(*p); e != *p {
		set(o.edit, p, e)
	}
}

func (o *order) children(list []ast.Expr) {
	for i := range list {
		o.child(&list[i])
	}
}

// conv visits a child that is implicitly converted to a type (EO4).
func (o *order) conv(p *ast.Expr, to types.Type) {
	e, mark := *p, o.late
	o.child(p)
	if *p == e && o.facts.boxed(e, to) && !o.facts.addressable(e) {
		o.replace(p, mark)
	}
}

// replace evaluates a child in place.
func (o *order) replace(p *ast.Expr, mark int) {
	if e := o.here(*p, mark); e != *p {
		set(o.edit, p, e)
	}
}

// logical visits && or || (EO3) outside of a condition.
func (o *order) logical(e *ast.BinaryExpr) ast.Expr {
	mark := o.late
	x := o.expr(e.X)
	o.early(e, mark)
	if o.dry {
		o.expr(e.Y)
		o.late = mark
		return e
	}
	v := types.NewVar(e.OpPos, o.edit.pkg, e.Op.String(), types.Default(o.facts.typeOf(e)))
	before := append(o.out, o.edit.assign(token.DEFINE, []*types.Var{v}, x))
	o.out = nil
	y := o.expr(e.Y)
	o.late = mark
	body := append(o.out, o.edit.assign(token.ASSIGN, []*types.Var{v}, y))
	cond := o.edit.use(v)
	if e.Op == token.LOR {
		cond = &ast.UnaryExpr{OpPos: e.OpPos, Op: token.NOT, X: cond}
	}
	o.out = append(before, &ast.IfStmt{If: e.OpPos, Cond: cond, Body: &ast.BlockStmt{Lbrace: e.OpPos, List: body, Rbrace: e.End()}})
	return o.edit.use(v)
}

// root visits an expression whose value is dropped.
func (o *order) root(p *ast.Expr) {
	switch e := ast.Unparen(*p).(type) {
	case *ast.CallExpr:
		o.operands(e)
	case *ast.UnaryExpr:
		o.child(&e.X)
	default:
		o.child(p)
	}
}

// assignment visits an assignment or a short variable declaration (EO5).
func (o *order) assignment(s *ast.AssignStmt) {
	switch {
	case s.Tok == token.DEFINE && len(s.Lhs) != len(s.Rhs):
		o.tupleOperands(s.Rhs[0])
	case s.Tok == token.DEFINE:
		o.children(s.Rhs)
	case len(s.Lhs) != len(s.Rhs):
		o.lvalues(s.Lhs)
		mark := o.late
		if o.tupleOperands(s.Rhs[0]) {
			o.effect(mark)
		}
		o.late = mark
		if !o.dry {
			vars, values := o.edit.temporaries(s.Rhs[0], len(s.Lhs))
			o.out = append(o.out, o.edit.assign(token.DEFINE, vars, s.Rhs[0]))
			set(o.edit, &s.Rhs, values)
		}
	case len(s.Lhs) == 1 && s.Tok == token.ASSIGN && o.mapAppend(s):
	default:
		o.lvalues(s.Lhs)
		for i := range s.Rhs {
			var to types.Type
			if id, ok := s.Lhs[i].(*ast.Ident); !ok || id.Name != "_" {
				to = o.facts.typeOf(s.Lhs[i])
			}
			fails := o.failing > 0 && o.failing <= o.late
			o.conv(&s.Rhs[i], to)
			if len(s.Rhs) == 1 && s.Tok == token.ASSIGN && fails && o.facts.mayPanic(s.Rhs[0]) {
				o.rightFirst(s, to)
			}
		}
	}
}

// rightFirst orders an assignment in which both sides may panic: the left side, except for its
// indices, comes last (EO5).
func (o *order) rightFirst(s *ast.AssignStmt, to types.Type) {
	if o.dry {
		o.matters = true
		return
	}
	for l := &s.Lhs[0]; ; {
		switch e := ast.Unparen(*l).(type) {
		case *ast.IndexExpr:
			_, name := ast.Unparen(e.Index).(*ast.Ident)
			if o.facts.mapType(e.X) == nil && !name && !o.facts.constant(e.Index) {
				o.replace(&e.Index, o.late)
			}
			l = &e.X
			continue
		case *ast.SelectorExpr:
			l = &e.X
			continue
		case *ast.StarExpr:
			l = &e.X
			continue
		}
		break
	}
	v, def := o.edit.define(to, s.Rhs[0])
	o.out = append(o.out, def)
	set(o.edit, &s.Rhs[0], o.edit.use(v))
}

// mapAppend visits m[k] = append(m[k], …), in which gc evaluates m and k first, and once (EO6). It
// reports whether s is such an assignment.
func (o *order) mapAppend(s *ast.AssignStmt) bool {
	l, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	c, call := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok || !call || len(c.Args) == 0 || o.facts.builtin(c) != "append" || o.facts.mapType(l.X) == nil || !o.facts.same(l, c.Args[0]) {
		return false
	}
	from := ast.Unparen(c.Args[0]).(*ast.IndexExpr)
	for _, part := range [][2]*ast.Expr{{&l.X, &from.X}, {&l.Index, &from.Index}} {
		mark := o.late
		o.child(part[0])
		if _, name := ast.Unparen(*part[0]).(*ast.Ident); !name || part[0] == &l.Index && o.facts.convertsKey(o.facts.mapType(l.X)) {
			o.replace(part[0], mark)
		}
		if !o.dry {
			set(o.edit, part[1], *part[0])
		}
	}
	o.read()
	for i := 1; i < len(c.Args); i++ {
		o.conv(&c.Args[i], o.facts.param(c, i))
	}
	return true
}

// tupleOperands visits an expression with several values, and reports whether it has an effect.
func (o *order) tupleOperands(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		o.operands(e)
		return true
	case *ast.UnaryExpr:
		o.child(&e.X)
		return true
	case *ast.IndexExpr:
		o.child(&e.X)
		o.key(e)
	case *ast.TypeAssertExpr:
		o.child(&e.X)
	}
	return false
}

func (o *order) returns(s *ast.ReturnStmt) {
	if t := o.results; len(s.Results) == t.Len() {
		for i := range s.Results {
			o.conv(&s.Results[i], t.At(i).Type())
		}
	} else if len(s.Results) == 1 {
		o.tupleOperands(s.Results[0])
	}
}

func (o *order) spec(s *ast.ValueSpec) {
	if len(s.Values) == 1 && len(s.Names) > 1 {
		o.tupleOperands(s.Values[0])
		return
	}
	for i := range s.Values {
		var to types.Type
		if s.Type != nil {
			to = o.facts.typeOf(s.Type)
		}
		o.conv(&s.Values[i], to)
	}
}

// clauses visits the operands of a select: each is evaluated in place (EO3).
func (o *order) clauses(s *ast.SelectStmt) {
	for _, c := range s.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			o.inPlace(&comm.Chan)
			mark := o.late
			o.conv(&comm.Value, elem(o.facts.typeOf(comm.Chan)))
			o.replace(&comm.Value, mark)
		case *ast.ExprStmt:
			o.inPlace(&received(comm.X).X)
		case *ast.AssignStmt:
			o.inPlace(&received(comm.Rhs[0]).X)
		}
	}
}

func (o *order) inPlace(p *ast.Expr) {
	mark := o.late
	o.child(p)
	o.replace(p, mark)
}

func (o *order) lvalues(list []ast.Expr) {
	for i := range list {
		o.addr(&list[i], true)
	}
}
