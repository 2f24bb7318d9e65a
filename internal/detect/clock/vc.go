package clock

// Epoch is one component of a vector clock: slot<<32 | clock. 0 is before all others.
type Epoch uint64

func epoch(slot, clock uint32) Epoch { return Epoch(slot)<<32 | Epoch(clock) }

// Slot is the component of every clock that e belongs to.
func (e Epoch) Slot() uint32 { return uint32(e >> 32) }

func (e Epoch) clock() uint32 { return uint32(e) }

// VC is a vector clock, by slot; components past its end are zero. The first slots are memory of
// its own. The others occur only in programs with many goroutines alive together; they are in
// blocks that clocks share and that are never changed.
type VC struct {
	head []uint32
	tail []*block // nil: zeros
}

const (
	headSlots  = 64
	blockSlots = 256
)

type block [blockSlots]uint32

// place returns the block of a slot that is not in the head, and the index in it.
func place(slot uint32) (b, k int) {
	slot -= headSlots
	return int(slot / blockSlots), int(slot % blockSlots)
}

// Knows reports whether e is at or before v.
func (v *VC) Knows(e Epoch) bool {
	s := e.Slot()
	if s < headSlots {
		return uint64(s) < uint64(len(v.head)) && e.clock() <= v.head[s]
	}
	b, k := place(s)
	return b < len(v.tail) && v.tail[b] != nil && e.clock() <= v.tail[b][k]
}

// words is the size of v's own memory, in words of 8 bytes.
func (v *VC) words() int { return len(v.head)/2 + len(v.tail) }

// join returns the component-wise maximum of v and w, in v's memory where it fits.
func (v VC) join(w VC) VC {
	v.head = grow(v.head, len(w.head))
	for i, c := range w.head {
		if c > v.head[i] {
			v.head[i] = c
		}
	}
	if len(w.tail) == 0 {
		return v
	}
	v.tail = grow(v.tail, len(w.tail))
	for i, b := range w.tail {
		if b != v.tail[i] {
			v.tail[i] = v.tail[i].join(b)
		}
	}
	return v
}

// join returns the maximum of two blocks: one of the two, if that is the maximum.
func (a *block) join(b *block) *block {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	more, less := false, false
	for k := range a {
		more, less = more || b[k] > a[k], less || b[k] < a[k]
	}
	switch {
	case !more:
		return a
	case !less:
		return b
	}
	c := new(block)
	for k := range c {
		c[k] = max(a[k], b[k])
	}
	return c
}

// set returns a copy of w in v's memory.
func (v VC) set(w VC) VC {
	return VC{append(v.head[:0], w.head...), append(v.tail[:0], w.tail...)}
}

// with returns v with e joined in.
func (v VC) with(e Epoch) VC {
	if s := e.Slot(); s < headSlots {
		v.head = grow(v.head, int(s)+1)
		v.head[s] = max(v.head[s], e.clock())
		return v
	}
	b, k := place(e.Slot())
	v.tail = grow(v.tail, b+1)
	switch a := v.tail[b]; {
	case a == nil:
		v.tail[b] = new(block)
	case a[k] >= e.clock():
		return v
	default:
		c := *a
		v.tail[b] = &c
	}
	v.tail[b][k] = e.clock()
	return v
}

// grow returns s with at least n elements, new ones zero.
func grow[T any](s []T, n int) []T {
	if k := len(s); k < n {
		if cap(s) < n {
			return append(s, make([]T, n-k)...)
		}
		s = s[:n]
		clear(s[k:])
	}
	return s
}
