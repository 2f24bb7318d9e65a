// Package instrument writes a program's functions again as Go source, from their SSA,
// with the hooks of package plan in them.
//
// # How
//
// The text of a source file stays, except that each unit (a function declaration, or
// a function literal in a variable initialiser) is replaced by text made from its SSA:
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
// # Rules
//
// (E1) A register is a variable declared at the top; goto may not jump over declarations. A block
// is a label, an edge a parallel assignment to the phis of its target and a goto.
//
// (E2) A tuple is one variable per component.
//
// (E3) A local Alloc (plan.Func.Local) is a variable, and its fields and elements are selected in
// place; any other is new(T), kept off the stack by Heap, because a stack that grows moves.
//
// (E4) A function with defers has named results; the Allocs that its recover block returns are
// these results, so that Go's own recover works. RunDefers is nothing: Go does it.
//
// (E5) A literal stands in the function that it stands in in the source, in the order of the
// blocks. Its column says its number in the source, from which the compiler of package compiler
// takes its name; with Go's own the name is kept where the order of blocks is that of the source.
// Its free variables are copies, declared in a block around it.
//
// (E6) Constants that SSA found are hidden in variables wherever the compiler would
// evaluate and reject them: overflow, division by zero, index out of range, slices of constants.
//
// (E7) What has no name here (unexported fields and types of other packages) is fused into the
// expression that uses it, or the unit is refused. Conversions of pointers to uintptr are written
// inside the expression that uses them, or the pointer is kept alive by hand (uintptrs.go). Local
// types are declared at the top of the unit, and keep their names (locals.go).
//
// (E8) Every statement has the source line of its instruction, so that panics, runtime.Caller and
// failing tests name the user's lines. All emitted text is behind //line comments, with a column by
// which the compiler of package compiler knows it; statements of one source line stand on one line
// (lines.go).
//
// (E9) A unit that is refused, does not type-check, or that the compiler rejects (MarkOpaque) stays
// as it was written: it is opaque, with a reason. So do functions with //go: directives other than
// noinline (see Directives), files that import "C", and generated ones.
//
// (E10) Each file of the package's own tells the recorder, in an init function, where its
// package-level variables are (vars.go): initialisers stay as written.
//
// # Directives
//
// A directive counts for the next declaration (cmd/compile, noder/lex.go and noder.go; the go
// command). A function that is left as written keeps its text and its directives.
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
// Emitted text must behave as the source. Where the language leaves an order of
// evaluation open, it is gc's: the SSA has it (package evalorder); what differs is counted in the
// trace. The type checker guards types, not behaviour; the programs under testdata/prog and the
// scripts in bench compare behaviour, TestOrder the order of evaluation of random statements.
package instrument
