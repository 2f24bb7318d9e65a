package symbolic

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/summary"
)

// maxDecides bounds the parameters of a function that decide on its locks.
const maxDecides = 2

// Specialised returns the summaries of a function for each value of each parameter that decides on
// its locks (SY2), given that without such values.
func (c *Context) Specialised(fn *ssa.Function, sum *summary.Function) (out []*summary.Function) {
	for _, i := range sum.Decides {
		for _, value := range []bool{true, false} {
			s := c.analyse(fn, map[ssa.Value]bool{fn.Params[i]: value}, summary.Specialised(sum.Key, i, value))
			s.Exported = false
			out = append(out, s)
		}
	}
	return out
}

// decides lists the boolean parameters of a function that decide on its locks: one is the condition
// of a branch in a function that takes or releases locks, or is passed on for such a parameter
// (SY2). A function with literals is left alone: they stand in one function.
func (cl *caller) decides(fn *ssa.Function) (list []int) {
	if cl.std || len(fn.AnonFuncs) > 0 || fn.Parent() != nil {
		return nil
	}
	locks := cl.takesLocks(fn)
	for i, p := range fn.Params {
		if b, ok := p.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
			continue
		}
		if (locks && isCondition(p) || cl.passedOn(p)) && len(list) < maxDecides {
			list = append(list, i)
		}
	}
	return list
}

// takesLocks reports whether a function changes the locks that its goroutine holds.
func (cl *caller) takesLocks(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if c.Common().IsInvoke() {
				if cl.locker(c.Common()) != model.None {
					return true
				}
				continue
			}
			callee := c.Common().StaticCallee()
			if callee == nil {
				continue
			}
			key := Key(callee)
			switch model.Lookup(key, PackageOf(key)).Op {
			case model.Lock, model.RLock, model.Unlock, model.RUnlock:
				return true
			}
			if sum := cl.lookup(key); sum != nil && changesLocks(sum) {
				return true
			}
		}
	}
	return false
}

// changesLocks reports whether a function comes back with other locks.
func changesLocks(sum *summary.Function) bool {
	for _, e := range sum.Exits {
		if len(e.Locks.Plus)+len(e.Locks.Minus) > 0 {
			return true
		}
	}
	return false
}

// compared is the value that a comparison with a boolean constant asks for, and what it is if the
// comparison comes to yes.
func compared(b *ssa.BinOp, yes bool) (v ssa.Value, is, ok bool) {
	if b.Op != token.EQL && b.Op != token.NEQ {
		return nil, false, false
	}
	v = b.X
	k, isConst := b.Y.(*ssa.Const)
	if !isConst {
		k, isConst = b.X.(*ssa.Const)
		v = b.Y
	}
	if !isConst || k.Value == nil || k.Value.Kind() != constant.Bool {
		return nil, false, false
	}
	return v, (b.Op == token.EQL) == yes == constant.BoolVal(k.Value), true
}

// isCondition reports whether a branch depends on a parameter alone.
func isCondition(v ssa.Value) bool {
	for _, in := range *v.Referrers() {
		switch in := in.(type) {
		case *ssa.If:
			return true
		case *ssa.UnOp:
			if in.Op == token.NOT && isCondition(in) {
				return true
			}
		case *ssa.BinOp:
			if _, _, ok := compared(in, true); ok && isCondition(in) {
				return true
			}
		}
	}
	return false
}

// passedOn reports whether a parameter, or its opposite, is an argument of a call for which that
// decides.
func (cl *caller) passedOn(p ssa.Value) bool {
	for _, in := range *p.Referrers() {
		if u, ok := in.(*ssa.UnOp); ok && u.Op == token.NOT && cl.passedOn(u) {
			return true
		}
		c, ok := in.(ssa.CallInstruction)
		if !ok || c.Common().StaticCallee() == nil {
			continue
		}
		sum := cl.lookup(Key(c.Common().StaticCallee()))
		if sum == nil {
			continue
		}
		for _, i := range sum.Decides {
			if i < len(c.Common().Args) && c.Common().Args[i] == p {
				return true
			}
		}
	}
	return false
}

// truthOf is the value of a constant, or of a parameter that a branch has asked for; of a register,
// which may be set anew in a loop, it is not known.
func truthOf(s *state, v ssa.Value) (value, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Bool {
			return constant.BoolVal(v.Value), true
		}
	case *ssa.Parameter:
		value, known = s.truth[v]
	case *ssa.UnOp:
		if v.Op == token.NOT {
			value, known = truthOf(s, v.X)
			value = !value
		}
	}
	return value, known
}

// specialised returns the key of what a call enters: the function for a value that is known of one
// of the parameters that decide, or key.
func (cl *caller) specialised(s *state, key string, args []ssa.Value) string {
	sum := cl.lookup(key)
	if sum == nil {
		return key
	}
	for _, i := range sum.Decides {
		if i >= len(args) {
			continue
		}
		value, known := truthOf(s, args[i])
		if own := summary.Specialised(key, i, value); known && cl.lookup(own) != nil {
			return own
		}
	}
	return key
}
