package merge

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// missing is a BarrierPair that is open: a call that leaves traced code, by a function of the depth given.
type missing struct {
	method trace.Addr
	site   trace.Site
	depth  uint64
}

// reach places the D of the MethodBegin p right behind it, before other streams go on.
func (m *merger) reach(s *stream, p placed) {
	c := s.cursor()
	var r record
	for c.read(m.recording, s, &r) {
		if r.kind == format.RawStamp { // of a new chunk
			continue
		}
		if r.kind != format.Reach {
			return
		}
		p.e = trace.Event{Kind: format.Reach, G: p.e.G, Site: p.e.Site, Obj: trace.Addr(r.word(0)), Val: r.word(1)}
		m.place(p)
	}
}

// left ends the BarrierPairs of functions that are gone once one of the depth given is entered or left: a call that returns has a
// MethodEnd of its own, one that panics, or ends the goroutine, has none.
func (m *merger) left(s *stream, depth uint64, p placed) {
	for n := len(s.missing); n > 0 && s.missing[n-1].depth >= depth; n-- {
		x := s.missing[n-1]
		s.missing = s.missing[:n-1]
		p.e = trace.Event{Kind: format.MethodEnd, G: p.e.G, Site: x.site, Obj: x.method}
		m.place(p)
	}
}
