package evalorder

import "go/ast"

// fixes corrects syntax that go/ssa and gc execute differently in any order of operands (EO8).
type fixes struct {
	facts *facts
	edit  *editor
}

// apply corrects the syntax of the files. Statements are put in order afterwards.
func (fx *fixes) apply(files []*ast.File) {
	fx.promoted(files)
	fx.unevaluated(files)
	fx.compared(files)
	fx.counts(files)
}

// unevaluated replaces the operands of which gc uses only the type.
func (fx *fixes) unevaluated(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || fx.facts.constant(c) {
				return true
			}
			switch fx.facts.builtin(c) {
			case "Sizeof", "Alignof":
				set(fx.edit, &c.Args[0], fx.edit.zero(c.Args[0].Pos(), fx.facts.typeOf(c.Args[0])))
				return false
			}
			return true
		})
	}
}
