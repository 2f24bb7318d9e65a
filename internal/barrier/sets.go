package barrier

import (
	"fmt"

	"presage/internal/trace"
	"presage/internal/trace/format"
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
		p.set, p.rest = &Set{}, e.Val
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

// part takes a part of the set that is being listed.
func (p *Pairs) part(e *trace.Event) {
	if e.Kind == format.ReachGo {
		p.set.AddGo(trace.GoID(e.Obj))
	} else {
		p.set.AddMemory(uint64(e.Obj), e.Val)
	}
	p.rest--
}

// Set returns a set that was listed, as part of a D that is, or is not, memory alone.
func (p *Pairs) Set(number trace.Addr, seen bool) *Set {
	d := *p.sets[number]
	d.Seen, d.shared = seen, true
	return &d
}

// Name tells a set that calls name from others.
type Name struct {
	first     *span
	gos       *trace.GoID
	spans     int
	all, seen bool
}

// Name returns the name of a D that is one set which others may name, or everything. What has one name has the same parts.
func (s *Set) Name() (n Name, ok bool) {
	if !s.shared && !s.All || s.union {
		return n, false
	}
	if n.all, n.seen = s.All, s.Seen; s.All {
		return n, true
	}
	if n.spans = len(s.spans); n.spans > 0 {
		n.first = &s.spans[0]
	}
	if len(s.gos) > 0 {
		n.gos = &s.gos[0]
	}
	return n, true
}

// include adds a set that stays as it is. The first one is shared until something else comes.
func (s *Set) include(d *Set) {
	switch {
	case s.All:
	case d.All:
		s.All, s.Cut, s.spans, s.gos = true, true, nil, nil
	case len(s.spans) == 0 && len(s.gos) == 0:
		s.spans, s.gos = d.spans[:len(d.spans):len(d.spans)], d.gos[:len(d.gos):len(d.gos)]
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
		s.spans, s.gos, s.shared = append([]span(nil), s.spans...), append([]trace.GoID(nil), s.gos...), false
	}
}

// union merges spans that are sorted and apart.
func union(a, b []span) []span {
	out := make([]span, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(a) == 0 || len(b) > 0 && b[0].from < a[0].from {
			a, b = b, a
		}
		x := a[0]
		a = a[1:]
		if n := len(out); n > 0 && x.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
		} else {
			out = append(out, x)
		}
	}
	return out
}
