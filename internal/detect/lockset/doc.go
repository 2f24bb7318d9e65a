// Package lockset computes which locks each goroutine holds. It also has Eraser, a detector that
// uses these sets alone.
//
// # Sets
//
// A lock in a set is held exclusively or shared (RWMutex). Equal sets have equal numbers. So a set
// is one word of shadow memory, and the result of an operation on two sets is looked up.
//
// (LS1) Lock adds the lock in its mode, Unlock removes it. An acquire of a lock that the goroutine
// holds in the same mode is re-entrant: only the outermost counts. In Go this occurs for RLock
// alone.
//
// (LS2) Two sets protect each other if they have a lock in common that one of them holds
// exclusively.
//
// (LS3) A lock that is unlocked by a goroutine that does not hold it passes a message and protects
// nothing. It is in no set from then on.
//
// (LS4) An atomic access holds one more lock, that of sync/atomic: two atomic accesses protect each
// other.
//
// A lock in memory that is allocated anew is another lock.
//
// # Eraser
//
// The algorithm is that of Savage, Burrows, Nelson, Sobalvarro and Anderson, "Eraser: A Dynamic
// Data Race Detector for Multithreaded Programs" (SOSP 1997; ACM TOCS 15(4), section 2). A location
// v has a state and, once it is shared, the candidate set C(v): the locks that every access so far
// held.
//
//   - The first access, by a goroutine t, makes a Virgin location Exclusive. Further accesses by t
//     change nothing: t may be initialising the location.
//   - The first access by another goroutine makes it Shared if it reads, SharedModified if it
//     writes. C(v) becomes the set of that goroutine. The locks that t held are not in it.
//   - A later read intersects C(v) with the locks held in either mode, a later write with those
//     held exclusively. A write makes a Shared location SharedModified.
//   - A SharedModified location with an empty C(v) is reported once.
//
// A report has two accesses. The later one made C(v) empty. The earlier one is the last access by
// another goroutine that made C(v) smaller. So the pair does not depend on accesses that change
// neither C(v) nor the state (package tree).
//
// # Soundness
//
// A report is a candidate, never a race: no lock is common to all accesses of the location, but
// channels, WaitGroups or the start of goroutines may order them. Most reports in Go programs are
// no races. Races of the first goroutine's accesses with the first access by another one are
// missed, as in the paper.
//
// # Complexity
//
// An access takes one look-up once its pair of sets is known. A lock operation takes time in the
// number of locks held. The numbers of sets and locks are not bounded.
//
// # Names
//
//	t  goroutine     v  location     l  lock     s, a, b  sets
package lockset
