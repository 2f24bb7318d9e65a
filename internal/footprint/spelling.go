package footprint

import (
	"go/types"
	"strconv"
	"strings"
)

// typeName names a type for comparison. Named basic types are named as their
// underlying type: a *T converts to a pointer to the underlying type.
func typeName(t types.Type) string {
	t = types.Unalias(t)
	if b, ok := t.Underlying().(*types.Basic); ok {
		return types.Typ[b.Kind()].Name()
	}
	return spelling(t)
}

// spelling returns the text of a type that all types identical to it have (G1). types.TypeString has several for one: it keeps
// aliases, any, byte and the names of parameters. Type parameters are markers.
func spelling(t types.Type) string {
	var s speller
	s.spell(t)
	return s.String()
}

// speller writes spellings.
type speller struct{ strings.Builder }

func (s *speller) spell(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		s.WriteString(types.Typ[t.Kind()].Name())
	case *types.TypeParam:
		s.WriteString(marker(t))
	case *types.Named:
		s.named(t)
	case *types.Pointer:
		s.of("*", t.Elem())
	case *types.Slice:
		s.of("[]", t.Elem())
	case *types.Array:
		s.of("["+strconv.FormatInt(t.Len(), 10)+"]", t.Elem())
	case *types.Map:
		s.of("map[", t.Key())
		s.of("]", t.Elem())
	case *types.Chan:
		s.of([...]string{types.SendRecv: "chan (", types.SendOnly: "chan<- (", types.RecvOnly: "<-chan ("}[t.Dir()], t.Elem())
		s.WriteString(")")
	case *types.Signature:
		s.WriteString("func")
		s.signature(t)
	case *types.Struct:
		s.fields(t)
	case *types.Interface:
		s.methods(t)
	default: // what only the SSA has
		s.WriteString(t.String())
	}
}

// of writes a type after what stands before it.
func (s *speller) of(before string, t types.Type) {
	s.WriteString(before)
	s.spell(t)
}

// named writes a declared type. That of a function has no more of a name than that: all of the same name are one.
func (s *speller) named(t *types.Named) {
	if pkg := t.Obj().Pkg(); pkg != nil {
		s.WriteString(pkg.Path() + ".")
	}
	s.WriteString(t.Obj().Name())
	sep := "["
	for arg := range t.TypeArgs().Types() {
		s.of(sep, arg)
		sep = ","
	}
	for param := range t.TypeParams().TypeParams() {
		if t.TypeArgs().Len() == 0 { // the declaration itself
			s.of(sep, param)
			sep = ","
		}
	}
	if sep == "," {
		s.WriteString("]")
	}
}

func (s *speller) signature(t *types.Signature) {
	sep := "("
	for i := range t.Params().Len() {
		p := t.Params().At(i).Type()
		if elems, ok := p.(*types.Slice); ok && t.Variadic() && i == t.Params().Len()-1 {
			s.of(sep+"...", elems.Elem())
		} else {
			s.of(sep, p)
		}
		sep = ", "
	}
	if sep == "(" {
		s.WriteString(sep)
	}
	sep = ") ("
	for v := range t.Results().Variables() {
		s.of(sep, v.Type())
		sep = ", "
	}
	s.WriteString(")")
}

func (s *speller) fields(t *types.Struct) {
	s.WriteString("struct{")
	for i := range t.NumFields() {
		if i > 0 {
			s.WriteString("; ")
		}
		if f := t.Field(i); !f.Embedded() {
			s.WriteString(f.Name() + " ")
		}
		s.spell(t.Field(i).Type())
		if tag := t.Tag(i); tag != "" {
			s.WriteString(" " + strconv.Quote(tag))
		}
	}
	s.WriteString("}")
}

// methods writes an interface. Constraints are of no variable: what they have beside methods is left out.
func (s *speller) methods(t *types.Interface) {
	if t.NumMethods() == 0 {
		s.WriteString("any")
		return
	}
	s.WriteString("interface{")
	for i := range t.NumMethods() {
		if i > 0 {
			s.WriteString("; ")
		}
		s.WriteString(t.Method(i).Name())
		s.signature(t.Method(i).Signature())
	}
	s.WriteString("}")
}

// The marker of a type parameter is where it is declared, in these. No type's text has them.
const (
	markerStart = "«"
	markerEnd   = "»"
)

func marker(t *types.TypeParam) string {
	return markerStart + strconv.Itoa(int(t.Obj().Pos())) + markerEnd
}

// firstMarker returns the first marker in a name, "" if there is none.
func firstMarker(name string) string {
	i := strings.Index(name, markerStart)
	if i < 0 {
		return ""
	}
	return name[i : i+strings.Index(name[i:], markerEnd)+len(markerEnd)]
}
