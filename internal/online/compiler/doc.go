// Package compiler makes the compiler of presage: that of the user's Go with a few edits, built by
// the user's go command and kept. It gives the detector of -online cheaper checks, the recorder
// hooks in the right functions, function literals their names, and calls of assembly their
// accesses.
//
// With its flag -race Go's compiler puts a call in front of each access. A call keeps no register,
// so all that lives across it is spilled and loaded again. The compiler cannot know that most of
// these calls only compare. The edited compiler does.
//
// Nothing of GOROOT is changed: the edited sources are in an overlay, and the go command takes the
// compiler by -toolexec. The edits are compiler.diff of package goversion. Where one does not fit,
// where GOROOT has no sources, on other systems, or where the build fails, the answer is
// Unsupported, and the program is built with Go's own compiler. Without -race and -d=presage the
// edited compiler compiles as Go's own.
//
// # Checks of the detector
//
// The check of an access is an operation of amd64, LoweredRace, in place of the call of raceread
// and its like. Its address is in AX. It keeps all registers but R10 to R13 and those of floating
// point, as the write barrier does (LoweredWB). To the rest of the compiler it is a store to an
// unknown address, as the call was: no operation on memory is moved across it. The check for nil of
// the address is an argument of it, so it comes first. The operation calls runtime.ftHookRead and
// its like (recorder/_online).
//
// Functions have no hooks where they begin and end. Those of presage do nothing there, and with
// them a defer is never open-coded. A pass of the compiler leaves out checks:
//
//	(OC1) A check is left out in two cases. Repeated: on every path to it there is a check
//	      of the same location (value of the address, offset, length), of the same kind or
//	      of a write, and nothing in between may synchronise. A call, an atomic operation,
//	      and all that is not known to be a plain access may. A value that its block makes
//	      anew, in a loop, is another location. Functions of the runtime that are an
//	      operation of the language or part of one (growslice, newobject, mapaccess1) do not
//	      synchronise: they call no function of the program, and their accesses have their
//	      own hooks. Read before write: a check of a read is followed, in its block, by a
//	      check of a write of the same location, and nothing in between may synchronise or
//	      panic. A check for nil may panic, and so may such a function of the runtime. So
//	      x++ has the check of its write alone.
//
// Why (OC1) loses no racy location. Let a and b be two accesses of one goroutine with no
// synchronisation in between. An access of another goroutine that is ordered with one of them is
// ordered with the other in the same direction, because an order that begins in between needs an
// operation that synchronises. So an access that races with the one that is left out also races
// with the other, which conflicts at least as much. Only the source line that is reported may
// differ. The second case also needs that the write is executed: only a fault in between could
// prevent it.
//
// For the garbage collector and the scheduler, a hook is no place where the goroutine may stop.
// There is no stack map at its call. It is assembly of package runtime, which is never preempted,
// and what it calls neither grows the stack nor waits as a goroutine (package online).
//
// # The program
//
// The compiler is also the program for -toolexec: where its first argument is another tool, it
// becomes that tool. It has an identity of its own (compile -V=full), so the build cache keeps its
// results apart.
//
// # Hooks for the recorder
//
// Go's compiler decides on hooks by the function that it compiles. So a function of outside code
// loses its hooks when it is inlined or instantiated in emitted code, and a function that stays as
// written in an emitted file has none. With -d=presage=N the compiler decides by the access. N is 1
// in a package of outside code, which is compiled with -race, and 2 in a package that package
// instrument has emitted, which is compiled without.
//
//	(OC2) An access has a hook if and only if the innermost function at its position is not
//	      emitted code, with these exceptions. Functions of packages that have no hooks by
//	      the compiler's own lists, of presagert and of packages that are left out
//	      (-d=presageskip) have none when they are inlined or instantiated either. Code that
//	      the compiler has generated in an emitted package (comparisons of types) has none,
//	      but for wrappers of methods: they load the receiver on the way to the method, and
//	      no other code records that.
//
// Emitted code is behind //line comments with a column that no other code has (package instrument,
// lines.go). The column is part of each position, also in export data, so it is still there when
// the function is inlined or instantiated elsewhere. The hook of a string, a slice or an interface
// says how wide it is; the race detector's hook covers the first word alone.
//
// An emitted package is compiled without -race because -race would keep functions of package
// runtime from being inlined, those of the recorder above all. So (OC2) also decides what package
// walk of the compiler does only under -race: append, copy, clearing loops, conversions from []byte
// and comparisons call the runtime, or have the form with hooks, where they are not emitted code.
// Calls of sync/atomic's functions are not replaced by instructions in such a package: the recorder
// has its own functions.
//
// These hooks are Go functions of package runtime (raceread and its like), not the operation
// LoweredRace: they keep no registers.
//
// # Names of function literals
//
//	(OC3) An emitted function literal is named by the number that its column says, not by
//	      the number of literals in front of it: package instrument counts literals as the
//	      compiler counts those of the user's source. Up to go1.26, literals in the body of a
//	      range over a function are named after the function around it. Literals that the
//	      user has not written have names of their own, as f-presage1. A literal that is
//	      inlined is counted.
//
// # Calls of assembly
//
// A function in assembly has no hooks. The compiler knows such a function by its ABI (ABI0 without
// a body), also in another package. It knows a call through a function value by the wrapper that it
// makes for it.
//
//	(OC4) With -d=presage, a call of assembly that is given memory, by a pointer or a slice,
//	      is one of these. Known: table presageAccesses (compiler.diff) says which arguments
//	      it reads and writes, and their hooks stand in front of the call. Recorded: its
//	      package is in presageRecorded, and callers record what it does. Unknown: the call
//	      stands between runtime.presageCalls and presageCalled, which make it a cut. What
//	      was before it stays before it, and what is behind it stays behind it, also where
//	      the caller is emitted code.
//
// An unknown function has a cut and no hook because a wrong hook makes false races: memory that is
// recorded as written and is not races with readers, and memory that is recorded as read and is not
// races with writers. A cut makes none; it costs predictions across the call.
package compiler
