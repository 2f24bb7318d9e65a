package merge

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// current is the index of the accesses in the current groups. It finds the streams that have to be
// pulled: those with an access that must come before the next access or Alloc of another stream.
type current struct {
	streams   []*stream
	shadow    *shadow
	contended map[uint64]*accessors // by word; cell.contended says which have an entry
	ranges    []rangeAccess         // too large to be noted by word
	trial     []trialCell           // of simulate
	found     []int32               // of formerUsers: streams
}

// ref is a stream whose current group accesses a word.
type ref struct {
	stream int32
	group  uint32
}

// accessors are the streams that access a contended word.
type accessors struct {
	refs  []ref
	limit int // length at which ended groups are dropped
}

// rangeAccess is an access without a value to more than maxNoted bytes.
type rangeAccess struct {
	ref
	x, n uint64
}

// trialCell is a cell as a simulated write leaves it.
type trialCell struct {
	at   *cell
	cell cell
}

const (
	maxScan  = 64   // streams looked at in one search
	maxNoted = 4096 // bytes of an access without a value that is noted by word
)

// live reports whether the group of r is still current, with accesses to come.
func (k *current) live(r ref) bool {
	s := k.streams[r.stream]
	return s.number == r.group && s.next < len(s.acc)
}

// enter notes the accesses of the group that s has just begun.
func (k *current) enter(s *stream) {
	for i := range s.acc {
		a := &s.acc[i]
		switch {
		case a.c != nil:
			k.note(s, a.x, a.c)
		case a.val > maxNoted:
			k.addRange(rangeAccess{ref{s.index, s.number}, a.x, a.val})
		default:
			for x := a.x &^ 7; x < a.x+a.val; x += 8 {
				k.note(s, x, k.shadow.cell(x))
			}
		}
	}
}

// note notes that the group of s accesses the word x.
func (k *current) note(s *stream, x uint64, c *cell) {
	if c.stream == s.index+1 && c.group == s.number {
		return // noted for an earlier access of the group
	}
	if c.contended {
		k.addRef(x, c, ref{s.index, s.number})
	} else if c.stream != 0 && c.stream != s.index+1 && k.live(ref{c.stream - 1, c.group}) {
		c.contended, c.everContended = true, true
		k.contended[x] = &accessors{refs: []ref{{c.stream - 1, c.group}, {s.index, s.number}}, limit: 8}
	}
	c.stream, c.group = s.index+1, s.number
}

func (k *current) addRef(x uint64, c *cell, r ref) {
	list := k.contended[x]
	list.refs = append(list.refs, r)
	if len(list.refs) < list.limit {
		return
	}
	live := list.refs[:0]
	for _, r := range list.refs {
		if k.live(r) {
			live = append(live, r)
		}
	}
	list.refs = live
	list.limit = max(8, 2*len(live))
	if len(live) == 1 { // the one that is being added
		c.contended = false
		delete(k.contended, x)
	}
}

func (k *current) addRange(w rangeAccess) {
	if n := len(k.ranges); n >= 64 && n&(n-1) == 0 {
		k.ranges = slices.DeleteFunc(k.ranges, func(w rangeAccess) bool { return !k.live(w.ref) })
	}
	k.ranges = append(k.ranges, w)
}

// inRange reports whether an access in ranges, of a current group, touches the n bytes at x.
func (k *current) inRange(x, n uint64) bool {
	return slices.ContainsFunc(k.ranges, func(w rangeAccess) bool { return w.x < x+n && x < w.x+w.n && k.live(w.ref) })
}

// others calls f for the streams other than s that access the contended word x, until f returns
// true.
func (k *current) others(s *stream, x uint64, f func(t *stream) bool) {
	list := k.contended[x]
	n := 0
	for i := 0; i < len(list.refs) && n < maxScan; i++ {
		r := list.refs[i]
		if r.stream == s.index || !k.live(r) {
			continue
		}
		n++
		if t := k.streams[r.stream]; !t.busy && f(t) {
			return
		}
	}
}

// writerFor returns the stream to be pulled, and up to which access, before the read a of s, which
// the shadow does not explain (ME4). Of several streams it is the one with the fewest unexplained
// reads on the way. If a reads zero from unknown memory, that may be the initial value; then no
// read on the way may be unexplained.
func (k *current) writerFor(s *stream, a access) (best *stream, upTo int) {
	least := 0
	k.others(s, a.x, func(t *stream) bool {
		i := explanation(t, a)
		if i < 0 {
			return false
		}
		if n := k.unexplained(t, i); best == nil || n < least {
			best, upTo, least = t, i, n
		}
		return least == 0
	})
	if best != nil && (least == 0 || !a.c.explains(a.val, a.mask) || a.val&spread[a.mask&^a.c.known] != 0) {
		return best, upTo
	}
	return nil, 0
}

