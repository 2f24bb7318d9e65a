package goval

import (
	"github.com/presage-race/presage/internal/predict/expr"
)

// A LibraryCall is a call of a function of the standard library that is evaluated (TE4).
type LibraryCall struct {
	Name   string
	Fn     expr.Function
	Params []expr.Kind
}

// Eval computes the results. Of an error it is known only that it is nil.
func (s *LibraryCall) Eval(texts *expr.Texts, a []Value) []Value {
	out := make([]Value, s.Fn.Count())
	args := make([]expr.Value, len(a))
	for i := range a {
		ok := false
		if s.Params[i] == expr.String {
			text := WithContent(texts, a[i])
			args[i].Text, ok = text.Content()
		} else {
			args[i].Word, ok = a[i].Bits()
			args[i].Word &= Mask(s.Params[i].Size())
		}
		if !ok {
			return out
		}
	}
	for i, r := range s.Fn.Call(args) {
		switch {
		case i == len(s.Fn.Results):
			if r.Word == 1 {
				out[i] = Zero(16)
			}
		case s.Fn.Results[i] == expr.String:
			out[i] = Text(r.Text)
		default:
			out[i] = Known(r.Word & Mask(s.Fn.Results[i].Size()))
		}
	}
	return out
}

// Express returns the terms of the results, nil where there is none.
func (s *LibraryCall) Express(texts *expr.Texts, a []*Term) []*Term {
	out := make([]*Term, s.Fn.Count())
	args := make([]*expr.Expr, len(a))
	for i := range a {
		if s.Params[i] == expr.String {
			args[i] = StringTerm(texts, a[i])
		} else {
			args[i] = a[i].Word(0)
		}
	}
	for i := range out {
		e := expr.Apply(expr.ResultName(s.Name, i), s.Fn.Result(i), args...)
		switch {
		case e == nil:
		case i == len(s.Fn.Results):
			w := expr.Choose(e, expr.Word(0), UnknownBool())
			out[i] = &Term{Words: []*expr.Expr{w, w}, Null: e}
		case e.IsString(): // where it is, is not known
			out[i] = &Term{Words: []*expr.Expr{nil, expr.Length(e)}, Text: e}
		default:
			out[i] = Single(e)
		}
	}
	return out
}

// Returned returns the condition that a call does not panic (TE4): its result, a string, has a
// value.
func (s *LibraryCall) Returned(results []*Term) *expr.Expr {
	if results[0] == nil {
		return nil
	}
	return expr.Binary(expr.Geq, expr.Int64, 0, results[0].Word(1), expr.Constant(expr.Int64, 0))
}
