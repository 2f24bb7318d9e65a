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
// # Rules
//
// The records of a run are those of an execution of the program (merge relies on it,
// validate_test.go executes them):
//
//   - (R1) One writer. A stream is written by its goroutine, or, while that waits on a channel, by
//     the goroutine that completes its operation, under the channel's lock. The runtime does not
//     preempt inside package runtime, to which the hooks belong also where they are inlined, so
//     records are never interleaved.
//   - (R2) Header last. The words of a record are stored before its header, x86 keeps the order of
//     stores, and the word behind the last record is zero. So a killed process leaves whole
//     records.
//   - (R3) Stamp in effect. An operation and its stamp are one step for the other operations of the
//     object: by the lock taken (Mutex by stripe, channel by its own), or by the order that the
//     operation itself makes (Wait, a writer's Lock). Stamps of an object are therefore in the
//     order of its operations.
//   - (R4) Record before release. What lets another goroutine go on (Unlock, Done, send, close, Go)
//     is recorded before it is visible. So what a killed or stopped process leaves is closed under
//     cause: no effect without its cause.
//   - (R5) No waiting. A stripe is held without preemption and without waiting for a goroutine or
//     the disk, so GOMAXPROCS=1 is enough.
//   - (R6) No trace in the program. No allocation in the heap, no goroutine, no open file remains;
//     raceenabled stays false, so that the scheduler, pools and the allocator do what they do
//     without presage.
//   - (R7) Bounded. The processes of a run take, of the disk, no more than its limit (SetLimit):
//     each file is counted, at its full size, before it is made. Where one is too much its process
//     stops recording, as where the disk is full, and runs on.
//
// # Which alternative is wrong
//
// Setting raceenabled gives the hook points of the race detector in one line, and with them dropped
// Puts of sync.Pool, a randomised scheduler, no tiny allocator, and hooks on stacks where they may
// not run. Counting all operations with one atomic counter orders them, and the program with it.
// Recording an operation after it took effect, without (R3), gives two Locks in a row as soon as
// the second goroutine is faster.
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