// doubtful reports whether the read p returned a value other than zero from unknown memory, and the
// group of another stream writes that value, but could not be pulled before p. Then the memory need
// not have had the value at first (ME6).
func (k *current) doubtful(p *placed) (found bool) {
	c := p.a.c
	if !c.contended || p.a.val&spread[p.a.mask&^c.known] == 0 || !c.explains(p.a.val, p.a.mask) {
		return false
	}
	k.others(k.streams[p.s], p.a.x, func(t *stream) bool {
		found = explanation(t, p.a) >= 0
		return found
	})
	return found
}

// explanation returns the first write of t's group after which a is explained, or -1.
func explanation(t *stream, a access) int {
	c := *a.c
	for i := t.next; i < len(t.acc); i++ {
		b := &t.acc[i]
		if b.c != a.c || b.kind == format.Read {
			continue
		}
		c.store(b.val, b.mask)
		if c.explains(a.val, a.mask) {
			return i
		}
	}
	return -1
}

// readerOf returns a stream other than s that has to be pulled, and up to which access, before a
// write turns the cell a.c into after (ME4). It returns nil if there is none.
func (k *current) readerOf(s *stream, a access, after *cell) (reader *stream, upTo int) {
	k.others(s, a.x, func(t *stream) bool {
		i := t.find(a.c)
		if i >= 0 && t.acc[i].kind == format.Read && a.c.explains(t.acc[i].val, t.acc[i].mask) && !after.explains(t.acc[i].val, t.acc[i].mask) &&
			k.unexplained(t, i) == 0 {
			reader, upTo = t, i
		}
		return reader != nil
	})
	return reader, upTo
}

// find returns the next access of s's group to c, or -1.
func (s *stream) find(c *cell) int {
	for i := s.next; i < len(s.acc); i++ {
		if s.acc[i].c == c {
			return i
		}
	}
	return -1
}

// formerUsers returns the streams other than s with a current group that may access the n bytes at
// x as they were before an Alloc of s (ME3). The result is valid until the next call.
func (k *current) formerUsers(s *stream, x, n uint64) []int32 {
	k.found = k.found[:0]
	k.shadow.within(x, n, func(x uint64, c *cell) {
		if c.contended {
			for _, r := range k.contended[x].refs {
				k.addUser(s, r)
			}
		} else if c.stream != 0 {
			k.addUser(s, ref{c.stream - 1, c.group})
		}
	})
	for _, w := range k.ranges {
		if w.x < x+n && x < w.x+w.n {
			k.addUser(s, w.ref)
		}
	}
	return k.found
}

// addUser adds the stream of r to found if its group is current.
func (k *current) addUser(s *stream, r ref) {
	if n := len(k.found); r.stream == s.index || n > 0 && k.found[n-1] == r.stream || !k.live(r) || slices.Contains(k.found, r.stream) {
		return
	}
	k.found = append(k.found, r.stream)
}

// lastFormer returns the last access of t's group to the n bytes at x as they were before the
// Alloc, or -1. The goroutine reaches the new object by a pointer into those bytes: a read of a
// pointer that the shadow does not hold yet ends the search (ME3).
func (k *current) lastFormer(t *stream, x, n uint64) int {
	found := -1
	k.simulate(t, len(t.acc)-1, func(j int, c *cell) bool {
		a := &t.acc[j]
		if a.within(x, n) {
			found = j
		}
		return c == nil || a.mask != 0xff || a.val-x >= n || c.holds(a.val, a.mask)
	})
	return found
}

// unexplained counts the reads that would not be explained if t were pulled up to its access i now.
func (k *current) unexplained(t *stream, i int) (n int) {
	k.simulate(t, i, func(j int, c *cell) bool {
		if a := &t.acc[j]; c != nil && !c.explains(a.val, a.mask) {
			n++
		}
		return true
	})
	return n
}

// simulate calls f with the accesses of t up to and including i, until f returns false. For a read
// with a value, it also passes the cell as the read would find it.
func (k *current) simulate(t *stream, i int, f func(j int, c *cell) bool) {
	k.trial = k.trial[:0]
	for j := t.next; j <= i; j++ {
		a := &t.acc[j]
		if a.c == nil {
			if !f(j, nil) {
				return
			}
			continue
		}
		c := *a.c
		at := -1
		for n := range k.trial {
			if k.trial[n].at == a.c {
				c, at = k.trial[n].cell, n
				break
			}
		}
		if a.kind == format.Read {
			if !f(j, &c) {
				return
			}
			continue
		}
		if !f(j, nil) {
			return
		}
		c.store(a.val, a.mask)
		if at < 0 {
			k.trial = append(k.trial, trialCell{a.c, c})
		} else {
			k.trial[at].cell = c
		}
	}
}
