package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// accesses makes the events of accesses: one for each atom.
type accesses struct {
	*graph
	reads   *resolver
	turns   *turnOrder
	excl    *exclusions
	trust   *trusting
	maps    *mapEntries
	writers map[written][]writer // for misplaced; nil: not yet needed
}

// accessEvent makes the events of an access: one for each shared atom it covers. Reads of several
// atoms are strict together, by a Pin after the last one, because a race on one part does not need
// the value of another.
func (m *accesses) accessEvent(i int, r *record, t *thread) {
	e := &r.Event
	deps, valDeps := m.reads.resolve(r.Needed()), m.reads.resolve(r.From)
	if r.Open && r.Appended != nil {
		m.trust.appendsTo(i, r, t)
	}
	first := true
	w := &m.words[r.mem]
	mask := bytesIn(e)
	for k := range w.atoms {
		a := &w.atoms[k]
		switch {
		case a.mask&mask == 0:
		case w.noValue && a.mask&built.ByteMask(uint64(e.Obj), e.Size) == 0:
			// of a map or a channel
		case a.shared():
			if !m.part(i, r, t, w, a, deps, valDeps) {
				m.turns.dropAccess(i, r)
				return
			}
			if r.Event.Kind.IsWrite() {
				a.lost, a.lostOutside = false, false
			}
			deps, first = nil, false
		default:
			m.settle(w, a)
			if !m.private(i, r, t, w, a, valDeps) {
				return
			}
		}
	}
	if first && len(deps) > 0 {
		m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: deps})
	}
	if e.Flags&format.FlagMore != 0 {
		return
	}
	m.strict(i, r, t)
}

// strict ends an access.
func (m *accesses) strict(i int, r *record, t *thread) {
	// a CompareAndSwap
	failed := r.Event.Kind == format.AtomicRead && r.Event.Flags&format.FlagTry != 0
	if !(m.b.opt.Walked && r.walked) || failed {
		switch len(t.parts) {
		case 0:
		case 1:
			m.w.Events[t.parts[0]].Strict = true
		default:
			m.add(t, i, model.Event{Kind: model.Pin, Flags: r.Event.Flags & format.FlagOpaque, Obj: -1, Deps: slices.Clone(t.parts)})
		}
	}
	t.parts = t.parts[:0]
}

// settle gives an atom its value at the start of the window.
func (m *accesses) settle(w *word, a *atom) {
	if a.curSet {
		return
	}
	switch {
	case a.firstWrite && w.outside: // outside code may read it: any unique value serves
		a.initial = m.ownValue()
	case a.firstWrite:
		a.unread()
	}
	a.cur, a.curSet = a.initial, true
}

// part makes the events of one shared atom of an access. It returns false if the thread ends here.
func (m *accesses) part(i int, r *record, t *thread, w *word, a *atom, deps, valDeps []int32) bool {
	if m.misplaced(i, r) {
		m.cut(t)
		return false
	}
	// (WI2)
	if a.lost && m.needsOld(w, a, r) || r.outside() && !r.Event.Kind.IsWrite() && m.racy(r) {
		m.b.count.Uncertain++
		m.cut(t)
		return false
	}
	m.settle(w, a)
	e := &r.Event
	if a.obj < 0 {
		a.obj = m.newObj(model.ObjState{Val: a.initial, Unknown: a.unknown}, built.Place{Addr: w.addr, Mask: a.mask})
	}
	if w.noValue && !m.b.opt.NoValues {
		m.turns.inTurn(i, t, m.versioned(i, r, t, w, a, deps, valDeps), a, e.Kind.IsWrite())
		return true
	}
	if a.reached && !w.noValue {
		m.excl.foundBeside(i, t, w, a, e)
	}
	if r.outside() {
		m.outsidePart(i, r, t, a)
		return true
	}
	v, stirred, ok := m.partValue(i, r, t, w, a)
	if !ok {
		m.b.count.Uncertain++
		m.cut(t)
		return false
	}
	m.insidePart(i, r, t, w, a, v, deps, valDeps)
	if stirred { // (WI4)
		a.cur = m.ownValue()
		m.add(t, i, model.Event{Kind: format.Write, Flags: format.FlagStack, Obj: a.obj, Val: a.cur})
	}
	return true
}

