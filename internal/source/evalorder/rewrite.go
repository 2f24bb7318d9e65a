package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rewriter puts the statements of one package in order. It moves operations of a statement in front
// of it; type order says which.
type rewriter struct {
	facts *facts
	edit  *editor

	outer   *outermost   // the declaration being rewritten
	results *types.Tuple // of the function being rewritten
	pinned  ast.Stmt     // no statement can be put before it, because a goto leads to it (EO7)

	// places that keep the order of go/ssa: of statements, and of initialisers
	gaps, inits []token.Pos
}

func (r *rewriter) within(node ast.Node) {
	r.outer = &outermost{info: r.facts.info, node: node}
}

// initialisers rewrites the function literals in initialisers of package-level variables. The rest
// of an initialiser stays, and is counted (EO7).
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

// countInits counts the values of a declaration in which the order matters. var a, b = x, f() is
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

// function rewrites the body of a declared function; fn may be nil.
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
	sig, _ := r.facts.typeOf(lit).(*types.Signature)
	r.body(sig, lit.Body)
}
