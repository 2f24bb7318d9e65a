package window

import (
	"maps"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
)

// Quiet accesses. What some D has is shared with missing code, whoever accesses it: where calls
// reach everything, that is each word. But where one goroutine alone accesses a word, or nobody
// writes it, only calls are the others, and most calls of other goroutines come before or after in
// any case. An access that has this order with all of them needs no event:
//
//   - (K1) it stands right behind the event before it of its goroutine, and every call that reaches
//     it has ended before that, or begins after the next one;
//   - (K2) so what it reads is what it was in the recorded run, also if missing code has left it
//     there;
//   - (K3) what it writes is there when a method begins that may read it, and has its value if the
//     reads that it is computed from have theirs: the MethodBegin needs them (B5);
//   - (K4) code that a missing method has called back is between two pieces of the method: its
//     quiet accesses are part of the gap that they are in, if the method may write what they
//     access. A write to what the method only reads, an access that may tell the method what rests
//     on other reads, and one that is only made if reads have their values, is an event: what is
//     behind it in the method has run only if they have.
//
// Of calls before an access that is known when it comes: from the first that has no order with one,
// all accesses of that location have events. Of calls behind it, it is known only then. So windows
// are built on the assumption that these have an order as well, and once more if some have not,
// with events for all accesses to those words. Where the second attempt asks for more, all have
// events, as where hardly any are quiet, for some windows from then on.

// quietness says which accesses of a window may be quiet, and what came of it.
type quietness struct {
	withEvents map[uint64]bool // words whose accesses have events
	allEvents  bool            // all have
	needEvents map[uint64]bool // words that are to be loud
	eventless  int             // accesses without an event
}

// hush says for which windows quiet accesses are looked for.
type backoff struct{ left, last int }

// missed notes that too few accesses were quiet; found that they were enough.
func (h *backoff) missed() {
	h.last = min(2*h.last+1, 63)
	h.left = h.last
}

func (h *backoff) found() { h.last = 0 }

// made makes the window of the buffer.
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

// told says whether a missing method that has called traced code back may find, by a quiet access
// of this, what rests on what others did (B5), if only because the access needs that: then it is an
// event (K4).
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
