package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// altProducer is the pass that makes the events of alternatives, after those of the recorded run.
type altProducer struct {
	*graph
	reads  *resolver
	access *accesses
	alts   *alternatives
	made   []built.Way
}

// produceAlternatives makes the events of the alternatives. Each begins with the number after the
// window's last event.
func (m *altProducer) produceAlternatives() {
	n := len(m.w.Events)
	edges, orders := len(m.w.Edges), len(m.w.Orders)
	for k := range m.alts.list {
		if w := m.produceAlternative(&m.alts.list[k]); w != nil {
			w.Events = slices.Clone(m.w.Events[n:])
			m.made = append(m.made, *w)
		}
		m.w.Events, m.w.Edges, m.w.Orders = m.w.Events[:n], m.w.Edges[:edges], m.w.Orders[:orders]
	}
}

// produceAlternative makes the events of one alternative. It is nil if the goroutine does not get
// to the fork in this window, or the alternative has no event.
func (m *altProducer) produceAlternative(w *path) *built.Way {
	t := m.threads[w.fork.g]
	at := m.recs[m.onPath-1].Index + 1 // the event before which the path is left
	from := m.recs[0].Index
	if slices.ContainsFunc(w.alt.Unfired, func(t flow.Timer) bool { return t.Fired < from }) {
		return nil
	}
	if timer, ok := w.fork.Timer(); ok && timer.Armed >= from && m.thread(w.fork.g).by < 0 {
		return nil
	} else if w.fork.Ended() {
		m.threadOf(w.fork.g)
		t = m.thread(w.fork.g)
	} else {
		at = m.recs[w.fork.rec].Index
	}
	if t == nil || t.id < 0 || t.dead && t.cutAt < w.fork.rec {
		return nil
	}
	m.reads.base = w.first
	m.reads.asked = nil
	before, leaves := m.around(t, at)
	n := len(m.w.Events)
	threads := map[trace.GoID]*thread{t.g: {g: t.g, id: t.id, last: -1}}
	ended := map[trace.GoID]bool{}
	for k := range w.alt.Steps {
		i := w.first + k
		r := &m.recs[i]
		g := r.Event.G
		if ended[g] {
			continue
		}
		if threads[g] == nil { // its Go is not there
			continue
		}
		first := len(m.w.Events)
		if !m.step(i, r, threads[g], threads) || w.alt.Steps[k].Last {
			ended[g] = true
			for n := range m.w.Events[first:] {
				m.w.Events[first+n].Last = true // (MO8)
			}
		}
	}
	if len(m.w.Events) == n {
		return nil
	}
	holds, _ := m.reads.conditions(w.alt.Chosen)
	return &built.Way{
		G: t.g, Thread: t.id, Fork: w.fork.Site(), Where: w.fork.Where, Base: w.fork.Base(), Other: w.fork.Outcome(), Ended: w.fork.Ended(), At: at,
		Chosen: w.alt.Chosen, Holds: holds, Steps: w.alt.Steps, Assumes: w.alt.Assumes,
		Alone: w.alone, Unseen: w.alt.Unseen, Halted: w.alt.Halted, Origin: w.fork.Fork, Before: before, Leaves: leaves, Cuts: m.cuts(w),
	}
}

// cuts returns where goroutines do something to the timer that starts the goroutine of an
// alternative, after it was started, and where timers fire that do not on the alternative.
func (m *altProducer) cuts(w *path) (list []built.Cut) {
	timers := w.alt.Unfired
	if timer, ok := w.fork.Timer(); ok {
		timers = append(slices.Clip(timers), timer)
	}
	for _, timer := range timers {
		list = append(list, m.cutsOf(timer, w.fork.g)...)
	}
	return list
}

// cutsOf returns where goroutines other than g do something to a timer, after it was started.
func (m *altProducer) cutsOf(timer flow.Timer, g trace.GoID) (list []built.Cut) {
	seen := map[trace.GoID]bool{g: true}
	for i := range m.recs[:m.onPath] {
		e := &m.recs[i].Event
		at := m.recs[i].Index
		if uint64(e.Obj) != timer.Object || e.Kind != format.Acquire && e.Kind != format.ReleaseMerge || at <= timer.Armed || seen[e.G] {
			continue
		}
		seen[e.G] = true
		t := m.threads[e.G]
		if t == nil || t.id < 0 {
			continue
		}
		before, after := m.around(t, at)
		list = append(list, built.Cut{Thread: t.id, At: at, Before: before, Leaves: after})
	}
	return list
}

