// Package compiler makes the compiler of presage: that of the user's Go with a few edits, built by
// the user's go command and kept. The detector (-online) gets cheaper checks from it (E1 to E4),
// the recorder hooks in the right functions (E6), literals their names (E7) and calls of assembly
// their accesses (E8).
//
// With its flag -race the compiler puts a call in front of each access, and a call keeps no
// register: all that lives across it is spilled and loaded again. It cannot know that most of these
// calls do nothing but compare. Here it does. Nothing of GOROOT is changed: the edited sources are
// in an overlay, and the compiler is given to the go command with -toolexec.
//
// # Edits
//
//	(E1) An operation of amd64 for the check of an access. Its address is in AX; it keeps all
//	     registers but R10 to R13 and those of floating point, as the write barrier does
//	     (LoweredWB). To the rest of the compiler it is a store somewhere, as the call was:
//	     nothing that touches memory goes past it, and the check for nil of the address is an
//	     argument of it, so comes before it.
//	(E2) -race uses it, in place of calls of raceread and its like. What stands behind it is
//	     runtime.ftHookRead and its like (rt/_online).
//	(E3) No hooks where a function begins and ends: ours do nothing, and with them a defer is
//	     never open-coded.
//	(E4) A pass that leaves out checks: (C1), (C2).
//	(E5) The compiler is a program for -toolexec as well, so none besides is needed: where its
//	     first argument is another tool, it becomes that one. It has an identity of its own
//	     (compile -V=full), so the build cache keeps what it has made apart.
//	(E6) For the recorder, -d=presage=N decides on the hook of each access. N is 1 in a package of
//	     outside code, which is compiled with -race, and 2 in one that package instrument has
//	     emitted, which is compiled without. See "Hooks for the recorder".
//	(E7) An emitted function literal is named by the number that its column says, not by those in
//	     front of it: package instrument counts literals as the compiler counts those of the
//	     user's source. What is in the body of a range over a function is named after the function
//	     around it. Literals that the user has not written have names of their own, f-presage1.
//	     One that is inlined is counted.
//	(E8) For the recorder, calls of functions in assembly. See "Calls of assembly".
//
// Without -race and -d=presage it compiles as Go's own. The edits are compiler.diff of package
// goversion. Where one does not fit, where GOROOT has no sources, on other systems, or where the
// build fails, the answer is Unsupported, and the program is built with Go's own compiler.
//
// # Hooks for the recorder
//
// Go's compiler decides on hooks by the function that it compiles. So a function of outside code
// that is inlined or instantiated in emitted code would lose its hooks, and a function that stays
// as written in an emitted file has none. With (E6) an access has a hook if and only if the
// innermost function at its position is not emitted code:
//
//   - Emitted code is behind //line comments with a column that no other code has (package
//     instrument, lines.go). The column is part of each position, also in export data, so it is
//     still there when the function is inlined or instantiated elsewhere.
//   - Functions of packages that have no hooks by the compiler's own lists, of presagert and of
//     packages that are left out (-d=presageskip) have none when they are inlined or instantiated
//     either.
//   - The hook of a string, a slice or an interface says how wide it is; the race detector is told
//     of its first word alone.
//   - What the compiler has generated in an emitted package (comparisons of types) has none, but
//     for wrappers of methods, which load the receiver on the way to the method: nobody else
//     records that.
//
// An emitted package is compiled without -race because -race would keep functions of package
// runtime from being inlined, those of the recorder above all. So what package walk does only under
// -race is decided there by (E6) as well: append, copy, clearing loops, conversions from []byte and
// comparisons call the runtime, or have the form with hooks, where they are not emitted code. Calls
// of sync/atomic's functions are not replaced by instructions in such a package: the recorder has
// its own.
//
// The hooks are Go functions of package runtime (raceread and its like), not the operation of (E1):
// they keep no registers.
//
// # Calls of assembly
//
// A function in assembly has no hooks. The compiler knows such a function by its ABI (ABI0 without
// a body), also in another package, and a call through a function value by the wrapper that it
// makes for it. With -d=presage, one of these holds of a call that is given memory, by a pointer or
// a slice:
//
//   - Table presageAccesses (_src/ssagen) says which arguments it reads and writes. Their hooks
//     stand in front of the call, as those of any access.
//   - Its package is in presageRecorded: callers record what it does.
//   - Otherwise the call stands between runtime.presageCalls and presageCalled, which make it a
//     cut: what was before it stays before it, what is behind it stays behind it. So it is where
//     the caller is emitted code.
//
// A cut and not a hook, where the function is not known: memory that is said to be written and is
// not races with readers, and memory that is said to be read and is not races with writers. These
// would be false races. A cut makes none; it costs predictions across the call.
//
// # Checks left out
//
//	(C1) A check of the same location (value of the address, offset, length) is in front of it on
//	     every path, of the same kind or of a write, with nothing in between that may synchronise:
//	     a call, an atomic operation, anything that is not known to be a plain access. A value
//	     that its block makes anew, in a loop, is another location. Functions of the runtime that
//	     are an operation of the language or part of one (growslice, newobject, mapaccess1) do not
//	     synchronise: they call nothing of the program's, and their own accesses have their own
//	     hooks.
//	(C2) A check of a read has that of a write of the same location behind it in its block, with
//	     nothing in between that may synchronise, and nothing that may panic: a check for nil, or
//	     such a function. So of x++ the write is checked and told, not the read.
//
// # Soundness
//
// Of two accesses of one goroutine with no synchronisation in between, the same accesses of others
// are ordered before, or after, the one and the other: what comes to be ordered in between would be
// by something that synchronises. So who races with the one that is left out races with the one
// that is not, of a kind that conflicts at least as much, and the location has a race with it. What
// changes is which of the two positions is told. (C2) also needs that the write is executed:
// between the two only a fault could prevent it.
//
// For the garbage collector and the scheduler, a hook is no place where the goroutine may stop:
// there is no stack map at its call, it is assembly of package runtime, which is never preempted,
// and what it calls neither grows the stack nor waits as a goroutine (rt/online, R19).
package compiler
