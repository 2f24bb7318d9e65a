package window

import (
	"maps"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
)

// Quiet accesses. Memory that a call of excluded code reaches (its D) is shared with that code. A
// call that reaches everything would make every word shared. But if only one goroutine accesses a
// word, or none writes it, excluded code is the only other party, and most calls by other
// goroutines come before or after the access in any case. An access needs no event if this holds
// for all calls that reach it:
//
//   - (K1) A quiet access stands right behind the previous event of its goroutine. Every call that
//     reaches it has ended before that event, or begins after the next one.
//   - (K2) So it reads what it read in the recorded run, also if excluded code has written that.
//   - (K3) What it writes is there when a call begins that may read it. The value is the recorded
//     one if the reads that it is computed from are intact: the MethodBegin needs them (B5).
//   - (K4) Code that a call of excluded code has called back runs between two parts of the call.
//     Its quiet accesses belong to the gap that they are in, if the call may write what they
//     access. Three kinds of access have events, because the code behind the gap has run only if
//     they have: a write to memory that the call only reads, an access from which the call may
//     learn what depends on other reads, and an access that is only made if reads have their
//     values.
//
// Calls before an access are known when it comes. From the first one without order on, all accesses
// of the location have events. Calls behind it are only known later. So a window is made on the
// assumption that they have an order too, and once more if some have none, with events for all
// accesses to the words at fault. If the second attempt asks for more words, all accesses have
// events. The same holds for some windows after one with hardly any quiet access.

// quietness says which accesses of a window may be quiet, and what came of it.
type quietness struct {
	withEvents map[uint64]bool // in: words whose accesses have events
	allEvents  bool            // in: all accesses have events
	needEvents map[uint64]bool // out: words whose accesses must have events
	eventless  int             // out: number of accesses without an event
}

// backoff says in which windows quiet accesses are looked for: after a window with too few of them,
// the next ones do without, twice as many each time.
type backoff struct{ left, last int }

// missed notes that too few accesses were quiet.
func (h *backoff) missed() {
	h.last = min(2*h.last+1, 63)
	h.left = h.last
}

// found notes that enough accesses were quiet.
func (h *backoff) found() { h.last = 0 }

// made makes the window of the buffer, again if accesses were taken for quiet that are not.
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
	if !l.b.miss.active() || l.b.opt.NoValues || q.allEvents {
		return
	}
	for k := range l.words {
		w := &l.words[k]
		for j := range w.atoms {
			a := &w.atoms[j]
			a.quiet = a.missing && !(a.many && a.write) && !a.off && !a.opaque && !q.withEvents[w.addr]
		}
	}
}

// quietRecord says whether r is an access of which all parts are quiet.
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

// quietly takes an access that is quiet; if it is not, it returns false, and the access has to have
// an event.
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

// speak has accesses of what r accesses have events from now on, unless what is there was computed
// from reads, or has been left there by missing code and is read by several goroutines: no event
// has written that.
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
// from a quiet access of this code, what depends on others (B5). It may do so only because the
// access needs certain reads. Such an access has an event (K4).
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

// afterQuiet looks at the quiet accesses that a MethodBegin has to come after, now that all that
// comes before it is known.
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

// quietlyWritten says whether missing code may have written to a since its last access: what a
// quiet access reads is that, then (K2).
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

// readQuiet has event n, a MethodBegin, find in a quiet atom what it found (B5). Another
// goroutine's reads come before it, as the write does (K1). It says whether no other MethodBegin
// has to: all come after this one, or nothing can change what is there.
func (m *exclusions) readQuiet(n int32, a *atom, covers bool) (clean bool) {
	if a.dirty = len(a.deps) > 0 && !covers; len(a.deps) == 0 {
		return true
	}
	a.strict = append(a.strict, n)
	e := &m.w.Events[n]
	if g, ok := quietGuard(a); ok {
		e.Guards = append(e.Guards, g)
	} else {
		e.Deps = model.Union(e.Deps, a.deps)
	}
	return covers
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
