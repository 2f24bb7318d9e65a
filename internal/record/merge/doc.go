// Package merge makes one linear trace of the raw records of a process: of the
// streams that its goroutines wrote, each in its own order, with stamps.
//
// The bytes are drawn in internal/trace/format/raw.go, the meaning of stamps stands in
// docs/theory/recording.md, §Order.
//
// # Order
//
// The stamped records of a stream divide it into *groups* of plain records. A group was executed
// between the stamps around it. The merge is a k-way merge by stamps:
//
//   - (O1) Stamped records come in the order of their stamps, equal ones in the order of their
//     streams. As the stamps of one object are in the order in which its operations took effect, so
//     is the trace.
//   - (O2) A group comes after the stamp before it and before the stamp behind it. Within this
//     room it comes as late as possible, except for (O3), (V1) and (V2).
//   - (O3) Before an Alloc, the accesses to its memory in the current groups of other streams come
//     first: they were to what was there before and has been freed. A goroutine that has read a
//     pointer into the memory that the shadow does not hold yet has reached the new object, by a
//     race: what it does behind that read stays. So does a group that began after the last garbage
//     collection before the Alloc: what was there before had no users left by then.
//
// What happens-before orders, (O1) and (O2) order: between an access and one that it happens before
// are two stamps.
//
// # Values
//
// Where goroutines race, (O2) leaves a choice, and the values tell which choice explains the run.
// The merge keeps the bytes last written to each location (the *shadow*). A word is *contended*
// while the current groups of two streams access it.
//
//   - (V1) Before a read of a contended word that returned something else than the shadow holds: if
//     another stream's group has a write after which the read is explained, that stream is
//     *pulled*: its records up to the write come first. Of several, the one whose own reads on the
//     way are explained best.
//   - (V2) Before a write that changes a contended word: another stream whose next access to the
//     word is a read of the value that is about to be lost is pulled up to that read, if its other
//     reads on the way are explained then.
//   - (V3) A read that is still not explained goes back to before the write that took its value
//     away, with what its stream did since, if (O2) allows it and those events do not mind. Before
//     the first write to memory that is new to the trace, zero is what Go has put there.
//   - (V4) Or the writes behind the one it wants go back to before that one: two goroutines wrote,
//     nobody read the first value in between, and only now it shows who was last. If they are one
//     stream's, with what it did in between.
//   - (V5) A read for which none of this helps gets FlagUnexplained, is counted, and the shadow
//     learns its value: what wrote it was not recorded (or the search, which is not exhaustive,
//     missed the order). (V3) and (V4) reach back over the last events only.
//   - (V6) Memory is unknown until it is accessed, and again after an Alloc, and after a write
//     without value; the first read of unknown bytes is explained. But if the group of another
//     stream writes what it returned, (V1) holds for it: what was there at first may have been
//     something else, and to take this value for it would be to say that the read might come before
//     the write. If no write can be brought before it, (V5) holds. Zero, which is what most memory
//     has at first, needs no write if one could not come without leaving another read unexplained.
//
// Package-level variables (RawVar) take no part in this. What stood in them before main.main is for
// Meta.Variables, if no access has come before, nor can have: none in a current group of another
// stream.
//
// Nor does read-only data (RawConst). Of that, Meta.Texts has what an address and a length that
// follow each other in a value of the trace, or in a variable, say to be a string.
//
// The result is deterministic: it depends on the records only.
//
// # What a run leaves behind
//
//   - (C1) A killed process leaves streams that end anywhere: their last groups have no stamp
//     behind them and come last.
//   - (C2) A process that stopped recording while it ran on (disk full): what it did later is
//     missing, and what its goroutines did between their last synchronisation and the stop cannot
//     be told from what they did after it, behind locks that left no record. Each stream counts up
//     to its last synchronisation, and no record with a stamp after the stop counts.
//   - (C3) A stream that cannot be read on (damaged file) ends the trace of all streams at its last
//     stamp: what the others did later may be ordered by synchronisation that is lost.
//
// # Goroutines and objects
//
//   - (G1) Goroutines are numbered from 1 in the order of their first event; goroutine 1 is the
//     main one. Threads of the runtime are goroutine 0.
//
//   - (G2) Accesses to the goroutine's own stack, which an Alloc with FlagStack has announced, get
//     FlagStack.
//
//   - (G3) Elements sent without their value have the number of the send on its channel as Val, and
//     so has their receive.
//
//   - (G4) An access to a range of bytes becomes one event per word. An access of nothing, or at
//     address 0 (a nil map), is left out.
//
//   - (G5) The D of a MethodBegin stands right behind it. A call that leaves traced code and does
//     not return, because it panics or ends its goroutine, has its MethodEnd where the function
//     that called it is left, or another one is entered in its place.
//
// # Memory
//
// The files are mapped, and their pages given back as they are read. Besides, there are about 24
// bytes per word of the program's memory that was accessed, a few hundred per goroutine, and the
// current groups: about 32 bytes per access in them.
//
// # Names
//
//	s, t    streams
//	x       word of memory
//	c       its shadow cell
//	group   plain records between two stamps
package merge
