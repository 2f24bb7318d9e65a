package symbolic

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// maxAccesses bounds a summary; what is over is counted.
const maxAccesses = 250

// access records a guarded access of the function's own text.
func (f *function) access(s *state, in ssa.Instruction, addr *path.Node, kind summary.Kind) {
	f.guarded(s, in, addr, &summary.Access{Kind: kind})
}

// guarded records an access, as far as it is filled in.
func (f *function) guarded(s *state, in ssa.Instruction, addr *path.Node, a *summary.Access) {
	if !f.recording || !f.reachable(s, addr) {
		return
	}
	a.Loc, a.At, a.Pos, a.Func = addr, addr, f.place(in), f.sum.Key
	a.Kept, a.Taken, a.Stored = s.kept(addr), s.taken(addr), f.stored(s, addr)
	a.Locks, a.Sync, a.Round, a.Flags = f.under(s, in, addr), s.sync, s.round, s.known(addr)
	f.record(a)
}

// stored is the path of memory in a map or a slice that the function has made and stored in a field
// or variable: from there (X33).
func (f *function) stored(s *state, addr *path.Node) *path.Node {
	r := addr.Root()
	place := s.places[r]
	if place == nil || addr.Loads() > 0 {
		return nil
	}
	for n := addr; n != r; n = n.Base {
		if n.Kind != path.Elem && n.Kind != path.Sub {
			return nil
		}
	}
	return f.Table.Subst(addr, func(n *path.Node) *path.Node {
		if n == r {
			return f.Table.Load(place, "")
		}
		return nil
	}, func(a *path.Node, typ string) *path.Node { return f.Table.Load(a, typ) })
}

func (f *function) record(a *summary.Access) {
	k := accessKey{a.Loc, a.Kind, a.Thread, a.Pos}
	if f.seen[k] >= 4 { // through other calls, with other locks
		f.sum.Cuts[summary.BoundAlike]++
		return
	}
	f.seen[k]++
	if len(f.sum.Accesses) >= maxAccesses {
		f.sum.Cuts[summary.BoundAccesses]++
		return
	}
	f.sum.Accesses = append(f.sum.Accesses, a)
}

// shared reports whether another goroutine may reach the memory at addr (X5, X6).
func (f *function) shared(s *state, addr *path.Node) bool {
	return f.reachable(s, addr) && !s.taken(addr)
}

// reachable reports whether another goroutine may reach the memory, or could before it was taken
// out of a shared place.
func (f *function) reachable(s *state, addr *path.Node) bool {
	switch addr.Kind {
	case path.Func, path.Const, path.Value, path.Iface:
		return false
	}
	switch r := addr.Root(); r.Kind {
	case path.Alloc:
		return s.escaped[r]
	case path.Func, path.Const, path.Value, path.Token:
		return false
	}
	return true
}

// taken reports whether the memory was taken out of a shared place (X6).
func (s *state) taken(addr *path.Node) bool {
	if len(s.owned) == 0 {
		return false
	}
	for n := addr; n != nil; n = n.Base {
		if s.given[n] {
			return false
		}
		if s.owned[n] {
			return true
		}
	}
	return false
}

// publish lets the values escape if others may reach the memory they are stored in.
func (f *function) publish(s *state, addr *path.Node, vals aliases) {
	f.flowInto(addr, vals)
	if f.outside[addr.Root()] {
		f.reveal(s, vals)
	}
	if len(vals) > 0 && f.shared(s, addr) {
		w := published
		switch {
		case addr.Formal():
			w = into
		case s.kept(addr):
			w = given
		}
		f.spread(s, vals, w, addr.Root())
		s.noteStored(addr, vals)
	}
}

// noteStored notes where an object that the function has made is stored (X33).
func (s *state) noteStored(addr *path.Node, vals aliases) {
	if len(vals) != 1 || addr.Kind != path.Field && addr.Kind != path.Global {
		return
	}
	if r := vals[0].Strip(); r.Kind == path.Alloc && s.places[r] == nil {
		s.places = maps.Clone(s.places)
		if s.places == nil {
			s.places = map[*path.Node]*path.Node{}
		}
		s.places[r] = addr
	}
}

// escape marks the objects that the values lead to (X5).
func (f *function) escape(s *state, vals aliases) { f.spread(s, vals, published, nil) }

// give marks the objects that a goroutine which is started is given (X5, X32).
func (f *function) give(s *state, vals aliases) { f.spread(s, vals, given, nil) }

