package symbolic

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
)

// The elements of a slice, array, map or channel that the function has made, and that no other
// goroutine reaches, are cells of the state's memory: one for each index that is known, and one
// for all others (SY1). A cell that holds its own address stands for values that are not known.

// container is the own, unescaped object whose elements a value has; nil if it is none.
func (vs *values) container(s *state, n *path.Node) *path.Node {
	if n.Kind == path.Sub {
		n = n.Base
	}
	if n.Kind != path.Alloc || s.escaped[n] {
		return nil
	}
	return n
}

// cells are what is known of the elements of a container that may be at an index; ok says that
// something is. The index nil is any.
func (vs *values) cells(s *state, box, idx *path.Node, typ string) (out aliases, ok bool) {
	var addrs []*path.Node
	for a := range s.mem.of(box) {
		if a.Kind == path.Elem && a.Base == box && mayEqual(a.Idx, idx) {
			addrs = append(addrs, a)
		}
	}
	slices.SortFunc(addrs, path.Compare)
	for _, a := range addrs {
		v, _ := s.mem.get(a)
		for _, n := range v {
			if n == a {
				n = vs.table.Load(a, typ)
			}
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	if len(out) > MaxAliases {
		out = aliases{vs.table.Load(vs.all(box), typ)}
	}
	return out, len(addrs) > 0
}

// mayEqual reports whether two indices may be one: only constants are known to differ.
func mayEqual(i, j *path.Node) bool {
	number := func(n *path.Node) bool { return n != nil && n.Kind == path.Const && n.Index != path.All }
	return !number(i) || !number(j) || i == j
}

// elements are the values that the elements of a slice may hold.
func (vs *values) elements(s *state, v ssa.Value) aliases {
	sl, ok := v.Type().Underlying().(*types.Slice)
	if !ok || !vs.types.refers(sl.Elem()) {
		return nil
	}
	var out aliases
	for _, n := range vs.eval(s, v) {
		var vals aliases
		known := false
		if box := vs.container(s, n); box != nil {
			vals, known = vs.cells(s, box, nil, vs.types.class(sl.Elem()))
			known = known || vs.mine(box)
		}
		if !known {
			vals = vs.load(s, vs.all(n), vs.types.class(sl.Elem()))
		}
		for _, w := range vals {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// received are the values that a receive from the channels may yield, if it is known what was sent
// on them.
func (vs *values) received(s *state, channels aliases, typ string) (out aliases, ok bool) {
	for _, c := range channels {
		box := vs.container(s, c)
		if box == nil {
			return nil, false
		}
		vals, known := vs.cells(s, box, nil, typ)
		if !known {
			return nil, false
		}
		if out, ok = merge(out, vals); !ok {
			return nil, false
		}
	}
	return out, len(out) > 0
}

// fill adds values to the elements of a container at indices that are not known. Other memory keeps
// its names.
func (ac *accesses) fill(s *state, n *path.Node, vals aliases) {
	box := ac.values.container(s, n)
	if box == nil || len(vals) == 0 {
		return
	}
	addr := ac.values.all(box)
	old, _ := s.mem.get(addr)
	u, few := merge(old, vals)
	if !few {
		u = aliases{addr}
	}
	ac.put(s, addr, u, true)
}
