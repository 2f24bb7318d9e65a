package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// order goes through the expressions of one statement from left to right.
type order struct {
	r       *rewriter
	dry     bool // only find out whether the order matters
	matters bool // an operation takes effect that gc does before a read left of it

	late    int        // reads that gc leaves for the statement itself (O1)
	failing int        // the first of these that may panic, counted from 1; 0 if none
	effects int        // calls and the like (O2)
	out     []ast.Stmt // what stands before the statement
}

// temporary is the name of the variables that are made.
const temporary = "tmp"

// read says that there is something which is evaluated late.
func (o *order) read() { o.late++ }

// fail says that there is such a read or operation, and that it may panic.
func (o *order) fail() {
	o.late++
	if o.failing == 0 || o.late < o.failing {
		o.failing = o.late
	}
}

// effect says that a call happens here; the reads since mark are its own operands.
func (o *order) effect(mark int) {
	o.effects++
	if mark > 0 {
		o.matters = true
	}
}

// here evaluates e in its place, with the reads since mark (O2, O3).
func (o *order) here(e ast.Expr, mark int) ast.Expr {
	o.early(e, mark)
	if o.dry || o.r.constant(e) {
		return e
	}
	v, s := o.r.define(temporary, o.r.typeOf(e), e)
	o.out = append(o.out, s)
	return o.r.use(v)
}

// early says that e is evaluated before the reads up to mark. Of two panics that changes the one
// that comes.
func (o *order) early(e ast.Expr, mark int) {
	if o.dry && 0 < o.failing && o.failing <= mark && o.r.mayPanic(e) {
		o.matters = true
	}
	o.late = mark
}

func (o *order) child(p *ast.Expr) {
	if *p == nil {
		return
	}
	if e := o.expr(*p); e != *p {
		set(o.r, p, e)
	}
}

func (o *order) children(list []ast.Expr) {
	for i := range list {
		o.child(&list[i])
	}
}

// conv is a child that is converted to a type without being written so (O6).
func (o *order) conv(p *ast.Expr, to types.Type) {
	e, mark := *p, o.late
	o.child(p)
	if *p == e && o.r.boxed(e, to) && !o.r.addressable(e) {
		o.replace(p, mark)
	}
}

// replace evaluates a child in its place.
func (o *order) replace(p *ast.Expr, mark int) {
	if e := o.here(*p, mark); e != *p {
		set(o.r, p, e)
	}
}

// logical is && or || outside of a condition (O4).
func (o *order) logical(e *ast.BinaryExpr) ast.Expr {
	mark := o.late
	x := o.expr(e.X)
	o.early(e, mark)
	if o.dry {
		o.expr(e.Y)
		o.late = mark
		return e
	}
	v := types.NewVar(e.OpPos, o.r.pkg, e.Op.String(), types.Default(o.r.typeOf(e)))
	before := append(o.out, o.r.assign(token.DEFINE, []*types.Var{v}, x))
	o.out = nil
	y := o.expr(e.Y)
	o.late = mark
	body := append(o.out, o.r.assign(token.ASSIGN, []*types.Var{v}, y))
	cond := o.r.use(v)
	if e.Op == token.LOR {
		cond = &ast.UnaryExpr{OpPos: e.OpPos, Op: token.NOT, X: cond}
	}
	o.out = append(before, &ast.IfStmt{If: e.OpPos, Cond: cond, Body: &ast.BlockStmt{Lbrace: e.OpPos, List: body, Rbrace: e.End()}})
	return o.r.use(v)
}

// root is an expression whose value is dropped.
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

// assignment is any assignment, or a short declaration (O8, O9, O10).
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
			vars, values := o.r.temporaries(s.Rhs[0], len(s.Lhs))
			o.out = append(o.out, o.r.assign(token.DEFINE, vars, s.Rhs[0]))
			set(o.r, &s.Rhs, values)
		}
	case len(s.Lhs) == 1 && s.Tok == token.ASSIGN && o.mapAppend(s):
	default:
		o.lvalues(s.Lhs)
		for i := range s.Rhs {
			var to types.Type
			if id, ok := s.Lhs[i].(*ast.Ident); !ok || id.Name != "_" {
				to = o.r.typeOf(s.Lhs[i])
			}
			fails := o.failing > 0 && o.failing <= o.late
			o.conv(&s.Rhs[i], to)
			if len(s.Rhs) == 1 && s.Tok == token.ASSIGN && fails && o.r.mayPanic(s.Rhs[0]) {
				o.rightFirst(s, to)
			}
		}
	}
}

// rightFirst is an assignment in which both sides may panic: what is on the left, indices aside,
// comes last (O8).
func (o *order) rightFirst(s *ast.AssignStmt, to types.Type) {
	if o.dry {
		o.matters = true
		return
	}
	for l := &s.Lhs[0]; ; {
		switch e := ast.Unparen(*l).(type) {
		case *ast.IndexExpr:
			_, name := ast.Unparen(e.Index).(*ast.Ident)
			if o.r.mapType(e.X) == nil && !name && !o.r.constant(e.Index) {
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
	v, def := o.r.define(temporary, to, s.Rhs[0])
	o.out = append(o.out, def)
	set(o.r, &s.Rhs[0], o.r.use(v))
}

// mapAppend is m[k] = append(m[k], …), in which gc looks m and k up first, and once (O10).
func (o *order) mapAppend(s *ast.AssignStmt) bool {
	l, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	c, call := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok || !call || len(c.Args) == 0 || o.r.builtin(c) != "append" || o.r.mapType(l.X) == nil || !o.r.same(l, c.Args[0]) {
		return false
	}
	from := ast.Unparen(c.Args[0]).(*ast.IndexExpr)
	for _, part := range [][2]*ast.Expr{{&l.X, &from.X}, {&l.Index, &from.Index}} {
		mark := o.late
		o.child(part[0])
		if _, name := ast.Unparen(*part[0]).(*ast.Ident); !name || part[0] == &l.Index && o.r.convertsKey(o.r.mapType(l.X)) {
			o.replace(part[0], mark)
		}
		if !o.dry {
			set(o.r, part[1], *part[0])
		}
	}
	o.read()
	for i := 1; i < len(c.Args); i++ {
		o.conv(&c.Args[i], o.r.param(c, i))
	}
	return true
}

// tupleOperands goes through what yields several values, and reports whether that has an effect.
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

func (o *order) results(s *ast.ReturnStmt) {
	if t := o.r.results; len(s.Results) == t.Len() {
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
			to = o.r.typeOf(s.Type)
		}
		o.conv(&s.Values[i], to)
	}
}

// clauses are the operands of a select: each is evaluated in place (O12).
func (o *order) clauses(s *ast.SelectStmt) {
	for _, c := range s.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			o.inPlace(&comm.Chan)
			mark := o.late
			o.conv(&comm.Value, elem(o.r.typeOf(comm.Chan)))
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
