// Package outsidetest is the oracle for predictions of traces in which some code is outside code
// (docs/theory/model.md, "Outside code"): its accesses and its synchronisation are recorded, but
// neither values nor branches.
//
//	Generate        a random Program of a few goroutines, with pieces of outside code
//	Program.Record  one execution of it under a random schedule: a trace, and the flows of a walk
//	Thin            the trace that the recorder would have written: turns, late records
//	Program.Explore all races of the program, by exhaustive search over schedules
//	Faults          rules that can be left out of a trace or a window: tests have to find each
//	Shrink          a smaller program with the same property
//
// # Programs
//
// A goroutine is a list of instructions over nine registers of two bits. Registers 0 to 2 are those
// of inside code, 3 to 5 those of a call of outside code, 6 to 8 those of inside code that outside
// code calls back. Values pass between them as arguments and results, or through shared memory.
//
// Outside code branches on what it reads, stores and returns it, and chooses locks and channels by
// it. It may panic: then its caller continues elsewhere, or its goroutine ends. There are no loops.
// So an instruction is executed at most once, and is the site of its event.
//
// # Races
//
// Explore executes the whole program, outside code included, with its values. It does not use
// traces or windows. Two accesses race in two cases. Both are next in a reachable state. Or one is
// next, and the other was executed by a goroutine that has not released anything since, so
// happens-before does not order them. In the second sense, a late record stands for an earlier
// access.
//
// # Recording
//
// Thin follows rules SC1 to SC7 of the recorder, step by step, for one word each. The recorder
// processes the records of inside code in batches; Thin does so at random moments.
package outsidetest
