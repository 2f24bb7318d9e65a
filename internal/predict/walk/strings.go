package walk

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
)

// Strings: bounds, min and max. What s[i] and s[i:j] need of a string is its length, not where it is: that they do not panic is a guard (T2).

// bounds is the condition that an index or slice expression of a string does not panic; nil: it is none, or nothing tells.
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

// extremeText is min or max of strings: one of them, which is not said.
func (c *code) extremeText(least bool, a []Value) Value {
	var r string
	for i := range a {
		v := read(c.texts, a[i])
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
	e := content(c.texts, a[0])
	for _, x := range a[1:] {
		e = expr.Binary(op, expr.String, 0, e, content(c.texts, x))
	}
	if e == nil {
		return nil
	}
	return &term{words: []*expr.Expr{nil, expr.Length(e)}, text: e}
}
