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
// Threads get numbers in order of appearance, those that nobody forks exist from the start.
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
// # What is met in the wild
//
// Each rule that changes the trace counts how often, in a warning of Meta.
//
//   - (S1) begin and end may have any operand, an empty one, or no parentheses. Empty lines are
//     skipped, a location may be missing.
//   - (S2) A lock that its holder acquires again is re-entrant: the inner acq and rel are dropped.
//   - (S3) A lock whose first operation is rel was held when the trace began. The Unlock stands in
//     the trace without a Lock; whoever builds a state for the trace's start must count the lock as
//     held.
//   - (S4) req(L), the wish for a lock, is ignored.
//   - (S5) wait(L) is Unlock(L) and, before the thread's next event, Lock(L) again, behind an
//     Acquire that every earlier notify(L) and notifyAll(L) of the trace precedes as a
//     ReleaseMerge. Some recorders write wait when it returns: then another thread acquires the
//     lock while the waiting thread seems to hold it. The Unlock is put before that acquire, and
//     the holder's next event must be its wait(L).
//   - (S6) A fork of a thread that already has events cannot be a Go. It is a ReleaseMerge, and an
//     Acquire before the thread's next event: the recorded order is kept.
//   - (S8) A byte-order mark at the beginning is skipped, and line ends may be CRLF. A mark at the
//     beginning of another line would make a thread of its own, and races with it: it is an error
//     with its line. So is what stands behind a compressed trace and is not gzip.
//   - (S7) A line that is none of the above, and a line that no execution has (two holders of a
//     lock, rel by a thread that does not hold it, events of a thread after it was joined), is an
//     error with line and offset. (RAPID repeats the event before a line it cannot parse. That
//     invents races.)
package std
