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
// implemented anew: Mutex, RWMutex, WaitGroup, Once, OnceFunc, OnceValue, Cond, channels of any
// capacity, select, sync/atomic. As in Go's race detector, a send reads its channel and a close
// writes it. An Add to a WaitGroup at zero reads its semaphore, and the first Wait that has to wait
// writes it.
//
// # Choices
//
// Each outcome that a schedule can lead to is explored:
//
//   - TryLock and TryRLock take the lock if it is free, and fail if it is not. Go's memory model
//     also lets them fail while it is free, which its implementation does not.
//   - Any goroutine may be the first at a Once. The others wait until its function has returned.
//   - A Signal wakes the goroutine that has waited longest, as Go's implementation does.
//   - len of a channel is its number of elements at that moment. A rendezvous has none.
//   - An operation on a map is an access of the whole map. A map has integer keys and values of one
//     word, and at most a few entries.
//   - A sync.Map operation takes effect at one moment.
//   - Get of a Pool returns any item that was put and not got, or a new one.
//   - A timer fires at any moment after its start. A time that was sent and not received is taken
//     back by Stop, as since Go 1.23.
//   - A cancel of a context takes effect at one moment. Its children are cancelled later, one after
//     the other, and before it returns.
//
// The last four are operations of outside code. In a recording each has the events of its code in
// a real run: atomic accesses, locks, channels. Plain accesses of outside code have none, since no
// race can be there, but for those of the children of a context, which decide what a cancel does.
//
// # Panics
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
// [Loader.Load] refuses other maps than those above, range over a map, append, OnceValues, a Cond
// with another Locker than a Mutex, contexts with deadlines or values, comparisons of interfaces
// other than with nil, go and defer of interface methods, of cancel functions and of operations
// with outcomes, conversions between strings and slices, and defer in functions with results. It
// refuses calls of other packages, except for some pure functions of strings and strconv (std.go),
// which are called as they are. [Generate] uses none of what is refused.
//
// # Races
//
// The states are those that steps reach from the start of main, after the initialisation of its
// package.
//
// (PT1) A pair of sites races iff in some state two goroutines have accesses at these sites as
// their next steps, to a common byte, at least one a write, not both atomic. This is
// docs/theory/model.md, "Race". A compare-and-swap that would find another value is not a write.
// Go's memory model has more races: of accesses between which an operation only observes another
// goroutine, as a TryLock that fails.
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
// the schedule of a trace that was really recorded; TestRecorded compares every event. It does not
// know which item a Get took, nor when a timer fired.
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
//	choices.go, maps.go             TryLock, Once, Cond, the length of a channel; maps
//	outside*.go                     sync.Map, sync.Pool, contexts, timers
//	outcome.go                      where a goroutine leaves the recorded path
//	run.go, record.go, follow.go    runs under one schedule, and their traces
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