// around returns the events of a thread around an event of the trace: the last one before it, -1 if
// there is none, and the first one from it on, the number of the window's events if there is none.
func (m *altProducer) around(t *thread, at int64) (before, after int32) {
	before = -1
	for _, n := range t.events {
		if m.w.Events[n].Index >= at {
			return before, n
		}
		before = n
	}
	return before, int32(len(m.w.Events))
}

// step makes the events of one step. It returns false if its goroutine can not go on, because what
// the step does or needs is unknown.
func (m *altProducer) step(i int, r *record, t *thread, threads map[trace.GoID]*thread) bool {
	deps := m.reads.resolve(r.Needs)
	guards, ok := m.reads.conditions(r.guards)
	if !ok {
		return false
	}
	ev := model.Event{Kind: r.Event.Kind, Flags: r.Event.Flags &^ format.FlagMore, Obj: -1, Val: r.Event.Val, Aux: r.Event.Aux, Partner: -1, Deps: deps, Guards: guards}
	// (MO14): of a channel without a buffer
	if r.Event.Kind == format.SelectDefault || r.obj >= 0 && r.Event.Aux == 0 {
		if ev.Cases, ok = m.casesOf(i, r); !ok {
			return false
		}
	}
	switch {
	case format.IsMapWord(r.Event.Obj) && r.Event.Kind != format.AtomicRead && m.ranges(t, m.alts.stepOf(r).Keys):
		return false
	case r.mem >= 0:
		return m.stepAccess(i, r, t, ev)
	case r.Event.Kind == format.SelectDefault:
		m.add(t, i, ev)
		return true
	case r.Event.Kind == format.Block: // of a timer
		if len(deps)+len(guards) > 0 {
			ev.Kind, ev.Flags = model.Pin, 0
			m.add(t, i, ev)
		}
		return true
	case r.Event.Kind == format.Go && m.counting: // (WI5)
		return false
	case r.Event.Kind == format.Go:
		u := &thread{g: trace.GoID(r.Event.Obj), id: -1, last: -1}
		threads[u.g] = u
		n := m.add(t, i, ev)
		u.id = model.Thread(len(m.order))
		m.order = append(m.order, u)
		m.w.Threads = append(m.w.Threads, u.g)
		m.w.Events[n].Obj = model.Obj(u.id)
		return true
	case r.obj >= 0:
		o := &m.objs[r.obj]
		if o.poisoned || !o.modelled(&r.Event) {
			return false
		}
		ev.Obj = m.idOf(o)
		if ev.Kind == format.ChanSend && ev.Flags&format.FlagNonBlocking != 0 && r.Event.Aux == 0 {
			ev.Partner = model.Anyone
		}
		n := m.add(t, i, ev)
		return m.stepChannel(i, n, r)
	}
	return false
}

// ranges reports whether another goroutine calls Range or Clear of a sync.Map whose keys t changes:
// it may find other keys than in the recorded run. If it is not known which map that is, it may be
// any.
func (m *altProducer) ranges(t *thread, keys trace.Addr) bool {
	return slices.ContainsFunc(m.ranged, func(x ranged) bool { return x.g != t.g && (keys == 0 || keys == x.keys) })
}

// casesOf returns the cases that a select of an alternative does not choose. ok is false if the
// operations on one of the channels are not all known.
func (m *altProducer) casesOf(i int, r *record) (cases []model.Case, ok bool) {
	for _, c := range m.alts.stepOf(r).Cases {
		o := m.alts.caseOf(i, c)
		if o.opaque || o.poisoned {
			return nil, false
		}
		cases = append(cases, model.Case{Chan: m.idOf(o), Send: c.Send})
	}
	return cases, true
}

// stepChannel gives a send its value, and a receive its sources.
func (m *altProducer) stepChannel(i int, n int32, r *record) bool {
	ev := &m.w.Events[n]
	switch {
	case ev.Flags&format.FlagNoValue != 0: // values are sends
		ev.Val = uint64(n) + 1
	case ev.Kind == format.ChanSend:
		return m.stepValue(r, n, 0, 0xff, &ev.Val)
	case ev.Kind == format.ChanRecv && ev.Flags&format.FlagClosed == 0:
		m.reads.source(i, 0xff, n)
	case ev.Kind == format.ChanLen: // with another number of elements, the path is another one
		ev.Strict = true
	}
	return true
}

