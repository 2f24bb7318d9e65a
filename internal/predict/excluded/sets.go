package excluded

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// named takes a ReachSet: it begins to list a set, or adds one to the D that is being listed.
func (p *Pairs) named(i int64, e *trace.Event) error {
	switch x := p.listing; {
	case x == nil || x.G != e.G:
		return fmt.Errorf("event %d: %s of goroutine %d is not behind a methodbegin of it", i, e.Kind, e.G)
	case p.rest > 0:
		return fmt.Errorf("event %d: %d parts of a set do not follow its reachset", i, p.rest)
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

// part takes a part of the set that is being listed; with the last, it is in the D that is.
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

// SetOf returns the set that Reach events list.
func SetOf(parts []trace.Event) *Set {
	var list []span
	for i := range parts {
		list = append(list, part(uint64(parts[i].Obj), parts[i].Val))
	}
	s := &Set{spans: sorted(list)}
	s.limit()
	return s
}

// gather takes away from the set what is gone, and adds the parts that have come: all at once, for
// one by one would move what it has each time.
func (p *Pairs) gather() {
	if len(p.gone) > 0 {
		p.set.spans = p.set.spans.minus(sorted(p.gone))
		p.gone = p.gone[:0]
	}
	p.set.add(&Set{spans: slices.Clone(sorted(p.parts))})
	p.parts = p.parts[:0]
}

// Set returns a set that was listed, as part of a D that is, or is not, memory alone.
func (p *Pairs) Set(number trace.Addr, seen bool) *Set {
	d := *p.sets[number]
	d.Seen, d.shared = seen, true
	return &d
}

// Name tells a set that calls name from others.
type Name struct {
	spans     list
	gos       *trace.GoID
	all, seen bool
}

// list tells lists apart that do not change.
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

// Name returns the name of a D that is one set which others may name, or everything. What has one
// name has the same parts.
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

// include adds a set that stays as it is. The first one is shared until something else comes.
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

// own makes s one that may be changed.
func (s *Set) own() {
	if s.shared {
		s.spans, s.gos, s.shared = slices.Clone(s.spans), slices.Clone(s.gos), false
	}
}
