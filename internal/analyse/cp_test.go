package analyse

import (
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// causallyPrecedes returns the sites of all pairs of accesses that the causally-precedes relation does not order (Smaragdakis,
// Evans, Sadowski, Yi, Flanagan, "Sound predictive race detection in polynomial time", POPL 2012), by its definition, for small traces:
//
//	(a) of two critical sections on one lock with conflicting accesses the first release precedes the second acquire;
//	(b) so it does if an event of the first precedes one of the second;
//	(c) what precedes, precedes also with happens-before in front of it or behind it.
//
// Go and Join order as program order does. Other synchronisation it has not.
func causallyPrecedes(events []trace.Event) [][2]trace.Site {
	n := len(events)
	must, hb, cp := newRelation(n), newRelation(n), newRelation(n)
	for j := range events {
		for i := range j {
			e, f := &events[i], &events[j]
			switch {
			case e.G == f.G, e.Kind == format.Go && trace.GoID(e.Obj) == f.G, f.Kind == format.Join && trace.GoID(f.Obj) == e.G:
				must[i][j], hb[i][j] = true, true
			case e.Kind == format.Unlock && f.Kind == format.Lock && e.Obj == f.Obj:
				hb[i][j] = true
			}
		}
	}
	must.close()
	hb.close()
	sections := criticalSections(events)
	for changed := true; changed; {
		changed = false
		for _, s := range sections {
			for _, u := range sections {
				if s.lock == u.lock && s.rel < u.acq && !cp[s.rel][u.acq] && s.meets(u, events, cp) {
					cp[s.rel][u.acq], changed = true, true
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					if !cp[i][j] && (cp[i][k] && (hb[k][j] || cp[k][j]) || hb[i][k] && cp[k][j]) {
						cp[i][j], changed = true, true
					}
				}
			}
		}
	}
	var out [][2]trace.Site
	for j := range events {
		for i := range j {
			e, f := &events[i], &events[j]
			if clash(e, f) && !must[i][j] && !cp[i][j] {
				if p := [2]trace.Site{e.Site, f.Site}; !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

func clash(e, f *trace.Event) bool {
	return e.Kind.IsAccess() && f.Kind.IsAccess() && e.Obj == f.Obj && e.G != f.G && conflict(e.Kind, f.Kind)
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
	acq, rel int
}

func criticalSections(events []trace.Event) []section {
	var out []section
	for i := range events {
		e := &events[i]
		if e.Kind != format.Lock {
			continue
		}
		for j := i + 1; j < len(events); j++ {
			if f := &events[j]; f.Kind == format.Unlock && f.G == e.G && f.Obj == e.Obj {
				out = append(out, section{e.G, e.Obj, i, j})
				break
			}
		}
	}
	return out
}

// meets says whether (a) or (b) holds of two sections.
func (s section) meets(u section, events []trace.Event, cp relation) bool {
	for i := s.acq; i <= s.rel; i++ {
		for j := u.acq; j <= u.rel; j++ {
			if events[i].G == s.g && events[j].G == u.g && (clash(&events[i], &events[j]) || cp[i][j]) {
				return true
			}
		}
	}
	return false
}
