package footprint

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// OfCall returns the footprint of a call whose callee is not instrumented (F1, F6, F7).
func OfCall(c *ssa.CallCommon, traced Traced) Set {
	name, pkg := callee(c)
	effect, state, receiverOnly := lookup(name, pkg)
	s := Set{Effect: effect, State: state}
	if effect == None {
		return s
	}
	r := newReacher(traced)
	if c.IsInvoke() {
		r.value(c.Value)
	}
	args := c.Args
	if receiverOnly && len(args) > 1 {
		args = args[:1]
	}
	for _, a := range args {
		r.value(a)
	}
	s.All, s.Types = r.all, r.names()
	if !s.All && len(s.Types) == 0 && s.State == "" {
		s.Effect = None
	}
	return s
}

// OfAccess returns the footprint of a traced load or store of *addr (F2).
func OfAccess(addr ssa.Value, write bool) Set {
	s := Set{Effect: Read}
	if write {
		s.Effect = Write
	}
	names := map[string]bool{}
	elem := deref(addr.Type())
	inside(elem, names)
	for n := range maps.Clone(names) { // somebody may have a pointer to the part alone
		if n, ok := strings.CutPrefix(n, "in "); ok {
			names[n] = true
		}
	}
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		names[typeName(deref(a.X.Type()))] = true
	case *ssa.IndexAddr:
		if p, ok := a.X.Type().Underlying().(*types.Pointer); ok {
			names[typeName(p.Elem())] = true
		} else {
			names[partName(elem)] = true // the slice may be one of an array inside anything
		}
	case *ssa.Global, *ssa.Alloc, *ssa.FreeVar: // a variable of its own
	default:
		names[partName(elem)] = true
	}
	for n := range names {
		s.Types = append(s.Types, n)
	}
	slices.Sort(s.Types)
	return s
}

// OfMap returns the footprint of a traced operation on a map.
func OfMap(m types.Type, write bool) Set {
	s := Set{Effect: Read, Types: []string{typeName(m.Underlying())}}
	if write {
		s.Effect = Write
	}
	return s
}

// callee names the function called, as in a table entry, and its package; both are
// empty if it is not known.
func callee(c *ssa.CallCommon) (name, pkg string) {
	if c.IsInvoke() {
		return "", ""
	}
	fn := c.StaticCallee()
	if fn == nil {
		return "", ""
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return "", ""
	}
	return obj.FullName(), obj.Pkg().Path()
}

// Traced says whether the package of a path is instrumented.
type Traced func(path string) bool

// reacher collects the types of the memory that values lead to.
type reacher struct {
	traced  Traced
	foreign bool // inside a type of a package that is not instrumented (F8)
	seen    map[place]bool
	all     bool
	set     map[string]bool
}

// place is a type where it was met: its interfaces mean something else inside foreign types.
type place struct {
	t       types.Type
	foreign bool
}

func newReacher(traced Traced) reacher {
	return reacher{traced: traced, seen: map[place]bool{}}
}

// enter notes that what follows is inside t; the result undoes it.
func (r *reacher) enter(t types.Type) (leave func()) {
	was := r.foreign
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil {
		r.foreign = !r.traced(n.Obj().Pkg().Path())
	}
	return func() { r.foreign = was }
}

func (r *reacher) names() []string {
	var out []string
	for n := range r.set {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// value follows what a call's argument holds. Where the SSA shows the dynamic type
// of an interface, that type stands for it (F3); also through the slice of a variadic call.
func (r *reacher) value(v ssa.Value) {
	switch x := v.(type) {
	case *ssa.Const:
		return
	case *ssa.MakeInterface:
		r.value(x.X)
		return
	case *ssa.ChangeInterface:
		r.value(x.X)
		return
	case *ssa.Slice:
		if elems, ok := literalElements(x); ok {
			for _, e := range elems {
				r.value(e)
			}
			return
		}
	}
	r.holds(v.Type())
}

// literalElements returns the values stored into the fresh array behind a slice, as
// the SSA builds it for the arguments of a variadic call, if nothing else uses the array.
func literalElements(s *ssa.Slice) (elems []ssa.Value, ok bool) {
	array, ok := s.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return nil, false
	}
	for _, ref := range *array.Referrers() {
		ia, isIndex := ref.(*ssa.IndexAddr)
		if !isIndex {
			continue // the slice itself
		}
		for _, use := range *ia.Referrers() {
			store, isStore := use.(*ssa.Store)
			if !isStore {
				return nil, false
			}
			elems = append(elems, store.Val)
		}
	}
	return elems, true
}

// holds adds what a value of type t leads to.
func (r *reacher) holds(t types.Type) {
	t = types.Unalias(t)
	outside := r.foreign
	defer r.enter(t)()
	if p := (place{t, r.foreign}); r.seen[p] || r.all {
		return
	} else {
		r.seen[p] = true
	}
	if immutable[typeName(t)] {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer && !outside {
			r.all = true
		}
	case *types.Signature: // (F4)
	case *types.Pointer:
		r.memory(u.Elem())
	case *types.Slice:
		r.memory(u.Elem())
	case *types.Map:
		r.add(typeName(u))
		r.memory(u.Key())
		r.memory(u.Elem())
	case *types.Chan:
		r.holds(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			r.holds(u.Field(i).Type())
		}
	case *types.Array:
		r.holds(u.Elem())
	case *types.Interface: // (F3), (F8)
		if !outside {
			r.all = true
		}
	case *types.TypeParam:
		r.all = true
	case *types.Tuple:
		for i := range u.Len() {
			r.holds(u.At(i).Type())
		}
	default:
		r.all = true
	}
}

// memory adds a variable of type t, the variables inside it, and what it holds.
func (r *reacher) memory(t types.Type) {
	t = types.Unalias(t)
	if immutable[typeName(t)] {
		return
	}
	names := map[string]bool{}
	inside(t, names)
	for n := range names {
		r.add(n)
	}
	r.holds(t)
}

func (r *reacher) add(name string) {
	if r.set == nil {
		r.set = map[string]bool{}
	}
	r.set[name] = true
}

// inside adds the names of a variable of type t and of the variables inside it. A part that is no
// struct or array itself has a name of its own (partName): who accesses it as a field
// or element names the type around it, and who has a pointer to it names the part.
func inside(t types.Type, names map[string]bool) {
	t = types.Unalias(t)
	n := typeName(t)
	if names[n] {
		return
	}
	names[n] = true
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			part(u.Field(i).Type(), names)
		}
	case *types.Array:
		part(u.Elem(), names)
	}
}

func part(t types.Type, names map[string]bool) {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		inside(t, names)
	default:
		names[partName(t)] = true
	}
}

// partName names a variable of type t that is part of another.
func partName(t types.Type) string { return "in " + typeName(t) }

// typeName names a type for comparison. Named basic types are named as their
// underlying type: a *T converts to a pointer to the underlying type.
func typeName(t types.Type) string {
	t = types.Unalias(t)
	if b, ok := t.Underlying().(*types.Basic); ok {
		return types.Typ[b.Kind()].Name()
	}
	return types.TypeString(t, nil)
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
