package window

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// sharing is the pass that finds which atoms several goroutines access, what the initial values
// are, and from which record on the reads of a goroutine are uncertain.
type sharing struct{ *layout }

// share finds which atoms several goroutines access, and their initial values.
func (m *sharing) share() {
	for i := range m.recs {
		r := &m.recs[i]
		if r.mem < 0 {
			continue
		}
		w := &m.words[r.mem]
		mask := bytesIn(&r.Event)
		for k := range w.atoms {
			if a := &w.atoms[k]; a.mask&mask != 0 {
				m.touch(w, a, i, r)
			}
		}
	}
	for i := range m.words {
		for k := range m.words[i].atoms {
			a := &m.words[i].atoms[k]
			if a.insideBy = 0; len(a.lanes) > 0 {
				if a.endTurns(); m.racyAt(m.words[i].addr) {
					m.obscure(a)
				}
			}
		}
	}
	m.endUnsure()
}

func (m *sharing) touch(w *word, a *atom, i int, r *record) {
	v := built.Extract(r.Event.Val<<(8*(uint64(r.Event.Obj)&7)), a.mask)
	if !a.used {
		a.used, a.first = true, r.Event.G
		a.reached = m.b.excode.reaches(touchOf(w, a))
		m.initial(w, a, r, v)
	}
	a.many = a.many || a.first != r.Event.G
	a.write = a.write || r.Event.Kind.IsWrite()
	a.off = a.off || r.alt > 0
	a.opaque = a.opaque || m.hidden(r)
	if w.noValue {
		m.names(&a.entries, r)
		a.entries.keyless = a.entries.keyless || a.reached || m.b.opt.NoValues
	}
	if r.alt > 0 {
		return
	}
	if w.outside {
		a.takeTurn(i, r, w.alloced)
	}
	if w.noValue {
		return
	}
	if a.firstWrite && !r.outside() && reads(r.Event.Kind) {
		a.reads = append(a.reads, v)
	}
	if a.reached && !a.settled && m.reachedHere(touchOf(w, a), r.Index) {
		a.settled = true // foundBeside writes what is read
	}
	m.noteOutside(a, i, r, v)
}

// initial sets the value of an atom before its first access in the window. Where
// values are writers it is 0, the writer before all.
func (m *sharing) initial(w *word, a *atom, r *record, v uint64) {
	if w.noValue {
		return
	}
	known := w.alloced && w.zero // (MO12)
	if !w.alloced {
		a.initial, known, _ = m.b.carry.mem.value(w.addr, a.mask) // (MO12)
	}
	beside := false
	if a.reached { // (EX5)
		known = known && !m.b.excode.early.Hits(touchOf(w, a))
		beside = m.reachedHere(touchOf(w, a), r.Index)
	}
	switch {
	case known:
	case beside, m.raceForeseen(w.addr):
		// foundBeside makes the write of what is read; its writer is unknown (WI2)
		a.firstWrite, a.settled = true, true
	case r.alt > 0 || r.outside() || r.Event.Kind == format.Write || r.Event.Kind == format.AtomicWrite:
		a.firstWrite = true
	default:
		a.initial, a.guessed = v, true
	}
}

// endUnsure ends goroutines that may have read a word, without a record in the window, while they
// raced on it (WI2).
func (m *sharing) endUnsure() {
	if m.b.run == nil || len(m.b.run.unsure) == 0 {
		return
	}
	ended := make(map[trace.GoID]bool)
	for i := range m.onPath {
		r := &m.recs[i]
		if ended[r.Event.G] {
			continue
		}
		for _, s := range m.b.run.unsure[r.Event.G] {
			if s.from < r.Index && r.Index <= s.to {
				ended[r.Event.G] = true
				if !r.skip {
					r.skip = true
					m.b.count.Uncertain++
				}
				break
			}
		}
	}
}
