package symbolic

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/summary"
)

// typeTable names types, and answers which memory their values lead to. It keeps its answers: they
// are the same for all functions of a package.
type typeTable struct {
	named   map[types.Type]string
	refs    map[types.Type]bool
	reached map[types.Type]reached
}

// class names a type: the named type, without pointers in front of it.
func (ty *typeTable) class(t types.Type) string {
	if s, ok := ty.named[t]; ok {
		return s
	}
	u := t
	if p, ok := types.Unalias(u).(*types.Pointer); ok {
		u = p.Elem()
	}
	u = types.Unalias(u)
	var s string
	if n, ok := u.(*types.Named); ok {
		n = n.Origin()
		s = n.Obj().Name()
		if p := n.Obj().Pkg(); p != nil {
			s = p.Path() + "." + s
		}
	} else if _, ok := u.(*types.TypeParam); ok {
		s = "T"
	} else {
		s = types.TypeString(u, nil)
		if len(s) > 80 {
			s = s[:80]
		}
	}
	if ty.named == nil {
		ty.named = map[types.Type]string{}
	}
	ty.named[t] = s
	return s
}

// refers reports whether values of the type may lead to memory.
func (ty *typeTable) refers(t types.Type) bool {
	if r, ok := ty.refs[t]; ok {
		return r
	}
	r := true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		r = u.Kind() == types.UnsafePointer
	case *types.Struct:
		r = false
		for i := range u.NumFields() {
			r = r || ty.refers(u.Field(i).Type())
		}
	case *types.Array:
		r = ty.refers(u.Elem())
	}
	if ty.refs == nil {
		ty.refs = map[types.Type]bool{}
	}
	ty.refs[t] = r
	return r
}

// fieldName is the key of a field: its struct type and its name.
func (ty *typeTable) fieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ty.class(t) + ".?"
	}
	name := st.Field(i).Name()
	if name == "_" {
		name = fmt.Sprintf("_%d", i)
	}
	c := ty.class(t)
	if strings.HasPrefix(c, "struct{") {
		c = "struct"
	}
	return c + "." + name
}

// receiver is the type as it stands in the names of its methods.
func (ty *typeTable) receiver(t types.Type) string {
	c := ty.class(t)
	if _, ok := types.Unalias(t).(*types.Pointer); ok {
		c = "*" + c
	}
	return c
}

// methods reports whether the type has methods: its interface values are worth naming.
func (ty *typeTable) methods(t types.Type) bool {
	n, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	return n.NumMethods() > 0 || ok && embeds(st)
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// deref loads from each address.
func (vs *values) deref(s *state, addrs aliases, t types.Type) aliases {
	var out aliases
	for _, a := range addrs {
		var ok bool
		if out, ok = merge(out, vs.load(s, a, vs.types.class(t))); !ok {
			return vs.unknown(t)
		}
	}
	return out
}

func embeds(st *types.Struct) bool {
	for i := range st.NumFields() {
		if st.Field(i).Embedded() {
			return true
		}
	}
	return false
}

// leadsTo lists the structs that memory reached from a value of type t is of, sorted; false if an
// interface, a function, an unsafe pointer or a type parameter lets it be anything, or if they are
// too many.
func (ty *typeTable) leadsTo(t types.Type) (names []string, ok bool) {
	if got, known := ty.reached[t]; known {
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
			if names = append(names, ty.class(t)); len(names) > maxWithin {
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
	if ty.reached == nil {
		ty.reached = map[types.Type]reached{}
	}
	ty.reached[t] = reached{names, ok}
	return names, ok
}

// reached is what leadsTo has found.
type reached struct {
	names []string
	ok    bool
}

// maxWithin bounds the struct types of one formal.
const maxWithin = 32

// within notes which formals lead, by their types, to structs of a few types only (SY3).
func (f *function) within() {
	add := func(list *[]summary.Within, i int, t types.Type) {
		if names, ok := f.types.leadsTo(t); ok && i < 32 {
			*list = append(*list, summary.Within{Formal: i, Types: names})
		}
	}
	for i, p := range f.fn.Params {
		add(&f.draft.sum.Within.Args, i, p.Type())
	}
	for i, v := range f.fn.FreeVars {
		add(&f.draft.sum.Within.Free, i, v.Type())
	}
}
