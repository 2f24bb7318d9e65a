// Package progtest is the oracle for what is predicted of programs: it executes tiny Go programs
// under every schedule, and so knows their races; it records a run of one under any schedule, as a
// trace that the rest of presage reads as its own; and it writes random programs, and shrinks them.
// Prediction by value and by path (RECIPE, Huang and Rajagopalan, PLDI 2016) is sound if what it
// reports of a recorded run is a race that the oracle knows, and complete to the extent that it
// reports those.
//
// It shares with what it judges the SSA of x/tools, package plan (which instruction has which
// record; sites), and the format of events, because its runs must be ordinary traces. It shares no
// code with packages program, window, engine and witness: the values here are computed by another
// machine.
//
// # The machine
//
// A state is the memory and, for every goroutine, a stack of frames. Registers and memory hold
// words as Go on amd64 does; a string is an address and a length, a slice three words, a struct its
// bytes. Operators, conversions, shifts and overflow are Go's, on every basic type but complex.
//
//   - (M1) A step of a goroutine is one access to one word of memory, or one operation of
//     synchronisation, with all that the goroutine does before its next one. A load or store of
//     several words is several steps, as in docs/theory/model.md.
//   - (M2) Memory is sequentially consistent, as in the papers and in docs/theory/model.md.
//   - (M3) Synchronisation is that of docs/theory/model.md, section "When an event is enabled, and
//     what it does", written anew: Mutex, RWMutex, WaitGroup, channels of any capacity, select,
//     sync/atomic. As in Go's race detector, a send reads its channel and a close writes it; an Add
//     of a WaitGroup at zero reads its semaphore, and the first Wait that has to wait writes it.
//   - (M4) A panic (nil, bounds, division, a negative counter, a send on a closed channel) ends the
//     program at once: deferred calls do not run. So does the return of main. Goroutines that wait
//     for ever stay where they are.
//   - (M5) An address names the goroutine that allocated it and how much that one had allocated
//     before. So it does not depend on the schedule, and equal states are equal words.
//
// Not supported, and refused by [Loader.Load]: maps, append, comparisons of interfaces but with
// nil, go and defer of their methods, conversions between strings and slices, Cond, Once, Try
// operations, timers, defer in functions with results, and calls of other packages but for some
// pure functions of strings and strconv (std.go), which are called as they are. [Generate] uses
// none of them.
//
// # Races
//
//   - (E1) The states are those that steps reach from the start of main, whose package has been
//     initialised.
//   - (E2) A pair of sites *races* iff in some state two goroutines have accesses at these sites as
//     their next steps, to a common byte, at least one a write, not both atomic:
//     docs/theory/model.md, section "Race". A compare-and-swap that would find another value is no
//     write.
//   - (E3) Only a word that two goroutines access, at least one to write, once there are two, is
//     *shared*. An access to another word, a go statement and the first step of a goroutine belong
//     to the step before. Which words are shared shows in the search: when another one does, the
//     search starts again.
//   - (E4) A state is visited once. Registers that are dead are no part of it, nor is the order in
//     which goroutines were started.
//   - (E5) A search that exceeds its number of states, or meets a limit (memory, frames,
//     goroutines, instructions between two steps), is not exhausted: it says so, and the races it
//     has found are races, but perhaps not all.
//
// Why (E3) loses nothing: take a shortest execution that makes a word shared, or shows a race, and
// that the search does not have. All of its accesses to words that are not shared are by one
// goroutine (or reads), so they commute with the steps of others, and can be moved to directly
// after the step of their goroutine before them. That is an execution that the search has. Steps
// that may wait, panic or end the program are never moved. TestReduction compares with a search
// without (E3) and (E4).
//
// # Recording
//
// [Program.Record] executes under a random schedule. The events are those that package plan lists
// for the instructions, in the order in which they happen, with allocations, goroutines and
// synchronisation as packages rt and merge have them. [Program.Follow] executes under the schedule
// of a trace that was really recorded; TestRecorded has it do so and compares every event.
// [Program.RecordOrder] runs goroutines one after the other, as the papers' figures do.
//
// # Complexity
//
// A state is copied for every step but its last: some hundred words. The number of states is, at
// worst, the product of the goroutines' numbers of shared accesses, times the values that they can
// have.
//
// # Files
//
//	load.go, compile.go   source text to SSA, to instructions with register numbers
//	state.go, value.go    memory, goroutines, the number of a state; numbers
//	exec.go, call.go      instructions that concern nobody else; calls
//	op.go, machine.go     steps: what is next, whether it is enabled, what it does
//	explore.go            (E1) to (E5)
//	std.go                functions of the standard library
//	record.go, follow.go  traces
//	generate*.go, shrink.go programs
//
// # Names
//
//	s     state
//	g, h  goroutines; h the receiver when two meet
//	f     frame
//	x     instruction
//	o     step that is next (op)
//	t     step that is enabled (transition)
package progtest
