package symbolic

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Bounds of a summary: exits beyond maxExits are joined with the last one.
const (
	maxExits  = 8
	maxStores = 80
)

// exit records a return.
func (f *function) exit(s *state, v *ssa.Return) {
	if !f.draft.recording {
		return
	}
	if f.draft.sum.Results == nil {
		f.draft.sum.Results = make([][]*path.Node, len(v.Results))
	}
	e := summary.Exit{Locks: s.locks, Sync: s.sync}
	for l := range s.locks.Plus {
		f.joins.unlend(s, l)
	}
	for i, r := range v.Results {
		vals := f.values.eval(s, r)
		e.Results = append(e.Results, f.values.truthOf(s, r))
		if u, ok := merge(f.draft.sum.Results[i], vals); ok {
			f.draft.sum.Results[i] = u
		} else {
			f.draft.sum.Results[i] = f.values.unknown(r.Type())
		}
	}
	if n := len(f.draft.sum.Exits); n >= maxExits {
		f.draft.sum.Cuts[summary.BoundExits]++
		last := &f.draft.sum.Exits[n-1]
		last.Locks, last.Sync = last.Locks.Join(e.Locks), last.Sync.Join(e.Sync)
		for i := range last.Results {
			if last.Results[i] != e.Results[i] {
				last.Results[i] = summary.Any
			}
		}
	} else {
		f.draft.sum.Exits = append(f.draft.sum.Exits, e)
	}
	s.mem.own = false
	f.out = append(f.out, s.mem)
	note := func(n *path.Node, list *[]*path.Node) {
		if f.sharing.leaked[n] && !slices.Contains(*list, n) {
			*list = append(*list, n)
		}
	}
	for n := range s.escaped {
		note(n, &f.draft.sum.Escaped)
	}
	for n := range s.open {
		note(n, &f.draft.sum.Published)
	}
}

// leave makes the summary's stores: the values that memory may hold at a return, as far as a caller
// can name them.
func (f *function) leave() {
	all := map[*path.Node]aliases{}
	for _, m := range f.out {
		for _, cells := range m.roots {
			for a := range cells {
				all[a] = nil
			}
		}
	}
	for a := range all {
		r := a.Root()
		if r.Kind != path.Param && r.Kind != path.Free && r.Kind != path.Global && r.Kind != path.Alloc || a.Kind == path.Elem && a.Idx == nil {
			continue
		}
		var vals aliases
		few := true
		for _, m := range f.out {
			v, ok := m.get(a)
			if !ok && r.Kind != path.Alloc {
				v = aliases{f.Table.Load(a, "")}
			}
			var fit bool
			vals, fit = merge(vals, v)
			few = few && fit
		}
		if !few {
			continue
		}
		for _, v := range vals {
			f.draft.sum.Stores = append(f.draft.sum.Stores, summary.Store{Addr: a, Value: v})
		}
	}
	sortStores(f.draft.sum.Stores)
	if n := len(f.draft.sum.Stores); n > maxStores {
		f.draft.sum.Cuts[summary.BoundStores] += n - maxStores
		f.draft.sum.Stores = f.draft.sum.Stores[:maxStores]
	}
	sortNodes(f.draft.sum.Escaped)
	sortNodes(f.draft.sum.Published)
	for l := range f.locks.gives {
		f.draft.sum.Gives = append(f.draft.sum.Gives, l)
	}
	sortNodes(f.draft.sum.Gives)
	for n, out := range f.sharing.outside {
		if out {
			f.draft.sum.Outside = append(f.draft.sum.Outside, n)
		}
	}
	sortNodes(f.draft.sum.Outside)
	for _, formals := range [][]int{f.draft.sum.Leaks, f.draft.sum.Publishes, f.draft.sum.Reveals} {
		slices.Sort(formals) // they were found in the order of a map
	}
}
