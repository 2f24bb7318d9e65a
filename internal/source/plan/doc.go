// Package plan decides which instruction of a program's SSA has which records. It is
// the one agreement between the emitter (package instrument), which makes the
// instrumented program write the records, and the walker (package walk), which
// expects them: both ask [Plan] and nothing else.
//
// # Input
//
// [Load] reads the chosen packages with go/packages, each in the variant that has most files (the
// one compiled for its own tests), and builds their SSA: lifted registers, generic functions once
// and not per instance, operands in gc's order (package evalorder). Each package has an ssa.Program
// of its own, because its dependencies come from export data; functions of different packages are
// matched by [Key].
//
// # The unit
//
// A unit is what can stay as it was written: a function declaration with all its
// literals, or a function literal of a package-level variable initialiser with all
// its own. The functions of a unit are emitted together or are opaque together.
// Package initialisers (var x = f()) are never emitted: they are opaque code.
//
// # Rules
//
// (R1) Record what the walker cannot recompute from what it has: results of heap
// allocations, of opaque calls, of map and string operations, of receives; values read
// from memory that another function may write. Package doc of value.go lists them.
//
// (R2) Every read and write of memory that may be shared is recorded with its address and value. A
// local Alloc whose address does not leave the function (see local.go) is not memory but a
// variable: loads and stores have no records, the walker knows what is in it. A return of a result
// variable in its own place does not write it (see [Kept]).
//
// (R3) A block has a Block record iff the walker may not know that it comes: one of its
// predecessors has two successors, and a condition that the walker cannot compute from what is
// recorded (known.go). Where a cycle of blocks would have no record at all that is sure to come,
// those of its blocks that are branched to have one. The first block has none. Recover blocks are
// never entered: the emitted function has named results and Go itself returns them.
//
// (R4) A call of a statically known instrumented function is preceded by Call(site) and
// followed by nothing, unless the callee has defers: then its results are recorded
// (deferred functions may have changed them).
//
// (R5) A typed call (see call.go) is preceded by Call(site); the runtime side
// writes the records of the operation. Its results are recorded.
//
// (R6) Any other call, and any call through an interface or a function value, is
// bracketed by OpaqueBegin and OpaqueEnd; its results are recorded after the bracket.
//
// (R7) Defer has no record. When the deferred call runs, an instrumented callee has Val 0
// in its Enter; a typed callee or close has the site of the Defer instruction.
//
// (R8) RunDefers does nothing in the emitted program: deferred calls run while the function
// returns, after the last instruction of the returning block and its records, before Exit. Loads of
// result variables that stand between RunDefers and Return in the SSA are executed before the
// deferred calls. A function that recovers leaves by its Exit record alone.
//
// (R9) Exit is the last record of a function that returns. Functions without defers write none
// when a panic passes through them.
//
// (R10) Records of one instruction share its site; their order is that of Instr.Before, the
// bracket, Instr.After. A hook whose Case is not -1 is present only if the select chose that case.
//
// (R11) An instruction that is Fused does not exist in the emitted program; the address
// or value that it would have yielded is not known.
//
// (R12) Zero-size values have no Value records, nor have results and components
// that nothing uses; copy and append have theirs always, because ranges depend on them.
//
// (R13) A variable that closures capture and that nothing is assigned to once the first closure is
// made is a value, not memory, as Go's compiler has it: it has no records, and the closure's free
// variable is the value itself (see captured.go). It has one store, before every load and every
// closure, at most once for each variable, so no access of it can race. In it an address stands for
// what is there.
//
// (R14) What a string says is not memory, and has no records, unless unsafe code has made it: then
// its bytes are read after the instruction that makes it, unsafe.String or a load of memory that
// some package sees as another type too (text.go). These reads have FlagText.
//
// (R15) A call that is bracketed by (R6) and not static may turn out to be one of a typed
// operation when it is executed: a method of an interface or a type parameter, a method value.
// Then it has no bracket, and the records of (R5). Where it is deferred, these have the site of
// the Defer instruction (R7).
//
// (R16) The load that go/ssa has for &*p is a Check: it panics if p is nil, and has no record
// (nilcheck.go).
//
// # Walking
//
// A Slice instruction with a result capacity (string: length) of 0 keeps the base
// pointer of its operand: Go never makes a pointer past the end. A nil map or channel
// in a hook has Obj 0. Hooks with Size -1 depend on type parameters: the record says how
// long it is. Padding bytes of structs are recorded as they are in memory.
//
// # Numbers
//
// Functions, blocks and instructions are numbered in the order package path (other
// modules' packages first, see [Program]), position of the unit, position of the function
// in it, block, instruction. The numbers depend on the source alone, not on which units
// are opaque.
package plan
