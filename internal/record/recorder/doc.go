// Package recorder has the recorder that presage puts into the program under test, and the changes
// to the standard library that feed it, as an overlay for the go command: neither GOROOT nor the
// program's files are touched.
//
// New writes the overlay. With Config.Gates it is that of a replay: _gates in place of _std. With
// Config.Online it is that of the detector: _online, package online, and the files of _std that
// hook operations of synchronisation. All three have _both.
//
// _std holds the files that are added to the standard library: the recorder, in package runtime,
// and presagert, the thin package that emitted code imports. The changes to files of the standard
// library, and all that depends on the version of Go, are in package goversion. A patch that does
// not fit the user's GOROOT is a goversion.PatchError, before anything is built. The contract of
// the hooks is hooks.src of package instrument. Their bytes are drawn in
// internal/trace/format/raw.go.
//
// # What holds of the records
//
// The records of a run are those of an execution of the program. Package merge relies on it, and
// validate_test.go executes them. Two rules are cited elsewhere:
//
//   - (RC1) Stamp in effect. An operation and its stamp are one step for the other operations of
//     the object: by the lock taken (Mutex by stripe, channel by its own), or by the order that the
//     operation itself makes (Wait, a writer's Lock). So the stamps of an object are in the order
//     of its operations.
//   - (RC2) Bounded. The processes of a run take no more of the disk than its limit (SetLimit):
//     each file is counted, at its full size, before it is made. Where a file would exceed the
//     limit, its process stops recording and runs on, as where the disk is full.
//
// One writer. A stream is written by its goroutine, or, while that waits on a channel, by the
// goroutine that completes its operation, under the channel's lock. The runtime does not preempt
// inside package runtime, to which the hooks belong also where they are inlined. So records are
// never interleaved.
//
// Header last. The words of a record are stored before its header, x86 keeps the order of stores,
// and the word behind the last record is zero. So a killed process leaves whole records.
//
// Record before release. An operation that lets another goroutine go on (Unlock, Done, send, close,
// Go) is recorded before it is visible. So the records of a killed or stopped process are closed
// under cause: no effect without its cause.
//
// No waiting. A stripe is held without preemption and without waiting for a goroutine or the disk,
// so GOMAXPROCS=1 is enough.
//
// No trace in the program. The recorder leaves no allocation in the heap, no goroutine and no open
// file. raceenabled stays false, so that the scheduler, pools and the allocator behave as without
// presage.
//
// # Alternatives that were rejected
//
// Setting raceenabled gives the hook points of the race detector in one line. With them come
// dropped Puts of sync.Pool, a randomised scheduler, no tiny allocator, and hooks on stacks where
// they may not run. Counting all operations with one atomic counter orders them, and the program
// with it. Recording an operation after it took effect, without (RC1), gives two Locks in a row as
// soon as the second goroutine is faster.
//
// # What is not recorded
//
// Calls of sync/atomic's functions in packages built without the flags of Overlay.BuildFlags; a
// value on the stack of a goroutine that another one reaches (emitted code keeps those in the
// heap); plain accesses of code that is not instrumented; the moment at which a TryRLock fails
// because of a writer that only waits: its TryFail stands where the lock may be free.
//
// # Cost
//
// A record of three words is six instructions, a block one comparison besides. An uncontended
// operation takes about 50 ns more: two reads of the time-stamp counter and a stripe for a lock,
// the same for an atomic. A page of records costs its zeroing and its way to the disk, about 0.3 µs
// of system time (presage_log.go).
package recorder
