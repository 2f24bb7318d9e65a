package online

import "unsafe"

// Clocks of few slots, in place. As long as a process has taken few slots, a leaf that one clock
// has alone is not given away for another that has more: the few components of the other are put
// into it. That is less than the counts of two leaves, and the leaf stays its clock's own, so that
// the next component raised needs no copy.

// ftFew is the pairs of components up to which that holds: two lines of cache.
const ftFew = 16

// ftPairsTaken is the pairs of a leaf that slots have been taken of.
func ftPairsTaken() uint32 { return (min(ftLeafSlots, ftLoad32(&ftSlots.n)) + 1) / 2 }

// alone reports whether n is of one clock.
func (n *ftNode) alone() bool { return ftLoad32(&n.refs) == 1 }

// few returns the pairs to look at if v and w are leaves, v one of its own, and of few slots; 0:
// they are not.
func (v *ftVC) few(w *ftVC) uint32 {
	if v.height|w.height != 0 || v.root == nil || w.root == nil || v.root == w.root || !v.root.alone() {
		return 0
	}
	if n := ftPairsTaken(); n <= ftFew {
		return n
	}
	return 0
}

// raise makes each of the first n pairs of a leaf at least those of another.
func (x *ftPairs) raise(y *ftPairs, n uint32) {
	x[0] = ftSecond(x[0], max(x[0]>>32, y[0]>>32))
	for k := uint32(1); k < min(n, uint32(len(x))); k++ {
		x[k] = ftMaxPair(x[k], y[k])
	}
}

// copy makes the first n pairs of a leaf those of another.
func (x *ftPairs) copy(y *ftPairs, n uint32) {
	x[0] = ftSecond(x[0], y[0]>>32)
	for k := uint32(1); k < min(n, uint32(len(x))); k++ {
		x[k] = y[k]
	}
}

// swapFew is swap where both have a leaf of few slots of their own: what is released goes there and
// what is acquired comes from there, component by component. It is one function since there is one
// for every message.
func (r *ftRel) swapFew(t *ftThread) bool {
	a, b := t.vc.root, r.vc.root
	if n := r.bothOwn(t); n == 0 {
		return false
	} else {
		x, y := a.pairs(), b.pairs()
		p, q := x[0]>>32, y[0]>>32
		x[0], y[0] = ftSecond(x[0], max(p, q)), ftSecond(y[0], p)
		for k := uint32(1); k < min(n, ftFew); k++ {
			p := x[k]
			x[k], y[k] = ftMaxPair(p, y[k]), p
		}
	}
	if c := a.clock(r.slot); *c < r.clock {
		*c = r.clock
		if r.slot != t.slot {
			t.learn(r.slot, r.clock)
		}
	}
	r.slot, r.clock = t.slot, t.clock
	t.tick()
	t.from = ftComponent{}
	return true
}

// bothOwn returns the pairs to look at if t and r have a leaf of few slots of their own, and
// nothing else; 0: they have not.
func (r *ftRel) bothOwn(t *ftThread) uint32 {
	a, b := t.vc.root, r.vc.root
	if n := ftPairsTaken(); n <= ftFew && a != nil && b != nil && t.slot != 0 && r.slot != 0 && r.slot < ftLeafSlots &&
		t.vc.height|t.vc.n|r.vc.height|r.vc.n == 0 && a.alone() && b.alone() && t.all == ftLoad32(&ftAll) {
		return n
	}
	return 0
}

// bothFew is acquire and put in one, in place: both come to have the maximum. Others wait for it,
// since an atomic operation is under the lock of its cell.
func (r *ftRel) bothFew(t *ftThread) bool {
	n := r.bothOwn(t)
	if n == 0 {
		return false
	}
	x, y := t.vc.root.pairs(), r.vc.root.pairs()
	m := max(x[0]>>32, y[0]>>32)
	x[0], y[0] = ftSecond(x[0], m), ftSecond(y[0], m)
	for k := uint32(1); k < min(n, ftFew); k++ {
		m := ftMaxPair(x[k], y[k])
		x[k], y[k] = m, m
	}
	if s := r.slot; s != t.slot {
		m := max(*t.vc.root.clock(s), r.clock)
		*t.vc.root.clock(s), *r.vc.root.clock(s) = m, m
		t.learn(s, m)
	}
	r.slot, r.clock = t.slot, t.clock
	t.from = ftComponent{}
	return true
}

// clock is a component of a leaf.
func (n *ftNode) clock(slot uint32) *uint32 {
	return &(*[ftLeafSlots]uint32)(unsafe.Pointer(n))[slot%ftLeafSlots]
}

// ftSecond is a leaf's first pair, which has its count, with another component.
func ftSecond(pair, c uint64) uint64 { return pair&(1<<32-1) | c<<32 }

// ftMaxPair is the maximum of two pairs, by component.
func ftMaxPair(x, y uint64) uint64 {
	take := ftLess(x, y) >> 31 * (1<<32 - 1)
	return x&^take | y&take
}
