package walk

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
)

// A pinner pins operands (WA2), or makes guards in place of pins (WA6).
type pinner struct {
	deps   *deps
	guards []flow.Guard // of the next event
}

// keep pins an operand, or makes its value a guard.
func (p *pinner) keep(f *Frame, a *regcode.Arg) {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return
	}
	t := f.termOf(a)
	if t == nil || t.Load || !p.guard(t, f.Value(a)) {
		p.deps.pin(d)
	}
}

// comparable makes a guard that a comparison of two interfaces does not panic: they have different
// types, or they are nil. With such a guard the operands need not keep their values. comparable
// reports whether there is one.
func (p *pinner) comparable(f *Frame, in *regcode.Instr) bool {
	x, ok := in.SSA.(*ssa.BinOp)
	if !ok || x.Op != token.EQL && x.Op != token.NEQ || !goval.IsInterface(x.X.Type()) || !goval.IsInterface(x.Y.Type()) {
		return false
	}
	a, b := f.operand(&in.Args[0]).Word(0), f.operand(&in.Args[1]).Word(0)
	c := expr.Binary(expr.Or, expr.Bool, 0, expr.Unary(expr.Not, expr.Bool, goval.Equal(a, b)), goval.Equal(a, expr.Word(0)))
	if c == nil || !goval.RecordedIs(c, 1, goval.Mask(8)) {
		return false
	}
	if !c.IsConst() {
		p.guards = append(p.guards, flow.Guard{Term: c, Want: 1})
	}
	return true
}

// divides makes a guard that a division or a shift does not panic: the divisor is not zero, the
// count is not negative. With such a guard the operand need not keep its value. divides reports
// whether there is one.
func (p *pinner) divides(f *Frame, in *regcode.Instr) bool {
	x, ok := in.SSA.(*ssa.BinOp)
	if !ok {
		return false
	}
	k := goval.Kinds[goval.KindOf(x.Y.Type())]
	if !k.IsInteger() {
		return false
	}
	op := expr.Neq
	switch x.Op {
	case token.QUO, token.REM:
	case token.SHL, token.SHR:
		op = expr.Geq
	default:
		return false
	}
	y := f.operand(&in.Args[1]).Word(0)
	if y == nil {
		return false
	}
	c := expr.Binary(op, k, 0, y, expr.Constant(k, 0))
	if c == nil || !goval.RecordedIs(c, 1, goval.Mask(8)) {
		return false
	}
	if !c.IsConst() {
		p.guards = append(p.guards, flow.Guard{Term: c, Want: 1})
	}
	return true
}

// asserted makes a guard that a type assertion does not panic: the operand has the type that it
// had. Then its data word need not keep its value. asserted reports whether there is such a guard.
func (p *pinner) asserted(f *Frame, in *regcode.Instr) bool {
	x, ok := in.SSA.(*ssa.TypeAssert)
	if !ok || x.CommaOk {
		return false
	}
	e := f.operand(&in.Args[0]).Word(0)
	v := f.Value(&in.Args[0])
	want, ok := v.Word(0)
	if !ok || e == nil || !goval.RecordedIs(e, want, goval.Mask(8)) {
		return false
	}
	if !e.IsConst() {
		p.guards = append(p.guards, flow.Guard{Term: e, Want: want})
	}
	return true
}

// guard makes t = v a guard of the next event, a word at a time.
func (p *pinner) guard(t *goval.Term, v goval.Value) bool {
	at := len(p.guards)
	for i := range v.Len() {
		want, ok := v.Word(i)
		e := t.Word(i)
		if !ok || e == nil || !goval.RecordedIs(e, want, goval.Mask(8)) {
			p.guards = p.guards[:at]
			return false
		}
		if !e.IsConst() {
			p.guards = append(p.guards, flow.Guard{Term: e, Want: want})
		}
	}
	return true
}

// inBounds makes a guard that an index or slice expression of a string does not panic. Then the
// string and the bounds need not keep their values. It reports whether there is such a guard.
func (p *pinner) inBounds(f *Frame, in *regcode.Instr) bool {
	switch in.SSA.(type) {
	case *ssa.Index, *ssa.Slice:
		return in.Kind == types.String && p.assured(regcode.StringBounds(in, f.operands(in.Args)))
	}
	return false
}

// terms returns the terms of operands.
func (f *Frame) operands(args []regcode.Arg) []*goval.Term {
	terms := make([]*goval.Term, len(args))
	for i := range args {
		terms[i] = f.operand(&args[i])
	}
	return terms
}

// assured makes a condition a guard, if it held in the recorded run.
func (p *pinner) assured(c *expr.Expr) bool {
	if c == nil || goval.TooLarge(c) || !goval.RecordedIs(c, 1, goval.Mask(8)) {
		return false
	}
	if !c.IsConst() {
		p.guards = append(p.guards, flow.Guard{Term: c, Want: 1})
	}
	return true
}

// returns makes a guard that a call of the library does not panic. It reports whether there is such
// a guard.
func (p *pinner) returns(f *Frame, in *regcode.Instr) bool {
	if in.Std == nil || !in.Std.Fn.Panics {
		return false
	}
	return p.assured(in.Std.Returned(f.resultsOf(in)))
}
