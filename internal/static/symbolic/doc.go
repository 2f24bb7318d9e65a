// Package symbolic executes one function over access paths and yields its summary.
//
// # What it computes
//
// A forward dataflow analysis of the SSA form. Its state at a point: the relative lockset (package
// lockset), what was acquired and may have been released (package order), what is in memory, which
// objects of the function other goroutines may reach, conditional locks, deferred calls. RELAY
// (ESEC/FSE 2007, sections 3.1 to 3.3) in one pass.
//
// # Rules
//
// (X1) A value is a set of at most [MaxAliases] paths: one is must(o), several are may(os); more
// are ⊤, the representative of the type (Figure 2). nil is the empty set.
//
// (X2) A load that finds nothing in the store is named init(o), after the place it was read from.
// Two such loads are one value unless the function itself has written there in between: the paper
// maps shared places to ⊤ at every step; here the lock of a field read twice is one lock. What
// another goroutine exchanges in between is missed.
//
// (X3) A store to one path replaces what is known of it and of what lies in it; a store to one of
// several adds to each.
//
// (X4) A call applies the effect of its callee's summary (Figures 3 to 6). A callee without summary
// has none.
//
// (X5) An object that the function allocated is owned until it escapes: stored in memory that is
// not owned, sent, captured by a goroutine. Accesses to an owned object are no guarded accesses:
// this is initialisation (4.2, category 1).
//
// (X6) Memory that was taken out of a shared place under a lock, which the same critical section
// overwrites or deletes, is owned from then on until it escapes again: unsharing (category 3).
//
// (X7) Locks that a branch decides about are conditional: "if this value is true, the lock is
// held". Values are results of TryLock, results by which the exits of a callee differ, and
// conditions on which two ways that meet differ (category 6). A branch on the value adds the lock
// to L+.
//
// (X8) Deferred calls run at RunDefers and at a panic, last first, those that may not have been
// deferred with a weak effect: what they release is released, what they take is not held; unless it
// was released on just the way on which they were deferred. What that way held is held while they
// run.
//
// (X9) What a loop acquires in every round stands as acquired Many times behind it: the loop is
// taken to run as often as the loop that started the goroutines.
//
// (X10) A channel of capacity 1 is a mutex if the function that sends also receives: from the send
// to the receive.
//
// (X11) A mutex that is unlocked by a goroutine that has not locked it hands over: who locks it
// twice comes after the unlock.
//
// (X12) Functions of the standard library and of generated files access the objects that they are
// given as a whole, at the call. Their own locks guard what they do under them.
//
// (X13) An atomic flag is a mutex for who has changed it from zero by CompareAndSwap or Swap, until
// it is zero again.
//
// (X14) A function or a concrete type that is stored in memory, converted to an interface or to a
// named type of functions is noted with the class of where it comes to: package link looks there
// for the targets of calls through values. Where the origin of a value is not seen, its type stands
// for it. A function that is mentioned otherwise is noted, too.
//
// (X15) A lock of a value that has several paths is named by the register that the value is made
// of: it is the lock of the one that the register holds, and the register holds one object until it
// is set anew. It guards what is accessed through that register, and what a callee accesses through
// an argument made of it; under the lock the path of such an access is one, and so is that of its
// lock. An unlock of one of the paths by another name gives the lock up.
//
// (X16) Wait of a WaitGroup says Over (O6 of package order) of every go statement so far whose
// goroutines are done with it, as a receive from a channel does of the only goroutine that releases
// it, if the channel and the goroutine are made once. The go statement may be in a callee, the Wait
// in another, the function that the goroutine runs may be the caller's: what counts is the sum of
// its releases. So a callee that returns early, without a goroutine, returns joined.
//
// (X17) A loop that starts again what has ended: a variable of the function holds the channel that
// the last goroutine closes. What was in the variable is over where it was received from, or is
// nil. If that holds at every store to the variable, then all goroutines whose channels were ever
// in it are over there, and with the first one what the variable held at the beginning. Conditions:
// a channel that is made goes into the variable before the next one of its site is made; only one
// goroutine, started once for each channel, releases it, and not the function itself; and a callee
// that starts the goroutine and returns the channel does so on the same exits: on those that may
// return nil no goroutine is started. A variable that another goroutine writes meanwhile is a race
// of its own.
//
// (X18) What a branch has seen of a field or variable that was read under a lock is kept: that it
// is zero, as long as the lock is held, that it is not, or was set, for ever. Package link decides
// what that orders.
//
// (X26) The function that T.Run is given is called, and the subtests that it has set apart are over
// when Run comes back; unless it may call Parallel of its own t, itself or in what it gives t to.
// Then what comes after that call is done by a goroutine that begins when the function with the t
// of Run has returned, and has run its deferred calls: there package testing lets it go on. So all
// that function does comes before it, and subtests of one t run at once with each other: the rounds
// of a loop, and several calls of Run. If only one of two ways has called Parallel, what follows
// both is taken to come after it. A test that is not parallel ends after its subtests. F.Fuzz is a
// loop around Run: inputs of one process come one after the other. RunParallel starts goroutines
// and waits for them.
//
// (X27) A function that is called by reflection may call Parallel of a t that is stored where
// others may reach it, or was given to reflection or to a call that is not known. It is taken to do
// so: such functions are the tests of a library that finds them by their names. Another call that
// is not known is taken not to: most are callbacks of a test that has called Parallel itself, or
// does not.
//
// (X23) A lock that the function holds where it starts a goroutine is lent to it, if wherever the
// lock is given up the goroutine is over (O6).
//
// (X29) Who finds a channel closed (range is over, or the second result is false) has acquired what
// close has released, apart from what sends have.
//
// (X30) A Done for which the goroutine itself has called Add just before, without a lock and
// without starting anything between the two, is none: who waits may have come before the Add.
//
// (X31) The integer variable of a loop with three clauses is another one in each round, with
// another value; here it is one object.
//
// (X32) An escaped object is published if others may reach it than the goroutines that were started
// since it was made: it is stored in what is published itself or is not the function's own, or is
// sent by such a channel. In the memory of a formal it is what the formal is. What a goroutine is
// given when it is started is not published by that, nor what a call that is not known is given:
// callbacks and registries reach little of it.
//
// (X33) A map or slice that the function has made and stored in a field or variable has, for
// package link, the path from there: who reaches it otherwise has no other.
//
// (X34) A formal leads, by its type, to structs of a few types only, unless an interface, a
// function, an unsafe pointer or a type parameter is on the way.
//
// (X35) Who leaves a loop that waits on a Cond has acquired it, and Signal and Broadcast release
// it: the condition does not hold at first, and who makes it hold signals when all is done.
//
// (X36) A lock that is held where a goroutine is started, and that the goroutine, or what it is
// given to call, gives up without having taken it, is the goroutine's from there on: who started it
// cannot give it up as well.
//
// (X28) Methods that a type has from an embedded field are noted where the type is converted to an
// interface that has them.
//
// # Soundness
//
// Missed: what T.Cleanup is given, Parallel behind a call that is not known (X27); aliases between
// different formals, what another goroutine exchanges between two reads of a path (X2), what an
// unknown callee stores or lets escape, loops that run less often than (X9) takes them to.
package symbolic
