package walk

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
)

// Calls of the library: pure functions of the standard library, which are evaluated like operators (package expr, L1 to L5).

// std is a call of such a function.
type std struct {
	name   string
	f      expr.Function
	params []expr.Kind
	args   []arg
	stores []*ssa.Store // of its operands, which are for nobody else (library_fmt.go)
}

// library is the function of the library that a call calls, nil if it calls none.
func (k *compiler) library(call *ssa.Call) *std {
	s, c := function(call), &call.Call
	switch {
	case s == nil:
		return nil
	case s.f.Variadic:
		args, kinds, stores, ok := printed(call)
		if !ok {
			return nil
		}
		s.params, s.args, s.stores = []expr.Kind{expr.String}, []arg{{reg: -1, val: Text(kinds)}}, stores
		k.arguments(s, args)
		return s
	}
	k.arguments(s, c.Args)
	return s
}

func (k *compiler) arguments(s *std, list []ssa.Value) {
	for _, a := range list {
		s.params, s.args = append(s.params, wordKind(a.Type())), append(s.args, k.arg(a))
	}
}

// function is the function of the library that a call calls.
func function(call *ssa.Call) *std {
	c := &call.Call
	callee := c.StaticCallee()
	if callee == nil {
		return nil
	}
	object := callee.Object()
	if o := callee.Origin(); o != nil {
		object = o.Object()
	}
	obj, ok := object.(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	name := obj.FullName()
	if args := callee.TypeArgs(); len(args) > 0 {
		kinds := make([]string, len(args))
		for i, t := range args {
			if kinds[i] = "?"; wordKind(t) != 0 {
				kinds[i] = wordKind(t).String()
			}
		}
		name += "[" + strings.Join(kinds, ",") + "]"
	}
	f, ok := expr.Library[name]
	if !ok || f.Count() != callee.Signature.Results().Len() || f.Variadic != callee.Signature.Variadic() {
		return nil
	}
	if n := len(c.Args); n != len(f.Params) && !(f.Variadic && n == len(f.Params)+1) {
		return nil
	}
	for i, k := range f.Params {
		if wordKind(c.Args[i].Type()) != k { // another version of Go
			return nil
		}
	}
	for i, k := range f.Results {
		if wordKind(callee.Signature.Results().At(i).Type()) != k {
			return nil
		}
	}
	return &std{name: name, f: f}
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

// eval computes the results. Of an error it is known only that it is nil.
func (s *std) eval(c *code, a []Value) []Value {
	out := make([]Value, s.f.Count())
	args := make([]expr.Value, len(a))
	for i := range a {
		ok := false
		if s.params[i] == expr.String {
			text := c.read(a[i])
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
func (s *std) express(c *code, a []*term) []*term {
	out := make([]*term, s.f.Count())
	args := make([]*expr.Expr, len(a))
	for i := range a {
		if s.params[i] == expr.String {
			args[i] = c.text(a[i])
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
func (s *std) returned(results []*term) *expr.Expr {
	if results[0] == nil {
		return nil
	}
	return expr.Binary(expr.Geq, expr.Int64, 0, results[0].word(1), expr.Constant(expr.Int64, 0))
}

// arguments are the values of the arguments of a call.
func (f *frame) arguments(in *instr) []Value {
	out := make([]Value, len(in.std.args))
	for i := range out {
		out[i] = f.value(&in.std.args[i])
	}
	return out
}

// resultsOf are the terms of the results of a call of the library.
func (g *goroutine) resultsOf(f *frame, in *instr) []*term {
	return in.std.express(f.code, g.terms(f, in.std.args))
}

// setResults gives the results of a call of the library their terms.
func (g *goroutine) setResults(f *frame, in *instr) {
	for i, t := range g.resultsOf(f, in) {
		size := int64(16)
		if k := in.std.f.Result(i); i < len(in.std.f.Results) && k != expr.String {
			size = k.Size()
		}
		r := in.reg + int32(i)
		f.terms[r] = g.checked(t, f.regs[r], size)
	}
}

// returns reports whether a call of the library does not panic because of a guard (T2).
func (g *goroutine) returns(f *frame, in *instr) bool {
	if in.std == nil || !in.std.f.Panics {
		return false
	}
	return g.assured(in.std.returned(g.resultsOf(f, in)))
}

// std executes a call of the library in an alternative. That it does not panic is a guard of what comes next.
func (p *path) std(in *instr) bool {
	terms := make([]*term, len(in.std.args))
	for i := range terms {
		s := p.val(&in.std.args[i])
		terms[i] = s.term()
	}
	results := in.std.express(p.frame.code, terms)
	if in.std.f.Panics {
		c := in.std.returned(results)
		if c == nil {
			return p.stop("unknown-argument")
		}
		if !p.assured(c) {
			return p.stop("panic")
		}
	}
	for i, t := range results {
		p.frame.regs[in.reg+int32(i)] = sval{}
		if t != nil {
			p.frame.regs[in.reg+int32(i)] = bounded(t.valued())
		}
	}
	p.frame.ip++
	return true
}

// valued is t without what has no value whatever is read.
func (t *term) valued() *term {
	nothing := func(e *expr.Expr) bool {
		if e == nil || len(e.Reads()) > 0 {
			return false
		}
		_, word := e.Recorded()
		_, text := e.RecordedText()
		return !word && !text
	}
	for i, e := range t.words {
		if nothing(e) {
			t = t.without(i)
		}
	}
	if nothing(t.text) {
		t = &term{words: t.words}
	}
	return t
}
