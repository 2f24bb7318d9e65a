// Package instrument writes the functions of a program again as Go source, from their SSA, with the
// records of package plan.
//
// # Method
//
// The text of a source file stays, except for its units (package plan). A unit is replaced by text
// that is made from its SSA:
//
//	func (a *Account) Add(n int) { a.sum += n }
//
//	func (p0_ *Account) Add(p1_ int) {
//		g_ := presagert_.Enter(…)
//		var t0_ *int; var t1_ int; var t2_ int
//		t0_ = &p0_.sum
//		t1_ = *t0_
//		g_.W3(… read …)
//		t2_ = t1_ + p1_
//		*t0_ = t2_
//		g_.W3(… write …)
//		g_.Exit(…)
//		return
//	}
//
// A value of type body emits one function, with the help of these:
//
//   - registers: the variables of the emitted function;
//   - expressions: operands as Go expressions over these variables;
//   - records: the calls that write records;
//   - calls: call, go and defer statements;
//   - boundary: the records of calls that leave traced code;
//   - literals: function literals;
//   - heapKeeper: the calls that keep memory off the stack;
//   - gating: gates in place of records, for a replay.
//
// # Rules
//
// (IN1) A register is a variable declared at the top, because goto may not jump over declarations.
// A block is a label. An edge is a parallel assignment to the phis of its target, and a goto. A
// tuple is one variable per component. A local Alloc (plan.Func.Local) is a variable, whose fields
// and elements are selected in place. Any other Alloc is new(T), and Heap keeps it off the stack,
// because a stack that grows moves. A function with defers has named results. They replace the
// Allocs that its recover block returns, so that Go's own recover works. RunDefers has no text,
// because Go runs deferred calls itself.
//
// (IN2) Names and lines are those of the source. A literal is written in the function that contains
// it in the source, in the order of the blocks. Its column encodes its number in the source, from
// which the compiler of package compiler takes its name. Go's own compiler gives the same name if
// the order of blocks is that of the source. Its free variables are copies, declared in a block
// around it. Every statement has the source line of its instruction, so that panics, runtime.Caller
// and failing tests name the user's lines. All emitted text follows //line comments, with a column
// by which the compiler of package compiler recognises it. Statements of one source line are on one
// line (lines.go).
//
// (IN3) Emitted text must compile. A constant that SSA has computed is hidden in a variable
// wherever the compiler would evaluate and reject it: overflow, division by zero, index out of
// range, slices of constants. An unexported field or type of another package has no name here. It
// is fused into the expression that uses it, or the unit is refused. A conversion of a pointer to
// uintptr is written inside the expression that uses it, or the pointer is kept alive
// (uintptrs.go). Local types are declared at the top of the unit, and keep their names (locals.go).
//
// (IN4) A unit stays as written if it is refused, does not type-check, or is rejected by the
// compiler (MarkOpaque). It is opaque, with a reason. So is a function with a //go: directive other
// than noinline (see Directives), one with a defer or go statement of delete, clear or copy, a file
// that imports "C", and a generated file.
//
// # Directives
//
// A directive applies to the next declaration (cmd/compile, noder/lex.go and noder.go; the go
// command). A function that stays as written keeps its text and its directives.
//
//   - //go:noinline: kept, on the emitted function
//   - //go:nosplit, //go:norace, //go:nocheckptr, //go:noescape, //go:nointerface,
//     //go:registerparams: the function is as written
//   - //go:uintptrescapes, //go:uintptrkeepalive; functions without a body have the latter
//     too: the function is as written. An emitted caller has the conversion uintptr(p)
//     inside the call, as the source has, so the compiler keeps p alive. For a parameter
//     ...uintptr the emitted code uses p again after the call. A caller with such a call
//     in a go or defer statement is as written
//   - //go:linkname: kept in the file. A function that it documents is as written
//   - //go:embed: kept: declarations of variables are not changed
//   - //go:systemstack, //go:nowritebarrier, //go:nowritebarrierrec,
//     //go:yeswritebarrierrec: the compiler allows them in package runtime only
//   - //go:cgo_*, //export: files that import "C" are as written; Go allows the former in
//     what cgo generates only, but cgo_import_dynamic, which is kept in the file
//   - //go:wasmimport, //go:wasmexport: no effect but on wasm, which is not recorded; the
//     function is as written
//   - //go:build, //go:debug: kept. A module with an older go directive gets a stronger
//     //go:build
//   - //go:generate, //go:fix: for tools alone; kept
//   - //line: obeyed: emitted lines have the file and line that it gives
//   - any other //go:: unknown to Go; the function is as written
//
// # Soundness
//
// Emitted text must behave as the source. Where the language leaves the order of evaluation open,
// emitted text has gc's order, because its SSA has it (package evalorder). Statements that keep
// another order are counted in the trace. Initialisers of package-level variables stay as written;
// vars.go says how the recorder learns of these variables. The type checker protects types, not
// behaviour. The programs in testdata/prog and the commands in bench compare behaviour. TestOrder
// compares the order of evaluation of random statements.
package instrument
