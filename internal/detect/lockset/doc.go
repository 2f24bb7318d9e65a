// Package lockset knows which locks each goroutine holds, and has Eraser, the detector that looks
// at nothing else.
//
// # Sets
//
// A lock in a set is held exclusively or shared (RWMutex). Equal sets have equal numbers, so that a
// set is one word in shadow memory, and operations on pairs of them are looked up.
//
//	(L1) Lock adds the lock in its mode, Unlock takes it away. Acquires of a lock that the
//	     goroutine holds in that mode are re-entrant: only the outermost counts. (Go has them for
//	     RLock alone.)
//	(L2) Two sets protect each other if they share a lock that one of the two holds exclusively.
//	(L3) A lock that is unlocked by a goroutine that does not hold it passes a message on, and
//	     protects nothing: it is left out of all sets that are made from then on.
//	(L4) An atomic access holds one lock more, that of sync/atomic: two of them protect each
//	     other.
//	(L5) A lock in memory that is allocated anew is another lock.
//
// # Eraser
//
// Savage, Burrows, Nelson, Sobalvarro and Anderson, SOSP 1997 (TOCS 15(4)). Every location v has a
// state and, once it is shared, the candidate set C(v): the locks that every access so far was made
// with.
//
//	(E1) Virgin → Exclusive(t) at the first access. Accesses of t alone change nothing: t may be
//	     initialising it.
//	(E2) The first access of another goroutine makes it Shared if it reads, SharedModified if it
//	     writes. C(v) is what that goroutine holds. (What t held before is forgotten.)
//	(E3) A read intersects C(v) with the locks held in either mode, a write with those held
//	     exclusively. A write makes Shared SharedModified.
//	(E4) SharedModified with an empty C(v) is reported, once for a location.
//
// What is reported is a *candidate*, never a race: no lock is common to all accesses of the
// location. Channels, WaitGroups, and the start of goroutines may order them all the same. Of the
// two accesses of a report, the later made C(v) empty, the earlier is the last one by another
// goroutine that made it smaller: so the pair depends on no access that leaves C(v) and the state
// as they are (package tree).
//
// # Soundness
//
// Races between accesses of a location's first goroutine and one other that comes after are missed
// by (E1) and (E2), as in the paper. Most of what is reported in Go programs is no race.
//
// # Complexity
//
// A lookup per access once a pair of sets was met; a lock operation costs the number of locks held.
// The number of sets and locks is not bounded: a program that takes ever new locks makes ever new
// sets.
//
// # Names
//
//	t  goroutine; v  location; l  lock; s, a, b  sets
package lockset
