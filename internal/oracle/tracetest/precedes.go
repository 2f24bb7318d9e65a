package tracetest

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// CausallyPrecedes returns the sites of all pairs of accesses that the causally-precedes relation
// leaves unordered (Smaragdakis, Evans, Sadowski, Yi, Flanagan, "Sound predictive race detection in
// polynomial time", POPL 2012), by its definition, for small traces:
//
//   - (a) Of two critical sections on one lock with conflicting accesses, the first release
//     precedes the second acquire.
//   - (b) So it does if an event of the first section precedes one of the second.
//   - (c) The relation is closed under composition with happens-before on either side.
//
// Go and Join order as program order does. There is no other synchronisation.
func CausallyPrecedes(events []trace.Event) [][2]trace.Site {
	p := newPrecedences(events)
	p.fix(func(s, u section) bool {
		return p.add(s.rel, u.acq, s.rel < u.acq && s.some(u, events, func(i, j int) bool { return clash(&events[i], &events[j]) || p.rel[i][j] }))
	})
	return p.unordered()
}

// WeaklyCausallyPrecedes does so for the weak-causally-precedes relation (package wcp, WC1 to WC3).
func WeaklyCausallyPrecedes(events []trace.Event) [][2]trace.Site {
	p := newPrecedences(events)
	p.fix(func(s, u section) (changed bool) {
		for j := u.acq; j <= u.rel; j++ {
			one := section{g: u.g, acq: j, rel: j}
			if p.add(s.rel, j, s.rel < u.acq && events[j].G == u.g && s.some(one, events, func(i, j int) bool { return clash(&events[i], &events[j]) })) {
				changed = true
			}
		}
		return p.add(s.rel, u.rel, s.rel < u.acq && !u.open && s.some(u, events, func(i, j int) bool { return p.rel[i][j] })) || changed
	})
	return p.unordered()
}

// precedences are the relations of a small trace.
type precedences struct {
	events   []trace.Event
	must, hb relation
	rel      relation // the relation that is computed
}

func newPrecedences(events []trace.Event) *precedences {
	n := len(events)
	p := &precedences{events, newRelation(n), newRelation(n), newRelation(n)}
	for j := range events {
		for i := range j {
			e, f := &events[i], &events[j]
			switch {
			case e.G == f.G, e.Kind == format.Go && trace.GoID(e.Obj) == f.G, f.Kind == format.Join && trace.GoID(f.Obj) == e.G:
				p.must[i][j], p.hb[i][j] = true, true
			case e.Kind == format.Unlock && f.Kind == format.Lock && e.Obj == f.Obj:
				p.hb[i][j] = true
			}
		}
	}
	p.must.close()
	p.hb.close()
	return p
}

// add adds a pair, and reports whether it is new.
func (p *precedences) add(i, j int, holds bool) bool {
	if !holds || p.rel[i][j] {
		return false
	}
	p.rel[i][j] = true
	return true
}

// fix applies a rule for two sections on one lock, and the composition with happens-before, up to
// the fixed point.
func (p *precedences) fix(rule func(s, u section) bool) {
	sections := criticalSections(p.events)
	for changed := true; changed; {
		changed = false
		for _, s := range sections {
			for _, u := range sections {
				if s.lock == u.lock && s != u && !s.open && rule(s, u) {
					changed = true
				}
			}
		}
		for k := range p.events {
			for i := range p.events {
				for j := range p.events {
					if p.add(i, j, p.rel[i][k] && (p.hb[k][j] || p.rel[k][j]) || p.hb[i][k] && p.rel[k][j]) {
						changed = true
					}
				}
			}
		}
	}
}

// unordered returns the sites of conflicting accesses that neither the relation nor program order,
// Go and Join order.
func (p *precedences) unordered() (out [][2]trace.Site) {
	for j := range p.events {
		for i := range j {
			if e, f := &p.events[i], &p.events[j]; clash(e, f) && !p.must[i][j] && !p.rel[i][j] {
				if p := [2]trace.Site{e.Site, f.Site}; !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

func clash(e, f *trace.Event) bool {
	return e.Kind.IsAccess() && f.Kind.IsAccess() && !e.IsText() && !f.IsText() && e.Obj == f.Obj && e.G != f.G && (e.Kind.IsWrite() || f.Kind.IsWrite()) && !(e.Kind.IsAtomic() && f.Kind.IsAtomic())
}

type relation [][]bool

func newRelation(n int) relation {
	r := make(relation, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	return r
}

func (r relation) close() {
	for k := range r {
		for i := range r {
			for j := range r {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
}

// section is a critical section: events acq to rel of one goroutine.
type section struct {
	g        trace.GoID
	lock     trace.Addr
	acq, rel int  // open: the end of the trace
	open     bool // not released
}

func criticalSections(events []trace.Event) []section {
	var out []section
	for i := range events {
		e := &events[i]
		if e.Kind != format.Lock {
			continue
		}
		s := section{e.G, e.Obj, i, len(events) - 1, true}
		for j := i + 1; j < len(events) && s.open; j++ {
			if f := &events[j]; f.Kind == format.Unlock && f.G == e.G && f.Obj == e.Obj {
				s.rel, s.open = j, false
			}
		}
		out = append(out, s)
	}
	return out
}

// some reports whether something holds for an event of each of two sections.
func (s section) some(u section, events []trace.Event, holds func(i, j int) bool) bool {
	for i := s.acq; i <= s.rel; i++ {
		for j := u.acq; j <= u.rel; j++ {
			if events[i].G == s.g && events[j].G == u.g && holds(i, j) {
				return true
			}
		}
	}
	return false
}
