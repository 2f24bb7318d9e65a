// Package recorder has the recorder that presage puts into the program under test, and the changes
// to the standard library that feed it. New writes both as an overlay: files that the go command
// reads in place of those of GOROOT. Neither GOROOT nor the program's files are touched.
//
// # Terms
//
//	emitted code   what package instrument writes in place of the program's functions
//	hook           a function of the overlay that emitted code or the standard library calls; for
//	               emitted code, hooks.src of package instrument is the contract
//	gate           a hook that holds a goroutine of a replay until its step of the schedule
//	record         what a hook writes: words of 8 bytes (internal/trace/format/raw.go)
//	stream         the records of one goroutine, a list of chunks in mapped files
//	box            a chunk whose memory is used again once it is written to another file
//	stamp          the time of an operation of synchronisation, in its record
//	stripe         a spin lock and a clock for the objects whose addresses have the same hash
//
// # The overlays
//
//	_both     in each overlay: random numbers that a replay can repeat, helpers for loops
//	_std      the recorder, in package runtime, and presagert, the package that emitted code imports
//	_gates    with Config.Gates, in place of _std: the gates of a replay, and its own presagert
//	_online   with Config.Online, in place of _std: package online, the detector that runs inside
//	          the program; it shares the hooks of synchronisation with _std (onlineFiles)
//
// The changes to files of the standard library, and all that depends on the version of Go, are in
// package goversion. A patch that does not fit the user's GOROOT is a goversion.PatchError, before
// anything is built. _online is for linux/amd64 alone, the others for linux/arm64 as well: files
// whose names end in the processor have what depends on it.
//
// A build uses Overlay.JSON with Env or BuildFlags: with these flags, calls of sync/atomic's
// functions stay calls (gcflags.go). They contain a user's own -gcflags, which IsGCFlags therefore
// removes from the command line. The Env constants name variables of the program's environment:
// EnvDir is where it records to, and with OutsideAudit in EnvOutside, all accesses of outside code
// have records with values. CountsFile and UncountedFile serve testing.AllocsPerRun (allocs.go).
// ReadUnrecorded returns an Unrecorded for each reason why processes did not even begin to record.
//
// # What holds of the records
//
// In the order of their stamps, the stamped records of a process are an execution of the program's
// synchronisation. Package merge relies on it, and validate_test.go executes them. Two rules have
// numbers:
//
//   - (RC1) Stamp in effect. An operation and its stamp are one step for the other operations of
//     the object. So the stamps of an object are in the order of its operations.
//   - (RC2) Bounded. The processes of a run take no more of the disk than its limit (SetLimit):
//     each file is counted, at its full size, before it is made. Where a file would exceed the
//     limit, its process stops recording and runs on, as where the disk is full.
//
// The one step of RC1 is made by the stripe of the object (Mutex, RLock, WaitGroup, Cond, atomics),
// by the channel's own lock, or by the operation, which excludes all others: a writer's Lock and
// Unlock, and a Once. A stamp is the maximum of the clock (pgTicks), the goroutine's last stamp +
// 1, and the stripe's clock + 1. So stamps of one goroutine and of one object differ and increase,
// whatever the clock says: the counters of the cores need not agree, and the clock may stand still
// for a while. Two stamps that are equal belong to different goroutines and objects, and order
// nothing. The clock is the time-stamp counter on amd64, and the kernel's clock in nanoseconds on
// arm64, whose counter is coarse there and may be read early.
//
// One writer. A stream is written by its goroutine, or, while that waits on a channel, by the
// goroutine that completes its operation, under the channel's lock. The runtime does not preempt
// inside package runtime, to which the hooks belong also where they are inlined. So records are
// never interleaved.
//
// Header last. The words of a record are stored before its header in the order of the program, and
// a thread that is killed has executed all instructions up to one. Nobody reads a stream before its
// writer has synchronised, or is dead. So no barrier is needed. The compiler for arm64 may store
// the header and the word behind it with one instruction (STP), but no word later than the header.
// The word behind the last record is zero: new files are, and a box that is used again is cleared
// ahead (PresageG.limit). So a killed process leaves whole records.
//
// Weak memory. On arm64, other processors may see stores and loads in another order than that of
// the program. Atomic operations of package internal/runtime/atomic keep their order among each
// other. They are acquire and release operations besides: what is before an operation that another
// goroutine learns of is seen by that goroutine. So marks and cells need no more where
// happens-before decides (SC4): who cannot see a mark does not know of the access either. Barriers
// of their own (pgStoreRel, pgFence) have the end of an operation under a stripe, whose effect must
// be seen before the stripe is free; cells that are cleared for new memory; and words that are read
// without a lock between two looks at a counter (sets of package runtime, the number of
// goroutines). A program that races may show an order of its plain accesses that no execution in
// one order has: then reads are unexplained (package merge), as they may be on amd64.
//
// Record before release. An operation that lets another goroutine go on (Unlock, Done, send, close,
// Go) is recorded before it is visible. So the records of a killed process are closed under cause:
// no effect without its cause. Where a process stops recording and runs on, merge cuts its streams
// at their last stamps before the stop. Each process has a trace of its own: another's stop does
// not matter.
//
// No waiting. A stripe is held without preemption and without waiting for a goroutine or the disk.
// So no goroutine spins for a holder that can not run, even with GOMAXPROCS=1.
//
// No footprint. The recorder leaves no allocation in the heap, no goroutine and no open file.
// OnlineCompilerFlags has -race, but as a flag of the compiler, which then calls the access hooks.
// The runtime's constant raceenabled comes from -race of the go command and stays false, so that
// the scheduler, pools and the allocator behave as without presage.
//
// # Alternatives that were rejected
//
// Setting raceenabled gives the race detector's hook points in one line. With them come dropped
// Puts of sync.Pool, a randomised scheduler, no tiny allocator, and hooks on stacks where they may
// not run. Counting all operations with one atomic counter orders them, and the program with it.
// Recording an operation after it took effect, without RC1, gives two Locks in a row as soon as the
// second goroutine is faster.
//
// # What is not recorded
//
//   - Calls of sync/atomic's functions in packages built without the flags of Overlay.BuildFlags.
//   - Accesses of code that is not emitted to its own stack, even if another goroutine reaches the
//     value. (Emitted code keeps the memory that it records in the heap.)
//   - Plain accesses of code without hooks, as assembly.
//   - The moment at which a TryRLock fails because of a writer that only waits. Its TryFail stands
//     where the lock may be free; then MO13 does not enable it, and its goroutine ends in the
//     window.
//
// # Adding a kind of event
//
// The kind comes first in package format: its number and name (kind.go), the words of its record
// (raw.go, RawLen). Here it needs
//
//   - a name in function constants (overlay.go), by which hooks write it;
//   - a hook in _std/runtime that writes the record under the object's stripe (pgEnter, put1 to
//     put3, pgLeave), declared in _std/sync or _std/internal/sync;
//   - a patch of the standard library that calls the hook (patches of package goversion), or, if
//     emitted code calls it, hooks.src and _std/presagert, and a plan (package plan);
//   - its length in pgKindWords (presage_scan.go), and a case in PresageG.synchronises
//     (presage_cell.go) if it only acquires;
//   - the same hook in _online, or a case in its put1 (presage_core.go), for its edges;
//   - a gate, if a replay has to order it (classOf of package replay);
//   - a case in validate_test.go, and an operation in the program of stress_test.go.
//
// Next are package merge (emit, endsContext), then packages model, window and engine.
//
// # Cost
//
// A record of three words is six instructions, a basic block of emitted code one comparison
// besides. An uncontended operation takes about 50 ns more, for the time-stamp counter and the
// stripe. A page of records costs its zeroing and its way to the disk, about 0.3 µs of system time
// (presage_log.go).
package recorder
