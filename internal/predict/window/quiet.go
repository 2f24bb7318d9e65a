package window

import (
	"slices"

	"maps"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
)

// Quiet accesses. Memory that an excluded call reaches (its D) is shared with the excluded code. A
// call that reaches everything would make every word shared. But if only one goroutine accesses a
// word, or none writes it, excluded code is the only other party, and most calls by other
// goroutines come before or after the access in any case. Then the access needs no event: it is
// *quiet*.
//
//   - (WI9) A quiet access is right behind the previous event of its goroutine. Every excluded call
//     that reaches it has ended before that event, or begins after the next one. So it reads what
//     it read in the recorded run, also if excluded code wrote that. What it writes is there when
//     an excluded call begins that may read it. The value is the recorded one if the reads that it
//     is computed from are intact: the MethodBegin needs them (EX4). A callback runs between two
//     parts of its excluded call. Its quiet accesses belong to the gap that they are in, if the
//     call may write what they access. Three kinds of access in a callback have events, because the
//     excluded code after the gap has run only if they have: a write to memory that the call only
//     reads, an access from which the call may learn the value of other reads, and an access that
//     is made only if reads have their values.
//
// The calls before an access are known when it comes. From the first access on that is not ordered
// with one of them, all accesses of the location have events. The calls after an access are known
// later only. So a window is made under the assumption that they are ordered too. If some are not,
// it is made once more, with events for all accesses to the words at fault. If the second attempt
// finds more such words, all accesses have events. The same holds for some windows after a window
// with hardly any quiet access (backoff).

// quietness says which accesses of a window may be quiet, and what came of it.
type quietness struct {
	withEvents map[uint64]bool // in: words whose accesses have events
	allEvents  bool            // in: all accesses have events
	needEvents map[uint64]bool // out: words whose accesses must have events
	eventless  int             // out: number of accesses without an event
}

// backoff says in which windows quiet accesses are looked for. After a window with too few of them,
// the next windows have none, twice as many windows each time.
type backoff struct{ left, last int }

// missed notes that too few accesses were quiet.
func (h *backoff) missed() {
	h.last = min(2*h.last+1, 63)
	h.left = h.last
}

// found notes that enough accesses were quiet.
func (h *backoff) found() { h.last = 0 }

// made makes the window of the buffer. It makes it again if an access that was taken for quiet is
// not.
func (b *Builder) made() *product {
	q, count := &quietness{}, b.count
	if b.backoff.left > 0 {
		b.backoff.left--
		q.allEvents = true
	}
	p := b.make(q)
	b.room = len(p.w.Events) + len(p.w.Events)/8
	if len(q.needEvents) == 0 {
		return p
	}
	hoped := q.eventless
	for again := false; len(q.needEvents) > 0; again = true {
		q = &quietness{allEvents: again, withEvents: q.needEvents}
		b.count = count
		p = b.make(q)
	}
	if 8*q.eventless < hoped {
		b.backoff.missed()
	} else {
		b.backoff.found()
	}
	return p
}

// quieten finds the atoms whose accesses are quiet.
func (q *quietness) quieten(l *layout) {
	if !l.b.excode.active() || l.b.opt.NoValues || q.allEvents {
		return
	}
	for k := range l.words {
		w := &l.words[k]
		for j := range w.atoms {
			a := &w.atoms[j]
			a.quiet = a.reached && !(a.many && a.write) && !a.off && !a.opaque && !q.withEvents[w.addr]
		}
	}
}

// quietRecord reports whether r is an access of which all atoms are quiet.
func (m *exclusions) quietRecord(r *record) bool {
	if r.mem < 0 || m.allEvents {
		return false
	}
	w, mask := &m.words[r.mem], bytesIn(&r.Event)
	for k := range w.atoms {
		if a := &w.atoms[k]; a.mask&mask != 0 && !a.quiet {
			return false
		}
	}
	return true
}

// quietly takes an access as quiet. It returns false if the access must have an event after all.
func (m *producer) quietly(i int, r *record, t *thread, s *excluded.Step) bool {
	if !m.excl.calls.Settled(s) {
		if m.excl.giveEvents(r) {
			return false
		}
		m.excl.wantEvents(m.words[r.mem].addr)
	}
	if m.event(i, r, t); !t.dead {
		m.excl.eventless++
		m.excl.calls.Passed(s, t.last)
	}
	return true
}

