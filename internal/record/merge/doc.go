// Package merge turns the raw records of a process into one linear trace. Its input is a stream per
// goroutine, each in program order, with stamps. The layout of the records is documented in
// internal/trace/format/raw.go, the meaning of stamps in docs/theory/recording.md, §Order.
//
// # Order
//
// The stamped records of a stream divide it into groups of plain records. A group was executed
// between the stamps around it. The merge is a k-way merge by stamps:
//
//   - (ME1) Stamped records come in the order of their stamps, and equal stamps in the order of
//     their streams. The stamps of one object are in the order in which its operations took effect,
//     so the trace has them in that order.
//   - (ME2) A group comes after the stamp before it and before the stamp after it. Between the two
//     it comes as late as possible, except for (ME3) and (ME4).
//   - (ME3) Before an Alloc, the accesses to its memory in the current groups of other streams come
//     first: they accessed the former object, which has been freed. There are two exceptions. A
//     group that began after the last garbage collection before the Alloc is not moved, since the
//     former object was unreachable by then. Nor is the rest of a group after a read of a pointer
//     into the memory that the shadow does not hold yet: its goroutine has reached the new object,
//     by a race.
//
// Lemma (happens-before): the trace contains the happens-before order of the recorded events. Two
// stamps lie between an access and another one that it happens before, and (ME1) and (ME2) keep
// their order.
//
// # Values
//
// Where goroutines race, (ME2) allows several orders. The merge searches for one in which each
// read returns the value of the last write. It keeps the last value of each location (the shadow).
// A word is contended while the current groups of two streams access it.
//
//   - (ME4) Pulling: emitting the records of another stream up to one of its accesses. Before a
//     read of a contended word that returned a value other than the shadow's, a stream is pulled
//     whose group has a write that explains the read. Of several streams, it is the one with the
//     fewest unexplained reads on the way. Before a write that changes a contended word, a stream
//     is pulled whose next access to the word reads the old value, if its other reads on the way
//     are explained.
//   - (ME5) Moving: a read that is still not explained moves back before the write that overwrote
//     its value, with the events of its stream since then. Otherwise, later writes of the word
//     move back before the write that the read wants, with the events of their stream if one
//     stream made them all. Both require that (ME2) allows the move and that no value changes.
//     Memory new to the trace is zero before its first write. The search covers the recent events
//     only.
//   - (ME6) A read that no order explains gets FlagUnexplained and is counted, and the shadow
//     takes its value. Its write was not recorded, or the search, which is not exhaustive, missed
//     the order. Memory is unknown until its first access, after an Alloc and after a write
//     without a value. The first read of unknown bytes is explained, unless the group of another
//     stream writes the value that it returned: then (ME4) applies, and if the write cannot come
//     first, the read is unexplained. For if its value counted as the initial one, the read could
//     be reordered before the write. A read of zero from unknown bytes needs no write if each
//     write of it could come first only by leaving another read unexplained: most memory is zero
//     at first.
//
// The result depends on the records only: the merge is deterministic.
//
// Package-level variables (RawVar) and read-only data (RawConst) are not part of the order.
// Meta.Globals has the addresses of variables under the names that the plan has for their numbers.
// Meta.Variables has the content of variables before main.main, for words that the trace accesses
// later and that no earlier access, nor a current group of another stream, may have touched.
//
// It also has words that the trace does not access, of small variables of two kinds. Only
// instrumented code accesses those that are Own (trace.Global). It records each access except in
// initialisers of variables, which the main goroutine executes before it reads the variables. Those
// that are Watched are accessed by outside code as well. Its first write of a byte after the main
// goroutine has read the variable leaves a record (RawVar with FlagFirst), if all outside code has
// hooks. So without a record nobody has written the words afterwards, and the content is that of
// the whole run.
//
// Goroutines may run beside package initialisation. A word that outside code of such a goroutine
// has written before it was read has a late record, made when the main goroutine marks the variable
// or before. Its content is left out (variables.wrote). All contents are left out if the recording
// is truncated (ME7): the access of such a goroutine may be in a group that was cut.
//
// Meta.Channels has the channels that variables point to then, if they are empty and open and no
// operation on them comes before.
//
// Meta.Texts has the strings in read-only data that the trace or a variable refers to: by an
// address followed by a length.
//
// # Incomplete recordings
//
//   - (ME7) The streams of a killed process end anywhere; their last groups have no stamp after
//     them and come last. If the process stopped recording while it ran on (disk full), each
//     stream counts up to its last synchronisation, and no record counts with a stamp after the
//     stop. Later accesses may be ordered by locks that left no record. A stream that cannot be
//     read further (damaged file) ends the trace of all streams at its last stamp, because later
//     synchronisation may be lost.
//
// # Outside code
//
// Packages that are not re-emitted are compiled with the compiler's own access hooks, and the
// recorder writes some of their accesses as late records: after the fact, by context. A context is
// a part of a stream between two operations of synchronisation.
//
//   - (ME8) The access of a late record is placed at the end of its context, before the operation
//     that ends it. For happens-before, any place in the context is the same. It is placed earlier
//     if an Alloc of its memory comes after the late record was written: the access was to the
//     former object.
//   - (ME9) Records of outside code whose program counter is in emitted code are left out. Emitted
//     code has its own records of the maps and copies that the runtime executes for it, and the
//     recorder cannot tell the two apart. A function that was left as written has no own records,
//     so its accesses stay. The function of a program counter is the emitted one of that name, or
//     else the last one that begins at or before the source line. An audit, which records the
//     values of outside accesses, keeps the writes of emitted code: its own records of copies have
//     none.
//
// # Events
//
// Goroutines are numbered in the order of their first event. An access to a range of bytes becomes
// one event per word. An access of no bytes, or at address 0 (a nil map), is left out. An access to
// the goroutine's own stack, which an Alloc with FlagStack has announced, gets FlagStack. The D of
// a MethodBegin follows it directly. An excluded call that does not return, because it panics or
// ends its goroutine, has its MethodEnd where the function that called it is left, or where another
// one is entered in its place.
//
// # Complexity
//
// Time is O(n log s) for n records of s streams, plus the searches of (ME4) and (ME5), which are
// bounded by constants. The files are mapped, and their pages given back after they are read.
// Memory is about 24 bytes per accessed word of the program, a few hundred bytes per goroutine, and
// about 32 bytes per access of the current groups.
//
// # Names
//
//	s, t    streams
//	x       word of memory
//	c       its shadow cell
//	group   plain records between two stamps
package merge
