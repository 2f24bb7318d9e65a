package regcode

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// maxPointers bounds the values that stays looks at.
const maxPointers = 256

// stays reports whether only walked functions ever have a pointer to the variable a. Its address is
// loaded from, stored to, and passed down to instrumented functions that do no more. Such
// a function is called, or deferred, by its name, or is a closure that nothing else uses. So no
// pointer to the variable is in memory, and none outlives the invocation that allocates it.
func (p *Program) stays(a *ssa.Alloc) bool {
	s := &pointers{plan: p.Plan, seen: map[ssa.Value]bool{}}
	return s.follow(a)
}

// pointers are the values that point to, or into, one variable.
type pointers struct {
	plan *plan.Plan
	seen map[ssa.Value]bool
}

// follow reports whether all uses of the pointer v are ones that stays allows.
func (s *pointers) follow(v ssa.Value) bool {
	if s.seen[v] {
		return true
	}
	s.seen[v] = true
	if len(s.seen) > maxPointers || v.Referrers() == nil {
		return false
	}
	return !slices.ContainsFunc(*v.Referrers(), func(in ssa.Instruction) bool { return !s.allowed(v, in) })
}

// allowed reports whether in uses the pointer v as stays allows.
func (s *pointers) allowed(v ssa.Value, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.DebugRef, *ssa.UnOp: // a load
		return true
	case *ssa.Store:
		return in.Val != v
	case *ssa.FieldAddr:
		return s.follow(in)
	case *ssa.IndexAddr:
		return in.X == v && in.Index != v && s.follow(in)
	case *ssa.MakeClosure:
		return s.captured(v, in)
	case *ssa.Call:
		return s.passed(v, &in.Call)
	case *ssa.Defer:
		return s.passed(v, &in.Call)
	}
	return false
}

// passed reports whether a call passes the pointer v to a function that keeps to the rules, or is
// an operation of package sync on a part of the variable.
func (s *pointers) passed(v ssa.Value, c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil || c.Value == v || BoundMethod(fn) != nil {
		return false
	}
	if plan.Typed(fn) {
		return fn.Signature.Recv() != nil && !slices.Contains(c.Args[1:], v)
	}
	pf := s.plan.Func(fn)
	if pf == nil || len(pf.SSA.Params) != len(c.Args) {
		return false
	}
	for i, a := range c.Args {
		if a == v && !s.follow(pf.SSA.Params[i]) {
			return false
		}
	}
	return true
}

// captured reports whether a closure that captures the pointer v is only called or deferred, where
// it is made, and keeps to the rules.
func (s *pointers) captured(v ssa.Value, m *ssa.MakeClosure) bool {
	pf := s.plan.Func(m.Fn.(*ssa.Function))
	if pf == nil || len(pf.SSA.FreeVars) != len(m.Bindings) {
		return false
	}
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			if r.Call.Value != m || slices.Contains(r.Call.Args, ssa.Value(m)) {
				return false
			}
		case *ssa.Defer:
			if r.Call.Value != m || slices.Contains(r.Call.Args, ssa.Value(m)) {
				return false
			}
		default:
			return false
		}
	}
	for i, b := range m.Bindings {
		if b == v && !s.follow(pf.SSA.FreeVars[i]) {
			return false
		}
	}
	return true
}