// giveEvents makes later accesses to the atoms of r have events. It returns false if an atom holds
// a value that was computed from reads, or that excluded code left and several goroutines read:
// then no event has written the value.
func (m *exclusions) giveEvents(r *record) bool {
	w, mask := &m.words[r.mem], bytesIn(&r.Event)
	for k := range w.atoms {
		if a := &w.atoms[k]; a.mask&mask != 0 && (len(a.deps) > 0 || a.many && a.found) {
			return false
		}
	}
	for k := range w.atoms {
		a := &w.atoms[k]
		if a.mask&mask == 0 {
			continue
		}
		switch a.quiet = false; {
		case w.noValue:
			a.cur = 0
		case a.curSet:
			a.cur = m.object64(a, a.cur)
			a.initial, a.unknown = a.cur, false
		}
	}
	return true
}

// mayReveal reports whether a call of excluded code that has called traced code back may learn,
// from a quiet access of this code, what depends on others (EX4). It may do so only because the
// access needs certain reads. Such an access has an event (WI9).
func (m *exclusions) mayReveal(r *record) bool {
	if len(r.guards) > 0 || r.Appended != nil || len(m.reads.resolve(r.Needed())) > 0 {
		return true
	}
	if r.Event.Kind.IsWrite() && len(m.reads.resolve(r.From)) > 0 {
		return true
	}
	w, mask := &m.words[r.mem], bytesIn(&r.Event)
	for k := range w.atoms {
		if a := &w.atoms[k]; a.mask&mask != 0 && reads(r.Event.Kind) && len(a.deps) > 0 {
			return true
		}
	}
	return false
}

func (m *exclusions) wantEvents(word uint64) {
	if m.needEvents == nil {
		m.needEvents = maps.Clone(m.withEvents)
		if m.needEvents == nil {
			m.needEvents = make(map[uint64]bool)
		}
	}
	m.needEvents[word] = true
}

// afterQuiet checks the quiet accesses that a MethodBegin has to come after, when all orders before
// it are known.
func (m *exclusions) afterQuiet(kept *excluded.Kept, t *thread) {
	if len(kept.Quiet) == 0 {
		return
	}
	k := m.known(t)
	for _, q := range kept.Quiet {
		if !k.Past(q.G, q.At) {
			m.wantEvents(q.Addr)
		}
	}
}

// quietlyWritten reports whether excluded code may have written to a since its last access. If so,
// that is what a quiet access reads (WI9).
func (m *exclusions) quietlyWritten(w *word, a *atom) bool {
	if !a.quiet {
		return false
	}
	_, may := m.calls.Wrote(touchOf(w, a), a.last, true)
	if may {
		m.b.count.Hidden++
		a.found = true
	}
	return may
}

// readQuiet makes event n, a MethodBegin, need the recorded content of a quiet atom (EX4). Reads of
// another goroutine come before it, as the write does (WI9). The result is false if later
// MethodBegins must need it too. It is true if all of them come after this one, or if nothing can
// change the content.
func (m *exclusions) readQuiet(n int32, a *atom, covers bool) (clean bool) {
	if a.dirty = len(a.deps) > 0 && !covers; len(a.deps) == 0 {
		return true
	}
	a.strict = append(a.strict, n)
	e := &m.w.Events[n]
	if g, ok := quietGuard(a); ok && m.own(g.Term, e.Thread) {
		e.Guards = append(e.Guards, g)
	} else {
		e.Deps = model.Union(e.Deps, a.deps)
	}
	return covers
}

// own reports whether a term is over reads of one thread alone, as a guard has to be (MO11).
func (m *exclusions) own(t *model.Term, thread model.Thread) bool {
	return !slices.ContainsFunc(t.Reads(), func(r int32) bool { return m.w.Events[r].Thread != thread })
}

// quietGuard is the condition that an atom has the content that it has, if that is known as a
// function of reads.
func quietGuard(a *atom) (g model.Guard, ok bool) {
	if a.value == nil || a.value.Op() == expr.Read {
		return g, false
	}
	if v, known := a.value.Recorded(); !known || v != a.cur {
		return g, false
	}
	return model.Guard{Term: model.NewTerm(a.value), Want: a.cur}, true
}
