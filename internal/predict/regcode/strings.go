package regcode

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
)

// StringBounds returns the condition that an index or slice expression of a string does not panic.
// It depends on the length of the string, not on its address. A guard requires it (WA6).
// It is nil if the instruction is something else, or if the operands are not known.
func StringBounds(in *Instr, a []*goval.Term) *expr.Expr {
	if in.Kind != types.String || len(a) == 0 || a[0] == nil {
		return nil
	}
	n := a[0].Word(1)
	switch x := in.SSA.(type) {
	case *ssa.Index:
		return expr.Binary(expr.Lss, expr.Uint64, 0, goval.ToInt(in.Kind2, a[1].Word(0)), n)
	case *ssa.Slice:
		lo, hi := expr.Word(0), n
		if x.Low != nil {
			lo = goval.ToInt(goval.KindOf(x.Low.Type()), a[1].Word(0))
		}
		if x.High != nil {
			hi = goval.ToInt(goval.KindOf(x.High.Type()), a[2].Word(0))
		}
		return goval.And(expr.Binary(expr.Leq, expr.Uint64, 0, lo, hi), expr.Binary(expr.Leq, expr.Uint64, 0, hi, n))
	}
	return nil
}

// extremeText is min or max of strings. The result has a content, and no address.
func (c *Code) extremeText(least bool, a []goval.Value) goval.Value {
	var r string
	for i := range a {
		v := goval.WithContent(c.Texts, a[i])
		s, ok := v.Content()
		switch {
		case !ok:
			return goval.Value{}
		case i == 0:
			r = s
		case least:
			r = min(r, s)
		default:
			r = max(r, s)
		}
	}
	return goval.Text(r)
}

// expressExtreme is the term of extremeText.
func (c *Code) expressExtreme(op expr.Op, a []*goval.Term) *goval.Term {
	e := goval.StringTerm(c.Texts, a[0])
	for _, x := range a[1:] {
		e = expr.Binary(op, expr.String, 0, e, goval.StringTerm(c.Texts, x))
	}
	if e == nil {
		return nil
	}
	return &goval.Term{Words: []*expr.Expr{nil, expr.Length(e)}, Text: e}
}
