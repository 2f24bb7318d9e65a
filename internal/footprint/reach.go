package footprint

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// ofCall returns the footprint of a call whose callee is not instrumented (F1, F6, F7, F9, F10).
func (p *Program) ofCall(c *ssa.CallCommon) Set {
	s := p.ofCallee(c)
	s.Loads = both(p.ofWrappers(c), p.ofChanged(c))
	s.Inward = p.inward(c, &s)
	s.Sees = p.sees(c)
	return s
}

func (p *Program) ofCallee(c *ssa.CallCommon) Set {
	name, pkg := callee(c)
	if fn := c.StaticCallee(); pkg != "" && p.traced(pkg) {
		if madeBySSA(fn) {
			return Set{Dynamic: true}
		}
		return Anything // it stays as written
	}
	if pkg == "" && (c.IsInvoke() && p.onlyOurs(c.Value.Type()) || !c.IsInvoke() && !p.touches(c.Value)) {
		return Set{Dynamic: true}
	}
	e, state := lookup(name, pkg)
	switch {
	case p.missing[pkg]: // they call each other
		state = common
	case pkg == "regexp" && p.matchers: // what a Regexp says changes
		e, state = entry{effect: Write, state: true}, pkg
	case p.flags && (name == "testing.Short" || name == "testing.Verbose"):
		e, state = entry{effect: Write, state: true}, "flag"
	}
	s := Set{Effect: e.effect, State: state, Dynamic: pkg == "" || c.StaticCallee() == nil}
	switch {
	case pkg == "log" && e.effect == None && p.logs:
		return Set{Effect: Write, Scope: Shared} // what is printed, and what the output leads to
	case e.effect == None && pkg == "testing" && (p.runsMissing(c) || p.runsOutside(c, name)): // in another goroutine, while the call waits
		if s.Effect, s.Scope = Write, Foreign; p.exposed {
			s.Scope = Everything
		}
		return s
	case e.effect == None && p.asks(c, pkg):
		if s.Effect, s.Scope = Write, Foreign; p.exposed {
			s.Scope = Everything
		}
		return s
	case e.effect == None:
		return s
	case e.pointed && p.asks(c, pkg):
		if s.Effect, s.Scope = Write, Shared; p.exposed {
			s.Scope = Everything
		}
		return s
	case e.pointed:
		names := map[string]bool{}
		for _, a := range c.Args {
			if m, ok := a.(*ssa.MakeInterface); ok {
				pointee(m.X.Type(), names)
			} else if types.IsInterface(a.Type()) && !immutable[typeName(a.Type())] {
				s.Scope = Shared
			}
		}
		if s.Scope == Named {
			p.name(&s, names)
		}
		return s
	}
	r := newReacher(p.traced)
	r.std, r.reflects = !p.module(pkg), pkg == "" || reflects(name, pkg)
	switch {
	case pkg == "" || !r.std || state != "": // what it keeps may lead anywhere
		r.scope = Foreign
	}
	p.follow(c, e, pkg, &s, &r)
	if r.std && pkg != "" && (p.mayRunMissing(c, &r) || p.asks(c, pkg)) {
		s.Effect = Write
		if r.more(Foreign); p.exposed {
			r.more(Everything)
		}
	}
	if pkg == "" && p.modules || p.module(pkg) {
		names, all := p.keptNames()
		for n := range names {
			r.add(n)
		}
		if all {
			r.more(Shared)
		}
	}
	s.Scope = r.scope
	p.name(&s, r.set)
	if p.exposed && p.module(pkg) {
		s.Scope = Everything
	}
	if s.Scope >= Shared {
		s.Types = nil // it has them
	}
	if s.Scope == Named && len(s.Types) == 0 && s.State == "" {
		s.Effect = None
	}
	return s
}

// arguments follows the arguments of a call, or its receiver alone.
func (r *reacher) arguments(c *ssa.CallCommon, receiver bool) {
	args, sig := c.Args, c.Signature()
	first := len(args) - sig.Params().Len()
	for i, a := range args {
		if receiver && i > 0 {
			break
		}
		if i >= first && !c.IsInvoke() {
			r.argument(a, sig.Params().At(i-first).Type())
		} else { // what a type of the standard library keeps it does not look into by reflection
			was := r.reflects
			r.reflects = was && !r.std
			r.value(a)
			r.reflects = was
		}
	}
}

// argument follows an argument. A function of the standard library that wants an interface with methods
// calls these, and does not look into the value by reflection (F3).
func (r *reacher) argument(v ssa.Value, param types.Type) {
	t, ok := param.Underlying().(*types.Interface)
	_, generic := types.Unalias(param).(*types.TypeParam)
	switch {
	case !r.std || immutable[typeName(param)]:
		r.value(v)
		return
	case !ok || generic || t.NumMethods() == 0:
		r.deep = r.reflects
		r.value(v)
		r.deep = false
		return
	}
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
			continue
		case *ssa.MakeInterface:
			if !r.ours(x.X.Type()) {
				r.holds(x.X.Type())
				return
			}
			if !promotes(x.X.Type()) {
				return
			}
		case *ssa.Const:
			return
		}
		r.more(Foreign)
		return
	}
}

// ours reports whether t is a traced type, or a pointer to one.
func (r *reacher) ours(t types.Type) bool {
	n, ok := types.Unalias(deref(types.Unalias(t))).(*types.Named)
	return ok && n.Obj().Pkg() != nil && r.traced(n.Obj().Pkg().Path())
}

