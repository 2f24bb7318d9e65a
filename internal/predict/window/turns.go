package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Turns of outside code. The trace does not have all accesses of outside code. A *turn* is a
// stretch in which one goroutine uses a word and no other goroutine makes a conflicting access. Of
// a turn, the trace has the first access of each kind and the last access, which is a late record.
//
//	g1   first W   ·  ·  ·   late W │                              · accesses without a record
//	g2                              │ first R   ·  ·   late R
//	     ──────── turn ──────────── │ ──────── turn ─────────
//
// A turn is *hidden* if it may have accesses between its records: it has a late record, or it does
// not end in the window. The first turn after an allocation may also have accesses before its first
// record.
//
//   - (WI3) *Order.* No conflicting access of another goroutine comes between the accesses of a
//     hidden turn. An access that came before the turn in the recorded run comes before all of it.
//     An access that came after the turn comes after all accesses of the turn that the reordering
//     has. A reordering that has only one of the two, the access or the turn, is free.
//   - (WI4) *Values.* What outside code leaves between the records of a turn with a late write is
//     unknown. So a write of such a turn leaves a unique value, unless it is the last write of the
//     turn. If there may be writes before the first record, a read by another goroutine that comes
//     after the turn comes after all of it. A late record of a write is at the end of its context.
//     If the last write before it is an inside write of the same goroutine, then the inside write
//     came later, since the first outside write after an inside one has an ordinary record. So the
//     late write changes nothing.
//
// The orders of WI3 are conditional (MO9). Where there would be many of them, one hard edge takes
// their place, which forbids more than needed. It is weak, because an access that races with the
// last access of a turn comes after all hidden accesses of the turn.

// lane is the turns of one goroutine at an atom.
type lane struct {
	g     trace.GoID
	turns []turn
	at    int // the turn that the pass is at

	// Of the second pass.
	begun int32          // the first event of the turn that it is at
	ended []extent       // its hidden turns that have ended
	after []orderedTurns // by lane: those turns that come before its events
	// up to here, the log's writes come before its reading turns, and all of it before its writing
	// ones
	reads, writes int
}

// extent is a turn as events, from the first to the last. Accesses of the turn may also be hidden
// after each event of before. whole: what the turn leaves in between is unknown, so other
// goroutines can only read what all of it has left.
type extent struct {
	before        []int32
	first, last   int32
	writes, whole bool
}

// orderedTurns is how many turns of one lane come before the reads of another lane, and how many
// before its writes.
type orderedTurns struct{ reads, writes int }

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

func (a *atom) laneOf(g trace.GoID) int {
	return slices.IndexFunc(a.lanes, func(l lane) bool { return l.g == g })
}

