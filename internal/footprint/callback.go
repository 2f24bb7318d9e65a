package footprint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// mayRunMissing reports whether a function of the standard library may run code that is left out (F11): it is given a function value that may be one of such code,
// or what it calls methods of. r has followed its arguments.
func (p *Program) mayRunMissing(c *ssa.CallCommon, r *reacher) bool {
	return len(p.missing) > 0 && (r.scope >= Foreign || p.runsMissing(c))
}

// runsMissing reports whether an argument says so by itself.
func (p *Program) runsMissing(c *ssa.CallCommon) bool {
	if len(p.missing) == 0 {
		return false
	}
	sig := c.Signature()
	first := len(c.Args) - sig.Params().Len()
	for i, a := range c.Args {
		var param types.Type
		if i >= first {
			param = sig.Params().At(i - first).Type()
		}
		if p.runsGiven(a, param) {
			return true
		}
	}
	return false
}

// runsGiven reports whether to give v as a parameter of type param, or in a variadic one, may have code run that is left out.
func (p *Program) runsGiven(v ssa.Value, param types.Type) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return false
	case *ssa.MakeInterface:
		return p.isMissing(x.X.Type())
	case *ssa.Slice:
		if elems, ok := literalElements(x); ok {
			for _, e := range elems {
				if p.runsGiven(e, nil) {
					return true
				}
			}
			return false
		}
	}
	if _, fn := v.Type().Underlying().(*types.Signature); fn {
		return p.touches(v)
	}
	_, generic := types.Unalias(param).(*types.TypeParam)
	return generic && p.isMissing(v.Type())
}

// isMissing reports whether t is a type of a package that is left out, or a pointer to one: its methods are its package's.
func (p *Program) isMissing(t types.Type) bool {
	n, ok := types.Unalias(deref(types.Unalias(t))).(*types.Named)
	return ok && n.Obj().Pkg() != nil && p.missing[n.Obj().Pkg().Path()]
}
