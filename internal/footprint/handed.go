package footprint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// handed is what function values of code outside have (F16), and which function values that code is given.
type handed struct {
	made     []*maker
	by       map[string][]*maker // by signature; nil: not found yet
	given    []ssa.Value         // function values that traced code gives to code outside
	sigs     map[string]bool     // the signatures of those that may touch what is not traced
	cleanups []ssa.Value         // what the end of a test calls
}

// A maker is what function values of type t have: what the function that made them was given, or the receiver of a method value.
type maker struct {
	t     types.Type
	names map[string]bool
	scope Scope
	via   []types.Type // function values among it
}

// hand notes what an instruction shows of that.
func (p *Program) hand(in ssa.Instruction) {
	h := &p.handed
	switch in := in.(type) {
	case *ssa.MakeClosure: // a method value
		if fn := in.Fn.(*ssa.Function); fn.Parent() == nil && !types.IsInterface(in.Bindings[0].Type()) {
			if r := newReacher(p.traced); !r.ours(in.Bindings[0].Type()) {
				h.note(in.Type(), &r, func() { r.holds(in.Bindings[0].Type()) })
			}
		}
	case *ssa.Store:
		if isFunc(in.Val.Type()) && p.isTheirs(in.Addr) {
			h.given = append(h.given, in.Val)
		}
	case ssa.CallInstruction:
		c := in.Common()
		name, pkg := callee(c)
		if _, builtin := c.Value.(*ssa.Builtin); builtin || p.traced(pkg) {
			return
		}
		for _, a := range c.Args {
			if isFunc(a.Type()) {
				h.given = append(h.given, a)
			}
		}
		if name == "(*testing.common).Cleanup" {
			h.cleanups = append(h.cleanups, c.Args[1:]...)
		}
		if v := in.Value(); v != nil && hasFunc(v.Type()) {
			r := newReacher(p.traced)
			r.std, r.reflects = !p.module(pkg), pkg == "" || reflects(name, pkg)
			h.note(v.Type(), &r, func() { r.arguments(c, false) })
		}
	}
}

// note notes that function values in t have what r follows.
func (h *handed) note(t types.Type, r *reacher, follow func()) {
	m := &maker{}
	r.called = func(_ ssa.Value, t types.Type, _ bool) { m.via = append(m.via, t) }
	follow()
	m.names, m.scope = r.set, r.scope
	funcsIn(t, func(f types.Type) { h.made = append(h.made, &maker{f, m.names, m.scope, m.via}) })
}

// handedTo adds what function values of type t have that code outside has made.
func (p *Program) handedTo(t types.Type, r *reacher) { p.handedBy(t, r, make(map[*maker]bool)) }

func (p *Program) handedBy(t types.Type, r *reacher, seen map[*maker]bool) {
	h := &p.handed
	if h.by == nil {
		h.by = make(map[string][]*maker)
		for _, m := range h.made {
			sigs, unknown := p.signatures(m.t)
			if unknown {
				h.by[AnyState] = append(h.by[AnyState], m)
			}
			for sig := range sigs {
				h.by[sig] = append(h.by[sig], m)
			}
		}
	}
	add := func(list []*maker) {
		for _, m := range list {
			if seen[m] {
				continue
			}
			seen[m] = true
			for n := range m.names {
				r.add(n)
			}
			r.more(m.scope)
			for _, v := range m.via {
				p.handedBy(v, r, seen)
			}
		}
	}
	sigs, unknown := p.signatures(t)
	if unknown {
		add(h.made)
	}
	for sig := range sigs {
		add(h.by[sig])
	}
	add(h.by[AnyState])
}

// isTheirs reports whether an address is of a variable of code outside, or of a field of a struct of its.
func (p *Program) isTheirs(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return !p.ours(typeName(deref(a.X.Type())))
	case *ssa.Global:
		return a.Pkg != nil && !p.traced(a.Pkg.Pkg.Path())
	}
	return false
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// hasFunc reports whether a result of type t has function values, but for such as a struct with a name keeps.
func hasFunc(t types.Type) (has bool) {
	funcsIn(t, func(types.Type) { has = true })
	return has
}

// funcsIn calls f with the types of these.
func funcsIn(t types.Type, f func(types.Type)) {
	if isFunc(t) {
		f(t)
		return
	}
	switch u := types.Unalias(t).(type) {
	case *types.Tuple:
		for i := range u.Len() {
			funcsIn(u.At(i).Type(), f)
		}
	case *types.Slice:
		funcsIn(u.Elem(), f)
	case *types.Array:
		funcsIn(u.Elem(), f)
	case *types.Pointer:
		funcsIn(u.Elem(), f)
	case *types.Map:
		funcsIn(u.Elem(), f)
	case *types.Chan:
		funcsIn(u.Elem(), f)
	case *types.TypeParam:
		f(t)
	}
}

