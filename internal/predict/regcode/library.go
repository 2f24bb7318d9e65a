package regcode

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
)

// A Std is a call of a pure function of the standard library, which is evaluated like an operator
// (TE4).
type Std struct {
	goval.LibraryCall
	Args   []Arg
	stores []*ssa.Store // of its operands, to an array of the call's own (library_fmt.go)
}

// library returns the call of a function of the library, nil if call is no such call.
func (k *compiler) library(call *ssa.Call) *Std {
	f, c := function(call), &call.Call
	if f == nil {
		return nil
	}
	s := &Std{LibraryCall: *f}
	if s.Fn.Variadic {
		args, kinds, stores, ok := printed(call)
		if !ok {
			return nil
		}
		s.Params, s.Args, s.stores = []expr.Kind{expr.String}, []Arg{{Reg: -1, Val: goval.Text(kinds)}}, stores
		k.arguments(s, args)
		return s
	}
	k.arguments(s, c.Args)
	return s
}

func (k *compiler) arguments(s *Std, list []ssa.Value) {
	for _, a := range list {
		s.Params, s.Args = append(s.Params, goval.WordKind(a.Type())), append(s.Args, k.arg(a))
	}
}

// function returns the function of the library that a call calls, nil if it calls none.
func function(call *ssa.Call) *goval.LibraryCall {
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
			if kinds[i] = "?"; goval.WordKind(t) != 0 {
				kinds[i] = goval.WordKind(t).String()
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
		if goval.WordKind(c.Args[i].Type()) != k { // another version of Go
			return nil
		}
	}
	for i, k := range f.Results {
		if goval.WordKind(callee.Signature.Results().At(i).Type()) != k {
			return nil
		}
	}
	return &goval.LibraryCall{Name: name, Fn: f}
}
