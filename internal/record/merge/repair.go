package merge

import "github.com/presage-race/presage/internal/trace/format"

// ref is a stream in whose current group a contended word is accessed.
type ref struct {
	stream int32
	group  uint32
}

// contention is the list of the streams that access a contended word.
type contention struct {
	refs  []ref
	limit int // length at which ended groups are dropped
}

const (
	maxScan  = 64 // streams looked at in one search of (V1) or (V2)
	maxDepth = 32 // pulls within pulls
)

// live reports whether the group of r is still current, with accesses to come.
func (m *merger) live(r ref) bool {
	s := m.streams[r.stream]
	return s.number == r.group && s.next < len(s.acc)
}

// enter notes the accesses of the group that s has just begun.
func (m *merger) enter(s *stream) {
	for i := range s.acc {
		a := &s.acc[i]
		switch {
		case a.c != nil:
			m.note(s, a.x, a.c)
		case a.val > maxNoted:
			m.addWide(wide{ref{s.index, s.number}, a.x, a.val})
		default:
			for x := a.x &^ 7; x < a.x+a.val; x += 8 {
				m.note(s, x, m.shadow.cell(x))
			}
		}
	}
}

// note notes that the group of s accesses the word x.
func (m *merger) note(s *stream, x uint64, c *cell) {
	if c.stream == s.index+1 && c.group == s.number {
		return // an earlier access of the group has noted it
	}
	if c.hot {
		m.addRef(x, c, ref{s.index, s.number})
	} else if c.stream != 0 && c.stream != s.index+1 && m.live(ref{c.stream - 1, c.group}) {
		c.hot, c.racy = true, true
		m.hot[x] = &contention{refs: []ref{{c.stream - 1, c.group}, {s.index, s.number}}, limit: 8}
	}
	c.stream, c.group = s.index+1, s.number
}

func (m *merger) addRef(x uint64, c *cell, r ref) {
	k := m.hot[x]
	k.refs = append(k.refs, r)
	if len(k.refs) < k.limit {
		return
	}
	live := k.refs[:0]
	for _, r := range k.refs {
		if m.live(r) {
			live = append(live, r)
		}
	}
	k.refs = live
	k.limit = max(8, 2*len(live))
	if len(live) == 1 { // the one that is being added
		c.hot = false
		delete(m.hot, x)
	}
}

// others calls f for the streams other than s that access the contended word x, until f returns
// true.
func (m *merger) others(s *stream, x uint64, f func(t *stream) bool) {
	k := m.hot[x]
	n := 0
	for i := 0; i < len(k.refs) && n < maxScan; i++ {
		r := k.refs[i]
		if r.stream == s.index || !m.live(r) {
			continue
		}
		n++
		if t := m.streams[r.stream]; !t.busy && f(t) {
			return
		}
	}
}

// beforeRead makes room for a read of s that the shadow does not explain (V1). Of the streams that
// can explain it, the one is pulled whose own reads, on the way, are explained best. If nothing is
// known of the word and zero was read, no read on the way may stay unexplained: that may be the
// initial value.
func (m *merger) beforeRead(s *stream, a access) {
	if m.depth >= maxDepth {
		return
	}
	var best *stream
	upTo, least := 0, 0
	m.others(s, a.x, func(t *stream) bool {
		i := explanation(t, a)
		if i < 0 {
			return false
		}
		if n := m.rehearse(t, i); best == nil || n < least {
			best, upTo, least = t, i, n
		}
		return least == 0
	})
	if best != nil && (least == 0 || !a.c.explains(a.val, a.mask) || a.val&spread[a.mask&^a.c.known] != 0) {
		m.pull(best, upTo)
	}
}

// doubtful reports whether the read p is of memory that is not known, and another stream's group
// has a write of its value that (V1) could not bring before it: nothing says that the value was
// there at first (V6). Zero mostly was.
func (m *merger) doubtful(p *placed) (found bool) {
	c := p.a.c
	if !c.hot || p.a.val&spread[p.a.mask&^c.known] == 0 || !c.explains(p.a.val, p.a.mask) {
		return false
	}
	m.others(m.streams[p.s], p.a.x, func(t *stream) bool {
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

// rehearse counts the reads that would not be explained if t were pulled up to its access i at
// once.
func (m *merger) rehearse(t *stream, i int) (bad int) {
	m.simulate(t, i, func(j int, c *cell) bool {
		if a := &t.acc[j]; c != nil && !c.explains(a.val, a.mask) {
			bad++
		}
		return true
	})
	return bad
}

// simulate calls f with the accesses of t up to and with i, and with the cell that a read would
// meet, until f returns false. For others it is nil.
func (m *merger) simulate(t *stream, i int, f func(j int, c *cell) bool) {
	m.written = m.written[:0]
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
		for k := range m.written {
			if m.written[k].at == a.c {
				c, at = m.written[k].cell, k
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
			m.written = append(m.written, rehearsed{a.c, c})
		} else {
			m.written[at].cell = c
		}
	}
}

// rehearsed is a cell as it would be.
type rehearsed struct {
	at   *cell
	cell cell
}

// beforeWrite lets those read that want what the write a of s is about to change (V2).
func (m *merger) beforeWrite(s *stream, a access) {
	after := *a.c
	after.store(a.val, a.mask)
	if m.depth >= maxDepth || (after.val^a.c.val)&spread[a.mask&a.c.known] == 0 {
		return
	}
	for range maxScan {
		var who *stream
		upTo := 0
		m.others(s, a.x, func(t *stream) bool {
			i := t.find(a.c)
			if i >= 0 && t.acc[i].kind == format.Read && a.c.explains(t.acc[i].val, t.acc[i].mask) && !after.explains(t.acc[i].val, t.acc[i].mask) &&
				m.rehearse(t, i) == 0 {
				who, upTo = t, i
			}
			return who != nil
		})
		if who == nil {
			return
		}
		m.pull(who, upTo)
	}
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

// pull emits the records of t up to and with its access i.
func (m *merger) pull(t *stream, i int) {
	m.stats.Pulls++
	m.depth++
	t.busy = true
	for t.next <= i && m.err == nil {
		m.emitPlain(t)
	}
	t.busy = false
	m.depth--
}
