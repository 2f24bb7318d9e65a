// Package walk executes the program's SSA along a recorded trace. It computes which reads each
// event depends on, which the trace alone cannot say.
//
// One abstract machine for each goroutine executes the instructions between two records. It
// recomputes every local value, and knows for every value the reads that it was computed from. This
// is the symbolic trace of "RECIPE: Relaxed Sound Predictive Analysis", section III.A, for Go's
// SSA. RDIT assumes local determinism of every read; here it follows from the program.
//
// # Input and output
//
// The input is a plan (package plan) and the events of the trace, in order. The output for each
// event is a [flow.Flow]:
//
//   - the reads that the event needs;
//   - the reads that the written value is computed from;
//   - in a symbolic walk, guards: conditions on reads that must hold for the event;
//   - in a walk that keeps forks, the program points at which the goroutine could have left its
//     recorded path.
//
// Functions are executed as register code (package regcode) over values and terms (package goval).
// Package alternative explores forks. An [Observer] is called at every step; package symtrace
// prints the steps.
//
// # The walk
//
// Package plan says which record each instruction writes. A frame is one invocation of a function.
// It waits at an instruction that writes a record. When the record arrives, the machine executes up
// to the next such instruction. A static call of an instrumented function binds the callee's
// parameters to the caller's registers. Any other call has records of its parameters. A frame of
// depth d ends with its Exit. It also ends when an Enter or Exit of depth at most d arrives: then a
// panic has passed through the frame.
//
// # Dataflow
//
// A value depends on the union of what its operands depend on, and on the reads recorded at its
// instruction. A phi depends on the operand of the edge that was taken. The reads that decided the
// edge are needed by the Block event. From has the reads that a written or sent value depends on
// and that are not pinned.
//
// A string whose content has been read depends on these reads in all its uses, its length included.
// It has no term, since its words may stay the same when its bytes change.
//
// # Rules
//
// (WA1) Checks. Wherever a value, an address, a size or a branch is both recomputed and recorded,
// the two are compared. NaN equals NaN: its bits depend on the order of operands in machine code.
// If the two differ, or if the plan has no such record at this point, presage has a bug, a
// [Mismatch]. The invocation is not walked any further, and its events have Walked false. All reads
// of the goroutine so far are pinned.
//
// (WA2) Pins. An operand that must keep its value is pinned: the goroutine's next event needs the
// reads that the operand depends on. The table is in pins.go of package regcode, and in words in
// docs/theory/values.md. Pinned are
//
//   - conditions of branches, addresses and indices;
//   - operands of implicit checks: nil, bounds, divisor, shift count, type assertion, comparison
//     of interfaces;
//   - arguments and callee of opaque calls, of go and of defer. Calls of the library that are
//     evaluated (expr.Library) are not opaque. Nor is a call that only computes with times
//     (plan.Total), or that prints numbers and strings where the program cannot read them
//     (regcode.Log);
//   - channels, locks, maps and their keys, and what a panic carries;
//   - what a CompareAndSwap reads, since with another value it would be another operation, and the
//     atomic reads that operations of package sync make;
//   - all operands of a dynamic call that turns out to be one of a typed operation.
//
// A dynamic call that enters an instrumented function at once (FlagDirect) pins the callee, and of
// the arguments a receiver only. The other arguments are the callee's parameters, and the
// callee's results are those of the call.
//
// (WA3) Boundaries. Code that is not walked reads memory without records. So these are pinned:
//
//   - what an instrumented function returns to code that is not walked, at its Exit;
//   - at each point where code that is not walked starts or resumes, every read that has gone into
//     memory through a From of the goroutine. For example, fmt.Println(v) reads the box that v was
//     stored in. The points are an opaque call that may reach memory of the goroutine (plan.Apart,
//     plan.Blind; Done and Err of a context of package context do not, nor do functions that
//     WithCancel has returned), the return of a callback (but of New, to a sync.Pool), and any
//     return during a call of excluded code. Reads that have gone into a private variable are left
//     out: only walked functions ever have a pointer to it (regcode.Instr.Stays);
//   - the arguments of a call of excluded code, at its MethodBegin, together with what such a call
//     pins as an opaque one;
//   - all reads of the goroutine, when a panic passes through a frame or leaves it, at a deferred
//     call of excluded code, and when a deferred call may have changed the results of a function.
//
// (WA4) Local memory. A local variable whose address does not leave the function is followed byte
// by byte. It depends as a whole on all that was stored in it since the last store to the whole of
// it. Other memory on the goroutine's own stack moves, so it is no location. What is stored there
// is pinned, and a read of it depends on nothing.
//
// (WA5) Append pins the appended elements, and not the slice. Where of its accesses has the reads
// that the slice depends on, and its result depends on them. Elements that append moves to a new
// array have no writes of their own: their reads are in Appended of its first write. If the size
// of an element is unknown, all operands are pinned.
//
// (WA6) Terms and guards. A symbolic walk makes terms beside the sets of reads, for values that
// depend on a read that is not pinned. The term of a load is the words that its Read events return.
// The term of an instruction that package regcode evaluates is the operation over the terms of its
// operands. The result of a walked call, a phi and a local variable have the term of what was
// returned, chosen or stored. Other values are recorded and not recomputed, and have no term. With
// the values of the recorded run, a term has the recorded value. This is checked whenever a term is
// made. Where WA2 pins an operand that has a term, the next event has a guard instead: the term
// equals the recorded value. If the term is the result of a load, the operand is pinned all the
// same, because the guard would mean the same. Weaker guards suffice for some operands: the divisor
// is not zero, the shift count is not negative, the types of two interfaces differ, an asserted
// interface has the type that it had, a string's index is in its bounds, a call of the library does
// not panic. The result of an assertion to a pointer type is the data word.
//
// # Forks
//
// A walk that keeps forks ([NewBranching]) looks for operands of branches and dereferences that
// depend on reads and have a term (RECIPE, section IV). At each of them it keeps the frames of the
// goroutine: registers and local variables, each with its value or its term. The result is an
// [alternative.Fork]. Of the forks at one instruction of a goroutine, the first ones are kept, then
// fewer and fewer; the others are counted. What excluded code does on other paths is
// unknown. So no fork is kept after the first call of excluded code, if [Walker.MindMissing] was
// called.
//
// # Soundness
//
// A read is in no Needs only if it feeds nothing but registers and From sets. Where the walk
// knows less, it pins more: sets larger than maxSet, and reads older than maxOpen others. What
// opaque code returns depends on nothing, because all its inputs are pinned.
//
// The walk does not cover one case. An opaque call that reads what another goroutine has stored
// depends on reads of that goroutine, and the walk has passed the store by then. The builder of
// windows covers it: it has the records of what the call reads, and the From of every earlier
// write (docs/theory/model.md, outside code).
//
// The walk assumes two things. SSA and emitted program agree; the checks test this. Code that is
// not instrumented does not write the memory of walked functions without a record
// (docs/theory/model.md).
//
// # Complexity
//
// The machine takes one step for each executed instruction. A union of sets takes constant time,
// and sets share their structure. A read is pinned at most once, so all Needs together are no
// longer than the trace. Deep in a stack, frames keep only the registers that are read again.
//
// # Files
//
//	walk.go, call.go           the point of each frame; entering and leaving frames
//	record.go, check.go        the records of an instruction; values compared
//	machine.go, cells.go       execution between records; local variables
//	flow.go                    sets of reads, and which are pinned
//	terms.go, guards.go        terms of registers; pins, and guards in place of pins
//	emit.go, private.go        dataflow of writes and sends; private variables
//	stack.go, sleep.go         stacks of frames; frames deep in a stack
//	freeze.go                  forks
//	learn.go                   what records show of variables, function values and type words
//	functions.go, dynamic.go   the function values, channels and type words that are known
//	timers.go, places.go       the timers; what is known to be at an address
//	maps.go                    what maps have
//	padding.go                 which bits of a value have a meaning
//	stats.go                   counts and mismatches
//	observer.go                what an observer is called with
//	load.go                    SSA for a trace recorded earlier
package walk
