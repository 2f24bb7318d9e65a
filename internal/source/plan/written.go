package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Written finds the source text of what in, an instruction of f, does with its operand v, for a
// report: the condition of a branch, or the use of a pointer or index. If the source has no text
// for it, Written returns the nearest position before it.
func (f *Func) Written(in ssa.Instruction, v ssa.Value) (at token.Position, expr string) {
	d := newDescriber(f)
	pos := d.written(v, &expr)
	if br, ok := in.(*ssa.If); !ok {
		pos = d.start(in)
	} else if !pos.IsValid() {
		pos = d.ranged(br, &expr)
	}
	if !pos.IsValid() {
		pos = lastPos(in)
	}
	for b := in.Block(); !pos.IsValid() && b != nil; b = b.Idom() {
		pos = firstPos(b, token.NoPos)
	}
	if !pos.IsValid() {
		pos = f.SSA.Pos()
	}
	return f.Unit.Pkg.Fset.PositionFor(pos, false), expr
}

// start is the position at which the expression of an instruction begins.
func (d *describer) start(in ssa.Instruction) token.Pos {
	if e := d.exprs[in.Pos()]; e != nil {
		return e.Pos()
	}
	return in.Pos()
}

// lastPos is the last position before in, in its block.
func lastPos(in ssa.Instruction) (pos token.Pos) {
	for _, before := range in.Block().Instrs {
		if before == in {
			break
		}
		if p := instrPos(before); p.IsValid() {
			pos = p
		}
	}
	return pos
}

// written is the position at which v begins, NoPos if it has none, and its text.
func (d *describer) written(v ssa.Value, text *string) token.Pos {
	if pos := d.compared(v, text); pos.IsValid() {
		return pos
	}
	*text = d.text(v)
	in, ok := v.(ssa.Instruction)
	if !ok {
		return token.NoPos
	}
	return d.start(in)
}

// ranged finds the range statement that ends at a branch without a position: the innermost one that
// contains a predecessor of the branch.
func (d *describer) ranged(br *ssa.If, text *string) (at token.Pos) {
	inside := firstPos(br.Block().Succs[0], token.NoPos)
	if d.f.SSA.Syntax() == nil || !inside.IsValid() {
		return token.NoPos
	}
	ast.Inspect(d.f.SSA.Syntax(), func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && r.Body.Pos() <= inside && inside < r.Body.End() {
			at, *text = r.For, "range "+clip(types.ExprString(r.X))
		}
		return true
	})
	return at
}

// compared finds comparisons and logical operators, which SSA has at their operator, and the cases
// of a switch.
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
