package footprint

import (
	"go/types"
	"maps"
	"strings"
)

// generic is what type parameters stand for (G2).
type generic struct {
	params map[string]param                   // by marker
	args   map[string]map[string][]types.Type // by owner, and by text: the lists of type arguments
}

// param is a type parameter: number index of the owner, a generic function, type or alias. Each method of a type has type
// parameters of its own for those of the type.
type param struct {
	owner string
	index int
}

// maxNames bounds the names that type parameters give one access or call (G4).
const maxNames = 256

func newGeneric() generic {
	return generic{params: make(map[string]param), args: make(map[string]map[string][]types.Type)}
}

// declare adds the type parameters of an object.
func (g *generic) declare(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Func:
		sig := obj.Signature()
		g.bind(obj, sig.TypeParams())
		if recv := sig.Recv(); recv != nil {
			if n, ok := types.Unalias(deref(types.Unalias(recv.Type()))).(*types.Named); ok {
				g.bind(n.Obj(), sig.RecvTypeParams())
			}
		}
	case *types.TypeName:
		switch t := obj.Type().(type) {
		case *types.Named:
			g.bind(obj, t.TypeParams())
		case *types.Alias:
			g.bind(obj, t.TypeParams())
		}
	}
}

func (g *generic) bind(owner types.Object, params *types.TypeParamList) {
	for i := range params.Len() {
		g.params[marker(params.At(i))] = param{ownerName(owner), i}
	}
}

// instance adds a list of type arguments.
func (g *generic) instance(obj types.Object, args *types.TypeList) {
	if obj == nil || args.Len() == 0 {
		return
	}
	owner, text := ownerName(obj), ""
	var list []types.Type
	for t := range args.Types() {
		list = append(list, t)
		text += spelling(t) + ";"
	}
	if g.args[owner] == nil {
		g.args[owner] = make(map[string][]types.Type)
	}
	g.args[owner][text] = list
}

func ownerName(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		return fn.Origin().FullName()
	}
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// What a name says of a type parameter in front of its marker, where it is not the type itself.
const (
	aPart    = "in "      // a variable of it that is a part of another: partName
	pointed  = "at "      // what it points to
	elements = "of "      // what a builtin or a map operation accesses in it
	function = "calling " // its signature
)

// expansion replaces markers.
type expansion struct {
	*generic
	seen, out map[string]bool
	unknown   bool
}

// expand returns the names with every type parameter replaced by all that it stands for (G2, G3). unknown reports that it may be
// anything (G4).
func (p *Program) expand(names map[string]bool) (out map[string]bool, unknown bool) {
	plain := true
	for n := range names {
		plain = plain && firstMarker(n) == ""
	}
	if plain {
		return names, false
	}
	x := expansion{generic: &p.generic, seen: make(map[string]bool), out: make(map[string]bool)}
	for n := range names { // the order does not matter: above maxNames nothing is left of it
		x.add(n)
	}
	if x.unknown {
		return make(map[string]bool), true
	}
	return x.out, p.exposed
}

func (x *expansion) add(name string) {
	m := firstMarker(name)
	switch {
	case m == "":
		x.out[name] = true
		return
	case x.seen[name] || x.unknown:
		return
	}
	x.seen[name] = true
	of, ok := x.params[m]
	if !ok || len(x.seen)+len(x.out) > maxNames {
		x.unknown = true
		return
	}
	for _, args := range x.args[of.owner] {
		if of.index >= len(args) {
			x.unknown = true
			return
		}
		for n := range x.replace(name, of, args) {
			x.add(n)
		}
	}
}

// replace returns the names that a name with the type parameter of stands for in the instance with these arguments.
func (x *expansion) replace(name string, of param, args []types.Type) map[string]bool {
	names := map[string]bool{}
	t := types.Unalias(args[of.index])
	before, rest, _ := strings.Cut(name, markerStart)
	if strings.HasSuffix(rest, markerEnd) && strings.Count(rest, markerEnd) == 1 {
		switch before {
		case "":
			inside(t, names)
			return names
		case aPart:
			part(t, names)
			return names
		case pointed:
			pointee(t, names)
			if _, param := t.(*types.TypeParam); !param { // it may be a part of anything
				names[partName(deref(t))] = true
			}
			return names
		case elements:
			contents(t, names)
			return names
		case function:
			names[signature(t)] = true
			return names
		}
	}
	var text strings.Builder
	for m := firstMarker(name); m != ""; m = firstMarker(name) {
		before, after, _ := strings.Cut(name, m)
		text.WriteString(before)
		if q := x.params[m]; q.owner == of.owner && q.index < len(args) {
			m = spelling(args[q.index])
		}
		text.WriteString(m)
		name = after
	}
	names[text.String()+name] = true
	return names
}

// contents adds the names of what a builtin or a map operation accesses in a value of type t.
func contents(t types.Type, names map[string]bool) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		names[elements+marker(p)] = true
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		names[typeName(u)] = true
	case *types.Slice:
		inside(u.Elem(), names)
		names[partName(u.Elem())] = true // it may be one of an array inside anything
	}
}

// pointee adds the names of what a pointer of type t points to, and of the variables inside it.
func pointee(t types.Type, names map[string]bool) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		names[pointed+marker(p)] = true
		return
	}
	inside(deref(t), names)
}

// alone adds the names of the parts without what they are parts of: somebody may have a pointer to one.
func alone(names map[string]bool) {
	for n := range maps.Clone(names) {
		if n, ok := strings.CutPrefix(n, aPart); ok {
			names[n] = true
		}
	}
}

// standsFor returns the types that a type parameter, or a pointer to one, stands for; any other type for itself.
func (p *Program) standsFor(t types.Type) (list []types.Type, unknown bool) {
	seen := map[string]bool{}
	var walk func(t types.Type, stars int)
	walk = func(t types.Type, stars int) {
		base := types.Unalias(t)
		if ptr, ok := base.(*types.Pointer); ok && stars == 0 {
			if _, ok := types.Unalias(ptr.Elem()).(*types.TypeParam); ok {
				walk(ptr.Elem(), 1)
				return
			}
		}
		tp, ok := base.(*types.TypeParam)
		if !ok {
			if stars > 0 {
				base = types.NewPointer(base)
			}
			list = append(list, base)
			return
		}
		m := marker(tp)
		if seen[m] {
			return
		}
		seen[m] = true
		of, ok := p.generic.params[m]
		unknown = unknown || !ok || p.exposed
		for _, args := range p.generic.args[of.owner] {
			if of.index < len(args) {
				walk(args[of.index], stars)
			}
		}
	}
	walk(t, 0)
	return list, unknown
}
