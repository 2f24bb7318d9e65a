package window

import (
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// producer is the pass that makes the events of the recorded run.
type producer struct {
	*graph
	reads  *resolver
	alts   *alternatives
	excl   *exclusions
	trust  *trusting
	access *accesses
	sync   *syncs

	// loosePins are the Pins of arguments of outside calls, of results of callbacks from outside
	// code, and of results that only outside code could compute.
	loosePins []int32
}

// produce makes the events of the window, in trace order. It executes the model: an
// event that the recorded order does not enable ends its thread.
func (m *producer) produce() {
	m.past = 0
	m.findSenders()
	if m.excl.openCalls(); m.b.excode.active() {
		m.excl.calls.Words = len(m.words)
	}
	for i := range m.recs[:m.onPath] {
		r := &m.recs[i]
		m.now, m.reads.open = i, r.Index
		t := m.thread(r.Event.G)
		if r.Event.Kind == format.Alloc {
			m.past++
			continue
		}
		if r.skip {
			m.cut(t)
		}
		if !t.dead && m.sending(t) { // the receiver of what it has sent is not in the window
			m.cut(t)
		}
		if t.dead {
			m.sync.dropped(i, r)
			continue
		}
		if !m.b.excode.active() {
			m.event(i, r, t)
		} else {
			m.beside(i, r, t)
		}
	}
	m.reads.open = flow.AlternativeBase
}

func (m *producer) event(i int, r *record, t *thread) {
	if m.sync.lost || !m.trust.trustsBefore(i, r, t) {
		m.cut(t)
		m.sync.dropped(i, r)
		return
	}
	if len(r.guards) > 0 {
		m.reads.guard(i, r, t)
	}
	switch r.Event.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		m.access.accessEvent(i, r, t)
	case format.MethodBegin, format.MethodEnd:
		m.excl.excludedCall(i, r, t)
	case format.SelectCase:
		if r.obj >= 0 && m.objs[r.obj].reached {
			m.sync.excludedSync(i, r, t, &m.objs[r.obj])
		} else if r.obj >= 0 {
			t.cases = append(t.cases, model.Case{Chan: m.idOf(&m.objs[r.obj]), Send: r.Event.Flags&format.FlagWrite != 0})
		}
	case format.SelectDefault:
		m.sync.selectDefault(i, r, t)
	case format.Go:
		m.sync.count(i, t)
		m.sync.goEvent(i, r, t)
		m.sync.count(i, t)
	case format.End:
		m.sync.count(i, t)
	case format.Observe:
		m.sync.observe(i, r, t)
	case format.Start:
		m.sync.start(i, r, t)
	case format.Join:
		m.sync.join(i, r, t)
	case format.Alloc:
	case format.Block:
		m.reads.pin(i, r, t)
	default:
		if r.obj >= 0 {
			m.sync.syncEvent(i, r, t)
		} else if r.Event.Kind.IsControl() {
			if p := m.reads.pin(i, r, t); p >= 0 {
				m.loosePins = append(m.loosePins, p)
			}
		}
	}
	if !t.dead {
		m.trust.trustsAfter(i, r, t)
		for _, g := range m.alts.started(r) {
			m.sync.begins(i, r, g, t)
		}
	}
}

// beside makes the events of a record of a trace with excluded code, and their orders with excluded
// calls.
func (m *producer) beside(i int, r *record, t *thread) {
	s, touched := m.stepOf(r, t)
	inside := m.excl.calls.Inside(r.Event.G)
	quiet := m.excl.quietRecord(r)
	if quiet && !m.cutAny && !r.unstarted && !(inside && m.excl.mayReveal(r)) {
		if quiet = m.quietly(i, r, t, s); quiet {
			return
		}
	}
	kept := m.excl.calls.Before(s)
	if s.Begins != nil {
		kept.Edges = m.excl.endedBefore(kept.Edges, s.Begins)
	}
	// the events that it must follow may not be in the window
	if m.cutAny && (touched || r.Pair != nil || kept.Any() || inside) {
		m.cut(t)
		m.sync.dropped(i, r)
		return
	}
	first := m.besideEvents(i, r, t, touched, inside, quiet)
	if first < 0 {
		return
	}
	m.excl.keepOrders(kept, first, r, s.X)
	m.excl.learns(kept, r.Event.G)
	m.excl.afterQuiet(kept, t)
	if touched && m.excl.calls.Hit(s.X) { // (EX4)
		m.excl.pinWritten(t, first)
	}
	if r.Pair != nil {
		m.excl.besideCalls(r, t, first)
	}
	if m.excl.calls.After(s, excluded.Extent{First: first, Last: t.last}); r.Event.Kind == format.End {
		m.excl.calls.Ended(r.Event.G)
	}
	if s.Ends != nil && !m.excl.calls.Inside(r.Event.G) {
		delete(m.excl.free, r.Event.G)
	}
}

// stepOf returns a record as package excluded takes it, and whether an excluded call reaches what
// it acts on.
func (m *producer) stepOf(r *record, t *thread) (s *excluded.Step, touched bool) {
	x := excluded.TouchOf(&r.Event)
	if touched = m.b.excode.reaches(x); !touched {
		x = excluded.Touch{}
	}
	s = &excluded.Step{
		G: r.Event.G, Index: r.Index, X: x, Reads: onlyReads(r.Event.Kind), Demands: touched && m.demands(r), Known: m.known(t),
	}
	switch r.Event.Kind {
	case format.MethodBegin:
		s.Begins = r.Pair
	case format.MethodEnd:
		s.Ends = r.Pair
	}
	return s, touched
}

// besideEvents makes the events of a record, and returns the first of them, or -1. A record that
// excluded calls may be ordered with gets a Pin if it has no other event. Quiet says that the
// access could have been quiet.
func (m *producer) besideEvents(i int, r *record, t *thread, touched, inside, quiet bool) int32 {
	n := int32(len(m.w.Events))
	if r.unstarted {
		m.sync.unstarted(i, r, t)
	}
	// the gap before an access has run if the access is one of the race: the Pin shows it
	if inside && r.Event.Kind.IsAccess() && !t.dead {
		m.add(t, i, model.Event{Kind: model.Pin, Obj: -1})
	}
	if !t.dead {
		m.event(i, r, t)
	}
	if synchronises(r.Event.Kind) {
		m.excl.keeps(r.Event.G)
	}
	if m.b.opt.Walked && inside && !t.dead {
		if m.excl.pinRead(i, t); quiet && r.Event.Kind.IsWrite() {
			m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.From)})
		}
	}
	first := m.firstOf(t, n)
	if m.b.showsOutside(&r.Event) && !m.b.apart(&r.Event) && !inside && !t.dead {
		first = m.excl.besideMethods(i, t, first)
	}
	if first < 0 && (touched || r.Event.Kind == format.End && inside) && !t.dead {
		first = m.add(t, i, model.Event{Kind: model.Pin, Obj: -1})
	}
	return first
}
