package merge

import "slices"

// An Alloc reuses memory that a collection has freed. Who held it last may have had no stamp since:
// its last accesses are in a group that is current still, and (O2) would have them come after the
// Alloc, in memory that is another's now. (O3) has them come first.

// wide is an access without a value to so many bytes that their cells are not noted.
type wide struct {
	ref
	x, n uint64
}

// maxNoted bounds the bytes of an access without a value whose cells are noted.
const maxNoted = 4096

func (m *merger) addWide(w wide) {
	if n := len(m.wide); n >= 64 && n&(n-1) == 0 {
		m.wide = slices.DeleteFunc(m.wide, func(w wide) bool { return !m.live(w.ref) })
	}
	m.wide = append(m.wide, w)
}

// freed has the accesses of other streams' current groups to the n bytes at x come before the Alloc
// of s that is next (O3). A group that began after the last collection has no access to what was
// there before.
func (m *merger) freed(s *stream, x, n, stamp uint64) {
	gc, _ := slices.BinarySearch(m.gcs, stamp)
	if x+n < x || gc == 0 { // nothing has been freed yet
		return
	}
	since := m.gcs[gc-1]
	m.holders = m.holders[:0]
	m.shadow.within(x, n, func(x uint64, c *cell) {
		if c.hot {
			for _, r := range m.hot[x].refs {
				m.holder(s, r)
			}
		} else if c.stream != 0 {
			m.holder(s, ref{c.stream - 1, c.group})
		}
	})
	for _, w := range m.wide {
		if w.x < x+n && x < w.x+w.n {
			m.holder(s, w.ref)
		}
	}
	for _, k := range m.holders {
		t := m.streams[k]
		if t.from > since {
			continue
		}
		if i := m.last(t, x, n); i >= 0 && !t.busy {
			m.pull(t, i)
		}
	}
}

// holder keeps the stream of r if its group is current.
func (m *merger) holder(s *stream, r ref) {
	if k := len(m.holders); r.stream == s.index || k > 0 && m.holders[k-1] == r.stream || !m.live(r) || slices.Contains(m.holders, r.stream) {
		return
	}
	m.holders = append(m.holders, r.stream)
}

// last returns the last access of t's group to the n bytes at x while they were what they were
// before, or -1. A goroutine reaches the new object by a pointer that it reads since, and that
// memory does not hold yet.
func (m *merger) last(t *stream, x, n uint64) int {
	found := -1
	m.simulate(t, len(t.acc)-1, func(j int, c *cell) bool {
		a := &t.acc[j]
		if a.within(x, n) {
			found = j
		}
		return c == nil || a.mask != 0xff || a.val-x >= n || c.holds(a.val, a.mask)
	})
	return found
}
