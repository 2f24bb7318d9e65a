package symbolic

import (
	"go/types"
	"slices"

	"github.com/presage-race/presage/internal/static/summary"
)

// within notes which formals lead, by their types, to structs of a few types only (X34).
func (f *function) within() {
	add := func(list *[]summary.Within, i int, t types.Type) {
		if names, ok := f.leadsTo(t); ok && i < 32 {
			*list = append(*list, summary.Within{Formal: i, Types: names})
		}
	}
	for i, p := range f.fn.Params {
		add(&f.sum.Within.Args, i, p.Type())
	}
	for i, v := range f.fn.FreeVars {
		add(&f.sum.Within.Free, i, v.Type())
	}
}

// maxWithin bounds the struct types of one formal.
const maxWithin = 32

// leadsTo lists the structs that memory reached from a value of type t is of, sorted; false if an
// interface, a function, an unsafe pointer or a type parameter lets it be anything, or if they are
// too many.
func (f *function) leadsTo(t types.Type) (names []string, ok bool) {
	if got, known := f.reached[t]; known {
		return got.names, got.ok
	}
	seen := map[types.Type]bool{}
	names, ok = []string{}, true
	var visit func(t types.Type)
	visit = func(t types.Type) {
		t = types.Unalias(t)
		if !ok || seen[t] {
			return
		}
		seen[t] = true
		if n, named := t.(*types.Named); named && n.TypeArgs().Len() > 0 {
			// its class is that of its origin, and the arguments may be anything elsewhere
			ok = false
			return
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			ok = u.Kind() != types.UnsafePointer
		case *types.Pointer:
			visit(u.Elem())
		case *types.Slice:
			visit(u.Elem())
		case *types.Array:
			visit(u.Elem())
		case *types.Chan:
			visit(u.Elem())
		case *types.Map:
			visit(u.Key())
			visit(u.Elem())
		case *types.Struct:
			if names = append(names, f.class(t)); len(names) > maxWithin {
				ok = false
			}
			for field := range u.Fields() {
				visit(field.Type())
			}
		default:
			ok = false
		}
	}
	visit(t)
	if !ok {
		names = nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if f.reached == nil {
		f.reached = map[types.Type]reached{}
	}
	f.reached[t] = reached{names, ok}
	return names, ok
}

// reached is what leadsTo has found.
type reached struct {
	names []string
	ok    bool
}
