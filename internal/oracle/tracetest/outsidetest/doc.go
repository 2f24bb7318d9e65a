// Package outsidetest judges predictions of traces in which some code is *outside code* (section
// "Outside code" of docs/theory/model.md): its accesses and its synchronisation are recorded, and
// neither values nor branches are.
//
//	Generate        a random Program of a few goroutines, pieces of whose code are outside code
//	Program.Record  one execution of it under a random schedule, as a trace and what a walk says of it
//	Thin            the trace that the recorder would have written down of it: turns, late records
//	Program.Explore all races of the program, by exhaustive search over schedules
//	Faults          rules that a trace or a window can be made without: judges have to notice
//	Shrink          a smaller program with the same property
//
// # Programs
//
// A goroutine is a list of instructions over nine registers of two bits. Registers 0 to 2 are those
// of inside code, 3 to 5 those of a call of outside code, 6 to 8 those of inside code that outside
// code calls back. Values go from one to the other as arguments and results, or through shared
// memory. Outside code branches on what it reads, stores it, takes locks and channels by it,
// returns it, and may panic, so that its caller goes on elsewhere or its goroutine ends. There are
// no loops: an instruction is executed at most once, and so it is the site of its event.
//
// # Truth
//
// Explore executes the whole program, outside code included, by its values. It knows nothing of
// traces and windows. Two accesses race if both are next in a reachable state, or if one is next,
// and the other was executed by a goroutine that has not released anything since: nothing orders
// them by happens-before. (A late record stands for an access some way back in this sense.)
//
// # What the recorder keeps
//
// Thin follows rules SC1 to SC7 of the recorder, step by step, for one word each. Where emitted
// code's records are looked at in batches, it does so at random moments.
package outsidetest
