package merge

import (
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Ds are told as shortly as they can be. A set that the recorder has numbered is listed once. What
// follows from an object that has changed a little is told by what has changed: the set of it that
// was told last, which begins at the same address, is the one that a new set is made of. So are the
// parts of Ds without a number, from the second time on.

const (
	toldSlots = 1 << 12
	toldFew   = 4 // parts that are told one by one
)

// told is the sets that the trace has.
type told struct {
	// their numbers there, by those that the recorder gave: equal sets have one
	names   map[uint32]uint64
	latest  []latest // by where they begin
	unnamed uint64   // sets that the recorder has not numbered
}

// latest is the last set of those that begin at an address.
type latest struct {
	at     trace.Addr
	number uint64 // 0: its parts were told one by one
	set    *excluded.Set
}

// last returns the place of the last set that begins at an address; one of another address goes.
func (l *told) last(at trace.Addr) *latest {
	if l.latest == nil {
		l.latest = make([]latest, toldSlots)
	}
	was := &l.latest[uint64(at)*0x9E3779B97F4A7C15>>52]
	if was.at != at {
		*was = latest{at: at}
	}
	return was
}

// named places a set that the recorder has numbered.
func (m *merger) named(number uint32, p placed) {
	name, ok := m.told.names[number]
	if ok {
		m.placeSet(name, 0, nil, p)
		return
	}
	if m.told.names == nil {
		m.told.names = make(map[uint32]uint64)
	}
	name = uint64(number)
	parts := m.parts(number)
	set := excluded.SetOf(parts)
	if set.All || len(parts) == 0 {
		m.told.names[number] = name
		m.placeSet(name, 0, parts, p)
		return
	}
	was := m.told.last(parts[0].Obj)
	of := uint64(0)
	if was.number != 0 {
		switch change := difference(was.set, set); {
		case len(change) == 0:
			name, parts = was.number, nil
		case len(change) < len(parts):
			of, parts = was.number, change
		}
	}
	m.told.names[number] = name
	was.number, was.set = name, set
	m.placeSet(name, of, parts, p)
}

// unnamed places parts of a D.
func (m *merger) unnamed(parts []trace.Event, p placed) {
	if len(parts) < toldFew {
		m.placeAll(parts, p)
		return
	}
	set := excluded.SetOf(parts)
	if set.All {
		m.placeAll(parts, p)
		return
	}
	was := m.told.last(parts[0].Obj)
	of := was.number
	var change []trace.Event
	if was.set != nil {
		change = difference(was.set, set)
	}
	switch {
	case was.set == nil || len(change) > len(parts)/2:
		was.number, was.set = 0, set
		m.placeAll(parts, p)
		return
	case of == 0: // listed the second time
	case len(change) == 0:
		m.placeSet(of, 0, nil, p)
		return
	default:
		parts = change
	}
	m.told.unnamed++
	was.number, was.set = 1<<32+m.told.unnamed, set
	m.placeSet(was.number, of, parts, p)
}

// placeSet places a ReachSet, with what makes the set of another one; with nothing, it names one
// that the trace has.
func (m *merger) placeSet(number, of uint64, parts []trace.Event, p placed) {
	g, site := p.e.G, p.e.Site
	p.e = trace.Event{Kind: format.ReachSet, G: g, Site: site, Obj: trace.Addr(number), Val: uint64(len(parts)), Aux: of}
	m.place(p)
	p.e.G, p.e.Site = g, site
	m.placeAll(parts, p)
}

// difference lists what makes the set to of the set from.
func difference(from, to *excluded.Set) []trace.Event {
	return appendParts(appendParts(nil, from.Minus(to), format.FlagGone), to.Minus(from), 0)
}

// appendParts appends Reach events of what a set has.
func appendParts(list []trace.Event, s *excluded.Set, flags format.Flags) []trace.Event {
	s.Each(func(from, to uint64) {
		list = append(list, trace.Event{Kind: format.Reach, Flags: flags, Obj: trace.Addr(from), Val: to - from})
	}, func(trace.GoID) {})
	return list
}
