// Package replay runs a program again under the witness of a race. Go's race detector is the judge.
//
// The program is instrumented with gates (instrument.Config.Gates) and built with -race. A witness,
// which is an order of events of a trace, becomes a schedule: an order of passages of gates. A
// goroutine that reaches a gate with a step in the schedule waits for its turn. The two goroutines
// of the race wait directly before their accesses until both are there. Then one access follows the
// other. The race is confirmed if the race detector reports the two source lines.
//
// # Gates
//
// A gate adds no order. It waits by spinning on atomics of the runtime, which the race detector
// does not see (internal/record/recorder/_gates). So the detector judges only the program's own
// synchronisation, and the program can cause each of its reports without presage.
//
// A goroutine is identified by its number among the goroutines that its parent started by the same
// go statement; in code without gates, among those with the same function. A goroutine that the
// runtime starts for a timer is identified by its function.
//
// # Steps
//
// A step is one passage of a gate: one execution of an instruction, however many events it has. The
// schedule has all operations of synchronisation in the witness, all accesses to memory that
// several goroutines access and one writes, and the two accesses. For each step it has the number
// of times that the goroutine passes the same gate without stopping after its previous step.
//
// A call of code that was not instrumented is a step where it begins and a mark where it ends, if
// it synchronises by an object that others use. So the order has its hidden operations as far as
// calls that do not overlap can order them. A send on an unbuffered channel and Cond.Wait count as
// done when their goroutine waits. The receive of a send that did not block comes before the send:
// the receiver was waiting.
//
// (RP1) A goroutine without further steps stops at its next gate: the witness ends there.
//
// (RP2) The gates of outside code (the standard library, dependencies, functions left as written)
// are the hooks of the race detector, which the compiler places before each access. A step of
// outside code is identified by the function, line and kind of its access. Its passages count from
// the last gate that its goroutine passed before, which is a step too. For a late access, the trace
// does not have its place between two operations of synchronisation; its passages count from the
// last gate before the first of the two. Which passage is the step is not in the trace. So the
// program first runs without holding these accesses, and records the addresses of all passages. The
// race is at a passage of one access and a passage of the other with overlapping memory. The first
// try takes the first such passages, the second and third try the next ones.
//
// A race of the recorded run is tried in the order of that run. If one of its accesses is of
// outside code, the second try brings the two next to each other: each waits in its hook until the
// other goroutine is in its own, and both go on if they are before different memory.
//
// # Inputs of the program
//
// A program also depends on inputs that are not in the order of a trace. Where any result is legal,
// it gets that of the recorded run, as long as the goroutine has steps left (feed.go, sites.go;
// presage_feed.go and presage_rand.go of internal/record/recorder):
//
//   - A select that is a step takes its recorded case. It waits for that case although others are
//     ready, since the goroutine could have come later. A select that took its default ignores
//     timers, which may be late, but not other channels. From level 2 on a select takes the
//     recorded case only if it is ready.
//   - time.Since, time.Until, the functions of package time that return a number of a Time, those
//     of math/rand without a Rand, and os.Getpid return their recorded numbers. A Time itself is
//     that of the replay, so that a deadline is as far away as it was. A schedule that is only
//     tried (Witness.Tried) gets none of these numbers: a Time may be that of a file, which may
//     differ.
//   - A random number of the runtime is a function of the seed of the process, the number of the
//     goroutine in the recorded run, and the count of its requests. It is used for the first
//     element of a loop over a map, for seeds of maps and of hash/maphash, for rand.Shuffle, and
//     for code without gates. The keys of hashes come from the seed too.
//   - Package testing runs all parallel tests at once. Otherwise they would wait for each other at
//     places without gates.
//   - A child process is identified by its arguments, and by its number among those with the same.
//
// (RP3) A schedule is not relaxed while a goroutine with steps left sleeps, up to ten times the
// limit, or while a timer is due, up to four times the limit. A goroutine that wakes then has the
// limit to reach its step.
//
// Other inputs are those of the replay: crypto/rand, a Rand of the program (unless the clock gives
// its seed), the order of a map whose keys hold pointers, results of Stop and Reset of timers, the
// environment, files, the network, sync.Pool, reflect.Select. If a replay diverges, the outcome
// names the calls of the witness that used one of these, of the goroutine that did not reach its
// access.
//
// # Levels
//
// If no step is made for a while, the schedule is relaxed by one level, and the outcome has the
// step at which that happened. A while is the limit, or 50 ms if all goroutines wait for each other
// or for the schedule. If the goroutine of one of the two accesses ends without it, the schedule is
// over.
//
//	0  (RP1) and the order of all steps
//	1  the order of all steps
//	2  the order of steps that conflict: on one location of memory, one lock, one channel
//	3  the two accesses: the goroutines wait for each other at their gates, at any passage
//	4  nothing: the replay has diverged, or is over
//
// A race is tried three times: in the order of the witness, with the two accesses swapped, and from
// level 2 on. (RP2) has the tries for outside code.
//
// # The judge
//
// The race detector reports one race for each location and then ignores the location. Of several
// accesses that a goroutine makes without synchronisation between them, it names the first. So,
// directly before the two accesses, it is made to forget the earlier accesses to their location, as
// when memory is allocated again. Its knowledge of synchronisation, by which it judges the pair,
// stays.
//
// Without a C compiler there is no race detector. Then a race is confirmed if both goroutines were
// held before their accesses at once, at the same address.
//
// # Kept schedules
//
// A schedule can be kept as a text that needs no trace (docs/using/replay.md), and replayed in a
// program that has changed. The text has steps, goroutines, inputs and the command. It is written
// if a replay from the text itself is confirmed. A goroutine is identified by its go statement, and
// by the number of times that its parent executed it before.
//
// (RP4) A gate is identified by its function, the kind of its instruction, the expression and the
// variable; a function by the list of its gates. Gates are found again by aligning the lists. The
// accesses of the race weigh most. A step whose gate is gone is left out. If the gate of an access
// is gone, the access is gone.
//
// (RP5) A schedule is not feasible any more if one access cannot come while the other goroutine is
// before its own and nothing else is held.
//
// (RP6) An access of outside code is kept by its function, line and kind, and by the text of the
// line. It is in the nearest line of the file with that text.
//
// # Without presage
//
// A try that has confirmed a race can be written as an overlay for the user's go command
// (Reproduction): the program and the standard library with gates, and the schedule. The program
// finds it by its name, and changes a copy in memory, so that each run begins with the same one.
//
// # Soundness
//
// A confirmed race is one, according to a detector that shares no code with presage: each input is
// one that the program may get without presage. A race that is not confirmed may still be one. The
// program may depend on inputs that are neither in the order of the trace nor recorded, and the
// detector does not see accesses of assembly and of the kernel. For the garbage collector, a
// goroutine that is held in a hook is one that was preempted at this instruction.
//
// # Names
//
//	step   a passage of a gate that has a place in the schedule
//	pred   a step that has to be done before
//	pair   the last two steps: the accesses of the race
//	mark   a step at which no goroutine waits
//	skip   passages of a step's gate since the goroutine's last step
package replay
