// Package alternative executes the program where the recorded run did not go: from a fork, it
// computes what the goroutine would do on the paths that it did not take (path relaxation;
// RECIPE, section IV).
//
// The name is that of the result, [window.Alternative]. The judge of these results is package
// check/offpath, which executes them again; the two share no code and have no name in common.
//
// # Input and output
//
// A [Fork] is the input. Package walk makes it, and does not change it any more: the frames of the
// goroutine as they stand right before an instruction, the operands of the instruction that may
// have other values, and what the goroutine's next event depends on. [Facts] looks up what the
// walk has learnt of function values and type words. [window.Surroundings] says what is shared
// and what is written in the window; the window builder hands it to [Fork.Explore].
//
// The output is a list of alternatives. Each has the events of one path, and the guards that hold
// only on this path. docs/theory/model.md, section Variants, says what is made of them and why that
// is sound.
//
// The machine executes register code (package regcode) over symbolic values: a [Value] is known,
// or it is a term over reads, or nothing is known of it. The machine knows no schedule. What an
// alternative needs of one stands in its guards. A walk continues while forks are explored, so all
// that both use is immutable, or safe for use by several goroutines.
//
// # Rules
//
// (A1) A load or store of memory that other goroutines may access is an event, and the result of
// the load is a term over its own read. Memory that no other goroutine accesses in the window has
// the content that it has at the fork. An access to memory that the alternative has allocated is
// no event.
//
// (A2) A branch on a term goes both ways, each with the guard that says so. The alternative's
// first step differs from the recorded run here.
//
// (A3) A pointer, index, divisor or other operand that has to be known (F2 of package walk) and is
// a term takes the values that it can have: those that follow from what is written in the window
// (Surroundings.Values), each with a guard. So a base object may be another one than in the
// recorded run. RECIPE requires that it resolves to one object (criterion 3); here it is each of
// a few. If the instruction of the fork has several such operands, as a[i] has, at least one of
// them has another value than in the recorded run.
//
// (A4) Implicit checks (nil, bounds, division, shifts) are made. A check that fails is a panic,
// and ends the alternative.
//
// (A5) What is not modelled ends the alternative as well: code that is not instrumented, maps,
// panics, and all that needs a value of which nothing is known. An access that can race but not be
// executed is the last step.
//
// (A6) A goroutine that is started in an alternative is executed with it. Its arguments have to be
// known (A3). Memory that the alternative has allocated is not changed by either of them after
// the start.
//
// (A7) The outcome of a receive, a CompareAndSwap or a select depends on the schedule. The
// alternative continues in each way that there is, and the event says which one it is: a value, or
// that the channel is closed; an update of the expected value, or a read with a guard that it
// finds another value; each case and the default, with the other cases beside it.
//
// (A8) A call through a function value is a call of the function that the value is known to be: a
// closure that the alternative has made, or one that walked code has made or stored, by its
// address ([Facts]). A frame of the recorded run that was entered by such a call can be returned
// from.
//
// (A9) The type of what is in an interface is known from its type word, if walked code has made
// such an interface, or because the alternative has made the interface. Then its methods can be
// called, and assertions have an answer. The content of a value that is not a pointer is known in
// the second case only.
//
// Execution unrolls loops and recursion, within maxInstrs, maxSteps and maxDepth.
//
// # Files
//
//	fork.go, snapshot.go       what the walk hands over; the same as data for the judge
//	explore.go                 the loop over paths, and the step of one
//	value.go, frame.go         symbolic values, frames
//	choices.go                 the values that a term can have, and their guards
//	compute.go, library.go     instructions without effect, and their implicit checks
//	control.go, calls.go       branches, returns, deferred calls, goroutines; calls
//	memory.go, interfaces.go   loads and stores; interfaces
//	synchronisation.go         operations of sync and sync/atomic, channels
//	selects.go                 select statements
package alternative
