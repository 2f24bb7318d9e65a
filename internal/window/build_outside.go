package window

import (
	"cmp"
	"math/bits"
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Accesses of outside code (O1 to O3 and O7 of docs/model.md). They have no values:
//
//   - (E1) An outside read is strict, and its value is what its last writer left.
//   - (E2) What an outside write leaves is what the next inside read finds. If nobody reads it, it
//     is a value of its own.
//   - (E3) A read of which the record does not say who wrote what it sees is in no window, and
//     nothing of its goroutine behind it: an outside read of a word that a race was observed on, an
//     inside read whose value nobody wrote, an outside read of what a write has left that is not in the window
//     because its goroutine has ended. A late read of a word that a race was observed on may have been anywhere in its
//     turn: the goroutine ends behind the last operation of synchronisation before the access that it races with.
//     What an outside write leaves in such a word is a value of its own: another may follow that has its record behind
//     the window.
//
// Not all of them are written down. While one goroutine uses a word, its *turn*, there is a record
// of its first access of each kind and of its last, which is a late record. So a turn with a late
// record, or that has not ended in the window, may have accesses between its records: it is
// *hidden*. The first turn after an allocation may even have some before its first record.
//
//   - (E4) Nobody else's conflicting access stands within a hidden turn. One that came before it in
//     the recorded run stands before it, one that came after it stands behind all of it that the
//     reordering has; or one of the two is not in the reordering.
//
//   - (E5) A late write stands at the end of its context. Where the last write before it is one by inside code of the same
//     goroutine, that came later: the first outside write behind an inside one has an ordinary record (SC7). So the late
//     write leaves what is there.
//
//   - (E6) A write of which the hook has not said how wide it is may be one to a map: what it leaves rests on what was
//     there. So may a write that has no record.
//
//   - (E7) What outside code leaves between the records of a turn with a late write is not known: a write of it that is
//     not the last of the turn leaves a value of its own. Where there may be writes before the first record, a read by another
//     goroutine that comes after the turn comes after all of it.
//
// The orders of (E4) are on condition (M9). Where there would be many, a hard edge says more than is
// needed; it is weak, for an access that races with the last one of a turn comes after all that is
// hidden.

// outside reports whether a record is an access of outside code, the kernel's among them, which
// have no site.
func (r *record) outside() bool { return r.way == 0 && isOutside(&r.e) }

func isOutside(e *trace.Event) bool {
	const flags = format.FlagOpaque | format.FlagNoValue
	return (e.Kind == format.Read || e.Kind == format.Write) && e.Flags&flags == flags
}

// bytesIn is the bytes of its word that an access covers. The hooks of outside code say of a number, a pointer or
// another scalar where it begins, and not how wide it is: it may be as wide as its address allows.
func bytesIn(e *trace.Event) uint8 {
	mask := byteMask(uint64(e.Obj), e.Size)
	if !isOutside(e) {
		return mask
	}
	last := 7 - bits.LeadingZeros8(mask)
	wide := 1
	for wide < 8 && last&(2*wide-1) == 0 {
		wide *= 2
	}
	return mask | uint8((1<<wide-1)<<last)
}

// lane is the turns of one goroutine at an atom.
type lane struct {
	g     trace.GoID
	turns []turn
	at    int // the turn that the pass is at

	// Of the second pass.
	begun         int32    // the first event of the turn that it is at
	ended         []extent // its hidden turns that have ended
	after         []heeded // by lane: those turns that come before its events
	reads, writes int      // up to here, the log's writes come before its reading turns, and all of it before its writing ones
}

// extent is a turn as events, from the first to the last. Something of it may also be hidden behind each of the events before.
// whole: what there is between is not known, others can read only what all of it has left.
type extent struct {
	before        []int32
	first, last   int32
	writes, whole bool
}

// heeded is how many turns of a lane come before the reads and before the writes of another.
type heeded struct{ reads, writes int }

// turn is accesses of a goroutine with no conflicting access of others in between.
type turn struct {
	first, last int32 // records
	writes      bool
	outside     bool // one of them is of outside code
	hidden      bool // there may be others between them,
	early       bool // and before the first one
	stirs       bool // there may be writes between its records: it has a late one
	looks       bool // it has a late read
	lastWrite   int32
	ended       bool // a conflicting access of another goroutine follows in the window
}

// logged is an event of an atom that has lanes.
type logged struct {
	n     int32
	write bool
}

// told is an outside write, with what the next inside read finds.
type told struct {
	at    int32 // record
	val   uint64
	known bool
}

func (a *atom) laneOf(g trace.GoID) int {
	return slices.IndexFunc(a.lanes, func(l lane) bool { return l.g == g })
}

// takeTurn takes record i into the turns of the atom. alloced: its memory was allocated in the window.
func (a *atom) takeTurn(i int, r *record, alloced bool) {
	write := r.e.Kind.IsWrite()
	for k := range a.lanes {
		l := &a.lanes[k]
		if x := &l.turns[len(l.turns)-1]; l.g != r.e.G && (write || x.writes) {
			x.ended = true
		}
	}
	k := a.laneOf(r.e.G)
	if k < 0 {
		k = len(a.lanes)
		a.lanes = append(a.lanes, lane{g: r.e.G, turns: []turn{{first: int32(i)}}, begun: -1})
	}
	l := &a.lanes[k]
	if l.turns[len(l.turns)-1].ended {
		l.turns = append(l.turns, turn{first: int32(i)})
	}
	x := &l.turns[len(l.turns)-1]
	x.last, x.writes, x.outside = int32(i), x.writes || write, x.outside || r.outside()
	if write {
		x.lastWrite = int32(i)
	}
	if r.outside() && r.e.Flags&format.FlagLate != 0 {
		l.late(len(l.turns)-1, i, r, k == 0 || !alloced)
	}
}

// late notes a late record, i, in turn k. first says that the lane's first turn may be that of an allocation: its first
// record may be one of inside code then. A turn that begins with a late record may be one of the turn before, which
// another's access ended while the context went on.
func (l *lane) late(k, i int, r *record, first bool) {
	x, write := &l.turns[k], r.e.Kind.IsWrite()
	x.hidden, x.stirs, x.looks = true, x.stirs || write, x.looks || !write || r.e.Size == 1
	x.early = x.early || x.first == int32(i) || k == 0 && first
	if x.first == int32(i) && k > 0 {
		l.late(k-1, i, r, first)
	}
}

// lastTurn is the turn that record i, which was taken last, belongs to.
func (a *atom) lastTurn(g trace.GoID) *turn {
	l := &a.lanes[a.laneOf(g)]
	return &l.turns[len(l.turns)-1]
}

// endTurns has the turns that do not end in the window be hidden.
func (a *atom) endTurns() {
	for k := range a.lanes {
		l := &a.lanes[k]
		x := &l.turns[len(l.turns)-1]
		x.hidden = x.hidden || x.outside && !x.ended
	}
}

// turnAt is the turn of a lane that record i belongs to.
func (l *lane) turnAt(i int) *turn {
	for int32(i) > l.turns[l.at].last {
		l.at++
	}
	return &l.turns[l.at]
}

// mostOrders bounds the orders on condition for one turn, mostTurns the turns that one event looks
// back at.
const (
	mostOrders = 16
	mostTurns  = 4
)

// inTurn keeps event n of t, an access to a by record i, in its order with hidden turns (E4).
func (m *maker) inTurn(i int, t *thread, n int32, a *atom, write bool) {
	if len(a.lanes) == 0 || m.recs[i].way > 0 {
		return
	}
	k := a.laneOf(t.g)
	l := &a.lanes[k]
	for len(l.after) < len(a.lanes) {
		l.after = append(l.after, heeded{})
	}
	for o := range a.lanes {
		if o != k {
			m.afterTurns(n, &a.lanes[o], &l.after[o], write, reads(m.recs[i].e.Kind) || m.recs[i].outside() && m.restsOnOld(&m.recs[i]))
		}
	}
	x := l.turnAt(i)
	if x.first == int32(i) {
		if l.begun = n; x.hidden {
			m.beforeTurn(t, n, a, l, x)
		}
	}
	if l.begun < 0 { // the first record has no event
		l.begun = n
	}
	if x.hidden && x.ended && x.last == int32(i) {
		l.ended = append(l.ended, extent{m.beforeFirst(i, t, l.begun, x), l.begun, n, x.writes, x.early && x.stirs})
	}
	a.log = append(a.log, logged{n, write})
}

// afterTurns has event n, which writes or reads, stand behind the hidden turns of another goroutine that have ended.
func (m *maker) afterTurns(n int32, l *lane, h *heeded, write, read bool) {
	from := h.reads
	if h.reads = len(l.ended); write {
		from, h.writes = h.writes, len(l.ended)
	}
	hard := len(l.ended)-from > mostTurns
	for k := len(l.ended) - 1; k >= from; k-- {
		x := l.ended[k]
		if !write && !x.writes {
			continue
		}
		t := m.order[m.w.Events[x.last].Thread]
		first, _ := slices.BinarySearch(t.events, x.first)
		last, _ := slices.BinarySearch(t.events, x.last)
		if hard || x.whole && read || last-first+len(x.before) >= mostOrders {
			m.weakEdge(x.last, n)
			return // the turns before this one are before it
		}
		for _, e := range slices.Concat(x.before, t.events[first:last+1]) {
			if m.w.Events[e].Thread != m.w.Events[n].Thread { // the go statement's may be
				m.w.Orders = append(m.w.Orders, Conditional{If: e, From: e, To: n})
			}
		}
	}
}

// beforeFirst returns the events before the first one of a turn behind which something of the turn may be hidden: outside
// code of t has run between each of them and the next, and the memory of record i was there. The last one may be the go
// statement that started t. It stops at mostOrders.
func (m *maker) beforeFirst(i int, t *thread, first int32, x *turn) (list []int32) {
	if !x.early {
		return nil
	}
	since := 0
	if k := m.lastAlloc(uint64(m.recs[i].e.Obj), 1); k >= 0 {
		since = m.allocs[k].at
	}
	k, _ := slices.BinarySearch(t.events, first)
	for next := first; k >= 0 && len(list) < mostOrders; k-- {
		from := t.by
		if k > 0 {
			from = t.events[k-1]
		}
		if from >= 0 && m.ranBetween(t.g, max(m.w.Events[from].Index, m.recs[since].index), m.w.Events[next].Index) {
			list = append(list, from)
		}
		next = from
	}
	return list
}

// ranBetween reports whether outside code of g may have run between two events of the trace.
func (m *maker) ranBetween(g trace.GoID, first, last int64) bool {
	list := m.ran[g]
	k, _ := slices.BinarySearchFunc(list, first, func(i int32, x int64) int { return cmp.Compare(m.recs[i].index, x) })
	return k < len(list) && m.recs[list[k]].index <= last
}

// beforeTurn has what others did before a hidden turn, which begins with event n, not come later.
func (m *maker) beforeTurn(t *thread, n int32, a *atom, l *lane, x *turn) {
	from := l.reads
	if l.reads = len(a.log); x.writes {
		from, l.writes = l.writes, len(a.log)
	}
	var list []int32
	for _, f := range a.log[from:] {
		if m.w.Events[f.n].Thread != t.id && (x.writes || f.write) {
			list = append(list, f.n)
		}
	}
	if len(list) > mostOrders {
		k := len(m.w.Edges)
		for _, f := range list {
			m.edge(f, n)
		}
		m.loosen(k, ofTurn)
		return
	}
	for _, f := range list {
		to := n
		if x.early { // something may be hidden between f and the first record
			k, _ := slices.BinarySearch(t.events, f)
			to = t.events[k]
		}
		m.w.Orders = append(m.w.Orders, Conditional{If: f, From: f, To: to})
	}
}

// dropAccess notes that record i, of a goroutine that has ended in the window, is not in it.
func (m *maker) dropAccess(i int, r *record) {
	w := &m.words[r.mem]
	mask := bytesIn(&r.e)
	for k := range w.atoms {
		a := &w.atoms[k]
		if a.mask&mask == 0 {
			continue
		}
		if r.e.Kind.IsWrite() {
			a.lost, a.lostOutside = true, a.lostOutside || r.outside()
		}
		if len(a.lanes) > 0 {
			m.dropTurn(i, r, a)
		}
	}
}

// dropTurn ends the turn of which record i is the last.
func (m *maker) dropTurn(i int, r *record, a *atom) {
	l := &a.lanes[a.laneOf(r.e.G)]
	x, t := l.turnAt(i), m.thread(r.e.G)
	if !x.hidden || t.last < 0 {
		return
	}
	first := l.begun
	if int32(i) == x.first || first < 0 {
		first = t.last
	}
	l.ended = append(l.ended, extent{m.beforeFirst(i, t, first, x), first, t.last, x.writes, false})
}

// outsidePart makes the event of one atom of an outside access.
func (m *maker) outsidePart(i int, r *record, t *thread, a *atom) {
	e := Event{Kind: r.e.Kind, Flags: r.e.Flags, Obj: a.obj, Val: a.cur}
	stale := a.stale(r)
	if a.mask&byteMask(uint64(r.e.Obj), r.e.Size) == 0 { // it may not be accessed
		e.Flags |= format.FlagStack // no pair has it
	}
	switch {
	case stale:
		e.ValDeps = a.inside
	case r.e.Kind.IsWrite():
		if m.restsOnOld(r) {
			e.ValDeps = m.old(i, t, a)
		}
		e.Val = m.left(i, a)
		a.cur = e.Val
	}
	n := m.add(t, i, e)
	if !r.e.Kind.IsWrite() {
		t.parts = append(t.parts, n)
	}
	a.notes(r)
	m.accessed(a, n, r.index)
	m.noteDirty(r, a)
	m.inTurn(i, t, n, a, r.e.Kind.IsWrite())
}

// needsOld reports whether an access needs what was there and does not tell what that was: it reads, or what it leaves rests on that.
func (m *maker) needsOld(w *word, a *atom, r *record) bool {
	switch {
	case a.lostOutside && reads(r.e.Kind):
		return true
	case r.outside():
		return !r.e.Kind.IsWrite() || m.restsOnOld(r)
	case w.noValue:
		return reads(r.e.Kind) || r.e.Flags&format.FlagNoValue != 0
	}
	return false
}

// restsOnOld reports whether what an outside write leaves rests on what was there (E6). Beside missing methods that is not kept.
func (m *maker) restsOnOld(r *record) bool { return r.e.Size == 1 && !m.b.miss.active() }

// old is a read of what is in a, which pairs do not have.
func (m *maker) old(i int, t *thread, a *atom) []int32 {
	return []int32{m.add(t, i, Event{Kind: format.Read, Flags: m.recs[i].e.Flags&format.FlagOpaque | format.FlagStack, Obj: a.obj, Val: a.cur})}
}

// stale reports whether a late write was made before the last inside write of its goroutine, which stands before it (E5).
func (a *atom) stale(r *record) bool {
	return r.e.Kind.IsWrite() && r.e.Flags&format.FlagLate != 0 && a.insideBy == r.e.G
}

// left is what the outside write of record i leaves in a (E2).
func (m *maker) left(i int, a *atom) uint64 {
	k, _ := slices.BinarySearchFunc(a.told, int32(i), func(x told, i int32) int { return int(x.at - i) })
	r := &m.recs[i]
	racy := m.raceForeseen(uint64(r.e.Obj)) || m.racy(r) && a.othersWrite(r.e.G) // (E3)
	if x := a.told[k]; x.known && !racy && !a.stirredAt(r.e.G, i) {
		return m.object64(a, x.val)
	}
	return m.ownValue()
}

// othersWrite reports whether another goroutine than g writes to a in the window.
func (a *atom) othersWrite(g trace.GoID) bool {
	return slices.ContainsFunc(a.lanes, func(l lane) bool {
		return l.g != g && slices.ContainsFunc(l.turns, func(x turn) bool { return x.writes })
	})
}

// stirredAt reports whether outside code of g may write without a record behind record i of its turn.
func (a *atom) stirredAt(g trace.GoID, i int) bool {
	if len(a.lanes) == 0 {
		return false
	}
	x := a.lanes[a.laneOf(g)].turnAt(i)
	return x.stirs && int32(i) < x.lastWrite
}

// ownValue makes a value that nothing else is. Who sees it knows whose it is, and not what it says.
func (m *maker) ownValue() uint64 {
	v := unreadable + uint64(len(m.own)+1)<<20
	m.own[v] = true
	return v
}

// hear takes what record i, which reads or writes the bytes v, tells of what outside code has left.
func (m *maker) hear(a *atom, i int, r *record, v uint64) {
	switch last := len(a.told) - 1; {
	case a.stale(r):
	case r.outside() && r.e.Kind.IsWrite():
		a.told = append(a.told, told{at: int32(i)})
		a.wrote, a.lately = true, true
	case r.outside():
	case reads(r.e.Kind) && a.lately && !a.told[last].known:
		a.told[last].val, a.told[last].known = v, true
	case reads(r.e.Kind) && !a.wrote:
		m.finds(a, i, r, v)
	}
	if r.e.Kind.IsWrite() && !r.outside() {
		a.wrote, a.lately = true, false
	}
	a.notes(r)
}

// notes keeps whose inside write was the last access that wrote, 0: an outside one.
func (a *atom) notes(r *record) {
	switch {
	case !r.e.Kind.IsWrite() || a.stale(r):
	case r.outside():
		a.insideBy = 0
	default:
		a.insideBy = r.e.G
	}
}

// finds takes the first inside read of an atom that nobody has written in the window. Where outside code of its goroutine
// may have been, that may have left v, in the window: unexplained will say so.
func (m *maker) finds(a *atom, i int, r *record, v uint64) {
	outside := len(a.lanes) > 0 && m.ranSince(r.e.G, -1, i)
	switch {
	case a.settled:
	case m.raceForeseen(uint64(r.e.Obj)): // (E3)
	case outside && (a.firstWrite || a.guessed || a.initial != v):
		a.firstWrite = a.firstWrite || a.guessed
		x := a.lastTurn(r.e.G)
		x.hidden, x.early = true, true
	case a.firstWrite, len(a.lanes) == 0:
		a.initial, a.firstWrite = v, false
	}
	a.settled = true
}

// unexplained deals with an inside read of v from an atom in which something else was left. Outside
// code of its own goroutine has written that, if it has run since; else nobody knows who has (E3),
// and it returns false.
func (m *maker) unexplained(i int, t *thread, a *atom, v uint64) bool {
	m.b.count.Hidden++
	if a.lost || m.racy(&m.recs[i]) || !m.ranSince(t.g, a.last, i) || len(a.lanes) > 0 && !a.hiddenAt(t.g, i) {
		return false
	}
	e := Event{Kind: format.Write, Flags: format.FlagStack, Obj: a.obj, Val: v} // no pair has it
	if !m.b.miss.active() {                                                     // it may be one to a map (E6)
		e.ValDeps = m.old(i, t, a)
	}
	m.add(t, i, e)
	a.cur = v
	return true
}

// hiddenAt reports whether record i, of g, is in a hidden turn.
func (a *atom) hiddenAt(g trace.GoID, i int) bool {
	return a.lanes[a.laneOf(g)].turnAt(i).hidden
}

// ranSince reports whether outside code of g may have run between event index of the trace, -1: the
// start of the window, and record i.
func (m *maker) ranSince(g trace.GoID, index int64, i int) bool {
	list := m.ran[g]
	k, _ := slices.BinarySearch(list, int32(i))
	return k > 0 && m.recs[list[k-1]].index > index || index < m.recs[0].index && m.b.carry.runs.last[g] > 0
}

// racy reports whether the order of accesses to the word of a record is not certain: a race was
// observed there.
func (m *maker) racy(r *record) bool { return m.racyAt(uint64(r.e.Obj)) }

func (m *maker) racyAt(addr uint64) bool {
	_, ok := m.b.racy[addr>>3]
	return ok || m.raceForeseen(addr)
}

// Unordered says that two events, the second of which is added next, are conflicting accesses that
// the recorded order leaves unordered (E3).
func (b *Builder) Unordered(first, second int64) {
	if b.run == nil {
		b.races = second
	}
}
