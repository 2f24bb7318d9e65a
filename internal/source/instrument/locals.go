package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// localScope has the declarations of the local types of a unit, at its top.
type localScope struct {
	text    []string
	blocks  int                        // which the text begins, and the end of the body ends
	visible map[string]*types.TypeName // the type that a name denotes at the end of the text
	block   map[string]bool            // names declared in the innermost block
	open    bool                       // the text is being made
	hidden  []*types.TypeName          // embedded in the type being declared, and not visible
}

// findLocals finds the types declared inside the unit, and how the text names them: where several
// scopes have types of one name, each has an alias.
func (u *unitEmitter) findLocals() {
	seen := map[string]int{}
	ast.Inspect(u.unit.Node, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		tn, ok := u.pkg.TypesInfo.Defs[spec.Name].(*types.TypeName)
		if !ok || tn.Name() == "_" {
			return true
		}
		seen[tn.Name()]++
		u.locals[tn] = tn.Name()
		u.order = append(u.order, tn)
		return true
	})
	n := 0
	for _, tn := range u.order {
		if seen[tn.Name()] > 1 {
			u.locals[tn] = fmt.Sprintf("%s_l%d_", tn.Name(), n)
			n++
		}
	}
}

// declareLocals writes the declarations of the local types. All keep their names, which
// reflection shows, so the second type of a name begins a block around the rest of the body:
//
//	type T struct{ a int }
//	type T_l0_ = T
//	{
//		type T struct{ b string }
//		type T_l1_ = T
//
// A type may embed a type that is hidden by then. It is declared in a block in which an alias makes
// the hidden type visible again, because the name of the field is that of the type.
func (u *unitEmitter) declareLocals() {
	s := &u.scope
	s.visible, s.block, s.open = map[string]*types.TypeName{}, map[string]bool{}, true
	for _, tn := range u.order {
		name, local, sign, under := tn.Name(), u.locals[tn], " ", tn.Type().Underlying()
		if tn.IsAlias() {
			sign, under = " = ", types.Unalias(tn.Type())
		}
		u.locals[tn], s.hidden = name, nil // the type may refer to itself
		text := u.typ(under)
		for _, h := range s.hidden {
			s.declare(h, " = "+u.locals[h])
		}
		s.declare(tn, sign+text)
		if u.locals[tn] = local; local != name {
			s.text = append(s.text, "type "+local+" = "+name)
		}
	}
	s.open = false
}

func (s *localScope) declare(tn *types.TypeName, as string) {
	name := tn.Name()
	if s.block[name] {
		s.text = append(s.text, "{")
		s.blocks++
		clear(s.block)
	}
	s.block[name], s.visible[name] = true, tn
	s.text = append(s.text, "type "+name+as)
}

// embedded writes the type of an embedded field.
func (u *unitEmitter) embedded(t types.Type) string {
	star := ""
	if p, ok := t.(*types.Pointer); ok {
		star, t = "*", p.Elem()
	}
	named, ok := t.(interface{ Obj() *types.TypeName })
	if !ok {
		return star + u.typ(t)
	}
	o, s := named.Obj(), &u.scope
	if local := u.locals[o]; local == "" || local == o.Name() {
		return star + u.typ(t)
	}
	switch {
	case s.visible[o.Name()] == o:
	case !s.open:
		refuse("embedded local type that another of its name hides")
	case slices.ContainsFunc(s.hidden, func(h *types.TypeName) bool { return h != o && h.Name() == o.Name() }):
		refuse("two embedded local types of one name")
	case !slices.Contains(s.hidden, o):
		s.hidden = append(s.hidden, o)
	}
	return star + o.Name()
}

// ends returns the braces that end a unit's body.
func (s *localScope) ends() string { return strings.Repeat("}", s.blocks+1) }