// sent marks the objects that are sent.
func (f *function) sent(s *state, ch *path.Node, vals aliases) {
	w := published
	if s.kept(ch) {
		w = given
	}
	f.spread(s, vals, w, ch.Root())
}

// way is how objects escape.
type way int

const (
	// only goroutines that were started since they were made can reach them (X32)
	given     way = iota
	published     // others may
	into          // they are stored in a formal's memory: the caller decides (Stores)
)

// kept reports whether the memory is part of an object of the function that is not published (X32).
func (s *state) kept(n *path.Node) bool {
	n = n.Strip()
	r := n.Root()
	return r.Kind == path.Alloc && n.Loads() == 0 && !s.open[r] && s.holder[r] == nil
}

// publish marks objects as published, or as stored in the memory of a formal; of two formals it is
// not known which decides.
func (s *state) publish(objects []*path.Node, w way, home *path.Node) {
	for _, r := range objects {
		switch old := s.holder[r]; {
		case w == given || s.open[r] || w == into && old == home:
		case w == into && old == nil:
			s.holder = maps.Clone(s.holder)
			if s.holder == nil {
				s.holder = map[*path.Node]*path.Node{}
			}
			s.holder[r] = home
		default:
			s.open = maps.Clone(s.open)
			if s.open == nil {
				s.open = nodes{}
			}
			s.open[r] = true
		}
	}
}

// spread marks objects as escaped; formals as well, unless they are stored in a formal's memory.
// home is the root of the place where they are stored.
func (f *function) spread(s *state, vals aliases, w way, home *path.Node) {
	leak := w != into
	var add, reached []*path.Node
	var visit func(n *path.Node)
	found := nodes{}
	visit = func(n *path.Node) {
		n = n.Strip()
		for m := n; m != nil && len(s.owned) > 0; m = m.Base {
			// a part of it, or the same elements with other bounds, is shared again
			s.owned = without(s.owned, m)
			if m.Kind == path.Load { // and of what it leads to, this
				s.given = with(s.given, m)
				break
			}
		}
		r := n.Root()
		if r.Kind == path.Func {
			for _, a := range r.Args {
				visit(a)
			}
		}
		if leak && r.Kind == path.Param && n.Loads() == 0 && !slices.Contains(f.sum.Leaks, int(r.Index)) {
			f.sum.Leaks = append(f.sum.Leaks, int(r.Index))
		}
		if w == published && r != home && r.Kind == path.Param && n.Loads() == 0 && !slices.Contains(f.sum.Publishes, int(r.Index)) {
			f.sum.Publishes = append(f.sum.Publishes, int(r.Index))
		}
		if r.Kind != path.Alloc || found[r] || s.escaped[r] && (!leak || f.leaked[r]) && (w == given || s.open[r]) {
			return
		}
		found[r] = true
		reached = append(reached, r)
		if leak {
			f.leaked[r] = true
		}
		if !s.escaped[r] {
			add = append(add, r)
		}
		for _, v := range s.mem.of(r) {
			for _, w := range v {
				visit(w)
			}
		}
	}
	for _, n := range vals {
		visit(n)
	}
	s.publish(reached, w, home)
	for _, r := range reached {
		f.outside[r] = f.outside[r] || w != given
	}
	if len(add) > 0 {
		s.escaped = maps.Clone(s.escaped)
		if s.escaped == nil {
			s.escaped = nodes{}
		}
		for _, r := range add {
			s.escaped[r] = true
		}
	}
}

// reveal notes that code which is not known may get hold of the objects that the values lead to (B9
// of package before).
func (f *function) reveal(s *state, vals aliases) {
	for _, n := range vals {
		r := n.Strip().Root()
		if r.Kind == path.Func {
			f.reveal(s, r.Args)
		}
		if r.Kind == path.Param && !slices.Contains(f.sum.Reveals, int(r.Index)) {
			f.sum.Reveals = append(f.sum.Reveals, int(r.Index))
		}
		if r.Kind != path.Alloc || f.outside[r] {
			continue
		}
		f.outside[r] = true
		for _, v := range s.mem.of(r) {
			f.reveal(s, v)
		}
	}
}

