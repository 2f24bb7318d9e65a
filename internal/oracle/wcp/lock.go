package wcp

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// lock is a mutex, or the writers' side of an RWMutex.
type lock struct {
	h, p     clock       // at the last Unlock
	sections []ended     // in the order of the trace
	taken    map[int]int // by goroutine: how many sections (WC2) has been applied to
	// by word: the goroutines that accessed it in a section, with H of the last release of one
	inside  map[uint64]map[inner]clock
	owner   *goroutine
	writers clocks // hard: for RLock, and for Lock after an Unlock by another goroutine
	readers clocks // hard
	foreign bool   // another goroutine has unlocked it
}

// ended is a section that has ended: its goroutine, the time of its begin, and H at its end.
type ended struct {
	slot int
	n    uint32
	h    clock
}

// inner is the accesses of a goroutine to a word in sections of a lock.
type inner struct {
	slot int
	mask uint8
	kind format.Kind
}

// section is a critical section that has not ended.
type section struct {
	l    *lock
	addr trace.Addr
	n    uint32
	in   map[uint64][]inner // slot is not set
}

func (s *section) add(w uint64, mask uint8, k format.Kind) {
	x := inner{mask: mask, kind: k}
	if !slices.Contains(s.in[w], x) {
		if s.in == nil {
			s.in = make(map[uint64][]inner)
		}
		s.in[w] = append(s.in[w], x)
	}
}

// meets is (WC1) for an access of t in s.
func (s *section) meets(t *goroutine, w uint64, mask uint8, k format.Kind) {
	for x, h := range s.l.inside[w] { // joins commute
		if x.slot != t.slot && x.mask&mask != 0 && conflict(x.kind, k) {
			t.p = t.p.join(h)
		}
	}
}

func (d *Detector) lock(e *trace.Event) {
	t, l := d.g(e.G), d.locks[e.Obj]
	if l == nil {
		l = &lock{taken: make(map[int]int), inside: make(map[uint64]map[inner]clock)}
		d.locks[e.Obj] = l
	}
	read := e.Flags&format.FlagRead != 0
	switch {
	case e.Kind == format.Lock && read:
		t.join(&l.writers)
	case read:
		l.readers.join(&t.clocks)
		t.tick()
	case e.Kind == format.Lock:
		t.h, t.p = t.h.join(l.h), t.p.join(l.p) // (WC3)
		if t.join(&l.readers); l.foreign {
			t.join(&l.writers)
		}
		l.owner = t
		t.held = append(t.held, &section{l: l, addr: e.Obj, n: t.n})
	default:
		d.unlock(t, l)
	}
}

func (d *Detector) unlock(t *goroutine, l *lock) {
	if l.owner != t { // a mutex as a semaphore
		if l.foreign = true; l.owner != nil {
			l.owner.held = slices.DeleteFunc(l.owner.held, func(s *section) bool { return s.l == l })
		}
	} else {
		k := slices.IndexFunc(t.held, func(s *section) bool { return s.l == l })
		s := t.held[k]
		t.held = slices.Delete(t.held, k, k+1)
		l.end(t, s)
	}
	l.owner = nil
	l.h, l.p = append(l.h[:0], t.h...), append(l.p[:0], t.p...)
	l.writers = t.clone()
	t.tick()
}

// end is the release of section s by t.
func (l *lock) end(t *goroutine, s *section) {
	k := l.taken[t.slot]
	for ; k < len(l.sections) && l.sections[k].n <= t.p.at(l.sections[k].slot); k++ { // (WC2)
		t.p = t.p.join(l.sections[k].h)
	}
	l.taken[t.slot] = k
	h := slices.Clone(t.h)
	l.sections = append(l.sections, ended{t.slot, s.n, h})
	for w, list := range s.in {
		m := l.inside[w]
		if m == nil {
			m = make(map[inner]clock)
			l.inside[w] = m
		}
		for _, x := range list {
			x.slot = t.slot
			m[x] = h
		}
	}
}