// takeTurn takes record i into the turns of the atom. alloced: its memory was allocated in the
// window.
func (a *atom) takeTurn(i int, r *record, alloced bool) {
	write := r.Event.Kind.IsWrite()
	for k := range a.lanes {
		l := &a.lanes[k]
		if x := &l.turns[len(l.turns)-1]; l.g != r.Event.G && (write || x.writes) {
			x.ended = true
		}
	}
	k := a.laneOf(r.Event.G)
	if k < 0 {
		k = len(a.lanes)
		a.lanes = append(a.lanes, lane{g: r.Event.G, turns: []turn{{first: int32(i)}}, begun: -1})
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
	if r.outside() && r.Event.Flags&format.FlagLate != 0 {
		l.late(len(l.turns)-1, i, r, k == 0 || !alloced)
	}
}

// late notes a late record, i, in turn k. first says that the lane's first turn may be that of an
// allocation: its first record may be one of inside code then. A turn that begins with a late
// record may be one of the turn before, which another's access ended while the context went on.
func (l *lane) late(k, i int, r *record, first bool) {
	x, write := &l.turns[k], r.Event.Kind.IsWrite()
	x.hidden, x.stirs, x.looks = true, x.stirs || write, x.looks || !write || r.Event.Size == 1
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

// endTurns makes the turns hidden that do not end in the window.
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

// turnOrder keeps accesses in their order with turns of outside code.
type turnOrder struct{ *graph }

// mostOrders bounds the orders on condition for one turn, mostTurns the turns that one event looks
// back at.
const (
	mostOrders = 16
	mostTurns  = 4
)

// inTurn keeps event n of t, an access to a by record i, in its order with hidden turns (WI3).
func (m *turnOrder) inTurn(i int, t *thread, n int32, a *atom, write bool) {
	if len(a.lanes) == 0 || m.recs[i].alt > 0 {
		return
	}
	k := a.laneOf(t.g)
	l := &a.lanes[k]
	for len(l.after) < len(a.lanes) {
		l.after = append(l.after, orderedTurns{})
	}
	for o := range a.lanes {
		if o != k {
			m.afterTurns(n, &a.lanes[o], &l.after[o], write, reads(m.recs[i].Event.Kind) || m.recs[i].outside() && m.restsOnOld(&m.recs[i]))
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

// afterTurns orders event n, which writes or reads, after the ended hidden turns of another
// goroutine.
func (m *turnOrder) afterTurns(n int32, l *lane, h *orderedTurns, write, read bool) {
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
				m.w.Orders = append(m.w.Orders, model.Conditional{If: e, From: e, To: n})
			}
		}
	}
}

// beforeFirst returns the events before the first event of a turn after which an access of the turn
// may be hidden: outside code of t has run between each of them and the next, and the memory of
// record i was allocated. The last one may be the go statement that started t. It stops at
// mostOrders.
func (m *turnOrder) beforeFirst(i int, t *thread, first int32, x *turn) (list []int32) {
	if !x.early {
		return nil
	}
	since := 0
	if k := m.lastAlloc(uint64(m.recs[i].Event.Obj), 1); k >= 0 {
		since = m.allocs[k].at
	}
	k, _ := slices.BinarySearch(t.events, first)
	for next := first; k >= 0 && len(list) < mostOrders; k-- {
		ran := m.lastRan(t.g, m.w.Events[next].Index)
		if ran < m.recs[since].Index { // nor has it run between earlier events
			break
		}
		if k > 0 && m.w.Events[t.events[k-1]].Index > ran {
			k, _ = slices.BinarySearchFunc(t.events[:k], ran+1, func(n int32, x int64) int {
				return cmp.Compare(m.w.Events[n].Index, x)
			})
		}
		from := t.by
		if k > 0 {
			from = t.events[k-1]
		}
		if from >= 0 && m.w.Events[from].Index <= ran {
			list = append(list, from)
		}
		next = from
	}
	return list
}

// beforeTurn orders earlier accesses of other goroutines before a hidden turn, which begins with
// event n.
func (m *turnOrder) beforeTurn(t *thread, n int32, a *atom, l *lane, x *turn) {
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
		m.loosen(k, built.LooseTurn)
		return
	}
	for _, f := range list {
		to := n
		if x.early { // something may be hidden between f and the first record
			k, _ := slices.BinarySearch(t.events, f)
			to = t.events[k]
		}
		m.w.Orders = append(m.w.Orders, model.Conditional{If: f, From: f, To: to})
	}
}

// dropAccess notes that record i, of a goroutine that has ended in the window, is not in it.
func (m *turnOrder) dropAccess(i int, r *record) {
	w := &m.words[r.mem]
	mask := bytesIn(&r.Event)
	for k := range w.atoms {
		a := &w.atoms[k]
		if a.mask&mask == 0 {
			continue
		}
		if r.Event.Kind.IsWrite() {
			a.lost, a.lostOutside = true, a.lostOutside || r.outside()
		}
		if len(a.lanes) > 0 {
			m.dropTurn(i, r, a)
		}
	}
}

// dropTurn ends the turn of which record i is the last.
func (m *turnOrder) dropTurn(i int, r *record, a *atom) {
	l := &a.lanes[a.laneOf(r.Event.G)]
	x, t := l.turnAt(i), m.thread(r.Event.G)
	if !x.hidden || t.last < 0 {
		return
	}
	first := l.begun
	if int32(i) == x.first || first < 0 {
		first = t.last
	}
	l.ended = append(l.ended, extent{m.beforeFirst(i, t, first, x), first, t.last, x.writes, false})
}
