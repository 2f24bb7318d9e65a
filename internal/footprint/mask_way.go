package footprint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Where a walk goes on (D16): from the fields that the mask has, and by the ways: what the code loads from memory that it has made, which is in no D (D7), or from captured variables that are values (D13). Others may have
// that memory when the code has given it to them, and store what the code has not.

// WayLine ends a line of a way: it is in no D.
const WayLine = "~"

// anyWay is the way that is all fields of all structs.
const anyWay = "*"

// wayOfField adds a field of memory that the function has made.
func (m *Mask) wayOfField(f *ssa.FieldAddr) {
	t := deref(f.X.Type())
	s, ok := types.Unalias(t).Underlying().(*types.Struct)
	switch name := structName(t); {
	case private(f):
	case !ok || name == "":
		m.goes(anyWay)
	case pointers(s.Field(f.Field).Type()):
		m.goes(name + "." + s.Field(f.Field).Name())
	}
}

// wayOfStruct adds what is loaded as a whole from memory at v that the function has made. What is no struct has no fields.
func (m *Mask) wayOfStruct(v ssa.Value) {
	t := types.Unalias(deref(v.Type()))
	for {
		a, ok := t.Underlying().(*types.Array)
		if !ok {
			break
		}
		t = types.Unalias(a.Elem())
	}
	switch name := structName(t); {
	case private(v) || leaf(t) || !pointers(t):
	case name == "" || isTypeParam(t):
		m.goes(anyWay)
	default:
		m.goes(name)
	}
}

func (m *Mask) goes(s string) {
	if m.ways == nil {
		m.ways = map[string]bool{}
	}
	m.ways[s] = true
}