// follow follows the arguments of a call, and what it may do by the function values among them (F16). Which of them code that is left out may call, the recorder sees (D6): it has no more hidden state.
func (p *Program) follow(c *ssa.CallCommon, e entry, pkg string, s *Set, r *reacher) {
	state := s.State
	r.called = func(v ssa.Value, t types.Type, foreign bool) { p.mayCall(v, t, foreign, s, r) }
	r.arguments(c, e.receiver)
	for i, a := range c.Args {
		if e.receiver && i > 0 && isFunc(a.Type()) {
			r.called(a, a.Type(), false)
		}
	}
	if pkg == "" && !c.IsInvoke() {
		p.handedTo(c.Value.Type(), r)
	}
	if p.missing[pkg] {
		s.State = state
	}
}

// mayCall adds to the footprint of a call what the function value v may do, or one of type t in what an argument leads to, if v is nil (F16). foreign: it is inside a type of code outside.
func (p *Program) mayCall(v ssa.Value, t types.Type, foreign bool, s *Set, r *reacher) {
	for {
		x, ok := v.(*ssa.ChangeType)
		if !ok {
			break
		}
		v = x.X
	}
	switch {
	case hasEntry(typeName(t)): // its package's own
		return
	case v == nil && foreign:
		if sigs, unknown := p.signatures(t); !unknown && !p.handsOver(sigs) {
			return
		}
	case v == nil:
		if !p.touchesType(t) {
			return
		}
	default:
		if p.isFixed(v, s, r) || !p.touches(v) {
			return
		}
	}
	s.Effect, s.State = Write, AnyState
	r.more(Foreign)
	p.handedTo(t, r)
}

// isFixed adds what a function that the SSA shows does: one of the standard library without hidden state does what table.txt says, to what it is given by who was given it,
// and to its receiver. It reports whether that is all.
func (p *Program) isFixed(v ssa.Value, s *Set, r *reacher) bool {
	var fn *ssa.Function
	switch x := v.(type) {
	case *ssa.Function:
		fn = x
	case *ssa.MakeClosure:
		fn = x.Fn.(*ssa.Function)
	}
	if fn == nil {
		return false
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || p.module(obj.Pkg().Path()) {
		return false
	}
	if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return false
	}
	if p.traced(obj.Pkg().Path()) {
		return true
	}
	e, state := lookup(obj.FullName(), obj.Pkg().Path())
	if state != "" || reflects(obj.FullName(), obj.Pkg().Path()) || obj.Pkg().Path() == "regexp" && p.matchers {
		return false
	}
	if e.effect == None {
		return true
	}
	s.Effect = max(s.Effect, e.effect)
	if x, bound := v.(*ssa.MakeClosure); bound {
		r.value(x.Bindings[0])
	}
	return true
}

// handsOver reports whether traced code gives code outside a function value of one of the signatures that may touch what is not traced.
func (p *Program) handsOver(sigs map[string]bool) bool {
	h := &p.handed
	if h.sigs == nil {
		h.sigs = map[string]bool{}
		for _, v := range h.given {
			if hasEntry(typeName(v.Type())) || !p.touches(v) {
				continue
			}
			list, unknown := p.signatures(v.Type())
			for sig := range list {
				h.sigs[sig] = true
			}
			if unknown {
				h.sigs[AnyState] = true
			}
		}
	}
	for sig := range sigs {
		if h.sigs[sig] || h.sigs[AnyState] {
			return true
		}
	}
	return false
}

// cleansUp reports whether the end of a test may call a function that is not traced.
func (p *Program) cleansUp() bool {
	for _, v := range p.handed.cleanups {
		if !hasEntry(typeName(v.Type())) && p.touches(v) {
			return true
		}
	}
	return false
}

// runsOutside reports whether a function of package testing may run one that is not traced: it is given it, or a test ends in it that has such a cleanup.
func (p *Program) runsOutside(c *ssa.CallCommon, name string) bool {
	switch name {
	case "(*testing.common).Cleanup": // not yet
		return false
	case "(*testing.T).Run", "(*testing.B).Run":
		if p.cleansUp() {
			return true
		}
	}
	for _, a := range c.Args {
		if isFunc(a.Type()) && p.touches(a) {
			return true
		}
	}
	return false
}
