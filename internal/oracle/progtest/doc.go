// Package progtest executes tiny Go programs under every schedule, and so computes all their races.
// It is the oracle of the tests for prediction by value and by path ("RECIPE: Relaxed Sound
// Predictive Analysis"). A prediction from a recorded run is sound if it is a race that the oracle
// finds. Prediction is complete as far as it finds the oracle's races.
//
// The package also records a run of a program under any schedule, as a trace that the rest of
// presage reads as its own. It generates random programs and shrinks them.
//
// It shares three things with the code under test, because its runs must be ordinary traces: the
// SSA of x/tools, package plan (which instruction has which record; sites), and the format of
// events. It shares no code with packages walk, window, engine and witness: values are computed by
// another machine.
//
// # The machine
//
// A state is the memory and, for each goroutine, a stack of frames. Registers and memory hold words
// as Go does on amd64. A string is an address and a length, a slice three words, a struct its
// bytes. Operators, conversions, shifts and overflow are Go's, on all basic types but complex.
//
// A step of a goroutine is one access to one word of memory or one operation of synchronisation,
// with everything that the goroutine does before its next step. A load or store of several words is
// several steps, as in docs/theory/model.md. Memory is sequentially consistent.
//
// Synchronisation is that of docs/theory/model.md, "When an event is enabled, and what it does",
// implemented anew: Mutex, RWMutex, WaitGroup, channels of any capacity, select, sync/atomic. As in
// Go's race detector, a send reads its channel and a close writes it. An Add to a WaitGroup at zero
// reads its semaphore, and the first Wait that has to wait writes it.
//
// A panic ends the program at once, without deferred calls, and so does the return of main. Panics
// are of nil, bounds, division, a negative counter, and a send on a closed channel. A goroutine
// that waits for ever stays in its state.
//
// An address contains the name of the goroutine that allocated it, and how much that goroutine had
// allocated before. So it does not depend on the schedule, and equal states are equal words.
//
// # What is not supported
//
// [Loader.Load] refuses maps, append, Cond, Once, Try operations, timers, comparisons of interfaces
// other than with nil, go and defer of interface methods, conversions between strings and slices,
// and defer in functions with results. It refuses calls of other packages, except for some pure
// functions of strings and strconv (std.go), which are called as they are. [Generate] uses none of
// what is refused.
//
// # Races
//
// The states are those that steps reach from the start of main, after the initialisation of its
// package.
//
// (PT1) A pair of sites races iff in some state two goroutines have accesses at these sites as
// their next steps, to a common byte, at least one a write, not both atomic. This is
// docs/theory/model.md, "Race". A compare-and-swap that would find another value is not a write.
//
// (PT2) A word is shared once two goroutines have accessed it, at least one to write, after the
// first go statement. Only steps on shared words, and those that may wait, panic or end the
// program, are scheduling points. Other accesses, go statements and first steps of goroutines
// belong to the step before. The search finds out which words are shared: when it finds another
// one, it starts again.
//
// (PT3) A state is visited once. Dead registers are not part of it, nor is the order in which
// goroutines were started.
//
// A search that exceeds its number of states, or a limit (memory, frames, goroutines, instructions
// between two steps), is not exhausted. The races that it has found are races, but there may be
// more.
//
// Lemma (Reduction). PT2 loses no race. Take a shortest execution that shows a race, or makes a
// word shared, and that the search does not have. Each word that is not shared is accessed by one
// goroutine, or only read. So accesses to such words commute with the steps of other goroutines.
// Move each to directly after the step of its goroutine before it: the result is an execution that
// the search has. Steps that may wait, panic or end the program are never moved. TestReduction
// compares with a search without PT2 and PT3.
//
// # Recording
//
// [Program.Record] executes the program under a random schedule. The events are those that package
// plan lists for the instructions, in the order of execution, with allocations, goroutines and
// synchronisation as package merge would write them. [Program.Follow] executes the program under
// the schedule of a trace that was really recorded; TestRecorded compares every event.
// [Program.RecordOrder] runs goroutines one after the other, as the figures of the paper do.
//
// # Complexity
//
// A state, some hundred words, is copied for each enabled step but one. The number of states is at
// worst the product of the goroutines' numbers of shared accesses, times the number of values that
// they can have.
//
// # Files
//
//	load.go, compile.go, call.go    source text to SSA, to instructions with register numbers
//	layout.go                       the words of types and constants
//	state.go, value.go              memory, goroutines, the hash of a state; numbers
//	exec.go, evaluate.go, calls.go  instructions that others cannot observe; calls and returns
//	op.go, step.go, machine.go      steps: which is next, whether it is enabled, its effect
//	explore.go                      PT1 to PT3
//	std.go                          functions of the standard library
//	record.go, follow.go            traces
//	generate*.go, shrink.go         programs
//
// # Names
//
//	s     state
//	g, h  goroutines; h the receiver of a rendezvous
//	f     frame
//	x     instruction
//	o     next step (op)
//	t     enabled step (transition)
package progtest
