// Package symbolic executes one function over access paths and yields its summary (package
// summary): the accesses with the locks held there, and what a call of the function does.
//
// # What it computes
//
// A forward dataflow analysis of the SSA form, over a lattice of states. It is the analysis of
// RELAY (Voung, Jhala, Lerner, ESEC/FSE 2007, sections 3.1 to 3.3), in one pass. The state at a
// program point has
//
//   - the relative lockset (package lockset), and locks that hold only if some value is true;
//   - what was certainly acquired and may have been released (package order);
//   - the contents of memory, as far as the function has written or read it;
//   - which objects of the function other goroutines may reach;
//   - the stack of deferred calls.
//
// Context.Analyse executes the blocks to a fixed point, and then each block once more to record.
// What the function waits for is known only after the first fixed point, so a function that waits
// for goroutines has a second one. Export then removes from the summary what callers cannot use.
//
// # Values and memory
//
// (SY1) A value is a set of at most [MaxAliases] paths: one path is must(o), several are may(os). A
// larger set is ⊤, the representative of the type (Figure 2); the empty set is nil. A load that
// finds nothing in the state's memory is named init(o), after its address. Two such loads are one
// value unless the function itself has written there in between. A store to one path replaces what
// is known of that path and of what lies in it; a store to one of several paths adds to each.
//
// The elements of a container (slice, array, map or channel) that the function has made, and that
// has not escaped, hold what was stored in them: a snapshot of shared objects leads to these
// objects. An element at an index that is not known may hold what was stored at any. Values that
// are too many are named after the container.
//
// The paper maps shared memory to ⊤ at every step. Here it keeps its name, so that the lock of a
// field that is read twice is one lock. An exchange by another goroutine in between is missed.
//
// The integer variable of a loop with three clauses is a new variable in each round, with another
// value. It is one object here.
//
// # Calls
//
// (SY2) A call applies the effect of the callee's summary (Figures 3 to 6); a callee without a
// summary has no effect. A function of the standard library or of a generated file is seen from
// outside: it accesses the objects that it is given as a whole, at the call, and its own locks
// guard what it does under them. If it accesses fields of the object that are not exported, and no
// others, that does not concern who reads or writes an exported one. Deferred calls run at
// RunDefers and at a panic, last first. A call that may not have been deferred has a weak effect:
// what it releases is released, and what it takes is not held. Two exceptions concern the branch on
// which it was deferred. A lock that just this branch has released is held again if the call takes
// it; a lock that this branch held is held while the call runs.
//
// get(k, lock bool) takes the lock if lock is true. A function whose boolean parameter is
// the condition of a branch, and that takes or releases locks, has a summary for each value of the
// parameter besides that for any value (summary.Specialised). So has one that passes the parameter
// on. A call whose argument is a constant, or a parameter that the branch has asked for, enters the
// function for that value; package link knows it as a function of its own. Two parameters of a
// function may decide, of which one is known at a time; functions with literals are left alone.
//
// A goroutine may begin with a parameter, a field, an element or a method of an interface
// of the caller. The go statement is a hole of the summary, with its Token. The lowest frame that
// knows the function starts the goroutine: it has the goroutine's accesses, releases and locks,
// and what the function has captured escapes there. Each of several functions gets a goroutine.
//
// # Ownership
//
// (SY3) An object that the function has allocated is owned until it escapes: until it is stored in
// memory that is not owned, is sent, or is captured by a goroutine. An access to an owned object is
// no guarded access: it is initialisation (section 4.2, category 1).
//
// What an owned object leads to, by a pointer that the function has not stored there, may be
// anyone's. An access to it is recorded (summary.Access.Inside), and is weak evidence: code
// owned-holder of package link.
//
// An escaped object is published if goroutines may reach it that were not started since it was
// made. It is published by a store into published memory or into memory of others, and by a send on
// such a channel. In the memory of a formal it is what the formal is. The arguments of a goroutine
// are not published by its start. Nor are those of an unknown call: callbacks and registries reach
// little of them.
//
// Memory that was read from a shared location is owned again if the same critical section
// overwrites or deletes that location; it stays owned until it escapes again (category 3,
// unsharing).
//
// A map or slice that the function has made and stored in a field or variable has for package link
// the path from there: a goroutine that reaches it otherwise has no other path. A formal leads, by
// its type, to structs of a few types only, unless an interface, a function, an unsafe pointer or a
// type parameter lies on the path.
//
// # Locks that are no mutexes, and locks that may be held
//
// (SY4) Some locks hold only if a value is true: a result of TryLock; a result by which the exits
// of a callee differ; a condition on which two branches differ that join (category 6). Such a
// conditional lock enters L+ on the branch that tests the value. Three other things act as mutexes:
//
//   - a channel of capacity 1, from the send to the receive, if the function that sends also
//     receives;
//   - an atomic flag that CompareAndSwap or Swap has changed from zero, until it is zero again;
//   - a mutex that a goroutine unlocks without holding it: a goroutine that locks it twice comes
//     after the unlock.
//
// (SY5) A lock of a value with several paths is named by the SSA register of the value, as a Choice
// (package path). The register holds one object until it is set again. The Choice guards accesses
// through the register, and accesses of a callee through an argument made of it. Under the lock,
// the path of such an access and the path of its lock belong to one object. An unlock of one of the
// paths under another name releases the Choice.
//
// # Waiting for goroutines
//
// (SY6) Over(t, o) of package order says that all goroutines of go statement t have released o. The
// function acquires it in these cases:
//
//   - Wait of a WaitGroup: for every go statement so far whose goroutines release the group. The
//     sum of the releases counts, wherever the go statement, the Wait and the Done stand. So a
//     callee that returns early, without a goroutine, returns joined.
//   - A receive from a channel that only the goroutine of one go statement releases, and not the
//     function itself, if channel and goroutine are made once.
//   - A receive from a variable that a restart loop uses: it holds the channel that the last
//     goroutine closes. If the earlier channel was received from, or was nil, at every store to the
//     variable, then all goroutines whose channels were ever in it are over there. If the variable
//     is captured, so is the goroutine whose channel it held at entry. A new channel must enter the
//     variable before the next one of its site is made. One goroutine only, started once for each
//     channel, releases it, and the function itself does not. A callee that starts the goroutine
//     and returns the channel starts none on the exits where it may return nil. A write of the
//     variable by another goroutine meanwhile is a race of its own.
//
// A loop that acquires an object in every round has acquired it Many times when it is left: it is
// taken to run as often as the loop that started the goroutines. A loop that waits on a Cond has
// acquired the Cond when it is left; Signal and Broadcast release it. A receive that finds the
// channel closed has acquired what close released, apart from what sends released. A Done is
// ignored if its goroutine has called Add just before, without a lock and without a goroutine
// started between the two: a Wait may have come before that Add.
//
// A lock that is held at a go statement is lent to the goroutine if, wherever the lock is released,
// the goroutine is over. It is handed over if the goroutine, or a function that the goroutine is
// given, releases it without having taken it: from then on it is no lock of the starter.
//
// # Flags
//
// (SY7) What a branch has found of a field or variable that was read under a lock is kept. That it
// is zero holds while the lock is held; that it is not zero, or was set, holds for ever. Package
// link decides which accesses this orders.
//
// # Tests
//
// (SY8) The function given to T.Run is called, and subtests that it has set apart are over when Run
// returns. If it may call Parallel of its own t, directly or in a callee that has t, it has a
// second part: what follows Parallel is a goroutine. That goroutine begins when the function with
// the t of Run has returned and has run its deferred calls. So the parent's function comes before
// it, and subtests of one t run at once with each other: those of a loop's rounds, and those of
// several calls of Run. What follows a join of branches, of which one has called Parallel, is taken
// to come after it. A function that is called by reflection may call Parallel of a t that is stored
// where others may reach it, or that was given to reflection or to an unknown call; it is taken to
// do so. Any other unknown call is taken not to.
//
// A test that is not parallel ends after its subtests. F.Fuzz is a loop around Run whose inputs run
// one after the other. RunParallel starts goroutines and waits for them.
//
// # Values that are called
//
// (SY9) A function or concrete type that is stored in memory, or converted to an interface or to a
// named function type, is noted with the class of its destination (summary.Flow). Package link
// finds the targets of calls through values there. A value of unknown origin is noted by its type.
// A function that is mentioned otherwise is noted without a destination. A method that a type has
// from an embedded field is noted where the type is converted to an interface with that method.
//
// # Soundness
//
// Not seen: functions given to T.Cleanup; a call of Parallel behind an unknown call (SY8); aliases
// between different formals; an exchange between two reads of a path (SY1); what an unknown callee
// stores or lets escape; loops that run less often than (SY6) takes them to.
//
// # Complexity
//
// A block is executed at most 12 times; counts that still grow are widened to Many after three. All
// parts of a state and of a summary have bounds (summary.Bound), and each cut is counted.
//
// # Parts
//
//	function      blocks, to the fixed point; instructions
//	flowgraph     the control-flow graph       values     paths of registers
//	branching     edges, conditions            choices    locks of registers with several paths
//	caller        calls, go statements         binding    a summary in the terms of a caller
//	chans         channel operations           locking    methods of locks
//	sharing       escape, publication          flows      which functions come where
//	syncs         acquires, releases           joins      goroutines that are waited for
//	accesses      accesses and stores          flagTracker  flags
//	draft         the summary while it is made
package symbolic
