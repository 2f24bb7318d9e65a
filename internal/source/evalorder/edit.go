package evalorder

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// editor changes the syntax of a package and its type information, makes new syntax, and undoes all
// of it.
type editor struct {
	info *types.Info
	pkg  *types.Package
	undo []func()
}

// temporary is the name of the variables that an editor makes.
const temporary = "tmp"

// restore undoes all changes, the last one first.
func (ed *editor) restore() {
	for i := len(ed.undo) - 1; i >= 0; i-- {
		ed.undo[i]()
	}
}

// set changes a place of the syntax.
func set[T any](ed *editor, p *T, v T) {
	old := *p
	*p = v
	ed.undo = append(ed.undo, func() { *p = old })
}

// enter sets m[k], where m is a map of the type information.
func enter[K comparable, V any](ed *editor, m map[K]V, k K, v V) {
	old, had := m[k]
	m[k] = v
	ed.undo = append(ed.undo, func() {
		if had {
			m[k] = old
		} else {
			delete(m, k)
		}
	})
}

// typed gives a new expression its type.
func (ed *editor) typed(e ast.Expr, t types.Type) {
	enter(ed, ed.info.Types, e, types.TypeAndValue{Type: t})
}

// use makes an expression that reads v.
func (ed *editor) use(v *types.Var) ast.Expr {
	id := &ast.Ident{NamePos: v.Pos(), Name: v.Name()}
	enter(ed, ed.info.Uses, id, types.Object(v))
	return id
}

// assign makes vars = e or vars := e.
func (ed *editor) assign(tok token.Token, vars []*types.Var, e ast.Expr) ast.Stmt {
	s := &ast.AssignStmt{TokPos: e.Pos(), Tok: tok, Rhs: []ast.Expr{e}}
	for _, v := range vars {
		if tok == token.DEFINE {
			id := &ast.Ident{NamePos: v.Pos(), Name: v.Name()}
			enter(ed, ed.info.Defs, id, types.Object(v))
			s.Lhs = append(s.Lhs, id)
		} else {
			s.Lhs = append(s.Lhs, ed.use(v))
		}
	}
	return s
}

// define makes v := e, where v is a new variable of type t.
func (ed *editor) define(t types.Type, e ast.Expr) (*types.Var, ast.Stmt) {
	v := types.NewVar(e.Pos(), ed.pkg, temporary, types.Default(t))
	return v, ed.assign(token.DEFINE, []*types.Var{v}, e)
}

// temporaries makes n new variables for the values of e, and expressions that read them.
func (ed *editor) temporaries(e ast.Expr, n int) (vars []*types.Var, uses []ast.Expr) {
	t := ed.info.TypeOf(e)
	for i := range n {
		ti := t
		if tuple, ok := t.(*types.Tuple); ok {
			ti = tuple.At(i).Type()
		}
		v := types.NewVar(e.Pos(), ed.pkg, temporary, types.Default(ti))
		vars, uses = append(vars, v), append(uses, ed.use(v))
	}
	return vars, uses
}

// number makes the constant n.
func (ed *editor) number(pos token.Pos, n int) ast.Expr {
	value := constant.MakeInt64(int64(n))
	e := &ast.BasicLit{ValuePos: pos, Kind: token.INT, Value: value.String()}
	enter(ed, ed.info.Types, ast.Expr(e), types.TypeAndValue{Type: types.Typ[types.Int], Value: value})
	return e
}

// zero makes an expression of type t without effects: an element of an empty array literal.
func (ed *editor) zero(pos token.Pos, t types.Type) ast.Expr {
	array := &ast.CompositeLit{Lbrace: pos, Rbrace: pos}
	ed.typed(array, types.NewArray(t, 1))
	e := &ast.IndexExpr{X: array, Lbrack: pos, Index: ed.number(pos, 0), Rbrack: pos}
	ed.typed(e, t)
	return e
}
