package walk

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
)

// A libraryCall is a call of a function of the standard library that is evaluated (package expr, L1 to L6).
type libraryCall struct {
	name   string
	f      expr.Function
	params []expr.Kind
}

// eval computes the results. Of an error it is known only that it is nil.
func (s *libraryCall) eval(texts *expr.Texts, a []Value) []Value {
	out := make([]Value, s.f.Count())
	args := make([]expr.Value, len(a))
	for i := range a {
		ok := false
		if s.params[i] == expr.String {
			text := read(texts, a[i])
			args[i].Text, ok = text.Content()
		} else {
			args[i].Word, ok = a[i].Bits()
			args[i].Word &= mask(s.params[i].Size())
		}
		if !ok {
			return out
		}
	}
	for i, r := range s.f.Call(args) {
		switch {
		case i == len(s.f.Results):
			if r.Word == 1 {
				out[i] = Zero(16)
			}
		case s.f.Results[i] == expr.String:
			out[i] = Text(r.Text)
		default:
			out[i] = Known(r.Word & mask(s.f.Results[i].Size()))
		}
	}
	return out
}

// express returns the terms of the results, nil where there is none.
func (s *libraryCall) express(texts *expr.Texts, a []*term) []*term {
	out := make([]*term, s.f.Count())
	args := make([]*expr.Expr, len(a))
	for i := range a {
		if s.params[i] == expr.String {
			args[i] = content(texts, a[i])
		} else {
			args[i] = a[i].word(0)
		}
	}
	for i := range out {
		e := expr.Apply(expr.ResultName(s.name, i), s.f.Result(i), args...)
		switch {
		case e == nil:
		case i == len(s.f.Results):
			w := expr.Choose(e, expr.Word(0), unknown())
			out[i] = &term{words: []*expr.Expr{w, w}, null: e}
		case e.IsString(): // where it is, is not known
			out[i] = &term{words: []*expr.Expr{nil, expr.Length(e)}, text: e}
		default:
			out[i] = single(e)
		}
	}
	return out
}

// returned is the condition that a call does not panic (expr L4): that its result, a string, has a value.
func (s *libraryCall) returned(results []*term) *expr.Expr {
	if results[0] == nil {
		return nil
	}
	return expr.Binary(expr.Geq, expr.Int64, 0, results[0].word(1), expr.Constant(expr.Int64, 0))
}

// wordKind is the kind of a basic type, 0 of others.
func wordKind(t types.Type) expr.Kind {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return 0
	}
	k := kindOf(t)
	if k == types.String {
		return expr.String
	}
	return kinds[k]
}