// promotes reports whether some methods of t may be those of a part of it, which are called without
// any traced code.
func promotes(t types.Type) bool {
	s, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		_, iface := deref(t).Underlying().(*types.Interface)
		return iface
	}
	for i := range s.NumFields() {
		if s.Field(i).Embedded() {
			return true
		}
	}
	return false
}

// ofAccess returns the footprint of a traced load or store of *addr (F2).
func (p *Program) ofAccess(addr ssa.Value, write bool) Set {
	effect := Read
	if write {
		effect = Write
	}
	if p.hidden(addr) {
		return Set{Effect: effect, Hidden: true}
	}
	names := map[string]bool{}
	elem := deref(addr.Type())
	pointee(addr.Type(), names)
	names, unknown := p.expand(names)
	alone(names)
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		whole := typeName(deref(a.X.Type()))
		if p.ours(whole) && !p.open[fieldKey(a)] && !p.exposed { // nobody has a pointer to the field alone
			clear(names)
			unknown = false
		}
		names[whole] = true
	case *ssa.IndexAddr:
		if p, ok := a.X.Type().Underlying().(*types.Pointer); ok {
			names[typeName(p.Elem())] = true
		} else {
			names[partName(elem)] = true // the slice may be one of an array inside anything
		}
	case *ssa.Global: // a variable of its own
		if p.standard(a) { // (F14)
			names[variable(a)] = true
		}
	case *ssa.Alloc, *ssa.FreeVar: // a variable of its own
	default:
		names[partName(elem)] = true
	}
	s := p.access(names, effect)
	if unknown {
		s.Scope, s.Hidden = Shared, false
	}
	return s
}

// access is the footprint of an access with these names.
func (p *Program) access(names map[string]bool, effect Effect) Set {
	names, unknown := p.expand(names)
	s := Set{Effect: effect, Types: p.sharedNames(names)}
	if unknown {
		s.Scope = Shared
	}
	s.Hidden = len(s.Types) == 0 && !unknown
	return s
}

// ofContents returns the footprint of a traced operation on a map, or on the elements of a slice.
func (p *Program) ofContents(t types.Type, write bool) Set {
	effect := Read
	if write {
		effect = Write
	}
	names := map[string]bool{}
	contents(t, names)
	return p.access(names, effect)
}

// callee names the function called, as in a table entry, and its package; both are
// empty if it is not known. A method of an interface is known if it is in the table.
func callee(c *ssa.CallCommon) (name, pkg string) {
	if c.IsInvoke() {
		if name := c.Method.FullName(); hasEntry(name) {
			return name, "context" // or the universe
		}
		return "", ""
	}
	if n, ok := types.Unalias(c.Value.Type()).(*types.Named); ok && hasEntry(typeName(n)) {
		return typeName(n), n.Obj().Pkg().Path()
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
	if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && !hasEntry(obj.FullName()) { // a method value or expression
		return "", ""
	}
	return obj.FullName(), obj.Pkg().Path()
}

// Traced says whether the package of a path is instrumented.
type Traced func(path string) bool

// reacher collects the types of the memory that values lead to.
type reacher struct {
	traced   Traced
	foreign  bool                   // inside a type of a package that is not instrumented (F8)
	reflects bool                   // the callee looks into what its own types keep (F8)
	deep     bool                   // and this is a value that it looks into by reflection
	std      bool                   // the callee is a function of the standard library
	met      func(*types.Interface) // what to do with interfaces, if not that
	seen     map[place]bool
	scope    Scope
	set      map[string]bool
	each     func(types.Type)                              // what to do with memory, beside
	mapped   bool                                          // there are maps
	called   func(v ssa.Value, t types.Type, foreign bool) // what to do with function values, beside; v is nil where only the type is known
	settled  func(string)                                  // what to do with types whose values never change, beside
}

// place is a type where it was met: its interfaces mean something else inside foreign types.
type place struct {
	t       types.Type
	foreign bool
	deep    bool
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
	if r.called != nil && isFunc(v.Type()) {
		r.called(v, v.Type(), r.foreign)
		return
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
	if p := (place{t, r.foreign, r.deep}); r.seen[p] {
		return
	} else {
		r.seen[p] = true
	}
	if immutable[typeName(t)] {
		if r.settled != nil {
			r.settled(typeName(t))
		}
		return
	}
	if typeName(t) == "reflect.Value" {
		r.more(Shared)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic: // strings reach nothing (F5)
		if u.Kind() == types.UnsafePointer && !outside {
			r.more(Shared)
		}
	case *types.Signature: // (F4)
		if r.called != nil {
			r.called(nil, t, outside)
		}
	case *types.Pointer:
		r.memory(u.Elem())
	case *types.Slice:
		r.memory(u.Elem())
	case *types.Map:
		r.mapped = true
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
		switch {
		case r.met != nil:
			if !outside {
				r.met(u)
			}
		case !outside || r.deep || r.reflects && u.NumMethods() == 0:
			r.more(Shared)
		case u.NumMethods() > 0:
			r.more(Foreign)
		}
	case *types.TypeParam:
		r.more(Shared)
	case *types.Tuple:
		for i := range u.Len() {
			r.holds(u.At(i).Type())
		}
	default:
		r.more(Shared)
	}
}

func (r *reacher) more(s Scope) { r.scope = max(r.scope, s) }

// memory adds a variable of type t, the variables inside it, and what it holds.
func (r *reacher) memory(t types.Type) {
	t = types.Unalias(t)
	if constant[typeName(t)] {
		return
	}
	names := map[string]bool{}
	inside(t, names)
	for n := range names {
		r.add(n)
	}
	if r.each != nil {
		r.each(t)
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
func partName(t types.Type) string { return aPart + typeName(t) }

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
