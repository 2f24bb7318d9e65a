package lockset

import (
	"slices"

	"github.com/presage-race/presage/internal/detect/table"
)

// Set is a set of locks in their modes, by number. 0 is the empty set.
type Set uint32

// element is a lock and its mode: twice the lock's number, and one more if it is shared.
type element uint32

const atomic element = 0 // (LS4)

// sets is the trie of sets. A path from its root has the elements of a set in ascending order.
type sets struct {
	child table.Table // node<<32 | element: index of the child less one
	nodes []node      // by Set; the root is not there

	meet, common table.Table // pairs of sets
	met          []Set       // by index in meet
	shares       []bool      // by index in common
	any, writes  []Set       // by Set, +1; 0: not computed
}

type node struct {
	parent Set
	last   element
}

// with returns the set of a node's elements and one larger than all of them.
func (s *sets) with(parent Set, e element) Set {
	i, fresh := s.child.At(uint64(parent)<<32 | uint64(e))
	if fresh {
		s.nodes = append(s.nodes, node{parent, e})
	}
	return Set(i) + 1
}

// of returns the set of elements in ascending order.
func (s *sets) of(es []element) (n Set) {
	for _, e := range es {
		n = s.with(n, e)
	}
	return n
}

// elements appends the elements of n, in ascending order.
func (s *sets) elements(n Set, out []element) []element {
	from := len(out)
	for ; n != 0; n = s.nodes[n-1].parent {
		out = append(out, s.nodes[n-1].last)
	}
	slices.Reverse(out[from:])
	return out
}

// plus returns n with e.
func (s *sets) plus(n Set, e element) Set {
	es := s.elements(n, nil)
	i, has := slices.BinarySearch(es, e)
	if has {
		return n
	}
	return s.of(slices.Insert(es, i, e))
}

// Meet returns the elements that are in both sets, each in its mode.
func (s *sets) Meet(a, b Set) Set {
	if a == b || a == 0 || b == 0 {
		return min(a, b)
	}
	i, fresh := s.meet.At(uint64(min(a, b))<<32 | uint64(max(a, b)))
	if fresh {
		bs := s.elements(b, nil)
		s.met = append(s.met, s.of(slices.DeleteFunc(s.elements(a, nil), func(e element) bool { return !slices.Contains(bs, e) })))
	}
	return s.met[i]
}

// Common reports whether two sets protect each other (LS2).
func (s *sets) Common(a, b Set) bool {
	if a == 0 || b == 0 {
		return false
	}
	i, fresh := s.common.At(uint64(min(a, b))<<32 | uint64(max(a, b)))
	if fresh {
		bs := s.elements(b, nil)
		s.shares = append(s.shares, slices.ContainsFunc(s.elements(a, nil), func(e element) bool {
			return slices.ContainsFunc(bs, func(f element) bool { return e/2 == f/2 && e&f&1 == 0 })
		}))
	}
	return s.shares[i]
}

// Any returns the locks of n in exclusive mode, whatever their modes are.
func (s *sets) Any(n Set) Set {
	return s.derived(&s.any, n, func(e element) (element, bool) { return e &^ 1, true })
}

// Writes returns the locks of n that are held exclusively.
func (s *sets) Writes(n Set) Set {
	return s.derived(&s.writes, n, func(e element) (element, bool) { return e, e&1 == 0 })
}

func (s *sets) derived(memo *[]Set, n Set, f func(element) (element, bool)) Set {
	for len(*memo) <= int(n) {
		*memo = append(*memo, 0)
	}
	if (*memo)[n] == 0 {
		var es []element
		for _, e := range s.elements(n, nil) {
			if e, keep := f(e); keep && !slices.Contains(es, e) {
				es = append(es, e)
			}
		}
		(*memo)[n] = s.of(es) + 1
	}
	return (*memo)[n] - 1
}

// Elements returns the locks in a set. Each is twice the number of the lock, plus one if it is held
// shared. Locks have numbers in the order in which they were first used; 0 is the lock of
// sync/atomic (LS4).
func (s *sets) Elements(n Set) (out []uint32) {
	for _, e := range s.elements(n, nil) {
		out = append(out, uint32(e))
	}
	return out
}
