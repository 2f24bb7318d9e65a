package evalorder

import (
	"go/ast"
	"go/token"
)

// calls counts what looks like a call or a receive in e, function literals aside: these are rewritten.
// A statement with none has one order only, and costs no look at the type information.
func (r *rewriter) calls(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.calls(e.X)
	case *ast.FuncLit:
		r.literal(e)
	case *ast.CompositeLit:
		return r.callsIn(e.Elts)
	case *ast.KeyValueExpr:
		return r.calls(e.Key) + r.calls(e.Value)
	case *ast.SelectorExpr:
		return r.calls(e.X)
	case *ast.IndexExpr:
		return r.calls(e.X) + r.calls(e.Index)
	case *ast.SliceExpr:
		return r.calls(e.X) + r.calls(e.Low) + r.calls(e.High) + r.calls(e.Max)
	case *ast.TypeAssertExpr:
		return r.calls(e.X)
	case *ast.CallExpr:
		return 1 + r.calls(e.Fun) + r.callsIn(e.Args)
	case *ast.StarExpr:
		return r.calls(e.X)
	case *ast.UnaryExpr:
		n := r.calls(e.X)
		if e.Op == token.ARROW {
			n++
		}
		return n
	case *ast.BinaryExpr:
		return r.calls(e.X) + r.calls(e.Y)
	}
	return 0
}

func (r *rewriter) callsIn(list []ast.Expr) int {
	n := 0
	for _, e := range list {
		n += r.calls(e)
	}
	return n
}
