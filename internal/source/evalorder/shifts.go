package evalorder

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// counts gives shift counts the types that gc gives them (O19).
func (r *rewriter) counts(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if shifts(n.Op) && !r.constant(n) {
					r.count(n.Y)
				}
			case *ast.AssignStmt:
				if n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN {
					r.count(n.Rhs[0])
				}
			}
			return true
		})
	}
}

func shifts(op token.Token) bool { return op == token.SHL || op == token.SHR }

// count types a shift count that is no constant and has no type, and the operands that it has the
// type of.
func (r *rewriter) count(e ast.Expr) {
	if tv, ok := r.info.Types[e]; ok && tv.Value == nil && isUntyped(tv.Type) {
		r.retype(e)
	}
}

// retype types e from its leftmost constant, as gc does, and returns the type.
func (r *rewriter) retype(e ast.Expr) types.Type {
	tv := r.info.Types[e]
	if tv.Type == nil || !isUntyped(tv.Type) {
		return tv.Type
	}
	t := ideal(tv)
	if tv.Value == nil {
		switch e := e.(type) {
		case *ast.ParenExpr:
			t = r.retype(e.X)
		case *ast.UnaryExpr:
			t = r.retype(e.X)
		case *ast.BinaryExpr:
			t = r.retype(e.X)
			if !shifts(e.Op) {
				r.retype(e.Y)
			}
		}
	}
	old := tv
	tv.Type = t
	r.info.Types[e] = tv
	r.undo = append(r.undo, func() { r.info.Types[e] = old })
	return t
}

// ideal is the type of an untyped constant in a shift count.
func ideal(tv types.TypeAndValue) types.Type {
	switch b := tv.Type.(*types.Basic); {
	case b.Kind() == types.UntypedRune:
		return types.Typ[types.Int32]
	case tv.Value != nil && constant.Sign(constant.ToInt(tv.Value)) < 0:
		return types.Typ[types.Int]
	}
	return types.Typ[types.Uint]
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0 && b.Info()&types.IsNumeric != 0
}
