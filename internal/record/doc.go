// Package record builds a Go program with the recorder inside, runs it, and turns
// what it left behind into traces.
//
// # Steps
//
// Check: the go command must accept the program as it is, by go vet with the checks of go test.
// Where it does not, the user's command runs as it is, so that its output is what it would be
// without presage; there is nothing to analyse then, and nothing is left behind.
//
// Build: the overlays of packages instrument and recorder go into one. Code that does not compile
// becomes opaque, and the build is repeated.
//
// Run: go test, or the program, with the overlay. Output, input and exit code are the program's
// own. Tests that count allocations have run without records before (allocs.go).
//
// Merge: each process left a directory of raw records, and each becomes one trace.
//
// # What is added to the user's go test
//
//	-overlay    the instrumented sources and the patched standard library
//	-vet=off    vet has checked the sources before; it must not judge emitted ones
//	-count=1    unless the user gives a count: a cached result would not be recorded.
//	            The cache does not know that the recorder reads its directory from the
//	            environment.
//
// Config.Disk bounds what the processes of the run take of the disk. A disk that is full at any
// step is an error of package disk: in the check and in the build it must not look like a program
// that does not compile. A build that met it is not kept.
//
// # Directories
//
// All are below os.UserCacheDir()/presage, or PRESAGE_CACHE.
//
//   - build/<key> has emitted sources and the patched files of the standard library. The key is
//     made from everything that they depend on. So a complete directory never changes, and two
//     presage processes do not disturb each other. Go's build cache goes by content: a new key
//     costs what has changed.
//   - online/<build of presage> has the detector of -online, in the same manner.
//   - mod/<hash of the files>/<path@version> has copies of modules of the module cache that are
//     instrumented, or left out.
//   - runs/<time>-<pid> has the raw records, the traces and the report of a run. Its name is the ID
//     of the run.
//
// # Runs
//
//	(RE1) A run belongs to a module, by the root of that: the directory of the go.mod above
//	      the directory of the run; if there is none, that of the go.work; if there is none,
//	      the directory itself. Symbolic links are resolved. A directory of an earlier
//	      presage belongs to the module that its report names; without a report, to none.
//	(RE2) A run has finished when it has a report, which is written beside and renamed.
//	      Commands for the last run take the newest finished one of the module that they are
//	      called in. A process makes the directory of its run, and holds a lock in it until
//	      the report is there. The kernel releases the lock of a process that is killed. A
//	      process that reads a run shares the lock.
//	(RE3) Finished runs are removed when another one has finished: a module keeps KeepRuns,
//	      and all modules together keepAllRuns. So a run that is killed takes the place of
//	      no other. An unfinished run that no process makes is removed when the next run
//	      begins. A run in which nothing was recorded, or no test ran, is dropped.
//
// # Merging while the tests run
//
//	(RE4) Processes that have ended are merged while others still run, and their traces are
//	      handed on (early.go). A process has ended when it has recorded its end: it stops
//	      the world, marks what was accessed, records the end, and runs nothing any more
//	      (presageEnds of package recorder). That its number is free proves nothing, for the
//	      number may be of another namespace. A process that a signal has ended, or that had
//	      no room to record in, is merged when all are over. A trace rests on the records of
//	      its process, and on which processes were recorded when the merge began: whether
//	      one of them started it, and how many are like it. This is compared when all are
//	      over. Where it differs, the process is merged again.
//
// One process is merged after the other, with as little of the machine as package beside says, and
// not in the first seconds. The traces are the same, byte for byte, as if all were merged at the
// end.
//
// # Other modules
//
// The copy of a module takes the place of the version that the build selects, and of no other:
// requirements of other versions still decide which versions of other modules are selected. A copy
// has a go.mod. A module without one (+incompatible, or older than modules) gets the text that the
// go command has made for it. A go directive is never written or raised: it decides the meaning of
// loops, and what the go command loads. Package instrument raises single files, up to go1.21.
//
// The key of a build has the language version of each package, the go.mod or go.work that selects
// the copies, and the text of all sources that can be edited: those of the main module, of
// replacing directories, of vendored modules, and of copied modules.
package record
