package window

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// locksHeld knows which locks each goroutine holds, as a buffer goes by. A lock that a goroutine
// unlocks which does not hold it protects nothing.
type locksHeld struct {
	lent   map[trace.Addr]bool
	now    map[trace.GoID]*lockSet
	sets   [][]heldLock // by number; 0 is empty
	number map[string]int32
	memo   map[[2]int32]bool
}

// heldLock is a lock, held for reading or for writing.
type heldLock struct {
	addr trace.Addr
	read bool
}

// key adds what tells it from others to a key.
func (l heldLock) key(key []byte) []byte {
	key = binary.LittleEndian.AppendUint64(key, uint64(l.addr))
	if l.read {
		return append(key, 1)
	}
	return append(key, 0)
}

// lockSet is what one goroutine holds.
type lockSet struct {
	locks  []heldLock
	number int32 // -1: not known
}

// newLocksHeld finds out who holds what when the buffer begins, and which locks are lent: whoever
// unlocks first what was held then held it.
func newLocksHeld(b *Builder) *locksHeld {
	h := &locksHeld{lent: make(map[trace.Addr]bool), now: make(map[trace.GoID]*lockSet), sets: [][]heldLock{nil}, number: map[string]int32{"": 0}, memo: make(map[[2]int32]bool)}
	type hold struct {
		g trace.GoID
		l heldLock
	}
	depth, begun := make(map[hold]int), make(map[heldLock]int32)
	for i := range b.buf {
		e := &b.buf[i].e
		l := heldLock{e.Obj, e.Flags&format.FlagRead != 0}
		k := hold{e.G, l}
		switch {
		case e.Kind == format.Lock:
			depth[k]++
		case e.Kind != format.Unlock:
		case depth[k] > 0:
			depth[k]--
		case begun[l] < heldBefore(b.carry.objects[objKey{lockClass, e.Obj}], l.read):
			begun[l]++
			s := h.of(e.G)
			s.locks, s.number = append(s.locks, l), -1
		default:
			h.lent[e.Obj] = true
		}
	}
	for _, s := range h.now {
		s.locks = slices.DeleteFunc(s.locks, func(l heldLock) bool { return h.lent[l.addr] })
	}
	return h
}

// heldBefore is how often a lock was held.
func heldBefore(o *object, read bool) int32 {
	switch {
	case o == nil:
		return 0
	case read:
		return o.readers
	case o.writer:
		return 1
	}
	return 0
}

func (h *locksHeld) of(g trace.GoID) *lockSet {
	s := h.now[g]
	if s == nil {
		s = &lockSet{}
		h.now[g] = s
	}
	return s
}

// step takes the next record of the buffer.
func (h *locksHeld) step(e *trace.Event) {
	l := heldLock{e.Obj, e.Flags&format.FlagRead != 0}
	switch {
	case e.Kind == format.Lock && !h.lent[e.Obj]:
		s := h.of(e.G)
		s.locks, s.number = append(s.locks, l), -1
	case e.Kind == format.Unlock:
		s := h.of(e.G)
		if k := slices.Index(s.locks, l); k >= 0 {
			s.locks, s.number = slices.Delete(s.locks, k, k+1), -1
		}
	}
}

// set is the number of the set of locks that g holds.
func (h *locksHeld) set(g trace.GoID) int32 {
	s := h.now[g]
	switch {
	case s == nil:
		return 0
	case s.number >= 0:
		return s.number
	}
	sorted := slices.Clone(s.locks)
	slices.SortFunc(sorted, func(a, b heldLock) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), bytes.Compare(a.key(nil), b.key(nil)))
	})
	var key []byte
	for _, l := range sorted {
		key = l.key(key)
	}
	n, ok := h.number[string(key)]
	if !ok {
		n = int32(len(h.sets))
		h.number[string(key)] = n
		h.sets = append(h.sets, sorted)
	}
	s.number = n
	return n
}

// common says whether two sets share a lock that one of them holds for writing.
func (h *locksHeld) common(a, b int32) bool {
	if a == 0 || b == 0 {
		return false
	}
	k := [2]int32{min(a, b), max(a, b)}
	yes, ok := h.memo[k]
	if !ok {
		yes = slices.ContainsFunc(h.sets[a], func(l heldLock) bool {
			return slices.ContainsFunc(h.sets[b], func(m heldLock) bool { return l.addr == m.addr && !(l.read && m.read) })
		})
		h.memo[k] = yes
	}
	return yes
}
