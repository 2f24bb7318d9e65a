package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Build builds the functions of p in gc's order of evaluation. The syntax is as it was when Build
// returns. files and info are those that p was created from; sizes may be nil. The places returned
// keep the order of go/ssa (O14): of statements, and of initialisers of package-level variables,
// which only who executes the SSA asks for.
func Build(p *ssa.Package, files []*ast.File, info *types.Info, sizes types.Sizes) (stmts, inits []token.Pos) {
	if sizes == nil {
		sizes = types.SizesFor("gc", "amd64")
	}
	r := &rewriter{info: info, pkg: p.Pkg, sizes: sizes}
	defer r.restore()
	r.promoted(files)
	r.unevaluated(files)
	r.compared(files)
	r.counts(files)
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					r.within(d)
					r.function(info.Defs[d.Name], d.Body)
				}
			case *ast.GenDecl:
				r.initialisers(d)
			}
		}
	}
	p.Build()
	return r.gaps, r.inits
}

// rewriter changes the functions of one package, and back.
type rewriter struct {
	info  *types.Info
	pkg   *types.Package
	sizes types.Sizes
	undo  []func()
	gaps  []token.Pos // of statements
	inits []token.Pos // of initialisers

	results *types.Tuple // of the function around
	pinned  ast.Stmt     // nothing can be put before it: a goto leads to it (O14)

	// the declaration or literal around; the rest is about it, made when asked for
	outer  ast.Node
	shared map[types.Object]bool // its variables that calls may change
	gotos  map[types.Object]bool // labels that gotos name
}

func (r *rewriter) restore() {
	for i := len(r.undo) - 1; i >= 0; i-- {
		r.undo[i]()
	}
}

// set changes a place of the syntax until restore.
func set[T any](r *rewriter, p *T, v T) {
	old := *p
	*p = v
	r.undo = append(r.undo, func() { *p = old })
}

func (r *rewriter) within(outer ast.Node) {
	r.outer, r.shared, r.gotos = outer, nil, nil
}

// initialisers rewrites the literals of package-level variables; what is outside of them stays, and
// is counted (O14).
func (r *rewriter) initialisers(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		calls := 0
		for _, v := range spec.Values {
			r.within(v)
			calls += r.calls(v)
		}
		r.within(spec)
		if calls > 0 {
			r.countInits(spec)
		}
	}
}

// countInits counts the values of a declaration in which the order matters: var a, b = x, f() are
// two assignments.
func (r *rewriter) countInits(s *ast.ValueSpec) {
	if len(s.Values) != len(s.Names) {
		if r.matters(func(o *order) { o.spec(s) }) {
			r.inits = append(r.inits, s.Values[0].Pos())
		}
		return
	}
	for i, v := range s.Values {
		one := &ast.ValueSpec{Names: s.Names[i : i+1], Type: s.Type, Values: s.Values[i : i+1]}
		if r.matters(func(o *order) { o.spec(one) }) {
			r.inits = append(r.inits, v.Pos())
		}
	}
}

func (r *rewriter) function(fn types.Object, body *ast.BlockStmt) {
	var sig *types.Signature
	if fn != nil {
		sig, _ = fn.Type().(*types.Signature)
	}
	r.body(sig, body)
}

func (r *rewriter) body(sig *types.Signature, body *ast.BlockStmt) {
	saved := r.results
	if sig != nil {
		r.results = sig.Results()
	}
	r.list(&body.List)
	r.results = saved
}

// literal rewrites the body of a function literal.
func (r *rewriter) literal(lit *ast.FuncLit) {
	sig, _ := r.typeOf(lit).(*types.Signature)
	r.body(sig, lit.Body)
}

func (r *rewriter) typeOf(e ast.Expr) types.Type { return r.info.TypeOf(e) }

// define is v := e, for a new variable.
func (r *rewriter) define(name string, t types.Type, e ast.Expr) (*types.Var, ast.Stmt) {
	v := types.NewVar(e.Pos(), r.pkg, name, types.Default(t))
	return v, r.assign(token.DEFINE, []*types.Var{v}, e)
}

// assign is vars = e or vars := e.
func (r *rewriter) assign(tok token.Token, vars []*types.Var, e ast.Expr) ast.Stmt {
	s := &ast.AssignStmt{TokPos: e.Pos(), Tok: tok, Rhs: []ast.Expr{e}}
	for _, v := range vars {
		if tok == token.DEFINE {
			id := &ast.Ident{NamePos: v.Pos(), Name: v.Name()}
			r.info.Defs[id] = v
			r.undo = append(r.undo, func() { delete(r.info.Defs, id) })
			s.Lhs = append(s.Lhs, id)
		} else {
			s.Lhs = append(s.Lhs, r.use(v))
		}
	}
	return s
}

// use is an expression that reads v.
func (r *rewriter) use(v *types.Var) ast.Expr {
	id := &ast.Ident{NamePos: v.Pos(), Name: v.Name()}
	r.info.Uses[id] = v
	r.undo = append(r.undo, func() { delete(r.info.Uses, id) })
	return id
}

// typed gives a new expression its type.
func (r *rewriter) typed(e ast.Expr, t types.Type) {
	r.info.Types[e] = types.TypeAndValue{Type: t}
	r.undo = append(r.undo, func() { delete(r.info.Types, e) })
}
