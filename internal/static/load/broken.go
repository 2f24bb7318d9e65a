package load

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/presage-race/presage/internal/plural"
)

// cut takes out of a package with errors what the SSA builder cannot stand: the bodies of functions
// and the values of variables that mention what has no type. The rest is analysed (LO2).
func (p *Package) cut() {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && p.broken(fn) {
				fn.Body = nil
				p.Left++
			}
		}
	}
	p.Info.InitOrder = slices.DeleteFunc(p.Info.InitOrder, func(i *types.Initializer) bool { return p.broken(i.Rhs) })
	if p.Left > 0 {
		p.Errors = append(p.Errors, plural.Text(p.Left, "{{n}} function{{|s}} with errors {{is|are}} left out"))
	}
}

// broken reports whether some expression or name below n has no type.
func (p *Package) broken(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BadDecl, *ast.BadExpr, *ast.BadStmt:
			found = true
		case *ast.Ident:
			use, used := p.Info.Uses[n]
			def, defined := p.Info.Defs[n]
			switch {
			case n.Name == "_":
			case !used && !defined, typeless(use), typeless(def):
				found = true
			}
		case ast.Expr:
			if t, ok := p.Info.Types[n]; ok && invalid(t.Type) {
				found = true
			}
		}
		return !found
	})
	return found || p.wrong(n)
}

// typeless reports whether an object that should have a type has none.
func typeless(o types.Object) bool {
	switch o.(type) {
	case *types.Var, *types.Const, *types.Func, *types.TypeName:
		return invalid(o.Type())
	}
	return false
}

// wrong reports whether one of the type checker's errors lies in n: an expression may have a type
// that it must not have there.
func (p *Package) wrong(n ast.Node) bool {
	for _, pos := range p.wrongAt {
		if n.Pos() <= pos && pos < n.End() {
			return true
		}
	}
	return false
}

// invalid reports whether a type is that of what has none, by itself, or behind pointers, slices
// and the like.
func invalid(t types.Type) bool {
	for range 10 { // of a type that contains itself, a name is enough
		switch u := t.(type) {
		case *types.Basic:
			return u.Kind() == types.Invalid
		case *types.Signature:
			return invalidTuple(u.Params()) || invalidTuple(u.Results())
		case *types.Map:
			if invalid(u.Key()) {
				return true
			}
			t = u.Elem()
		case interface{ Elem() types.Type }:
			t = u.Elem()
		default:
			return false
		}
	}
	return false
}

func invalidTuple(t *types.Tuple) bool {
	for i := range t.Len() {
		if invalid(t.At(i).Type()) {
			return true
		}
	}
	return false
}
