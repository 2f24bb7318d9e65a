package evalorder

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// counts gives shift counts the types that gc gives them.
func (fx *fixes) counts(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if shifts(n.Op) && !fx.facts.constant(n) {
					fx.count(n.Y)
				}
			case *ast.AssignStmt:
				if n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN {
					fx.count(n.Rhs[0])
				}
			}
			return true
		})
	}
}

func shifts(op token.Token) bool { return op == token.SHL || op == token.SHR }

// count types a shift count that is neither constant nor typed, and its operands of the same type.
func (fx *fixes) count(e ast.Expr) {
	if tv, ok := fx.facts.info.Types[e]; ok && tv.Value == nil && isUntyped(tv.Type) {
		fx.retype(e)
	}
}

// retype types e from its leftmost constant, as gc does, and returns the type.
func (fx *fixes) retype(e ast.Expr) types.Type {
	tv := fx.facts.info.Types[e]
	if tv.Type == nil || !isUntyped(tv.Type) {
		return tv.Type
	}
	t := ideal(tv)
	if tv.Value == nil {
		switch e := e.(type) {
		case *ast.ParenExpr:
			t = fx.retype(e.X)
		case *ast.UnaryExpr:
			t = fx.retype(e.X)
		case *ast.BinaryExpr:
			t = fx.retype(e.X)
			if !shifts(e.Op) {
				fx.retype(e.Y)
			}
		}
	}
	tv.Type = t
	enter(fx.edit, fx.facts.info.Types, e, tv)
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
