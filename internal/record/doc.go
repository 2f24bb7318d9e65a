// Package record builds a Go program with the recorder inside, runs it, and turns
// what it left behind into traces.
//
// # Steps
//
//	(1) check     the go command must accept the program as it is: go vet with the checks of go test
//	(2) build     instrument's and rt's overlays go into one; what does not compile becomes opaque, and again
//	(3) run       go test, or the program, with the overlay; output, input, and exit code are the program's own.
//	              Tests that count allocations have run without records before (allocs.go)
//	(4) merge     each process left a directory of raw records; each becomes one trace
//
// # What is added to the user's go test
//
//	-overlay    the instrumented sources and the patched standard library
//	-vet=off    vet has seen the sources in (1); it must not judge emitted ones
//	-count=1    unless the user gives a count: a cached result would not be recorded.
//	            The cache does not know that the recorder reads its directory from the
//	            environment.
//
// What the processes of (3) take of the disk is bounded by Config.Disk. A disk that is full at any
// step is an error of package disk: in (1) and (2) it must not look like a program that does not
// compile, and a build that met it is not kept.
//
// If (1) finds anything, the user's command runs as it is, so that he sees what he would see
// without presage; there is nothing to analyse then, and nothing is left behind.
//
// # Directories
//
// All below os.UserCacheDir()/presage, or PRESAGE_CACHE. Emitted sources and the patched files of
// the standard library lie in build/<key>; the key is made from everything they depend on, so a
// directory that is complete never changes, and two presage processes do not disturb each other. So
// does the detector of -online, in online/<build of presage>. Go's build cache goes by content: a
// new key costs what has changed. Modules of the module cache that are instrumented, or left out,
// are copied to mod/<hash of the files>/<path@version>, once. Raw records, traces and the report of
// a run lie in runs/<time>-<pid>, the ID of the run:
//
//	(D1) A run belongs to a module, by the root of that: the directory of the go.mod above the
//	     directory of the run; if there is none, that of the go.work; if there is none, the
//	     directory itself. Symbolic links are resolved.
//	(D2) A run has finished when it has a report, which is written beside and renamed. Commands
//	     for the last run take the newest finished one of the module that they are called in.
//	(D3) A process makes the directory of its run, and holds a lock in it until the report is
//	     there. The kernel releases the lock of a process that is killed. A process that reads a
//	     run shares the lock.
//	(D4) Finished runs are removed when another one has finished: a module keeps KeepRuns, and all
//	     modules together keepAllRuns. So a run that is killed takes the place of no other. What
//	     has not finished and is made by nobody is removed when the next run begins.
//	(D5) A run in which nothing was recorded, or no test ran, is dropped.
//	(D6) A directory of an earlier presage belongs to the module that its report names; without a
//	     report, to none.
//
// # While the tests run
//
// Processes that have ended are merged while others still run, and their traces are handed on
// (early.go):
//
//	(P1) A process has ended when it has said so: it stops the world, marks what was accessed,
//	     says that it ends, and nothing of it runs any more (presageEnds of package recorder).
//	     That its number is free says nothing, for the number may be of another namespace. One
//	     that a signal has ended, or that had no room to record in, is merged when all are over.
//	(P2) A trace rests on the records of its process, and on which processes were recorded when it
//	     began: whether one of them started it, and how many are like it. This is compared when
//	     all are over. Where it is not the same, the process is merged again.
//	(P3) It is one process after the other, with as little of the machine as package beside says,
//	     and not in the first seconds.
//
// So the traces are the same, byte for byte, as if all were merged at the end.
//
// # Other modules
//
//	(M1) The copy of a module takes the place of the version that the build selects, and of no
//	     other: requirements of other versions still decide which versions of other modules are
//	     selected.
//	(M2) A copy has a go.mod. A module without one (+incompatible, or older than modules) gets the
//	     text that the go command has made for it.
//	(M3) A go directive is never written or raised: it decides the meaning of loops, and what the
//	     go command loads. Package instrument raises single files, up to go1.21.
//	(M4) The key of a build has the language version of each package, the go.mod or go.work that
//	     selects the copies, and the text of all sources that can be edited. Those are
//	     the main module's, replacing directories', vendored ones, and those of copied modules.
package record
