package merge

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// missing is a BarrierPair that is open: a call that leaves traced code, by a function of the depth
// given.
type missing struct {
	method trace.Addr
	site   trace.Site
	depth  uint64
	stamp  uint64
}

// leftOut counts the calls of a package that is left out.
type leftOut struct{ calls, all int }

// reach places the D of the MethodBegin p right behind it, before other streams go on; of what it
// grows by, what it does not have.
func (m *merger) reach(s *stream, p placed) {
	c := s.cursor()
	var r record
	var own []trace.Event
	var grown []span
	var has excluded.Set
	for c.read(m.recording, s, &r) && (r.kind == format.RawStamp || r.kind == format.RawGC || r.kind == format.Reach || r.kind == format.ReachSet) {
		switch {
		case r.kind == format.RawStamp: // of a new chunk
		case r.kind == format.Reach:
			n := uint64(r.size)
			if n == 0 {
				n = r.word(1)
			}
			own = append(own, trace.Event{Kind: format.Reach, Obj: trace.Addr(r.word(0)), Val: n})
		case r.flags&format.FlagMore != 0:
			grown = m.grown[r.site]
		default:
			if m.named(r.site, p); len(grown) > 0 {
				has.Add(excluded.SetOf(m.parts(r.site)))
			}
		}
	}
	m.unnamed(own, p)
	for _, x := range grown {
		parts := m.spans(x)
		if set := excluded.SetOf(parts); !set.All {
			has.Add(excluded.SetOf(own))
			own = appendParts(nil, set.Minus(&has), 0)
			parts = own
		}
		m.unnamed(parts, p)
	}
}

// placeAll places parts of a D.
func (m *merger) placeAll(parts []trace.Event, p placed) {
	g, site := p.e.G, p.e.Site
	for _, e := range parts {
		e.G, e.Site = g, site
		p.e = e
		m.place(p)
	}
}

// growsEndless reports whether the D of the call that s has just begun comes to be everything.
func (m *merger) growsEndless(s *stream) bool {
	if len(m.endless) == 0 {
		return false
	}
	c := s.cursor()
	var r record
	for c.read(m.recording, s, &r) {
		switch r.kind {
		case format.RawStamp, format.Reach:
		case format.ReachSet:
			if r.flags&format.FlagMore != 0 && m.endless[r.site] {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// parts returns what is in a set. One of which the record is lost is all of memory.
func (m *merger) parts(number uint32) (list []trace.Event) {
	x, ok := m.sets[number]
	if !ok {
		m.lost++
		return []trace.Event{{Kind: format.Reach, Obj: 1, Val: 1 << 63}, {Kind: format.Reach, Obj: 1 << 63, Val: 1 << 63}}
	}
	return m.spans(x)
}

// spans returns the spans of memory that the RawSet at x has.
func (m *merger) spans(x span) (list []trace.Event) {
	add := func(addr, n uint64) {
		list = append(list, trace.Event{Kind: format.Reach, Obj: trace.Addr(addr), Val: n})
	}
	b := m.maps[x.seg]
	for i := x.start; i < x.end; i += 8 {
		w := word(b, i)
		if n := w & (1<<16 - 1); n != 0 || i+8 == x.end {
			add(w>>16, n)
			continue
		}
		i += 8
		add(w>>16, word(b, i))
	}
	return list
}

// left ends the BarrierPairs of functions that are gone once one of the depth given is entered or
// left: a call that returns has a MethodEnd of its own, one that panics, or ends the goroutine, has
// none.
func (m *merger) left(s *stream, depth uint64, p placed) {
	if n := len(s.missing); n > 0 && s.missing[0].depth >= depth && p.from != noStamp {
		m.away += max(p.from, s.missing[0].stamp) - s.missing[0].stamp
	}
	for n := len(s.missing); n > 0 && s.missing[n-1].depth >= depth; n-- {
		x := s.missing[n-1]
		s.missing = s.missing[:n-1]
		p.e = trace.Event{Kind: format.MethodEnd, G: p.e.G, Site: x.site, Obj: x.method}
		m.place(p)
	}
}

// begun notes a call that leaves traced code.
func (m *merger) begun(s *stream, r *record, p placed) {
	x := p.e.Obj
	s.missing = append(s.missing, missing{x, trace.Site(r.site), r.word(0) >> 32, r.stamp})
	for len(m.leftOut) <= int(x) && int(x) <= len(m.meta.Missing) {
		m.leftOut = append(m.leftOut, leftOut{})
	}
	if int(x) < len(m.leftOut) {
		m.leftOut[x].calls++
		if p.e.Flags&format.FlagAll != 0 {
			m.leftOut[x].all++
		}
	}
}

// passed counts the time of goroutines.
func (m *merger) passed(s *stream, r *record) {
	if s.goid == 0 {
		return
	}
	if s.last != 0 {
		m.time += r.stamp - s.last
	}
	s.last = r.stamp
}

// warnLeftOut says how much of the run was in packages that are left out.
func (m *merger) warnLeftOut() {
	n := 0
	var list []string
	for i, x := range m.leftOut {
		if n += x.calls; x.calls == 0 {
			continue
		}
		text := fmt.Sprintf("%s %d", m.meta.Missing[i-1].Path, x.calls)
		if x.all > 0 {
			text += fmt.Sprintf(" (%d reach everything)", x.all)
		}
		list = append(list, text)
	}
	m.meta.Warn("left-out", n, fmt.Sprintf("calls went to packages that were left out of the trace, with %.3g %% of the goroutines' time: %s", 100*float64(m.away)/max(1, float64(m.time)), strings.Join(list, ", ")))
}
