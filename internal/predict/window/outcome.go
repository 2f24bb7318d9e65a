package window

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// The outcome that the operation at a fork had in the recorded run.

// Recorded implements [flow.Surroundings].
func (s *surroundings) Recorded(first *trace.Event) bool {
	const outcome = format.FlagTry | format.FlagClosed
	m := s.m
	if first.Kind == format.Read && first.Flags&format.FlagNoValue != 0 { // of a map
		return false
	}
	if s.fork < m.onPath && m.recs[s.fork].outside() {
		return s.endedAs(first)
	}
	for i := s.fork; i < m.onPath && i < s.fork+maxOutcome; i++ {
		switch e := &m.recs[i].Event; {
		case e.G != s.g || e.Kind == format.SelectCase || e.Kind.IsAccess() && !first.Kind.IsAccess():
		case e.Site != s.site:
			return false
		case e.Kind == first.Kind && e.Obj == first.Obj && e.Flags&outcome == first.Flags&outcome:
			return e.Kind != format.ChanLen && !format.IsMapWord(e.Obj) || e.Val == first.Val
		}
	}
	return false
}

// endedAs reports whether Err of a context, which outside code has executed, has found what it
// found in the recorded run: if it has found the context cancelled, it has received from its
// channel.
func (s *surroundings) endedAs(first *trace.Event) bool {
	m := s.m
	cancelled := false
	for i := s.fork; i < m.onPath && (m.recs[i].Event.G != s.g || m.recs[i].outside()); i++ {
		e := &m.recs[i].Event
		cancelled = cancelled || e.G == s.g && e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0
	}
	return first.Site == s.site && (first.Kind == format.ChanRecv && cancelled || first.Kind == format.SelectDefault && !cancelled)
}
