// Package alternative executes the program on paths that the recorded run did not take. It starts
// at a fork: a program point at which a goroutine could have left its recorded path. It computes
// which events the goroutine would have on each other path, and under which conditions. This is
// the path relaxation of "RECIPE: Relaxed Sound Predictive Analysis", section IV.
//
// The name is that of the result, [flow.Alternative]. Package check/offpath judges these results:
// it executes them again. The two packages share no code.
//
// # Input and output
//
// The input is a [Fork], which package walk makes and never changes again. It has
//
//   - the frames of the goroutine right before an instruction;
//   - the operands of the instruction that may have other values;
//   - what the goroutine's next event depends on.
//
// [Facts] looks up the function values, channels and type words that the walk has seen. The builder
// of windows passes [flow.Surroundings] to [Fork.Explore]: which memory other goroutines access in
// the window, and which values are written there.
//
// The output is a list of alternatives. Each has the events of one path, and the guards that hold
// only on this path. docs/theory/model.md, section Variants, says how a window uses them, and why
// that is sound.
//
// # Symbolic execution
//
// The package executes register code (package regcode) over symbolic values. A [Value] is known, is
// a term over reads, or is unknown. A path has no schedule: all that it requires of one is in its
// guards. Where a path can continue in several ways, it is split into one path for each.
//
// The walk continues while forks are explored. All that both use is immutable, or has a lock.
//
// # Rules
//
// (AL1) Memory. A load or store of memory that other goroutines access in the window is an event,
// and the result of the load is a term over its own read. Other memory has the content that it has
// at the fork, or that the alternative has stored since. A value without words, as a string that a
// function of the library has returned, is written as one that nothing can depend on. Memory that
// the alternative has allocated has no events. Once the alternative has started a goroutine,
// neither of the two changes that memory.
//
// Memory that is allocated anew in the window after the fork is used through a pointer that the
// path has read: the window distinguishes pointers to the new object from those to what was there
// before. It is not used if a number that the path has from elsewhere, from the frames at the fork
// or from [Facts], lies in it and may be one of the latter. What [Facts] have of an event is
// unknown where memory was allocated anew since that event. The content of such memory is never
// taken as that at the fork.
//
// (AL2) Choices. A branch on a term goes to both sides, each with a guard. An operand that must be
// known (WA2) and is a term takes each of the values that follow from what is written in the window
// ([flow.Surroundings].Values) or sent (Sent), each with a guard. So a base object may differ from
// the recorded one. RECIPE requires that it resolves to one object (criterion 3); here it is each
// of at most maxChoices, those first that lead to memory of other goroutines. Forks with more are
// counted. The first choice, at the fork, differs from the recorded run. If the instruction of the
// fork has several such operands, as a[i] has, at least one of them differs.
//
// (AL3) Outcomes. The outcome of a receive, a CompareAndSwap, a select, a TryLock or a Once depends
// on the schedule. The path is split into all outcomes, and the event says which one it is. A
// receive has a value, or finds the channel closed. A CompareAndSwap finds the expected value and
// is an update, or it is a read with a guard that it finds another value. A select takes each of
// its cases or its default, and its event has the other cases beside it. A TryLock takes the lock
// or fails. An element of a channel that is empty or larger than a word is not known (FlagNoValue).
// A goroutine is the first at a Once and executes its function, or is not. So it is with what
// sync.OnceFunc, OnceValue and OnceValues return; what the others get of these is unknown. len of a
// channel is each of its smallest lengths, or its capacity. Such an operation of the recorded run
// is a fork, with all outcomes but the recorded one.
//
// An operation of a sync.Map is one on the word of its key (package format), which finds a
// number: 0, one of those that the word has in the window, or another one. What was stored with a
// number is known from the recorded run ([Facts].StoredAt), from the path, or, if it is of a
// basic type, from an alternative of another goroutine (flow.Stored). CompareAndSwap and
// CompareAndDelete are known only where nothing is there. No alternative changes the keys of a
// map over which another goroutine ranges in the window.
//
// What is put into a sync.Pool need not be got, so Put has no effect, and Get returns what New
// makes, or nil. Or it takes an object that the recorded run has put, by an update of the word of
// the object (package format). The word has 1 if the last operation on the object was a Put. So an
// object that is put twice is taken once. If a Get of the recorded run takes it for the second
// time, the word does not say when it is there, and no path takes it. Nor is it taken if it was put
// as values of two types. A Get of the recorded run is a fork. A Cond is waited for in four
// events: the goroutine joins its queue, unlocks, is woken, and locks again.
//
// A timer that was started for a known and positive time may have fired or not: a select that may
// choose its channel has both outcomes, and a receive from its channel ends. That is no event of
// the window; the step says which case it is. So is it for a timer of the recorded run
// ([Facts].TimerAt), if no other goroutine starts or stops it and it has not fired. A timer that
// calls a function starts a goroutine with it, at any time from then on, or does not: the path is
// split. Stop reports whether the timer has run. For a timer of the recorded run that calls a
// function, the goroutine is a fork of its own (flow.Fork.Timer). So is a Stop of it: it comes
// before the timer fires, which it then does not do as in the recorded run, or after that, and the
// path starts the goroutine. No path that the timer starts goes together with it. In a program that
// uses package testing/synctest no timer is known: in its bubbles, timers fire when all goroutines
// wait.
//
// Done of a context returns what it has returned in the recorded run, or what the recorder says of
// the context. Err returns nil if the channel of Done is open, and an error if it is closed, so the
// path is split. A call of the recorded run is a fork. A cancel function closes the channel, and
// those of the contexts that are made from this one, or finds them closed. It is known which they
// are: a context that another goroutine makes in the window has a word (package format), which the
// path reads. A context that the path makes with WithCancel is cancelled by its own function, or as
// soon as the channel of its parent is closed. So it needs no channel of its own. The path uses it
// until it starts a goroutine. A call of WithCancel of the recorded run is a fork.
//
// A lookup in a map finds what the map has for the key at some time in the window
// ([Facts].MapAt), so the path is split: the step says which write of the recorded run has left
// that (Flow.Version). Or it finds what this path has written there, or an alternative of another
// goroutine, if that is a number or a text. If the key is not there, that does not rest on values
// (Entry.Only), and so does another path on which the key is there with an unknown value: the
// writes may have other values than in the recorded run. A lookup of the recorded run is a fork,
// with what is something else for the key. Once the path has written a map whose keys cannot be
// known, what that has is not known.
//
// (AL4) Functions and types. A call through a function value enters the function that the value is
// known to be: a closure that the alternative has made, or a function that [Facts] has at the
// address. The type of an interface's content is known if the alternative has made the interface,
// or if [Facts] has its type word. Then its methods can be called, and assertions have a
// result. Content that is not a pointer is known only if the alternative has made the interface.
// The library makes errors (errors.New, fmt.Errorf): each is a new object, of a type of its own,
// and its method Error has no effect. One of errors.New has no other method, and errors.Is finds it
// equal to itself alone. Package fmt calls no method of nil, of values of basic types without
// methods, and of these errors; what it returns is unknown. Calls without effect (print,
// plan.Total) return what is unknown.
//
// # Started goroutines, checks and ends
//
// A goroutine that has not ended when the recorded run does is executed from where it stands. That
// is no choice: a fork of this kind has no operands.
//
// A goroutine that an alternative starts is executed after the goroutine that started it, as a part
// of the alternative. Its arguments must be known values.
//
// Implicit checks (nil, bounds, division, shifts) are executed. A check that fails is a panic, and
// a panic ends the path.
//
// A path also ends at what is not modelled: code that is not instrumented, and each instruction
// that needs an unknown value, as the length of a map, or an entry that nothing has shown. An
// access that can race but not be executed is the last step of its path. Loops and recursion are
// unrolled up to maxInstrs, maxSteps and maxDepth. Few paths may be longer
// ([flow.Surroundings].Long): such a path comes back to what the recorded run does, and goes on
// there. It is split no more, but takes one side of each choice. Every alternative has the reason
// of its end, and the reasons are counted.
//
// # Complexity
//
// A fork costs at most maxPaths paths of maxInstrs instructions each, and longInstrs of the long
// ones. It has at most maxAlternatives paths with an event.
//
// # Files
//
//	value.go, frame.go            symbolic values; frames and local variables
//	constants.go                  operands that are not registers
//	fork.go, snapshot.go          what the walk makes; the same as data for the judge
//	events.go                     steps and guards of a path
//	memory.go, former.go          what a path knows of memory; numbers from before an allocation
//	domain.go                     the values that a term can have, and their guards
//	interfaces.go, functions.go   dynamic types; the functions that calls enter
//	made.go, quiet.go, timers.go  errors and strings that the library makes; pools; timers
//	contexts.go, cancel.go        contexts of the recorded run; how they are cancelled
//	newcontexts.go                contexts that the path makes
//	checks.go                     implicit checks
//	path.go, explore.go           a path, and the execution of one instruction; the loop over paths
//	control.go, compute.go        branches, calls and goroutines; instructions without effect
//	access.go                     loads, stores, allocations
//	maps.go, mapcontent.go        accesses of maps; what maps have
//	sync.go, channels.go          operations of sync and sync/atomic; of channels
//	selects.go                    select statements
package alternative
