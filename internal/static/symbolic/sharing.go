package symbolic

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/static/path"
)

// sharing decides which objects other goroutines may reach: escape, publication and unsharing
// (SY3). The state has what holds at a program point; sharing has what holds for the whole
// function.
type sharing struct {
	flows *flows
	draft *draft
	// objects that escaped otherwise than into the memory of a formal
	leaked nodes
	// objects that goroutines may reach which were not started since the object was made
	outside nodes
	touched map[*path.Node]*path.Node // load → the place that was read, for unsharing
}

func newSharing(fl *flows, dr *draft) *sharing {
	return &sharing{flows: fl, draft: dr, leaked: nodes{}, outside: nodes{}, touched: map[*path.Node]*path.Node{}}
}

// shared reports whether another goroutine may reach the memory at addr (SY3).
func (sh *sharing) shared(s *state, addr *path.Node) bool {
	return sh.reachable(s, addr) && !s.taken(addr)
}

// reachable reports whether another goroutine may reach the memory, or could before it was taken
// out of a shared place.
func (sh *sharing) reachable(s *state, addr *path.Node) bool {
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

// inside reports whether an object that the function has made, and that has not escaped, leads to
// memory of which it is not known who has made it.
func (sh *sharing) inside(s *state, addr *path.Node) bool {
	r := addr.Root()
	return r.Kind == path.Alloc && !s.escaped[r] && addr.Loads() > 0
}

// taken reports whether the memory was taken out of a shared place (SY3).
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
func (sh *sharing) publish(s *state, addr *path.Node, vals aliases) {
	sh.flows.stored(addr, vals)
	if sh.outside[addr.Root()] {
		sh.reveal(s, vals)
	}
	if len(vals) > 0 && sh.shared(s, addr) {
		w := published
		switch {
		case addr.Formal():
			w = into
		case s.kept(addr):
			w = given
		}
		sh.spread(s, vals, w, addr.Root())
		s.noteStored(addr, vals)
	}
}

// noteStored notes where an object that the function has made is stored (SY3).
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

// escape marks the objects that the values lead to (SY3).
func (sh *sharing) escape(s *state, vals aliases) { sh.spread(s, vals, published, nil) }

// give marks the objects that the arguments of a started goroutine lead to (SY3).
func (sh *sharing) give(s *state, vals aliases) { sh.spread(s, vals, given, nil) }

// sent marks the objects that are sent.
func (sh *sharing) sent(s *state, ch *path.Node, vals aliases) {
	w := published
	if s.kept(ch) {
		w = given
	}
	sh.spread(s, vals, w, ch.Root())
}

// audience says which goroutines can reach an object that escapes.
type audience int

const (
	// only goroutines that were started since they were made can reach them (SY3)
	given     audience = iota
	published          // others may
	into               // they are stored in a formal's memory: the caller decides (Stores)
)

// kept reports whether the memory is part of an object of the function that is not published (SY3).
func (s *state) kept(n *path.Node) bool {
	n = n.Strip()
	r := n.Root()
	return r.Kind == path.Alloc && n.Loads() == 0 && !s.open[r] && s.holder[r] == nil
}

// publish marks objects as published, or as stored in the memory of a formal. An object in the
// memory of two formals is published: it is unknown which of them decides.
func (s *state) publish(objects []*path.Node, w audience, home *path.Node) {
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

// spread marks the objects that the values lead to as escaped; formals as well, unless they are
// stored in a formal's memory. home is the root of the place where they are stored.
func (sh *sharing) spread(s *state, vals aliases, w audience, home *path.Node) {
	sp := &spreading{sh: sh, s: s, audience: w, home: home, owns: len(s.owned) > 0, found: nodes{}}
	for _, n := range vals {
		sp.visit(n)
	}
	s.publish(sp.reached, w, home)
	for _, r := range sp.reached {
		sh.outside[r] = sh.outside[r] || w != given
	}
	if len(sp.escaped) > 0 {
		s.escaped = maps.Clone(s.escaped)
		if s.escaped == nil {
			s.escaped = nodes{}
		}
		for _, r := range sp.escaped {
			s.escaped[r] = true
		}
	}
}

// spreading is the search of one spread.
type spreading struct {
	sh       *sharing
	s        *state
	audience audience
	home     *path.Node
	owns     bool // something was taken out of shared memory before
	found    nodes
	// objects whose marks change, and those of them that had not escaped before
	reached, escaped []*path.Node
}

// visit marks the root of a value, and what is stored in its object.
func (sp *spreading) visit(n *path.Node) {
	s := sp.s
	n = n.Strip()
	for m := n; m != nil && sp.owns; m = m.Base {
		// a part of it, or the same elements with other bounds, is shared again
		s.owned = without(s.owned, m)
		if m.Kind == path.Load { // and of what it leads to, this
			s.given = with(s.given, m)
			break
		}
	}
	r, leak := n.Root(), sp.audience != into
	if r.Kind == path.Func {
		for _, a := range r.Args {
			sp.visit(a)
		}
	}
	if r.Kind == path.Param && n.Loads() == 0 {
		sp.formal(r)
	}
	if r.Kind == path.Free && n.Loads() <= 1 {
		sp.captured(n)
	}
	if r.Kind != path.Alloc || sp.found[r] || s.escaped[r] && (!leak || sp.sh.leaked[r]) && (sp.audience == given || s.open[r]) {
		return
	}
	sp.found[r] = true
	sp.reached = append(sp.reached, r)
	if leak {
		sp.sh.leaked[r] = true
	}
	if !s.escaped[r] {
		sp.escaped = append(sp.escaped, r)
	}
	for _, v := range s.mem.of(r) {
		for _, w := range v {
			sp.visit(w)
		}
	}
}

// formal notes in the summary that the object of a formal escapes.
func (sp *spreading) formal(r *path.Node) {
	sum, i := sp.sh.draft.sum, int(r.Index)
	if sp.audience != into && !slices.Contains(sum.Leaks, i) {
		sum.Leaks = append(sum.Leaks, i)
	}
	if sp.audience == published && r != sp.home && !slices.Contains(sum.Publishes, i) {
		sum.Publishes = append(sum.Publishes, i)
	}
}

// captured notes in the summary that a captured variable escapes (its address is the value), or its
// content.
func (sp *spreading) captured(n *path.Node) {
	sum := sp.sh.draft.sum
	if sp.audience != into && !slices.Contains(sum.Escaped, n) {
		sum.Escaped = append(sum.Escaped, n)
	}
	if sp.audience == published && !slices.Contains(sum.Published, n) {
		sum.Published = append(sum.Published, n)
	}
}

// reveal notes that unknown code may reach the objects that the values lead to (BE5).
func (sh *sharing) reveal(s *state, vals aliases) {
	for _, n := range vals {
		r := n.Strip().Root()
		if r.Kind == path.Func {
			sh.reveal(s, r.Args)
		}
		if r.Kind == path.Param && !slices.Contains(sh.draft.sum.Reveals, int(r.Index)) {
			sh.draft.sum.Reveals = append(sh.draft.sum.Reveals, int(r.Index))
		}
		if r.Kind != path.Alloc || sh.outside[r] {
			continue
		}
		sh.outside[r] = true
		for _, v := range s.mem.of(r) {
			sh.reveal(s, v)
		}
	}
}

// unshare takes values that were read from memory out of sharing when that memory is overwritten
// under a lock (SY3).
func (sh *sharing) unshare(s *state, addrs aliases) {
	if len(s.locks.Plus) == 0 {
		return
	}
	for _, a := range addrs {
		if r := a.Root(); r.Kind == path.Alloc && !s.escaped[r] {
			continue
		}
		for n, from := range sh.touched {
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
