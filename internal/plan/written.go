package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Written finds an operand of in, an instruction of f, in the source: where it is written and how, for people. An operand
// that is not an expression there, such as the condition of a range, is at the nearest position before it.
func (f *Func) Written(in ssa.Instruction, v ssa.Value) (at token.Position, expr string) {
	d := newDescriber(f)
	pos := d.written(v, &expr)
	for _, before := range in.Block().Instrs {
		if before == in || pos.IsValid() {
			break
		}
		if p := instrPos(before); p.IsValid() {
			pos = p
		}
	}
	for b := in.Block(); !pos.IsValid() && b != nil; b = b.Idom() {
		pos = firstPos(b, token.NoPos)
	}
	if !pos.IsValid() {
		pos = f.SSA.Pos()
	}
	return f.Unit.Pkg.Fset.PositionFor(pos, false), expr
}

// written is the position at which v begins, NoPos if it has none, and its text.
func (d *describer) written(v ssa.Value, text *string) token.Pos {
	if pos := d.compared(v, text); pos.IsValid() {
		return pos
	}
	x := v
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		x = load.X
	}
	*text = d.text(v)
	if e := d.exprs[x.Pos()]; e != nil {
		return e.Pos()
	}
	if _, ok := v.(ssa.Instruction); ok && v == x {
		return v.Pos()
	}
	return token.NoPos
}

// compared finds comparisons and logical operators, which SSA has at their operator, and the cases of a switch.
func (d *describer) compared(v ssa.Value, text *string) (at token.Pos) {
	switch v.(type) {
	case *ssa.BinOp, *ssa.Phi:
	default:
		return token.NoPos
	}
	if d.f.SSA.Syntax() == nil || !v.Pos().IsValid() {
		return token.NoPos
	}
	ast.Inspect(d.f.SSA.Syntax(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.OpPos == v.Pos() {
				at, *text = n.Pos(), clip(types.ExprString(n))
			}
		case *ast.SwitchStmt:
			if _, ok := v.(*ssa.BinOp); !ok || n.Tag == nil {
				break
			}
			for _, s := range n.Body.List {
				for _, e := range s.(*ast.CaseClause).List {
					if e.Pos() == v.Pos() {
						at, *text = e.Pos(), clip(types.ExprString(n.Tag)+" == "+types.ExprString(e))
					}
				}
			}
		}
		return !at.IsValid()
	})
	return at
}
