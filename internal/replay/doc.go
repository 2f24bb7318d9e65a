// Package replay runs a program again under the witness of a race, and lets Go's race detector
// judge.
//
// The program is written again with gates (instrument.Config.Gates) and built with -race. A
// witness, which is an order of events of a trace, becomes a schedule of passages through gates. A
// goroutine that comes to a gate with a place in the schedule waits for its turn, and the two
// goroutines of the race wait right before their accesses until both are there: then one access
// follows the other, and what the race detector prints of the two source lines is the verdict.
//
// # Rules
//
//   - (G1) No order from gates. A gate waits by spinning on atomics of the runtime, which the race
//     detector does not see (internal/record/recorder/_gates). So it judges the program's own
//     synchronisation alone, and a report of it is one that the program can cause without presage.
//   - (G2) Goroutines are those of the trace by their number among the goroutines that their parent
//     started by the same go statement, in code without gates with the same function; those that
//     the runtime starts, for timers, by their function.
//   - (G3) A step is one passage of a gate: an instruction is executed once for each passage,
//     however many events it has. What stands in a schedule is every operation of synchronisation
//     in the witness, every access to memory that several goroutines access and one writes, and the
//     two accesses. Between two steps of a goroutine the schedule says how often it passes the
//     second one's gate without stopping.
//   - (G4) A call of code that was not instrumented is a step where it begins and a mark where it
//     ends, if it synchronises by something that others use. So its hidden operations stand in the
//     order as far as calls that do not overlap can give it.
//   - (G5) A send on an unbuffered channel, and Cond.Wait, are done when their goroutine waits. The
//     receive of a send that did not block stands in front of it: the receiver was waiting.
//   - (G6) A goroutine without further steps stops at its next gate: the witness ends there.
//   - (G7) The gates of outside code (the standard library, dependencies, functions left as
//     written) are the hooks of the race detector, which the compiler puts before each access. A
//     step of outside code is known by the function and line of the access and by its kind. Its
//     passages count from the last gate that its goroutine passed before it: that is a step too. A
//     late access, of which the trace does not say where between two operations of synchronisation
//     it was made, counts from the last gate before the first of these operations.
//   - (G8) The trace does not say which passage it is. So the program is run once without holding
//     these accesses, and the addresses of all passages are written down. The race is at a passage
//     of one access and a passage of the other that are of overlapping memory; the first try takes
//     those that come first, the second and the third try the next ones.
//
// A race of the recorded run is tried in the order of that run. If an access is one of outside
// code, the second try has the two next to each other: each waits in its hook until the other one
// stands in its own, and where they stand before different memory, both go on.
//
// # What the program is fed
//
// A program asks for more than the order of a trace says. Where an answer is any program's to
// accept, it is given that of the recorded run, for as long as the goroutine's steps last (feed.go,
// sites.go; presage_feed.go and presage_rand.go of internal/record/recorder):
//
//   - (F1) A select that is a step takes the case that it took. It waits for it, though others are
//     ready: the goroutine might as well have come later. One that took its default is blind to
//     timers, which may be late; not to other channels. From level 2 on it takes the case if that
//     is ready.
//   - (F2) A call of time's functions of a Time, Since and Until, of math/rand's functions without
//     a Rand, and of os.Getpid returns the numbers that it returned. Times themselves are those of
//     the replay, so that a deadline is as far away as it was. A schedule that is only tried
//     (Witness.Tried) is fed none of these numbers: a Time may be that of a file, which the program
//     may find otherwise.
//   - (F3) Random numbers of the runtime are a function of the process's seed, the goroutine's
//     number in the recorded run, and how often it has asked: also where a loop over a map begins,
//     seeds of maps and of hash/maphash, rand.Shuffle, and what code without gates asks for. The
//     keys of hashes are made from the seed too.
//   - (F4) A schedule is not loosened while a goroutine that has steps left sleeps, up to ten times
//     the limit, or a timer is due, up to four times. Whoever then wakes has the limit to come to
//     its step.
//   - (F5) Package testing lets all parallel tests run: they would wait for each other where no
//     gate is.
//   - (F6) A child process is found by its arguments, and its number among those that have the
//     same.
//
// Not fed: crypto/rand, a Rand of the program (but its seed, if that comes from the clock), the
// order of a map with keys that hold pointers, results of timers' Stop and Reset, the environment,
// files, the network, sync.Pool, reflect.Select. Where a replay diverges, the calls of the witness
// that asked for one of these are named, those of the goroutine that did not come first.
//
// # Levels
//
// Where no step is made for a while, the schedule is loosened by a level, and the outcome says at
// which step. A while is the limit, or 50 ms where nothing can move any more: all goroutines wait
// for each other or for the schedule. Where the goroutine of one of the two
// accesses ends without it, the schedule is over.
//
//	0  (G6) and the order of all steps
//	1  the order of all steps
//	2  the order of steps that conflict: on one location of memory, one lock, one channel
//	3  the two accesses: the goroutines wait for each other at their gates, whichever passage it is
//	4  nothing: the replay has diverged, or is over
//
// A race is tried three times, unless (G8) says more: in the order of the witness, with the two
// accesses the other way round, and from level 2 on.
//
// # The judge
//
// A race is confirmed if the race detector reports a race of the two lines. It reports one race for
// each location and then closes its eyes to it, and of several accesses that a goroutine makes
// without synchronisation between them it names the first; so it is told, right before the two
// accesses, to forget the earlier accesses to their location (as when memory is allocated anew).
// What it knows of synchronisation, by which it judges the pair, stays. Where there is no C
// compiler, there is no race detector: then the judge is that both goroutines were held before
// their accesses at once, at the same address.
//
// # Kept schedules
//
// A schedule can be kept as a text that needs no trace (docs/using/replay.md), and replayed in a
// program that has changed.
//
//   - (K1) What is kept is what runs: steps, goroutines, feeds, the command. It is written if a
//     replay from the text itself is confirmed.
//   - (K2) A gate is known by its function, the kind of its instruction, the expression and the
//     variable; a function by the list of its gates.
//   - (K3) Gates are found again by aligning the lists. The accesses of the race count most. A step
//     whose gate is gone is left out; without its gate, an access is gone.
//   - (K4) It is no longer feasible where one access cannot come while the other goroutine stands
//     before its own and nothing else is held.
//   - (K5) A goroutine that a go statement starts is known by that, and by how often its parent was
//     there.
//   - (K6) An access of outside code is kept by its function, line and kind, and the line's text.
//     It is in the nearest line of the file that reads so.
//
// # Soundness
//
// A confirmed race is one, by the word of a detector that shares nothing with presage: what the
// program is fed is an answer that it may get without presage. A race that is not confirmed may be
// one: what a program does may depend on what is neither in the trace's order nor fed, and the
// detector does not see accesses of assembly and of the kernel. A goroutine that is held in a hook
// is to the garbage collector one that was preempted at this instruction: it may wait there.
//
// # Names
//
//	step   a passage of a gate that has a place in the schedule
//	pred   a step that has to be done before
//	pair   the last two steps: the accesses of the race
//	mark   a step at which nothing waits
//	skip   passages of a step's gate since the goroutine's last step
package replay
