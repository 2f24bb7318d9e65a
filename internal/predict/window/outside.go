package window

import (
	"math/bits"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Accesses of outside code (MO16). The trace has them without values.
//
//   - (WI1) *Values.* An outside read is strict: its value is what its last writer left. An outside
//     write leaves what the next inside read finds. If there is no such read, it leaves a unique
//     value. A write whose hook does not know its width may be a write to a map, and so may a write
//     without a record: what it leaves depends on what was there.
//   - (WI2) *Uncertain reads.* If the trace does not say which write a read has seen, the read and
//     all later events of its goroutine are in no window. Three kinds of reads are uncertain: an
//     outside read of a word with an observed race, an inside read of a value without a write,
//     and an outside read of a write that is not in the window because its goroutine has ended
//     there. A late read of a word with a race may have taken place anywhere in its turn. So its
//     goroutine ends after the last operation of synchronisation before the access that it races
//     with. An outside write to such a word leaves a unique value, because the record of another
//     write may follow behind the window.
//
// WI3 and WI4, about accesses that have no record, are in turns.go.

// outside reports whether a record is an access of outside code, the kernel's among them, which
// have no site.
func (r *record) outside() bool { return r.alt == 0 && isOutside(&r.Event) }

func isOutside(e *trace.Event) bool {
	const flags = format.FlagOpaque | format.FlagNoValue
	return (e.Kind == format.Read || e.Kind == format.Write) && e.Flags&flags == flags
}

// bytesIn is the bytes of its word that an access covers. The hooks of outside code record the
// address of a scalar and not its width: it may be as wide as its address allows.
func bytesIn(e *trace.Event) uint8 {
	mask := built.ByteMask(uint64(e.Obj), e.Size)
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

// outsideWrite is a write by outside code, with what the next inside read finds.
type outsideWrite struct {
	at    int32 // record
	val   uint64
	known bool
}

// outsidePart makes the event of one atom of an outside access (WI1).
func (m *accesses) outsidePart(i int, r *record, t *thread, a *atom) {
	e := model.Event{Kind: r.Event.Kind, Flags: r.Event.Flags, Obj: a.obj, Val: a.cur}
	stale := a.stale(r)
	if a.mask&built.ByteMask(uint64(r.Event.Obj), r.Event.Size) == 0 { // it may not be accessed
		e.Flags |= format.FlagStack // no pair has it
	}
	switch {
	case stale:
		e.ValDeps = a.inside
	case r.Event.Kind.IsWrite():
		if m.restsOnOld(r) {
			e.ValDeps = m.old(i, t, a)
		}
		e.Val = m.left(i, a)
		a.cur = e.Val
	}
	n := m.add(t, i, e)
	if !r.Event.Kind.IsWrite() {
		t.parts = append(t.parts, n)
	}
	a.noteWriter(r)
	m.accessed(a, n, r.Index)
	m.excl.noteDirty(r, a)
	m.turns.inTurn(i, t, n, a, r.Event.Kind.IsWrite())
}

// needsOld reports whether an access depends on what was in the atom before and the record does not
// say what that was: it reads, or what it leaves depends on it.
func (m *accesses) needsOld(w *word, a *atom, r *record) bool {
	switch {
	case a.lostOutside && reads(r.Event.Kind):
		return true
	case r.outside():
		return !r.Event.Kind.IsWrite() || m.restsOnOld(r)
	case w.noValue:
		return reads(r.Event.Kind) || r.Event.Flags&format.FlagNoValue != 0
	}
	return false
}

// old makes a read of what is in a, which is in no pair.
func (m *accesses) old(i int, t *thread, a *atom) []int32 {
	return []int32{m.add(t, i, model.Event{Kind: format.Read, Flags: m.recs[i].Event.Flags&format.FlagOpaque | format.FlagStack, Obj: a.obj, Val: a.cur})}
}

// stale reports whether a late write was made before the last inside write of its goroutine, whose
// record comes before it (WI4).
func (a *atom) stale(r *record) bool {
	return r.Event.Kind.IsWrite() && r.Event.Flags&format.FlagLate != 0 && a.insideBy == r.Event.G
}

// left returns what the outside write of record i leaves in a (WI1).
func (m *accesses) left(i int, a *atom) uint64 {
	k, _ := slices.BinarySearchFunc(a.outsideWrites, int32(i), func(x outsideWrite, i int32) int { return int(x.at - i) })
	r := &m.recs[i]
	racy := m.raceForeseen(uint64(r.Event.Obj)) || m.racy(r) && a.othersWrite(r.Event.G) // (WI2)
	if x := a.outsideWrites[k]; x.known && !racy && !a.stirredAt(r.Event.G, i) {
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

// stirredAt reports whether outside code of g may write without a record after record i in its
// turn.
func (a *atom) stirredAt(g trace.GoID, i int) bool {
	if len(a.lanes) == 0 {
		return false
	}
	x := a.lanes[a.laneOf(g)].turnAt(i)
	return x.stirs && int32(i) < x.lastWrite
}

// noteOutside takes record i, which reads or writes the bytes v: an inside read shows what outside
// code has written before.
func (m *sharing) noteOutside(a *atom, i int, r *record, v uint64) {
	switch last := len(a.outsideWrites) - 1; {
	case a.stale(r):
	case r.outside() && r.Event.Kind.IsWrite():
		a.outsideWrites = append(a.outsideWrites, outsideWrite{at: int32(i)})
		a.wrote, a.lately = true, true
	case r.outside():
	case reads(r.Event.Kind) && a.lately && !a.outsideWrites[last].known:
		a.outsideWrites[last].val, a.outsideWrites[last].known = v, true
	case reads(r.Event.Kind) && !a.wrote:
		m.finds(a, i, r, v)
	}
	if r.Event.Kind.IsWrite() && !r.outside() {
		a.wrote, a.lately = true, false
	}
	a.noteWriter(r)
}

// noteWriter keeps the goroutine whose inside code wrote last; 0 if outside code wrote last.
func (a *atom) noteWriter(r *record) {
	switch {
	case !r.Event.Kind.IsWrite() || a.stale(r):
	case r.outside():
		a.insideBy = 0
	default:
		a.insideBy = r.Event.G
	}
}

// finds takes the first inside read of an atom without a write in the window. If outside code of
// its goroutine may have run, that code may have written v in the window (unexplained).
func (m *sharing) finds(a *atom, i int, r *record, v uint64) {
	outside := len(a.lanes) > 0 && m.ranSince(r.Event.G, -1, i)
	switch {
	case a.settled:
	case m.raceForeseen(uint64(r.Event.Obj)): // (WI2)
	case outside && (a.firstWrite || a.guessed || a.initial != v):
		a.firstWrite = a.firstWrite || a.guessed
		x := a.lastTurn(r.Event.G)
		x.hidden, x.early = true, true
	case a.firstWrite, len(a.lanes) == 0:
		a.initial, a.firstWrite = v, false
	}
	a.settled = true
}

// unexplained makes the write before an inside read that returned v, which is not what the window
// has there. Outside code of its own goroutine wrote v if it has run since. Otherwise the writer is
// unknown (WI2), and the result is false.
func (m *accesses) unexplained(i int, t *thread, a *atom, v uint64) bool {
	m.b.count.Hidden++
	if a.lost || m.racy(&m.recs[i]) || !m.ranSince(t.g, a.last, i) || len(a.lanes) > 0 && !a.hiddenAt(t.g, i) {
		return false
	}
	// no pair has it
	e := model.Event{Kind: format.Write, Flags: format.FlagStack, Obj: a.obj, Val: v}
	if !m.b.excode.active() { // it may be one to a map (WI1)
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

// Unordered reports a race of the recorded run: two conflicting accesses that are not ordered by
// happens-before (WI2). The second is the event that is added next.
func (b *Builder) Unordered(first, second int64) {
	if b.run == nil {
		b.races = second
	}
}