// unshare takes what was read from memory out of sharing when that memory is overwritten under a
// lock (X6).
func (f *function) unshare(s *state, addrs aliases) {
	if len(s.locks.Plus) == 0 {
		return
	}
	for _, a := range addrs {
		if r := a.Root(); r.Kind == path.Alloc && !s.escaped[r] {
			continue
		}
		for n, from := range f.touched {
			for b := from; b != nil; b = b.Base {
				if b != a {
					continue
				}
				if !s.owned[n] {
					s.owned = maps.Clone(s.owned)
					if s.owned == nil {
						s.owned = nodes{}
					}
					s.owned[n] = true
					s.given = without(s.given, n)
				}
				break
			}
		}
	}
}

// acquire notes an acquire, for the loop it stands in as well (X9).
func (f *function) acquire(s *state, in ssa.Instruction, o *path.Node, n int) {
	s.sync = s.sync.Acquire(o, n)
	if l := f.loop[f.block.Index]; l > 0 {
		if f.acquired[l] == nil {
			f.acquired[l] = map[*path.Node]*ssa.BasicBlock{}
		}
		f.acquired[l][o] = f.block
	}
}

// release notes a release of the function's own goroutine.
func (f *function) release(s *state, o *path.Node, n int) {
	if f.recording && f.roomForRelease() {
		times := n
		if f.loop[f.block.Index] > 0 {
			times = order.Many
		}
		f.sum.Releases = append(f.sum.Releases, summary.Release{Object: o, Times: times, Sync: s.sync})
	}
	s.sync = s.sync.Release(o, n)
	f.total = order.Most(f.total, s.sync.Released)
}

// maxReleases bounds the releases of a summary.
const maxReleases = 64

func (f *function) roomForRelease() bool {
	if len(f.sum.Releases) >= maxReleases {
		f.sum.Cuts[summary.BoundReleases]++
		return false
	}
	return true
}

// Bounds of a summary: exits beyond maxExits are joined with the last one.
const (
	maxExits  = 8
	maxStores = 80
)

// exit records a return.
func (f *function) exit(s *state, v *ssa.Return) {
	if !f.recording {
		return
	}
	if f.sum.Results == nil {
		f.sum.Results = make([][]*path.Node, len(v.Results))
	}
	e := summary.Exit{Locks: s.locks, Sync: s.sync}
	for l := range s.locks.Plus {
		f.unlend(s, l)
	}
	for i, r := range v.Results {
		vals := f.eval(s, r)
		e.Results = append(e.Results, f.truthOf(s, r))
		if u, ok := merge(f.sum.Results[i], vals); ok {
			f.sum.Results[i] = u
		} else {
			f.sum.Results[i] = f.unknown(r.Type())
		}
	}
	if n := len(f.sum.Exits); n >= maxExits {
		f.sum.Cuts[summary.BoundExits]++
		last := &f.sum.Exits[n-1]
		last.Locks, last.Sync = last.Locks.Join(e.Locks), last.Sync.Join(e.Sync)
		for i := range last.Results {
			if last.Results[i] != e.Results[i] {
				last.Results[i] = summary.Any
			}
		}
	} else {
		f.sum.Exits = append(f.sum.Exits, e)
	}
	s.mem.own = false
	f.out = append(f.out, s.mem)
	note := func(n *path.Node, list *[]*path.Node) {
		if f.leaked[n] && !slices.Contains(*list, n) {
			*list = append(*list, n)
		}
	}
	for n := range s.escaped {
		note(n, &f.sum.Escaped)
	}
	for n := range s.open {
		note(n, &f.sum.Published)
	}
}

// leave makes the summary's stores: what is in memory at every return, as far as a caller can name
// it.
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
			f.sum.Stores = append(f.sum.Stores, summary.Store{Addr: a, Value: v})
		}
	}
	sortStores(f.sum.Stores)
	if n := len(f.sum.Stores); n > maxStores {
		f.sum.Cuts[summary.BoundStores] += n - maxStores
		f.sum.Stores = f.sum.Stores[:maxStores]
	}
	sortNodes(f.sum.Escaped)
	sortNodes(f.sum.Published)
	for l := range f.gives {
		f.sum.Gives = append(f.sum.Gives, l)
	}
	sortNodes(f.sum.Gives)
	for n, out := range f.outside {
		if out {
			f.sum.Outside = append(f.sum.Outside, n)
		}
	}
	sortNodes(f.sum.Outside)
	for _, formals := range [][]int{f.sum.Leaks, f.sum.Publishes, f.sum.Reveals} {
		slices.Sort(formals) // they were found in the order of a map
	}
}
