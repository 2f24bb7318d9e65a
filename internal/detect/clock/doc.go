// Package clock computes happens-before of Go programs with vector clocks.
//
// The edges are those of Go's race detector (runtime/race.go, runtime/chan.go, package sync). So a
// detector that uses them finds what `go test -race` could have found in the same run.
//
// # Rules
//
// C(t) is the clock of goroutine t, V(o) that of a synchronisation object o. "t releases to o" sets
// V(o) to C(t) and then increments t's own component; "t merges into o" joins C(t) into V(o) and
// increments; "t acquires o" joins V(o) into C(t). Each rule is the effect of some events of t:
//
// (CL1) Go u: u starts with C(t), and t increments. Join u: t joins the last clock of u.
//
// (CL2) A lock l has two clocks, of its writers w(l) and of its readers r(l). Unlock releases to
// w(l), Lock acquires w(l) and r(l). RUnlock merges into r(l), RLock acquires w(l). TryFail has no
// effect.
//
// (CL3) A WGAdd of a negative number, OnceEnd, CondSignal and CondBroadcast merge. WGWait, OncePass
// and CondWake acquire. Go's detector has no edge for a Cond, but relies on the lock around it; the
// memory model has one.
//
// (CL4) On a channel of capacity n > 0, send number k and receive number k use buffer entry k mod
// n. Each acquires the clock in the entry and puts its own clock there. So send k is before receive
// k, and receive k before send k+n.
//
// (CL5) On an unbuffered channel, sender and receiver acquire each other's clock.
//
// (CL6) Close merges; a receive that finds the channel closed acquires.
//
// (CL7) An atomic read acquires, an atomic write releases, an atomic update does both.
//
// (CL8) Acquire, Release and ReleaseMerge do what their names say. Acquire of object 0, at the
// start of a finalizer, acquires the clocks of all goroutines.
//
// With Options.NoLocks, CL2 does not apply. Then the order is the one that holds in whatever order
// locks are taken, which a hybrid detector needs.
//
// # Slots
//
// A goroutine has a slot, its index in every clock. The slot of an ended goroutine is used again by
// a goroutine that starts with a clock that has the ended one's last access. The memory of an ended
// goroutine is freed, but for 8 bytes, unless the trace may join it (Options.Joins).
//
// # Complexity
//
// An operation of synchronisation takes time in the number of goroutines that are alive together,
// or a 256th of it where clocks agree.
//
// # Names
//
//	t, u  goroutines     o  synchronisation object     l  lock
package clock