// stepAccess makes the events of an access of an alternative: one for each atom.
func (m *altProducer) stepAccess(i int, r *record, t *thread, ev model.Event) bool {
	e := &r.Event
	w := &m.words[r.mem]
	mask := built.ByteMask(uint64(e.Obj), e.Size)
	for k := range w.atoms {
		a := &w.atoms[k]
		if a.mask&mask == 0 {
			continue
		}
		m.access.settle(w, a)
		if a.obj < 0 {
			a.obj = m.newObj(model.ObjState{Val: a.initial, Unknown: a.unknown}, built.Place{Addr: w.addr, Mask: a.mask})
		}
		shift := 8 * (uint64(e.Obj) & 7)
		ev.Obj = a.obj
		ev.Val, ev.Aux = a.cur, 0
		if e.Kind == format.Write || e.Kind == format.AtomicWrite {
			ev.Val = m.object64(a, built.Extract(e.Val<<shift, a.mask))
		}
		if m.alts.stepOf(r).Compares { // it finds this value, or it is another operation
			ev.Val, ev.Strict = m.object64(a, built.Extract(e.Val<<shift, a.mask)), true
		}
		if m.alts.stepOf(r).Unknown {
			ev.Val = m.ownValue()
		}
		// of a map
		unseen := e.Flags&format.FlagNoValue != 0 && (e.Kind == format.Read || e.Kind == format.Write)
		ev.Bare = unseen && w.noValue
		n := m.add(t, i, ev)
		ev.Deps, ev.Guards, ev.Strict = nil, nil, false
		// it can race, but what it sees or does is not known
		if w.noValue && !unseen || w.outside || a.opaque || a.barrier >= 0 {
			return false
		}
		if unseen {
			if !m.stepMap(i, r, t, w, a) {
				return false
			}
			continue
		}
		if reads(e.Kind) {
			m.reads.source(i, a.mask, n)
		}
		switch {
		case e.Kind == format.AtomicRMW && !m.stepValue(r, n, shift, a.mask, &m.w.Events[n].Aux):
			return false
		case m.alts.stepOf(r).Unknown:
		case (e.Kind == format.Write || e.Kind == format.AtomicWrite) && !m.stepValue(r, n, shift, a.mask, &m.w.Events[n].Val):
			return false
		}
	}
	return true
}

// stepMap makes the events of an access of an alternative to a map that act on its entries, or on
// its contents as a whole. If a lookup does not say what it finds, nothing depends on that, and
// there is no event. The result is false if the window does not have it.
func (m *altProducer) stepMap(i int, r *record, t *thread, w *word, a *atom) bool {
	x := &m.alts.stepOf(r).Flow
	switch write := r.Event.Kind == format.Write; {
	case !write && x.Version == 0:
		return true
	case !w.noValue:
		return false
	case write:
		return m.access.maps.writesOff(i, x.Entry, t, w, a)
	}
	return m.access.maps.readsOff(i, x, t, w, a)
}

// stepValue gives a write or send of an alternative its value: that of its term where its reads see
// what their events have.
func (m *altProducer) stepValue(r *record, n int32, shift uint64, mask uint8, val *uint64) bool {
	if r.Value == nil {
		return true
	}
	x := m.reads.term(r.Value)
	if x == nil {
		word, ok := r.Value.Recorded()
		if !ok || len(m.reads.resolve(numbers(r.Value))) > 0 {
			return false
		}
		x = expr.Word(word)
	}
	e := &m.w.Events[n]
	t := model.NewTerm(built.AtomOf(x, shift, mask))
	v, ok := m.reads.stores(t)
	switch {
	case t.Expr.IsConst():
		*val, _ = t.Expr.Recorded()
		if ok && e.Kind == format.AtomicRMW {
			e.Value = t
		}
		return true
	case !ok:
		return false
	}
	*val = v
	e.Value, e.ValDeps = t, slices.DeleteFunc(slices.Clone(t.Reads()), func(x int32) bool { return x == n })
	return true
}
