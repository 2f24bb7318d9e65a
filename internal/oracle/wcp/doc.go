// Package wcp finds pairs of accesses that the weak-causally-precedes relation leaves unordered,
// and pairs that happens-before leaves unordered, in one pass over a trace. It is a baseline with
// which bench/excluded/rdit compares RDIT. Its pairs have no witness and are never reported as
// races.
//
// The relation and the algorithm are those of Kini, Mathur and Viswanathan, "Dynamic Race
// Prediction in Linear Time" (PLDI 2017, sections 2 and 3). The relation leaves all pairs unordered
// that causally-precedes does (Smaragdakis, Evans, Sadowski, Yi and Flanagan, POPL 2012), for which
// no linear algorithm is known.
//
// # Rules
//
// CS(r) is the critical section that a release r ends, e, f and g are events, ≺ is the relation,
// and hb is happens-before.
//
// (WC1) r ≺ f, if the access f is in a later critical section on the same lock, and an access in
// CS(r) by another goroutine conflicts with f.
//
// (WC2) r ≺ r', if both release one lock, r first, and some event of CS(r) precedes (≺) an event of
// CS(r').
//
// (WC3) e ≺ g, if e ≺ f and f hb g, or if e hb f and f ≺ g.
//
// (WC4) Two conflicting accesses are ordered if the first precedes (≺) the second, or is before it
// in every execution: by program order and hard edges.
//
// The paper has threads and mutexes. For Go, all other synchronisation is a hard edge: Go, Join,
// channels, WaitGroups, Once, Cond, atomic operations and those of the runtime, by the rules of
// package clock. So are the read locks of an RWMutex with its other locks, and a mutex that another
// goroutine unlocks.
//
// # Clocks
//
// At an event f, a goroutine t has its own time n, which increases after each release, and three
// clocks: the times of other goroutines' events that are before f by happens-before (H), by hard
// edges and program order (M), and by ≺ (P).
//
// For WC2, an acquire precedes a release exactly if some event of the one section precedes some
// event of the other (WC3). If it does, so do all earlier acquires of the lock. So the sections of
// a lock that a goroutine has taken into account are a prefix of the sections of the lock.
//
// # Soundness
//
// The first pair that ≺ leaves unordered is a race or a deadlock of some execution. Later pairs
// need not be, and no pair of a trace with excluded code need be.
//
// # Complexity
//
// An event takes time in the number of goroutines. An access takes, in addition, time in the locks
// held and the goroutines that accessed its word in sections of these locks. Memory grows with the
// number of critical sections.
//
// # Names
//
//	e, f events       t, u goroutines     l lock     s section     w word
package wcp
