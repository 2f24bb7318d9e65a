package walk

// A reads is a set of reads of one goroutine: those that a value was computed from. nil is the
// empty set. Sets share their structure. They are immutable, except that they lose pinned reads.
//
// A read is pinned once an event of its goroutine needs it. All later events of the goroutine then
// depend on it anyway (MO1, MO6), so it is dropped from every set. This keeps the sets small: a
// read is in the Needs of at most one event, and a loop over a million elements costs a million
// unions of small sets.
type reads struct {
	index  int64    // of a set of one read; -1: a union
	l, r   *reads   // a union of two
	list   []*reads // a union of many single reads, l and r are nil
	n      int32    // elements, counted as often as they occur in the structure
	pinned bool     // all elements are
	seen   uint32   // the last traversal that has visited it
}

const (
	// maxSet bounds the distinct reads of a set: those of a larger one are pinned.
	maxSet = 128
	// maxOpen bounds the reads of a goroutine that are not pinned: if there are more, the older
	// half is pinned. These are about as old as a window is long.
	maxOpen = 32768
)

// deps is the dataflow of one goroutine.
type deps struct {
	open    []*reads // single reads that may not be pinned, oldest first
	pending []int64  // pinned since the last event: Needs of the next one
	later   []int64  // reads of this event that are pinned: Needs of the one after it
	stored  []*reads // what values in memory depend on, not pinned when they were stored
	pass    uint32   // number of the last traversal
	buf     []*reads

	tooLarge int64 // sets pinned because of maxSet
	tooOld   int64 // reads pinned because of maxOpen
}

// read returns the set of one new read.
func (d *deps) read(index int64) *reads {
	r := &reads{index: index, n: 1}
	if len(d.open) >= maxOpen {
		d.age()
	}
	d.open = append(d.open, r)
	return r
}

// age drops pinned reads from the open reads. If there are still too many, it pins the older half.
func (d *deps) age() {
	d.sweep()
	if len(d.open) < maxOpen*3/4 {
		return
	}
	for _, r := range d.open[:maxOpen/2] {
		d.tooOld++
		d.pin(r)
	}
	d.sweep()
}

func (d *deps) sweep() {
	kept := d.open[:0]
	for _, r := range d.open {
		if !r.pinned {
			kept = append(kept, r)
		}
	}
	clear(d.open[len(kept):])
	d.open = kept
}

// union returns the union of two sets.
func (d *deps) union(a, b *reads) *reads {
	switch {
	case a == nil || a.pinned:
		if b == nil || b.pinned {
			return nil
		}
		return b
	case b == nil || b.pinned || a == b || a.l == b || a.r == b:
		return a
	case b.l == a || b.r == a:
		return b
	}
	u := &reads{index: -1, l: a, r: b, n: a.n + b.n}
	if u.n <= 2*maxSet {
		return u
	}
	list := d.members(u)
	if len(list) > maxSet {
		d.tooLarge++
		d.pin(u)
		return nil
	}
	return &reads{index: -1, list: append([]*reads(nil), list...), n: int32(len(list))}
}

// members returns the distinct reads of s that are not pinned, valid until the next call.
func (d *deps) members(s *reads) []*reads {
	d.pass++
	d.buf = d.buf[:0]
	d.collect(s)
	return d.buf
}

// indexes returns the trace indexes of members.
func (d *deps) indexes(s *reads) (list []int64) {
	for _, r := range d.members(s) {
		list = append(list, r.index)
	}
	return list
}

func (d *deps) collect(s *reads) {
	if s == nil || s.pinned || s.seen == d.pass {
		return
	}
	s.seen = d.pass
	switch {
	case s.index >= 0:
		d.buf = append(d.buf, s)
	case s.list != nil:
		for _, r := range s.list {
			d.collect(r)
		}
	default:
		d.collect(s.l)
		d.collect(s.r)
		s.pinned = (s.l == nil || s.l.pinned) && (s.r == nil || s.r.pinned)
	}
}

// pin makes the reads of s Needs of the goroutine's next event.
func (d *deps) pin(s *reads) {
	if s == nil || s.pinned {
		return
	}
	s.pinned = true
	switch {
	case s.index >= 0:
		d.pending = append(d.pending, s.index)
	case s.list != nil:
		for _, r := range s.list {
			d.pin(r)
		}
	default:
		d.pin(s.l)
		d.pin(s.r)
		s.l, s.r = nil, nil
	}
}

// pinLater pins a read that is the event itself.
func (d *deps) pinLater(index int64) { d.later = append(d.later, index) }

// take returns the Needs of an event, valid until the next call.
func (d *deps) take(buf []int64) []int64 {
	needs := d.pending
	d.pending = append(buf[:0], d.later...)
	d.later = d.later[:0]
	return needs
}

// store remembers that a value which depends on s is in memory.
func (d *deps) store(s *reads) {
	if s == nil || s.pinned {
		return
	}
	if len(d.stored) >= maxOpen {
		kept := d.stored[:0]
		for i, r := range d.stored {
			if i < maxOpen/2 {
				d.pin(r)
			} else if !r.pinned {
				kept = append(kept, r)
			}
		}
		clear(d.stored[len(kept):])
		d.stored = kept
	}
	if n := len(d.stored); n == 0 || d.stored[n-1] != s {
		d.stored = append(d.stored, s)
	}
}

// pinStored pins what the goroutine has stored in memory (WA3).
func (d *deps) pinStored() {
	for _, r := range d.stored {
		d.pin(r)
	}
	clear(d.stored)
	d.stored = d.stored[:0]
}

// pinAll pins every read of the goroutine. The walk does not know any more what depends on them.
func (d *deps) pinAll() {
	for _, r := range d.open {
		d.pin(r)
	}
	clear(d.open)
	d.open = d.open[:0]
}
