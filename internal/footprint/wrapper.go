package footprint

import (
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// loads is what the wrappers of the compiler load on their way to a method (F10), by the method and by the signature of function values.
type loads struct {
	byMethod    map[string]map[string]bool // by types.Func.Id
	bySignature map[string]map[string]bool
}

// wrappers returns what all wrappers load of which the program has the types. All functions must have been added.
func (p *Program) wrappers() *loads {
	if p.loads == nil {
		p.loads = &loads{byMethod: make(map[string]map[string]bool), bySignature: make(map[string]map[string]bool)}
		p.settle()
		for at := range p.seen { // the order does not matter
			p.wrap(types.Unalias(at.t))
		}
		for _, t := range p.declared {
			if p.exposed {
				p.wrap(t)
			}
		}
		for sig, names := range maps.Clone(p.loads.bySignature) {
			all, _ := p.expand(map[string]bool{sig: true})
			for s := range all {
				addAll(p.loads.bySignature, s, names)
			}
		}
	}
	return p.loads
}

// wrap adds the wrappers of the methods that an interface which holds a t, or a pointer to one, can have.
func (p *Program) wrap(t types.Type) {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return
	}
	pointed := p.exposed || p.shared[typeName(t)]
	set := types.NewMethodSet(types.NewPointer(t))
	for i := range set.Len() {
		sel := set.At(i)
		names := map[string]bool{}
		onTheWay(t, sel, pointed, names)
		if len(names) == 0 {
			continue
		}
		m := sel.Obj().(*types.Func)
		addAll(p.loads.byMethod, m.Id(), names)
		addAll(p.loads.bySignature, signature(m.Signature()), names)
	}
}

func addAll(to map[string]map[string]bool, key string, names map[string]bool) {
	if to[key] == nil {
		to[key] = make(map[string]bool)
	}
	maps.Copy(to[key], names)
}

// onTheWay adds the names of what a wrapper loads to find the receiver of a method of t: embedded pointers and interfaces, and a receiver that is a
// value. Pointed: an interface may hold a pointer to a t; else it holds a t, which never changes.
func onTheWay(t types.Type, sel *types.Selection, pointed bool, names map[string]bool) {
	var around []string // the structs that the next load is from a part of
	load := func(t types.Type) {
		for _, n := range around {
			names[n] = true
		}
		inside(t, names)
		part(t, names)
	}
	index := sel.Index()
	for _, k := range index[:len(index)-1] {
		around = append(around, typeName(t))
		t = types.Unalias(t.Underlying().(*types.Struct).Field(k).Type())
		ptr, isPointer := t.Underlying().(*types.Pointer)
		if pointed && (isPointer || types.IsInterface(t)) {
			load(t)
		}
		if isPointer {
			t, pointed, around = types.Unalias(ptr.Elem()), true, nil
		}
	}
	_, byPointer := types.Unalias(sel.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
	if pointed && !byPointer && !types.IsInterface(t) {
		load(t)
	}
}

// ofWrappers returns what wrappers may load in a call that is not static, before the callee runs: of the methods of that name, or of those that a
// function value of the signature can stand for.
func (p *Program) ofWrappers(c *ssa.CallCommon) []string {
	w := p.wrappers()
	if c.IsInvoke() {
		return p.marked(w.byMethod[c.Method.Id()])
	}
	if fn := c.StaticCallee(); fn != nil {
		if m, ok := fn.Object().(*types.Func); ok && madeBySSA(fn) {
			return p.marked(w.byMethod[m.Id()])
		}
		return nil
	}
	if hasEntry(typeName(c.Value.Type())) { // the standard library makes these
		return nil
	}
	names := map[string]bool{}
	sigs, unknown := p.signatures(c.Value.Type())
	for sig := range sigs {
		for _, fn := range p.values.known[sig] {
			if madeBySSA(fn) && fn.Object() != nil {
				maps.Copy(names, w.byMethod[fn.Object().(*types.Func).Id()])
			}
		}
		if p.values.unknown[sig] {
			maps.Copy(names, w.bySignature[sig])
		}
	}
	if unknown {
		for _, of := range w.bySignature {
			maps.Copy(names, of)
		}
	}
	return p.marked(names)
}

// OfEntry returns the footprint of what the wrappers of a method may load before it is entered (F10).
func (p *Program) OfEntry(fn *ssa.Function) Set {
	m, ok := fn.Object().(*types.Func)
	if !ok || fn.Signature.Recv() == nil {
		return Set{}
	}
	return Set{Loads: p.marked(p.wrappers().byMethod[m.Id()])}
}

// madeBySSA reports whether a function is one of a method value or of a method expression.
func madeBySSA(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "bound") || isThunk(fn) }

func isThunk(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "thunk") }
