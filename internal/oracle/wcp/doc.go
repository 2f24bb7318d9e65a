// Package wcp finds pairs of accesses that the weak-causally-precedes relation leaves unordered,
// and those that happens-before does, in one pass over a trace. It is a baseline:
// bench/excluded/rdit compares RDIT with it. What it finds is not witnessed, so
// nothing of it is ever reported as a race.
//
// The relation and the algorithm: Dileep Kini, Umang Mathur, Mahesh Viswanathan, "Dynamic race
// prediction in linear time", PLDI 2017. It contains all races of causally-precedes (Smaragdakis
// and others, POPL 2012), of which no linear algorithm is known.
//
// # Rules
//
// r, a are the release and the acquire of a critical section CS(r), e and f accesses, ≺ the
// relation, hb happens-before.
//
//	(W1) r ≺ f, if f is in a later critical section on the same lock, and something in CS(r) by
//	     another goroutine conflicts with it.
//	(W2) r ≺ r', if both release one lock, r first, and an event of CS(r) precedes (≺) one of
//	     CS(r').
//	(W3) e ≺ g, if e ≺ f hb g or e hb f ≺ g.
//	(W4) Two conflicting accesses are ordered if the first precedes (≺) the second, or comes
//	     before it by what every execution keeps: program order, and hard edges.
//
// The paper has threads and mutexes. For Go, all other synchronisation is hard: Go, Join, channels,
// WaitGroups, Once, Cond, atomic operations, the runtime's own, in the rules of package hb; so are
// the read locks of an RWMutex with its other locks, and a mutex that another goroutine unlocks.
//
// # Clocks
//
// Of a goroutine t at its event f: n its own time, which goes on after each release; H, M and P the
// times of others' events that come before f by happens-before, by hard edges and program order,
// and by ≺. For (W2) an acquire precedes a release exactly if some event of the one section
// precedes some event of the other (W3); and if it does, so do all acquires of the lock before it,
// so of the sections of a lock each goroutine has taken in a prefix.
//
// # Soundness
//
// None that matters here: the first pair that ≺ leaves unordered is a race or a deadlock of some
// execution; later ones need not be. Of a trace with missing events not even that.
//
// # Complexity
//
// Per event the number of goroutines; per access besides, the locks held and who has accessed the
// word in sections of these. Memory grows with the number of critical sections.
//
// # Names
//
//	e, f events       t, u goroutines     l lock     s section     w word
package wcp
