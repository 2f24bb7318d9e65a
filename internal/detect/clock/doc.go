// Package clock knows which goroutine knows what: vector clocks, and how Go's synchronisation
// passes them on.
//
// The edges are those that Go's race detector draws (runtime/race.go, runtime/chan.go, package
// sync), so that what a detector finds with them is what `go test -race` could have said of this
// very run.
//
// # Rules
//
// C(t) is the clock of goroutine t, V(o) that of an object. "t releases to o" sets
// V(o) to C(t) and then counts t's own clock up; "merges into o" joins instead of
// setting; "t acquires o" joins V(o) into C(t).
//
//	(R1) Go u: u starts with C(t); t counts up. Join u: t joins u's last clock.
//	(R2) Unlock: releases to w(l). Lock: acquires w(l) and r(l).
//	(R3) RUnlock: merges into r(l). RLock: acquires w(l). TryFail: nothing.
//	(R4) WGAdd of less than zero merges, WGWait acquires.
//	(R5) OnceEnd releases, OncePass acquires.
//	(R6) CondSignal and CondBroadcast merge, CondWake acquires. (Go's detector relies on
//	     the lock around them; the memory model has this edge.)
//	(R7) Buffered channel of capacity n: the k-th send and the k-th receive use buffer entry k mod
//	     n; each swaps: it acquires what the entry holds and leaves its own clock there. So send k
//	     precedes receive k precedes send k+n.
//	(R8) Unbuffered channel: sender and receiver acquire each other's clock.
//	(R9) Close releases; a receive that reports the close acquires.
//	(R10) Atomic read acquires, write releases, read-modify-write does both.
//	(R11) Acquire, Release, ReleaseMerge do what they say. Acquire of object 0, at the start of
//	     a finalizer, acquires the clock of every goroutine.
//
// With Options.NoLocks, (R2) and (R3) are not there: what a hybrid detector asks is what is ordered
// whoever is first at a lock.
//
// # Complexity
//
// Per synchronisation, the number of goroutines alive together, a 256th of it where clocks agree.
// The slot of an ended goroutine is used again as soon as the goroutine that starts the next one
// knows of its end, and what it had is freed (8 bytes stay), unless the trace may join it.
//
// # Names
//
//	t, u  goroutines; o  synchronisation object; l  lock
//	slot  index of a goroutine in every clock
package clock