// partValue is the value of the event of an inside access to a shared atom: what it reads or writes
// there. It is not ok if the access reads a value whose writer is unknown (WI2). With stirred,
// outside code of the goroutine may write after it without a record.
func (m *accesses) partValue(i int, r *record, t *thread, w *word, a *atom) (v uint64, stirred, ok bool) {
	e := &r.Event
	v = built.Extract(e.Val<<(8*(uint64(e.Obj)&7)), a.mask)
	switch {
	case w.noValue && !reads(e.Kind):
		return uint64(len(m.w.Events)) + 1, false, true
	case w.noValue:
		return a.cur, false, true
	case !reads(e.Kind):
		return m.object64(a, v), false, true
	case v == m.plain(a.cur):
		return a.cur, false, true
	}
	v = m.object64(a, v)
	ok = m.unexplained(i, t, a, v)
	return v, ok && e.Kind == format.Read && a.stirredAt(t.g, i), ok
}

// insidePart makes the event of an inside access to a shared atom, with value v.
func (m *accesses) insidePart(i int, r *record, t *thread, w *word, a *atom, v uint64, deps, valDeps []int32) {
	e := &r.Event
	shift := 8 * (uint64(e.Obj) & 7)
	n := int32(len(m.w.Events))
	ev := model.Event{Kind: e.Kind, Flags: e.Flags, Obj: a.obj, Val: v, Deps: deps, Where: m.trust.places(r)}
	switch {
	case e.Kind == format.AtomicRMW:
		if ev.Aux = m.object64(a, built.Extract(e.Aux<<shift, a.mask)); w.noValue {
			ev.Aux = uint64(n) + 1
		}
		a.cur = ev.Aux
	case !reads(e.Kind):
		a.cur = v
	}
	if e.Kind.IsWrite() {
		ev.ValDeps = valDeps
	}
	m.add(t, i, ev)
	if a.noteWriter(r); e.Kind.IsWrite() {
		a.inside = valDeps
	}
	if reads(e.Kind) {
		t.parts = append(t.parts, n)
		m.reads.pass(i, []int32{n})
		if !w.noValue {
			m.reads.learnEvent(i, a.mask, n, ev.Val)
		}
	}
	if len(ev.ValDeps) > 0 || e.Kind == format.AtomicRMW {
		m.w.Events[n].Value = m.reads.valueOf(r, n, shift, a.mask)
	}
	m.ordered(t, n, a, r)
	m.accessed(a, n, r.Index)
	m.excl.noteDirty(r, a)
	m.turns.inTurn(i, t, n, a, e.Kind.IsWrite())
}

func reads(k format.Kind) bool { return k != format.Write && k != format.AtomicWrite }

// versioned makes the events of an access to a location whose values were not recorded. Pairs race
// on the first, the access itself, and nothing depends on it. Behind it are those of the entry of a
// map, or one that acts on the version of the contents as a whole. A write without a value changes
// what was there.
func (m *accesses) versioned(i int, r *record, t *thread, w *word, a *atom, deps, valDeps []int32) (bare int32) {
	e := &r.Event
	bare = m.add(t, i, model.Event{Kind: e.Kind, Flags: e.Flags, Bare: true, Obj: a.obj, Deps: deps, Where: m.trust.places(r)})
	m.ordered(t, bare, a, r)
	seen := int32(-1)
	keyed := r.entry != nil && !a.entries.keyless
	if !keyed || e.Kind.IsWrite() && a.entries.whole {
		seen = m.whole(i, r, t, a, valDeps)
	}
	switch {
	case keyed && e.Kind.IsWrite():
		m.maps.writes(i, r, t, w, a, valDeps)
	case keyed:
		seen = m.maps.reads(i, r, t, w, a)
	}
	if reads(e.Kind) {
		t.parts = append(t.parts, seen)
		m.reads.pass(i, []int32{seen})
	}
	a.last = r.Index
	m.excl.noteDirty(r, a)
	return bare
}

