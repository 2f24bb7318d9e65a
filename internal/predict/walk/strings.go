package walk

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
)

// Strings: bounds, min and max. What s[i] and s[i:j] need of a string is its length, not where it
// is: that they do not panic is a guard (T2).

// bounds is the condition that an index or slice expression of a string does not panic; nil: it is
// none, or nothing tells.
func bounds(in *instr, a []*term) *expr.Expr {
	if in.kind != types.String || len(a) == 0 || a[0] == nil {
		return nil
	}
	n := a[0].word(1)
	switch x := in.in.(type) {
	case *ssa.Index:
		return expr.Binary(expr.Lss, expr.Uint64, 0, widened(in.kind2, a[1].word(0)), n)
	case *ssa.Slice:
		lo, hi := expr.Word(0), n
		if x.Low != nil {
			lo = widened(kindOf(x.Low.Type()), a[1].word(0))
		}
		if x.High != nil {
			hi = widened(kindOf(x.High.Type()), a[2].word(0))
		}
		return both(expr.Binary(expr.Leq, expr.Uint64, 0, lo, hi), expr.Binary(expr.Leq, expr.Uint64, 0, hi, n))
	}
	return nil
}

// inBounds reports whether a string is indexed or sliced without a panic because of a guard. What
// the string is, and the bounds, does not matter then (T2).
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
		g.guards = append(g.guards, flow.Guard{Term: c, Want: 1})
	}
	return true
}

// inBounds executes an index or slice expression of a string that rests on reads. ok is false if in
// is none.
func (p *path) inBounds(in *instr) (going, ok bool) {
	switch in.in.(type) {
	case *ssa.Index, *ssa.Slice:
	default:
		return false, false
	}
	if in.kind != types.String {
		return false, false
	}
	terms := make([]*term, len(in.args))
	symbolic := false
	for i := range in.args {
		s := p.val(&in.args[i])
		terms[i] = s.term()
		symbolic = symbolic || s.symbolic()
	}
	c := bounds(in, terms)
	if !symbolic || c == nil || tooLarge(c) {
		return false, false
	}
	if !p.assured(c) {
		return p.stop("panic"), true
	}
	if t := p.frame.code.express(in, terms); t != nil {
		return p.next(in, bounded(t.valued())), true
	}
	return p.next(in, sval{}), true
}

// assured makes a condition a guard of what comes next. False: it never holds.
func (p *path) assured(c *expr.Expr) bool {
	if len(c.Reads()) > 0 {
		p.guards = append(p.guards, flow.Guard{Term: c, Want: 1})
		return true
	}
	return amounts(c, 1, mask(8))
}

// extremeText is min or max of strings: one of them, which is not said.
func (c *code) extremeText(least bool, a []Value) Value {
	var r string
	for i := range a {
		v := c.read(a[i])
		s, ok := v.Content()
		switch {
		case !ok:
			return Value{}
		case i == 0:
			r = s
		case least:
			r = min(r, s)
		default:
			r = max(r, s)
		}
	}
	return Text(r)
}

// expressExtreme is the term of it.
func (c *code) expressExtreme(op expr.Op, a []*term) *term {
	e := c.text(a[0])
	for _, x := range a[1:] {
		e = expr.Binary(op, expr.String, 0, e, c.text(x))
	}
	if e == nil {
		return nil
	}
	return &term{words: []*expr.Expr{nil, expr.Length(e)}, text: e}
}
