package symtrace

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func isIdent(s string) bool { return token.IsIdentifier(s) }

// isVariable reports whether the phi with a comment is that of a variable, and not of && or ||.
func isVariable(comment string) bool {
	return isIdent(comment) || strings.HasPrefix(comment, "range")
}

// variables maps the values of a function to the variables that the source assigns them to. SSA has
// no names of variables that are assigned once.
func variables(fn *ssa.Function) map[ssa.Value]string {
	at := map[token.Pos]string{}
	if fn.Syntax() != nil {
		ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return n == fn.Syntax()
			case *ast.AssignStmt:
				for i, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok && id.Name != "_" && len(n.Lhs) == len(n.Rhs) {
						at[place(n.Rhs[i])] = id.Name
						if n.Tok != token.ASSIGN && n.Tok != token.DEFINE { // s += i
							at[n.TokPos] = id.Name
						}
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if len(n.Names) == len(n.Values) && id.Name != "_" {
						at[place(n.Values[i])] = id.Name
					}
				}
			}
			return true
		})
	}
	names := map[ssa.Value]string{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			v, ok := in.(ssa.Value)
			if !ok {
				continue
			}
			if phi, ok := v.(*ssa.Phi); ok {
				if isVariable(phi.Comment) {
					names[v], _, _ = strings.Cut(phi.Comment, ".")
				}
			} else if s := at[v.Pos()]; s != "" && v.Pos().IsValid() && !onlyPhi(v, s) && in.Parent() == fn {
				names[v] = s
			}
		}
	}
	return names
}

// onlyPhi reports whether a value is used but once, as the next version of the variable name.
func onlyPhi(v ssa.Value, name string) bool {
	refs := v.Referrers()
	if refs == nil || len(*refs) != 1 {
		return false
	}
	phi, ok := (*refs)[0].(*ssa.Phi)
	return ok && phi.Comment == name
}

// place is the position that SSA gives the value of an expression.
func place(x ast.Expr) token.Pos {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return place(x.X)
	case *ast.BinaryExpr:
		return x.OpPos
	case *ast.CallExpr:
		return x.Lparen
	case *ast.SelectorExpr:
		return x.Sel.Pos()
	case *ast.IndexExpr:
		return x.Lbrack
	}
	return x.Pos()
}
