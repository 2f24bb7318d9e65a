// Package std reads and writes RAPID's STD format, in which many recorded traces of
// Java programs circulate:
//
//	T0|fork(T1)|4
//	T1|acq(L1)|5
//	T1|r(V1)|6
//
// A line is thread, operation and operand, location. The operations are r, w, acq,
// rel, fork, join, begin, end; there are no values and no branches. Gzip is
// recognised by its first two bytes.
//
// # Mapping
//
// Threads get numbers in order of appearance. Threads that are never forked exist from the start.
// Variables and locks get addresses 8, 16, 24, … in order of appearance; a
// variable and a lock with the same name are two objects. Locations get sites in
// order of appearance; a location is any text. The names are in Meta.
// Memory grows with the number of names and not with the length of the trace.
//
//	r, w          Read, Write of 8 bytes with FlagNoValue
//	acq, rel      Lock, Unlock
//	fork, join    Go, Join
//	begin, end    Start, End
//
// # Extensions and damage
//
// Recorders differ. Each rule that changes the trace counts its uses, in a warning of Meta.
//
// begin and end may have any operand, an empty one, or no parentheses. Empty lines are skipped, and
// a location may be missing. req(L), the request for a lock, is ignored. A byte-order mark at the
// beginning is skipped, and lines may end in CRLF.
//
// (TS1) A lock that its holder acquires again is re-entrant: the inner acq and rel are dropped. A
// lock whose first operation is rel was held when the trace began. Its Unlock has no Lock in the
// trace; a reader that builds the state at the beginning must count the lock as held.
//
// (TS2) wait(L) is Unlock(L) and, before the thread's next event, Lock(L) again, after an Acquire.
// Every earlier notify(L) and notifyAll(L) of the trace precedes the Acquire as a ReleaseMerge.
// Some recorders write wait when it returns: then another thread acquires the lock while the
// waiting thread seems to hold it. The Unlock is placed before that acquire, and the next event of
// the holder must be its wait(L).
//
// (TS3) A fork of a thread that already has events cannot be a Go. It becomes a ReleaseMerge, with
// an Acquire before the thread's next event, so that the recorded order is kept.
//
// (TS4) Any other line is an error with its line and offset. So is a line that no execution has:
// two holders of a lock, rel by a thread that does not hold it, events of a thread after it was
// joined. A byte-order mark at the beginning of another line is an error, because it would make
// another thread with races of its own; so are bytes after a compressed trace that are not gzip.
// (RAPID repeats the event before a line that it cannot parse, which invents races.)
package std
