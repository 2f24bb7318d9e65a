package symbolic

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
)

// eval returns the paths of a value (X1).
func (f *function) eval(s *state, v ssa.Value) aliases {
	switch v := v.(type) {
	case *ssa.Const:
		if _, ok := v.Type().Underlying().(*types.Chan); ok {
			return aliases{f.Table.Nil()}
		}
		return nil
	case *ssa.Parameter:
		for i, p := range f.fn.Params {
			if p == v {
				return aliases{f.Table.Root(path.Param, i, "", f.class(v.Type()))}
			}
		}
	case *ssa.FreeVar:
		for i, p := range f.fn.FreeVars {
			if p == v {
				return aliases{f.Table.Root(path.Free, i, "", f.class(v.Type()))}
			}
		}
	case *ssa.Global:
		return aliases{f.Table.Root(path.Global, 0, globalName(v), f.class(v.Type()))}
	case *ssa.Function:
		return aliases{f.Table.Closure(Key(v), nil)}
	case *ssa.Builtin:
		return nil
	}
	if a, ok := f.env[v]; ok {
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
func (f *function) unknown(t types.Type) aliases { return aliases{f.Table.Unknown(f.class(t))} }

// each maps a set; too many become ⊤ of t.
func (f *function) each(v aliases, t types.Type, g func(*path.Node) *path.Node) aliases {
	var out aliases
	for _, n := range v {
		var ok bool
		if out, ok = merge(out, aliases{g(n)}); !ok {
			return f.unknown(t)
		}
	}
	return out
}

// load returns what is in memory at addr (X2).
func (f *function) load(s *state, addr *path.Node, typ string) aliases {
	if v, ok := s.mem.get(addr); ok {
		return v
	}
	if addr.Kind == path.Elem && addr.Idx != nil && addr.Idx.Kind == path.Value {
		if v, ok := s.mem.get(f.all(addr.Base)); ok {
			return v
		}
	}
	// Of a struct that was stored as a whole, the field of that struct.
	if addr.Kind == path.Field {
		if v, ok := s.mem.get(addr.Base); ok && len(v) == 1 && (v[0].Kind == path.Load || v[0].Kind == path.Param) {
			from := f.Table.Field(copied(v[0]), addr.Name)
			if w, ok := s.mem.get(from); ok {
				return w
			}
			return aliases{f.Table.Load(from, typ)}
		}
	}
	if r := addr.Root(); r.Kind == path.Alloc && addr.Loads() == 0 && r.Cap == -2 && !s.escaped[r] && f.mine(r) {
		if addr.Kind == path.Alloc || addr.Kind == path.Field {
			return nil // nothing was stored there yet
		}
	}
	return aliases{f.Table.Load(addr, typ)}
}

// copied is the struct of which a value is a copy: a formal that is a struct stands for the one
// that the caller has copied.
func copied(n *path.Node) *path.Node {
	if n.Kind == path.Load {
		return n.Base
	}
	return n
}

// mine reports whether an allocation site is of this function's own text.
func (f *function) mine(r *path.Node) bool {
	for i := 0; i < len(r.Name); i++ {
		if r.Name[i] == '@' {
			return false
		}
	}
	return true
}

// deref loads from each address.
func (f *function) deref(s *state, addrs aliases, t types.Type) aliases {
	var out aliases
	for _, a := range addrs {
		var ok bool
		if out, ok = merge(out, f.load(s, a, f.class(t))); !ok {
			return f.unknown(t)
		}
	}
	return out
}

// index names the index of an element (P3).
func (f *function) index(v ssa.Value) *path.Node {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
		if i, exact := constant.Int64Val(c.Value); exact && i >= 0 && i < 1<<20 {
			return f.Table.Const(int(i))
		}
		return nil
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return f.eval(nil, v)[0]
	case *ssa.Convert:
		return f.index(v.X)
	case *ssa.Phi:
		return f.Table.Value(f.site(v, v.Comment), f.loop[v.Block().Index] > 0)
	case *ssa.Extract:
		if _, ok := v.Tuple.(*ssa.Next); ok {
			return f.Table.Value(f.site(v, v.Name()), true)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if a := f.eval(nil, v.X); len(a) == 1 {
				if in, ok := f.env[v]; ok && len(in) == 1 {
					return in[0]
				}
				return f.Table.Load(a[0], "int")
			}
		}
	}
	if b, ok := v.(*ssa.BinOp); ok && b.Block() != nil {
		if _, isPhi := b.X.(*ssa.Phi); isPhi {
			return f.Table.Value(f.site(b, b.Name()), f.loop[b.Block().Index] > 0)
		}
	}
	return nil
}

// number names the value that is stored in an integer variable, so that an index read from it is
// known.
func (f *function) number(v ssa.Value) aliases {
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		if n := f.index(v); n != nil {
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
func (f *function) all(n *path.Node) *path.Node {
	return f.Table.Elem(n.Strip(), f.Table.Const(path.All))
}

// contents is what the elements of a slice may be, where the function itself has stored them.
func (f *function) contents(s *state, v ssa.Value) aliases {
	var out aliases
	for _, n := range f.eval(s, v) {
		if n.Kind == path.Sub {
			n = n.Base
		}
		for a, vals := range s.mem.of(n.Root()) {
			if a.Kind == path.Elem && a.Base == n {
				out = append(out, vals...)
			}
		}
	}
	return out
}
