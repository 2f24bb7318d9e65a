// Package walk walks a recorded trace through the SSA of the program. One abstract machine per
// goroutine executes the instructions between two records, recomputes every local value, and
// knows for every value which reads it was computed from. It answers the question that the trace
// alone cannot answer: *which reads does an event need?*
//
// This is the symbolic trace of RECIPE (Huang and Rajagopalan, PLDI 2016 section III.A) for Go's
// SSA. RDIT's local determinism is read off the program instead of assumed for every read.
//
// # Input and output
//
// The input is a plan (package plan) and the events of the trace, in order. The output of each
// event is a [flow.Flow]: the reads that the event needs, the reads that the written value is
// computed from, and, in a walk that makes them, guards and forks. Functions are executed as
// register code (package regcode) over values and terms (package goval). Forks are handed to
// package alternative, which explores them. An [Observer] is called with every step; package
// symtrace prints what it observes.
//
// # The walk
//
// Package plan says which record stands at which instruction. A frame is one invocation. It waits
// at an instruction that has a record; when the record arrives, it executes up to the next such
// instruction. A static call of an instrumented function binds the callee's parameters to the
// caller's registers. Any other Enter comes with recorded parameters. A frame of depth d ends with
// its Exit, or when an Enter or Exit of depth ≤ d arrives: a panic passed through it.
//
// # Checks
//
// (C1) Wherever a value, an address, a size or a branch is both recomputed and recorded, the two
// are compared. NaN equals NaN: which bits it has depends on the order of operands in machine
// code.
//
// (C2) If they differ, or a record arrives that the plan does not have at this point, presage has
// a bug, a [Mismatch]. The invocation is not walked any further and its events have Walked false.
// Every read of the goroutine so far that is not needed yet is needed at that event.
//
// # Dataflow
//
// (F1) A value depends on the union of what its operands depend on, and on the reads recorded at
// its instruction. A phi depends on the edge taken; the reads that decided the edge are in the
// Needs of the Block event (F2).
//
// (F2) An operand is pinned if it must keep its value: the reads that it depends on are in the
// Needs of the goroutine's next event. Pinned are
//
//   - branch conditions, addresses and indices;
//   - operands of implicit checks: nil, bounds, divisor, shift count, type assertion, comparison
//     of interfaces. In a symbolic walk a guard takes the place of some: the divisor is not zero,
//     the count is not negative, the interfaces have different types;
//   - arguments and callee of opaque calls. Calls of the library are evaluated (expr.Library) and
//     not opaque; if the function may panic, a symbolic walk has a guard that it does not;
//   - arguments and callee of go and defer; channels; locks; maps and their keys; panics.
//
// The table is in pins.go of package regcode, and docs/theory/values.md says it in words.
//
// A call through a function value or an interface that enters an instrumented function at once
// (FlagDirect) pins what it calls, and of the arguments a receiver only: the others are the
// callee's parameters, and the callee's results are those of the call.
//
// A dynamic call that turns out to be one of a typed operation (PL5 of package plan) pins what it
// calls and all arguments when its first record arrives.
//
// (F3) What an instrumented function returns to code that is not walked is pinned at its Exit.
//
// (F4) When a panic passes through a frame, or a frame is left by a panic, every read of the
// goroutine is pinned. So are results that a deferred call may have changed: those of a function
// that loads them from memory before its deferred calls.
//
// (F5) A local variable whose address does not leave the function is followed byte by byte. It
// depends as a whole on all that was stored in it since the last store to the whole of it.
//
// (F6) Memory on the goroutine's own stack moves, so it is not a location. What is stored there is
// pinned, and a read of it depends on nothing.
//
// (F7) append pins what is appended, and not the slice. The reads that the slice depends on are in
// Where of its accesses, and the result of append depends on them. Elements that append moves to
// a new array have no writes of their own: their reads are in Appended of its first write. If the
// size of an element is unknown, all operands are pinned.
//
// (F8) A CompareAndSwap's read is pinned at the next event: with another value it would have been
// another operation. Other operations of package sync pin what they get.
//
// (F9) Code that is not instrumented reads memory without records. At each point where it starts
// or resumes, every read that has gone into memory through a From of the goroutine is pinned:
// fmt.Println(v) reads the box that v was stored in. The points are an opaque call that memory of
// the goroutine may concern (plan.Apart), the return of a callback, and any return while a call of
// excluded code is under way. What other goroutines stored for it is not in their Needs: see
// Soundness.
//
// (F10) What a call of excluded code is given is pinned at its MethodBegin, with what (F9) pins.
//
// (F11) A string whose content has been read (PL8 of package plan) depends on these reads in all
// its uses, its length included. It has no term: its words may be the same when its bytes are not.
//
// The From of a write or send are the reads that the value depends on and that are not pinned.
//
// # Terms
//
// A symbolic walk (NewSymbolic) makes terms beside the sets of reads: what RECIPE needs to let a
// read take another value. Rules T1 to T3 are in terms.go. Where (F2) pins an operand that has a
// term, the Flow has a guard in place of Needs, and the reads stay open. All other pins are as
// they are: arguments of opaque calls, what is in memory where excluded code reads it (F9),
// channels, locks and map keys, operands of what panicked (F4). So are operands without a term:
// values that are recorded and not recomputed (contents of strings and maps, type assertions), and
// values whose term would be too large (counted).
//
// # Forks
//
// A walk that keeps forks (NewBranching) adds what RECIPE needs to leave the recorded path (section
// IV). If an operand of a branch or a dereference has a term or would be pinned (T2),
// the goroutine's frames are kept as they stand: registers and local variables, each with its
// value or its term. The result is an [alternative.Fork]; the window builder has it explored.
// Of many forks at one instruction of a goroutine, the first are kept and then ever fewer
// (counted). What excluded code does to other paths is not worked out. So after the first call of
// excluded code no fork is kept in a walk that minds it (MindMissing).
//
// # Soundness
//
// A read is free (in nobody's Needs) only if all that it feeds is registers and From sets. Where
// the walk knows less, it pins more: sets larger than maxSet, reads older than maxOpen reads. What
// opaque code returned depends on nothing, because all that went into it is pinned.
//
// One case is not covered here. An opaque call that reads what another goroutine stored depends on
// reads of that goroutine. A walker sees the store first and cannot know. The window builder can:
// it has what the call has read, by records, and the From of every earlier write
// (docs/theory/model.md, outside code).
//
// Assumed: SSA and emitted program agree, which the checks test; and code that is not instrumented
// does not write the memory of walked functions unseen (docs/theory/model.md).
//
// # Cost
//
// The machine takes one step per executed instruction. A union of sets is O(1), sets share their
// structure, and a read is pinned at most once, so all Needs together are no longer than the
// trace. In a deep stack, the innermost frames have all their registers; the others have only the
// registers that are read again (sleep.go).
//
// # Files
//
//	walk.go, call.go           events: the point that the walk is at; entering and leaving frames
//	stack.go                   stacks of frames
//	machine.go, cells.go       frames, registers, silent steps; local variables
//	flow.go                    sets of reads, and which are pinned
//	terms.go, guards.go        terms of registers; guards in place of pins
//	record.go, check.go        the records of an instruction; values compared
//	padding.go                 which bits of a value have a meaning
//	freeze.go                  forks
//	functions.go, dynamic.go   what function values and type words stand for
//	sleep.go                   frames deep in a stack
//	observer.go                what an observer is called with
//	load.go                    SSA for a trace recorded earlier
package walk
