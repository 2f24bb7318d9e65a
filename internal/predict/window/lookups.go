package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Questions of the later passes to a layout: which records access a word, which allocation an
// address belongs to, when outside code has run, what excluded calls reach.

// at returns the records that access the word of addr, in order.
func (m *layout) at(addr uint64) []int32 {
	if m.byWord == nil {
		m.byWord, m.outsideByWord = m.accesses()
	}
	return m.ofWord(m.byWord, addr)
}

// lastPlainWrite returns the last record that writes the word of addr and is not atomic: -1 if
// there is none. It is the number of records, which precedes none, if several goroutines have such.
func (m *layout) lastPlainWrite(addr uint64) int32 {
	last := int32(-1)
	for _, i := range m.at(addr) {
		switch {
		case m.recs[i].Event.Kind != format.Write:
		case last >= 0 && m.recs[last].Event.G != m.recs[i].Event.G:
			return int32(len(m.recs))
		default:
			last = i
		}
	}
	return last
}

// precedes reports whether record i comes before record j in every schedule because it is by the
// same goroutine, or by one that starts that of j, or an ancestor of that, later. The first call
// for i takes time proportional to the window.
func (m *layout) precedes(i, j int32) bool {
	if i >= j {
		return false
	}
	after, ok := m.started[i]
	if !ok {
		after = map[trace.GoID]bool{m.recs[i].Event.G: true}
		for _, r := range m.recs[i:m.onPath] {
			if r.Event.Kind == format.Go && after[r.Event.G] {
				after[trace.GoID(r.Event.Obj)] = true
			}
		}
		if m.started == nil {
			m.started = map[int32]map[trace.GoID]bool{}
		}
		m.started[i] = after
	}
	return after[m.recs[j].Event.G]
}

// outsideAt returns those of outside code among them.
func (m *layout) outsideAt(addr uint64) []int32 {
	if m.byWord == nil {
		m.byWord, m.outsideByWord = m.accesses()
	}
	return m.ofWord(m.outsideByWord, addr)
}

// accesses returns the records that access memory, by word and in order, and those of outside code
// among them.
func (m *layout) accesses() (all, outside []int32) {
	all = make([]int32, 0, m.onPath)
	for i := range m.recs[:m.onPath] {
		if m.recs[i].mem >= 0 {
			all = append(all, int32(i))
		}
	}
	slices.SortFunc(all, func(i, j int32) int { return cmp.Or(cmp.Compare(m.wordOf(i), m.wordOf(j)), cmp.Compare(i, j)) })
	for _, i := range all {
		if m.recs[i].outside() {
			outside = append(outside, i)
		}
	}
	return all, outside
}

// wordOf is the word that a record accesses, as its address / 8.
func (m *layout) wordOf(i int32) uint64 { return uint64(m.recs[i].Event.Obj) >> 3 }

// ofWord returns the records of the word of addr in a list that is sorted by word.
func (m *layout) ofWord(list []int32, addr uint64) []int32 {
	compare := func(i int32, w uint64) int { return cmp.Compare(m.wordOf(i), w) }
	lo, _ := slices.BinarySearchFunc(list, addr>>3, compare)
	n, _ := slices.BinarySearchFunc(list[lo:], addr>>3+1, compare)
	return list[lo : lo+n]
}

// came returns the last record of a goroutine before a fork, or the one that has started the timer
// that starts the goroutine, -1 if there is none. There the goroutine has what it has at the fork.
// Since then others may have allocated memory that only its recorded path does not use any more.
func (m *layout) came(f *fork) int {
	if t, ok := f.Timer(); ok {
		return int(m.b.recordOf(t.Armed))
	}
	i := f.rec - 1
	for i >= 0 && m.recs[i].Event.G != f.g {
		i--
	}
	return i
}

// allocsBefore is the number of allocs before record i.
func (m *layout) allocsBefore(i int) int32 {
	n, _ := slices.BinarySearchFunc(m.allocs, i, func(s span, i int) int { return cmp.Compare(s.at, i) })
	return int32(n)
}

// generation returns the last of the first n allocs that holds addr, -1 for none.
func (m *layout) generation(addr uint64, n int32) int32 {
	past := m.past
	m.past = n
	g := m.lastAlloc(addr, 1)
	m.past = past
	return g
}

// lastRan is the last event of the trace, not after event index, that shows that outside code of g
// has run; -1 if there is none in the window.
func (m *layout) lastRan(g trace.GoID, index int64) int64 {
	list := m.ran[g]
	k, _ := slices.BinarySearchFunc(list, index+1, func(i int32, x int64) int { return cmp.Compare(m.recs[i].Index, x) })
	if k == 0 {
		return -1
	}
	return m.recs[list[k-1]].Index
}

// restsOnOld reports whether what an outside write leaves depends on what was there (WI1). In a
// trace with excluded code, that is not tracked.
func (m *layout) restsOnOld(r *record) bool { return r.Event.Size == 1 && !m.b.excode.active() }

// ranSince reports whether outside code of g may have run between event index of the trace, -1: the
// start of the window, and record i.
func (m *layout) ranSince(g trace.GoID, index int64, i int) bool {
	list := m.ran[g]
	k, _ := slices.BinarySearch(list, int32(i))
	return k > 0 && m.recs[list[k-1]].Index > index || index < m.recs[0].Index && m.b.carry.runs.last[g] > 0
}

// racy reports whether the order of accesses to the word of a record is uncertain, because a race
// was observed on it.
func (m *layout) racy(r *record) bool { return m.racyAt(uint64(r.Event.Obj)) }

func (m *layout) racyAt(addr uint64) bool {
	_, ok := m.b.racy[addr>>3]
	return ok || m.raceForeseen(addr)
}

// raceForeseen reports whether a race of the run on a word that outside code accesses is known from
// the start.
func (m *layout) raceForeseen(addr uint64) bool {
	r := m.b.run
	if r == nil {
		return false
	}
	_, ok := r.words[addr>>3]
	return ok || r.all
}

// hidden reports whether a record is an operation of outside code of which only the order is known.
// A ChanLen may stand for a panic on a closed channel, so it comes after the close.
func (m *layout) hidden(r *record) bool {
	return r.Event.Flags&format.FlagOpaque != 0 && (r.Event.Kind == format.ChanLen || m.b.excode.active())
}

// reachedHere reports whether an excluded call that was open in the window before trace event index
// reaches t.
func (m *layout) reachedHere(t excluded.Touch, index int64) bool {
	for _, list := range m.b.excode.open {
		if slices.ContainsFunc(list, func(p *excluded.Pair) bool { return p.D.Hits(t) }) {
			return true
		}
	}
	for _, p := range m.begun {
		if p.Begin >= index {
			return false
		}
		if p.D.Hits(t) {
			return true
		}
	}
	return false
}

// demands reports whether r can only happen if excluded code has run while its value does not show
// it: an operation on an object, or an access to memory without recorded values.
func (m *layout) demands(r *record) bool {
	if !r.Event.Kind.IsAccess() {
		return true
	}
	if r.mem < 0 {
		return true
	}
	w := &m.words[r.mem]
	return w.noValue
}
