package symbolic

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
)

// values evaluates operands: it knows which paths the registers of the function hold. What is in
// memory comes from the state.
type values struct {
	table   *path.Table
	types   *typeTable
	graph   *flowgraph
	places  *places
	fn      *ssa.Function
	env     map[ssa.Value]aliases
	results map[*ssa.Call][]aliases // of calls with several results
}

// eval returns the paths of a value (SY1).
func (vs *values) eval(s *state, v ssa.Value) aliases {
	switch v := v.(type) {
	case *ssa.Const:
		if _, ok := v.Type().Underlying().(*types.Chan); ok {
			return aliases{vs.table.Nil()}
		}
		return nil
	case *ssa.Parameter:
		for i, p := range vs.fn.Params {
			if p == v {
				return aliases{vs.table.Root(path.Param, i, "", vs.types.class(v.Type()))}
			}
		}
	case *ssa.FreeVar:
		for i, p := range vs.fn.FreeVars {
			if p == v {
				return aliases{vs.table.Root(path.Free, i, "", vs.types.class(v.Type()))}
			}
		}
	case *ssa.Global:
		return aliases{vs.table.Root(path.Global, 0, globalName(v), vs.types.class(v.Type()))}
	case *ssa.Function:
		return aliases{vs.table.Closure(Key(v), nil)}
	case *ssa.Builtin:
		return nil
	}
	if a, ok := vs.env[v]; ok {
		return a
	}
	return nil
}

func globalName(g *ssa.Global) string {
	if g.Pkg == nil {
		return g.Name()
	}
	return g.Pkg.Pkg.Path() + "." + g.Name()
}

// unknown is ⊤ of a type.
func (vs *values) unknown(t types.Type) aliases { return aliases{vs.table.Unknown(vs.types.class(t))} }

// each maps a set; too many become ⊤ of t.
func (vs *values) each(v aliases, t types.Type, g func(*path.Node) *path.Node) aliases {
	var out aliases
	for _, n := range v {
		var ok bool
		if out, ok = merge(out, aliases{g(n)}); !ok {
			return vs.unknown(t)
		}
	}
	return out
}

// load returns what is in memory at addr (SY1).
func (vs *values) load(s *state, addr *path.Node, typ string) aliases {
	if v, ok := s.mem.get(addr); ok && !slices.Contains(v, addr) {
		return v
	}
	if addr.Kind == path.Elem && vs.container(s, addr.Base) != nil {
		if v, ok := vs.cells(s, addr.Base, addr.Idx, typ); ok {
			return v
		}
	}
	if addr.Kind == path.Elem && addr.Idx != nil && addr.Idx.Kind == path.Value {
		if v, ok := s.mem.get(vs.all(addr.Base)); ok {
			return v
		}
	}
	// Of a struct that was stored as a whole, the field of that struct.
	if addr.Kind == path.Field {
		if v, ok := s.mem.get(addr.Base); ok && len(v) == 1 && structure(v[0]) {
			from := vs.table.Field(copied(v[0]), addr.Name)
			if w, ok := s.mem.get(from); ok {
				return w
			}
			return aliases{vs.table.Load(from, typ)}
		}
	}
	if r := addr.Root(); r.Kind == path.Alloc && addr.Loads() == 0 && r.Cap == -2 && !s.escaped[r] && vs.mine(r) {
		if addr.Kind == path.Alloc || addr.Kind == path.Field {
			return nil // nothing was stored there yet
		}
	}
	return aliases{vs.table.Load(addr, typ)}
}

// structure reports whether a struct value names the struct of which it is a copy: one that was
// read, one that the caller has, or one that a call yields of which nothing is known.
func structure(n *path.Node) bool {
	return n.Kind == path.Load || n.Kind == path.Param || n.Kind == path.Result || n.Kind == path.Unknown
}

// copied is the struct of which a value is a copy. A formal that is a struct represents the struct
// that the caller has copied.
func copied(n *path.Node) *path.Node {
	if n.Kind == path.Load {
		return n.Base
	}
	return n
}

// mine reports whether an allocation site is of this function's own text.
func (vs *values) mine(r *path.Node) bool {
	for i := 0; i < len(r.Name); i++ {
		if r.Name[i] == '@' {
			return false
		}
	}
	return true
}

// index names the index of an element.
func (vs *values) index(v ssa.Value) *path.Node {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
		if i, exact := constant.Int64Val(c.Value); exact && i >= 0 && i < 1<<20 {
			return vs.table.Const(int(i))
		}
		return nil
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return vs.eval(nil, v)[0]
	case *ssa.Convert:
		return vs.index(v.X)
	case *ssa.Phi:
		return vs.table.Value(vs.places.site(v, v.Comment), vs.graph.loop[v.Block().Index] > 0)
	case *ssa.Extract:
		if _, ok := v.Tuple.(*ssa.Next); ok {
			return vs.table.Value(vs.places.site(v, v.Name()), true)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if a := vs.eval(nil, v.X); len(a) == 1 {
				if in, ok := vs.env[v]; ok && len(in) == 1 {
					return in[0]
				}
				return vs.table.Load(a[0], "int")
			}
		}
	}
	if b, ok := v.(*ssa.BinOp); ok && b.Block() != nil {
		if _, isPhi := b.X.(*ssa.Phi); isPhi {
			return vs.table.Value(vs.places.site(b, b.Name()), vs.graph.loop[b.Block().Index] > 0)
		}
	}
	return nil
}

// number names the value that is stored in an integer variable, so that an index read from it is
// known.
func (vs *values) number(v ssa.Value) aliases {
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		if n := vs.index(v); n != nil {
			return aliases{n}
		}
	}
	return nil
}

// length is the constant length of a channel or slice, −1 if it is not constant.
func length(v ssa.Value) int {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil {
		if i, exact := constant.Int64Val(constant.ToInt(c.Value)); exact && i >= 0 && i < 1<<30 {
			return int(i)
		}
	}
	return -1
}

// all is the address of every element: of a map, or of a slice in an operation on the whole.
func (vs *values) all(n *path.Node) *path.Node {
	return vs.table.Elem(n.Strip(), vs.table.Const(path.All))
}

// contents are the values that the function itself has stored in the elements of a slice, by
// address.
func (vs *values) contents(s *state, v ssa.Value) aliases {
	var out aliases
	for _, n := range vs.eval(s, v) {
		if n.Kind == path.Sub {
			n = n.Base
		}
		cells := s.mem.of(n.Root())
		var elems []*path.Node
		for a := range cells {
			if a.Kind == path.Elem && a.Base == n {
				elems = append(elems, a)
			}
		}
		slices.SortFunc(elems, path.Compare)
		for _, a := range elems {
			out = append(out, cells[a]...)
		}
	}
	return out
}
