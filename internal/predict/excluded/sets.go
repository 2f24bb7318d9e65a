package excluded

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// named takes a ReachSet, which begins a list of a set, or adds a listed set to the D of the call.
func (p *Pairs) named(i int64, e *trace.Event) error {
	switch x := p.listing; {
	case x == nil || x.G != e.G:
		return fmt.Errorf("event %d: %s of goroutine %d does not follow its methodbegin", i, e.Kind, e.G)
	case p.rest > 0:
		return fmt.Errorf("event %d: a set lacks its last parts (%d)", i, p.rest)
	case e.Val > 0:
		if p.sets == nil {
			p.sets = make(map[trace.Addr]*Set)
		}
		p.set, p.rest, p.takes = &Set{}, e.Val, e.Aux != 0
		if e.Aux != 0 {
			of := p.sets[trace.Addr(e.Aux)]
			if of == nil {
				return fmt.Errorf("event %d: set %d was not listed before", i, e.Aux)
			}
			*p.set = *of
			p.set.shared = true
		}
		p.sets[e.Obj] = p.set
	default:
		d := p.sets[e.Obj]
		if d == nil {
			return fmt.Errorf("event %d: set %d was not listed before", i, e.Obj)
		}
		was := x.D.All
		x.D.include(d)
		if x.D.All && !was {
			p.All++
			p.cut = true
		}
	}
	return nil
}

// part takes a part of the set that is being listed. With its last part, the set is added to the D
// of the call.
func (p *Pairs) part(e *trace.Event) {
	x := part(uint64(e.Obj), e.Val)
	switch {
	case e.Kind == format.ReachGo:
		p.set.AddGo(trace.GoID(e.Obj))
	case e.Flags&format.FlagGone != 0:
		p.gone = append(p.gone, x)
	default:
		if p.parts = append(p.parts, x); len(p.parts) == MaxSpans {
			p.gather()
		}
	}
	if p.rest--; p.rest == 0 {
		p.gather()
		p.listing.D.include(p.set)
	}
}

// SetOf returns the set of the parts that Reach events list.
func SetOf(parts []trace.Event) *Set {
	var list []span
	for i := range parts {
		list = append(list, part(uint64(parts[i].Obj), parts[i].Val))
	}
	s := &Set{spans: sorted(list)}
	s.limit()
	return s
}

// gather removes the parts that are gone from the set and adds the new parts, all at once: one by
// one would move the other parts each time.
func (p *Pairs) gather() {
	if len(p.gone) > 0 {
		p.set.spans = p.set.spans.minus(sorted(p.gone))
		p.gone = p.gone[:0]
	}
	p.set.add(&Set{spans: slices.Clone(sorted(p.parts))})
	p.parts = p.parts[:0]
}

// Set returns a listed set, as part of a D with this Seen.
func (p *Pairs) Set(number trace.Addr, seen bool) *Set {
	d := *p.sets[number]
	d.Seen, d.shared = seen, true
	return &d
}

// Name identifies a set that calls name.
type Name struct {
	spans     list
	gos       *trace.GoID
	all, seen bool
}

// list identifies a list that does not change.
type list struct {
	first *span
	n     int
}

func (s spans) list() (l list) {
	if l.n = len(s); l.n > 0 {
		l.first = &s[0]
	}
	return l
}

// Name returns the name of a D that is one named set, or everything. Sets with one name have the
// same parts.
func (s *Set) Name() (n Name, ok bool) {
	if !s.shared && !s.All || s.union {
		return n, false
	}
	if n.all, n.seen = s.All, s.Seen; s.All {
		return n, true
	}
	if n.spans = s.spans.list(); len(s.gos) > 0 {
		n.gos = &s.gos[0]
	}
	return n, true
}

// include adds d, which does not change. The lists of the first set are shared until another is
// added.
func (s *Set) include(d *Set) {
	switch {
	case s.All:
	case d.All:
		s.everything()
	case s.Empty():
		s.spans, s.gos = slices.Clip(d.spans), slices.Clip(d.gos)
		s.shared = true
	default:
		s.own()
		s.spans = union(s.spans, d.spans)
		for _, g := range d.gos {
			s.AddGo(g)
		}
		s.limit()
	}
}

// own makes a private copy of shared lists, so that s may be changed.
func (s *Set) own() {
	if s.shared {
		s.spans, s.gos, s.shared = slices.Clone(s.spans), slices.Clone(s.gos), false
	}
}
