package walk

import (
	"go/token"
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/window"
	"golang.org/x/tools/go/ssa"
)

// Guards in place of pinned operands (T2).

// keep is rule (F2) for an operand: it must keep its value. (T2)
func (g *goroutine) keep(f *frame, a *arg) {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return
	}
	t := f.termOf(a)
	if t == nil || t.load || !g.guard(t, f.value(a)) {
		g.d.pin(d)
	}
}

// comparable reports whether a comparison of two interfaces does not panic because of a guard: they have different types, or
// none. What it compares may then be another (T2).
func (g *goroutine) comparable(f *frame, in *instr) bool {
	x, ok := in.in.(*ssa.BinOp)
	if !ok || x.Op != token.EQL && x.Op != token.NEQ || !isInterface(x.X.Type()) || !isInterface(x.Y.Type()) {
		return false
	}
	a, b := g.operand(f, &in.args[0]).word(0), g.operand(f, &in.args[1]).word(0)
	c := expr.Binary(expr.Or, expr.Bool, 0, expr.Unary(expr.Not, expr.Bool, equals(a, b)), equals(a, expr.Word(0)))
	if c == nil || !amounts(c, 1, mask(8)) {
		return false
	}
	if !c.IsConst() {
		g.guards = append(g.guards, window.FlowGuard{Term: c, Want: 1})
	}
	return true
}

// divides reports whether a division or a shift does not panic because of a guard: the divisor is not zero, the count not
// negative. Which it is does not matter then (T2).
func (g *goroutine) divides(f *frame, in *instr) bool {
	x, ok := in.in.(*ssa.BinOp)
	if !ok {
		return false
	}
	k := kinds[kindOf(x.Y.Type())]
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
	y := g.operand(f, &in.args[1]).word(0)
	if y == nil {
		return false
	}
	c := expr.Binary(op, k, 0, y, expr.Constant(k, 0))
	if c == nil || !amounts(c, 1, mask(8)) {
		return false
	}
	if !c.IsConst() {
		g.guards = append(g.guards, window.FlowGuard{Term: c, Want: 1})
	}
	return true
}

// guard makes "t is v" a condition of the next event, a word at a time.
func (g *goroutine) guard(t *term, v Value) bool {
	at := len(g.guards)
	for i := range v.words() {
		want, ok := v.Word(i)
		e := t.word(i)
		if !ok || e == nil || !amounts(e, want, mask(8)) {
			g.guards = g.guards[:at]
			return false
		}
		if !e.IsConst() {
			g.guards = append(g.guards, window.FlowGuard{Term: e, Want: want})
		}
	}
	return true
}

// inBounds reports whether a string is indexed or sliced without a panic because of a guard. What the string is, and the bounds, does
// not matter then (T2).
func (g *goroutine) inBounds(f *frame, in *instr) bool {
	switch in.in.(type) {
	case *ssa.Index, *ssa.Slice:
		return in.kind == types.String && g.assured(bounds(in, g.terms(f, in.args)))
	}
	return false
}

// terms are the terms of operands.
func (g *goroutine) terms(f *frame, args []arg) []*term {
	terms := make([]*term, len(args))
	for i := range args {
		terms[i] = g.operand(f, &args[i])
	}
	return terms
}

// assured makes a condition a guard, if it held in the recorded run.
func (g *goroutine) assured(c *expr.Expr) bool {
	if c == nil || tooLarge(c) || !amounts(c, 1, mask(8)) {
		return false
	}
	if !c.IsConst() {
		g.guards = append(g.guards, window.FlowGuard{Term: c, Want: 1})
	}
	return true
}

// returns reports whether a call of the library does not panic because of a guard (T2).
func (g *goroutine) returns(f *frame, in *instr) bool {
	if in.std == nil || !in.std.f.Panics {
		return false
	}
	return g.assured(in.std.returned(g.resultsOf(f, in)))
}
