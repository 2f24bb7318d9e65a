package hb

// Epoch is one component of a vector clock: slot<<32 | clock. 0 is before everything.
type Epoch uint64

func epoch(slot, clock uint32) Epoch { return Epoch(slot)<<32 | Epoch(clock) }

func (e Epoch) slot() uint32  { return uint32(e >> 32) }
func (e Epoch) clock() uint32 { return uint32(e) }

// VC is a vector clock by slot. What lies past its end is zero.
type VC []uint32

// knows reports whether e is at or before v.
func (v VC) knows(e Epoch) bool {
	s := e.slot()
	return uint64(s) < uint64(len(v)) && e.clock() <= v[s]
}

// join returns the component-wise maximum of v and w, in v's memory where it fits.
func (v VC) join(w VC) VC {
	v = v.grow(len(w))
	for i, c := range w {
		if c > v[i] {
			v[i] = c
		}
	}
	return v
}

// set returns a copy of w in v's memory.
func (v VC) set(w VC) VC { return append(v[:0], w...) }

// with returns v with e joined in.
func (v VC) with(e Epoch) VC {
	v = v.grow(int(e.slot()) + 1)
	if s := e.slot(); e.clock() > v[s] {
		v[s] = e.clock()
	}
	return v
}

func (v VC) grow(n int) VC {
	for len(v) < n {
		if cap(v) >= n {
			k := len(v)
			v = v[:n]
			clear(v[k:])
			return v
		}
		v = append(v, 0)
	}
	return v
}