// whole makes the event that acts on the version of the contents.
func (m *accesses) whole(i int, r *record, t *thread, a *atom, valDeps []int32) int32 {
	e := &r.Event
	if a.version < 0 {
		a.version = m.newObj(model.ObjState{Val: a.cur}, built.Place{})
		m.inMaps[a.version] = built.Entry{Map: a.obj, Whole: true}
	}
	v := model.Event{Kind: format.AtomicRMW, Obj: a.version, Val: a.cur}
	switch k := int32(len(m.w.Events)); {
	case !e.Kind.IsWrite():
		v.Kind = format.AtomicRead
	case e.Flags&format.FlagNoValue == 0 && e.Kind != format.AtomicRMW:
		v.Kind, v.Val, v.ValDeps = format.AtomicWrite, uint64(k)+1, valDeps
		a.cur = v.Val
	default:
		v.Aux, v.ValDeps = uint64(k)+1, valDeps
		a.cur = v.Aux
	}
	return m.add(t, i, v)
}

// ordered keeps an access in its order with atomic operations of code that was not instrumented,
// and with writes by unknown code.
func (m *accesses) ordered(t *thread, n int32, a *atom, r *record) {
	e := &r.Event
	if a.barrier >= 0 {
		m.edge(a.barrier, n)
	}
	if a.opaque {
		c := exclusive
		if e.Kind == format.AtomicRead || e.Kind == format.Read {
			c = shared
		}
		from := len(m.w.Edges)
		m.keep(&a.order, t, n, c, m.originOf(r), true)
		m.loosen(from, built.LooseOutside)
	}
}

// private executes an access to an atom that is not shared. It has no event, but what the content
// of the atom was computed from is passed on.
func (m *accesses) private(i int, r *record, t *thread, w *word, a *atom, valDeps []int32) bool {
	e := &r.Event
	shift := 8 * (uint64(e.Obj) & 7)
	v := built.Extract(e.Val<<shift, a.mask)
	if r.outside() {
		m.privateOutside(i, r, t, a)
		return true
	}
	if reads(e.Kind) {
		if !w.noValue && (v != a.cur || a.vague) {
			// (WI2); what stands in bytes without a meaning needs no explanation
			padding := built.Extract(built.BitMask(r.padding)<<shift, a.mask)
			if m.raceForeseen(w.addr) || !a.vague && (v^a.cur)&^padding != 0 && !m.excl.quietlyWritten(w, a) && !m.ranSince(t.g, a.last, i) {
				m.b.count.Uncertain++
				m.cut(t)
				return false
			}
			// a.deps: outside code may have made it of what was there (WI1)
			a.cur, a.value, a.vague = v, nil, false
		}
		m.reads.pass(i, a.deps)
		if !w.noValue && (a.value != nil || len(a.deps) == 0) {
			m.reads.learn(i, a.mask, cmp.Or(a.value, expr.Word(v)))
		}
	}
	switch {
	case e.Kind == format.AtomicRMW:
		a.cur, a.deps, a.vague = built.Extract(e.Aux<<shift, a.mask), valDeps, false
		a.value = nil
	case !reads(e.Kind) && w.noValue:
		a.deps, a.value = model.Union(a.deps, valDeps), nil
	case !reads(e.Kind):
		a.cur, a.deps, a.vague = v, valDeps, false
		a.value = nil
		if r.Value != nil && len(valDeps) > 0 {
			a.value = built.AtomOf(m.reads.term(r.Value), shift, a.mask)
		}
	}
	a.last = r.Index
	a.noteWriter(r)
	m.excl.noteDirty(r, a)
	return true
}

// privateOutside executes an outside access to an atom that is not shared. What it reads keeps its
// value.
func (m *accesses) privateOutside(i int, r *record, t *thread, a *atom) {
	stale := a.stale(r)
	a.noteWriter(r)
	switch {
	case stale:
	case r.Event.Kind.IsWrite():
		if a.value, a.vague = nil, true; !m.restsOnOld(r) {
			a.deps = nil
		}
	case len(a.deps) > 0:
		m.add(t, i, model.Event{Kind: model.Pin, Flags: format.FlagOpaque, Obj: -1, Deps: a.deps})
	}
	a.last = r.Index
	m.excl.noteDirty(r, a)
}
