// Package report holds what presage says: races and the messages around them, as
// text for people and as JSON, one object a line, for programs.
//
// # What it computes
//
// The analysis speaks in event numbers. A Locator, in one pass over the trace, finds
// what stands at them: call stacks, the stacks that started the goroutines, the
// locks held, and why the recorded run hid the race from a happens-before detector.
//
//	(S1) A frame of depth d is left when an Enter or Exit of depth ≤ d arrives.
//	(S2) A goroutine holds a lock from its Lock to the next Unlock in the same mode,
//	     which another goroutine may do.
//	(H1) A race is *hidden* in the recorded run if a chain of synchronisation leads
//	     from its first access to its second: release, acquire, program order, and
//	     again. The chain with the fewest events to its end is shown; the witness
//	     breaks at least one of its edges.
//	(H2) Releases and acquires pair as in the Go memory model: unlock→lock, Done→Wait,
//	     end of Once.Do→return of Do, send k→receive k, receive k→send k+capacity,
//	     receive k→completion of send k if there is no buffer, close→receive of a
//	     closed channel, go→start, atomic write→atomic read.
//	(P1) A race off the recorded path has steps that were not recorded, with the numbers −1, −2,
//	     …. Their stack is the one at which the goroutine leaves its path, less the functions that
//	     have returned since, and more those that were called; the locks held likewise. A
//	     goroutine that is started there has a number after the recorded ones.
//	(P2) What a read of a witness sees from the witness's beginning is explained by the last write
//	     before it, if there is one since the memory was allocated; otherwise it is the initial
//	     value.
//	(R1) Races are merged by the pair of source positions; Count says how many there were.
//	(R2) A race's ID is made of function names, kinds and expressions, not of line
//	     numbers: an edit elsewhere in the file does not change it.
//
// # Soundness
//
// Nothing here decides about a race. A stack lacks the frames of functions that were
// not instrumented. A chain (H1) is what the trace shows; without one the report says so.
//
// # The JSON form
//
// docs/using/report.md is the schema. Every message is one of Message's fields; HandleJSON reads
// what NewJSON wrote, and the text of a report can be made from it at any time.
package report
