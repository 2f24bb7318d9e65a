// Package walk walks a recorded trace through the SSA of the program: one abstract
// machine per goroutine executes the instructions between two records, recomputes every
// local value, and knows for every value which reads it was computed from. It answers
// the question that the analysis of a trace alone cannot: *which reads does an event need?*
//
// This is the symbolic trace of RECIPE (Huang and Rajagopalan, PLDI 2016 section III.A) for
// Go's SSA, and RDIT's local determinism read off the program instead of assumed for every read.
//
// # The walk
//
// Package plan says which record stands at which instruction. A frame is one invocation;
// it waits at an instruction that has a record, and when the record arrives, executes on to the next
// such instruction. A static call of an instrumented function binds the callee's parameters to the
// caller's registers; any other Enter brings recorded parameters. A frame of depth d ends with its
// Exit, or when an Enter or Exit of depth ≤ d arrives: a panic passed through it.
//
// # Checks
//
// (C1) Wherever a value, an address, a size or a branch is both recomputed and recorded, the two are compared.
// NaN equals NaN: which bits it has depends on the order of operands in machine code.
//
// (C2) If they differ, or a record arrives that the plan does not have at this point, that is a bug of
// presage, a [Mismatch]. The invocation is not walked any further, its events have Walked false, and
// every read of the goroutine so far that is not needed yet is needed at that event.
//
// # Dataflow
//
// (F1) A value depends on the union of what its operands depend on, and on the reads recorded at its instruction.
// A phi depends on the edge taken; why it was taken is in the Needs of the Block event (F2).
//
// (F2) Pinned, that is in the Needs of the next event of the goroutine: branch conditions; addresses and
// indices; operands of implicit checks (nil, bounds, divisor, shift count, type assertion, comparison of interfaces: in a symbolic walk it is enough that the divisor is not zero, the count not negative, and that the interfaces have different types);
// arguments and callee of opaque calls (but those of the library, pure functions that are evaluated: expr.Library; of one that may panic, in a symbolic walk, it is enough that it does not), go and defer; channels, locks, maps and their keys and the
// values put in them; panics. pinned in needs.go is the table, docs/values.md says it in words.
//
// A call through a function value or an interface that enters an instrumented function at once (FlagDirect) pins what it calls, and no
// argument but a receiver: the others are the callee's parameters, and its results are the call's.
//
// A dynamic call that turns out to be one of a typed operation (R15 of package plan) pins what it
// calls and all arguments, when its first record arrives.
//
// (F3) What an instrumented function returns to code that is not walked is pinned at its Exit.
//
// (F4) When a panic passes through a frame, or a frame is left by one, every read of the goroutine is
// pinned. So is what a deferred call may have changed: the results of a function that loads
// them from memory before its deferred calls.
//
// (F5) A local variable whose address does not leave the function is followed byte by byte, but
// depends as a whole on all that was stored in it since a store to the whole of it.
//
// (F6) Memory on the goroutine's own stack moves, so it is not a location: what is stored
// there is pinned, and a read of it depends on nothing.
//
// (F7) append pins what is appended, and not the slice: that is in Where of its accesses, and its result depends on it. The elements that it moves to a new array have no writes of their own: their reads
// are in Appended of its first write. Of elements of unknown size, all is pinned.
//
// (F8) A CompareAndSwap's read is pinned at the next event: had it found another value, it would have been another operation.
// Other operations of package sync pin what they get.
//
// (F9) Code that is not instrumented reads memory without records. Where it begins or goes on (an opaque call that
// memory of the goroutine may concern, plan.Apart; the return of a callback, any while a missing method is under way), every read that has gone into memory through a From of
// the goroutine is pinned: fmt.Println(v) looks at the box that v was stored in. What other goroutines stored
// for it to see is not in their Needs: see Soundness.
//
// (F10) What a call of a missing method is given is pinned at its MethodBegin, with what (F9) pins.
//
// (F11) A string that has reads of what it says (plan R14) depends on them, in all that it is used for, its length too. It has no term: its words may be the same where
// its bytes are not.
//
// A write's or send's From are the reads that the value depends on and that are not pinned.
//
// # Terms
//
// A symbolic walk (NewSymbolic) makes terms beside the sets of reads: what RECIPE needs to let a read
// take another value. Its rules (T1–T3) are in term.go. Where (F2) pins an operand that has a term, the Flow has a guard
// in place of Needs, and the reads stay open; all other pins are as they are: the arguments of opaque calls, what
// is in memory where opaque code looks (F9), channels, locks and map keys, the operands of what panicked (F4), and what has no term: recorded
// and not recomputed (contents of strings and maps, type assertions), or too large (maxTerm, maxTermReads, counted). A term is a
// word each (package expr), some of which may not be known: a struct has those of its fields.
//
// # Forks
//
// A walk that keeps forks (NewBranching) adds what RECIPE needs to leave the recorded path (seed 000 section IV). Where an If, or
// a dereference, has an operand that (T2) would make a guard or pin, the goroutine's frames are kept as they stand: registers and local variables
// with what is known of them at this point, a value or a term. From there, explore.go executes the other ways,
// rules (A1) to (A9), when the window builder asks for it, which knows what is shared and what is written (window.Surroundings).
// docs/model.md, Variants, says what it makes of them and why that is sound. Of many forks of one instruction in a goroutine, the first are
// kept and then ever fewer (counted). Nobody has worked out what a missing method does to other ways, so behind the beginning of one none is kept where they are minded.
//
// # Soundness
//
// A read is free (in nobody's Needs) only if all it feeds are registers and From sets. Where
// the walk knows less, it pins more: sets larger than maxSet, reads older than maxOpen reads.
// What opaque code returned depends on nothing, because all that went into it is pinned.
// Not covered here: an opaque call that reads what another goroutine stored depends on reads of that goroutine.
// A walker, which sees the store first, cannot know; the window builder can: it has what the call has read,
// by records, and the From of every earlier write (docs/model.md, outside code).
// Assumed: SSA and emitted program agree (that is what the checks look for), and code that
// is not instrumented does not write the memory of walked functions unseen (docs/model.md).
//
// # Cost
//
// One step of the machine per executed instruction. A union of sets is O(1), sets share their
// structure, and a read is pinned at most once, so all Needs together are no longer than the trace. Of a stack of frames, the
// innermost ones have all their registers, the others what is read again of them (sleep.go).
//
// # Files
//
//	value.go, operator.go, convert.go  typed values, Go's operators and conversions
//	code.go, operand.go, want.go       functions prepared for the machine: operands, records
//	library.go, library_fmt.go, strings.go  calls of the library; index and slice expressions, min and max of strings
//	eval.go                            instructions as functions of values
//	machine.go                         frames, registers, local variables, silent steps
//	needs.go, flow.go                  what is pinned; sets of reads
//	term.go, express.go, complex.go    terms: values as functions of reads
//	fork.go, explore*.go               forks, and the machine of alternatives: control, values, memory, synchronisation
//	functions.go, dynamic.go           what function values and type words stand for
//	snapshot.go                        what a fork starts from, as data for the checker
//	tale.go, tale_text.go, tale_names.go the symbolic trace as text (presage trace dump -symbolic)
//	walk.go, call.go                   events: where the walk is, frames
//	sleep.go, live.go                  frames deep down a stack; which registers are read again
//	record.go, check.go                the records of an instruction; values compared
//	load.go                            SSA for a trace recorded earlier
package walk
