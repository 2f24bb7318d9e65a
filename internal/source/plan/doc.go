// Package plan decides which records each instruction of a program's SSA has.
//
// The plan is the only agreement between the emitter (package instrument) and the walker (package
// walk). The emitter makes the instrumented program write the records, and the walker expects them.
// Both ask [Plan] and nothing else.
//
// # Input
//
// [Load] reads the chosen packages with go/packages. It takes the variant of each package with the
// most files, which is the variant compiled for its own tests. It builds their SSA: lifted
// registers, generic functions once and not per instance, operands in gc's order (package
// evalorder). Each package has an ssa.Program of its own, because its dependencies come from export
// data. [Key] matches functions of different packages.
//
// # Units
//
// A unit is the smallest piece of source that can stay as written: a function declaration with all
// its literals, or a function literal of a package-level variable initialiser with all its own. The
// functions of a unit are emitted together or are opaque together. Package initialisers (var x =
// f()) are never emitted: they are opaque code.
//
// # Rules
//
// (PL1) A value has a Value record if the walker cannot recompute it from other records: the result
// of a heap allocation, of an opaque call, of a map or string operation, of a receive, or of a read
// of memory that another function may write. File value.go has the list. A value of size zero has
// no record, nor has a result or component that nothing uses. The results of copy and append always
// have one, because ranges depend on them. A Fused instruction does not exist in the emitted
// program, so the address or value that it would yield is unknown.
//
// (PL2) Each read and write of memory that may be shared is recorded with address and value. A
// local Alloc whose address does not leave the function is not memory but a variable (local.go).
// Its loads and stores have no records, and the walker tracks its contents. Neither is a variable
// memory whose address is used only as a number: it is converted to uintptr, and the number is only
// computed with (address.go). No pointer to the variable exists, so each of its accesses is a load
// or store of this function. In the emitted program it is on the stack, where Go's compiler has it.
// Each conversion has a Value record, because the stack may move. A return of a result variable in
// its own place does not write it (see [Kept]). The load that go/ssa has for &*p only panics if p
// is nil. It is a Check and has no record (nilcheck.go).
//
// (PL3) A block has a Block record iff the walker may be unable to predict that it is executed: a
// predecessor has two successors, and the walker cannot compute the condition from other records
// (known.go). If a cycle of blocks would contain no record that is certain, its blocks that are
// targets of branches have one. The first block has none. Recover blocks are never entered: the
// emitted function has named results, and Go itself returns them.
//
// (PL4) There are three kinds of calls:
//
//   - A call of a statically known instrumented function is preceded by Call(site). If the callee
//     has defers, its results are recorded after the call, because deferred functions may have
//     changed them.
//   - A typed call (call.go) is preceded by Call(site). The runtime side writes the records of the
//     operation. Its results are recorded.
//   - Any other call, and any call through an interface or a function value, is bracketed by
//     OpaqueBegin and OpaqueEnd. Its results are recorded after the bracket.
//
// (PL5) A bracketed call that is not static may enter a typed operation when it is executed: a
// method of an interface or a type parameter, or a method value. Then it has no bracket, and the
// records of a typed call. If it is deferred, they have the site of the Defer instruction.
//
// (PL6) A Defer has no record. When the deferred call runs, an instrumented callee has Val 0 in its
// Enter; a typed callee or close has the site of the Defer instruction. RunDefers has no effect in
// the emitted program. Deferred calls run while the function returns, after the last instruction of
// the returning block and its records, and before Exit. Loads of result variables between RunDefers
// and Return in the SSA are executed before the deferred calls. Exit is the last record of a
// function that returns, and the only record of leaving a function that recovers. A function
// without defers writes none when a panic passes through it.
//
// (PL7) A captured variable to which nothing is assigned after the first closure is made is a
// value, not memory, as it is for Go's compiler (captured.go). It has no records, and the closure's
// free variable is the value itself. The variable has one store, which is executed at most once for
// each variable, before every load and every closure. So no access of it can race. In it an address
// denotes the value at that address.
//
// (PL8) The contents of a string are not memory and have no records, unless unsafe code made the
// string. Then its bytes are read after the instruction that makes it: unsafe.String, or a load of
// memory that some package also sees as another type (text.go). These reads have FlagText.
//
// # Order of records
//
// The records of one instruction share its site. Their order is Instr.Before, the bracket,
// Instr.After. A hook whose Case is not -1 is present only if the select chose that case.
//
// # Values
//
// A Slice instruction whose result has capacity 0 (of a string: length 0) keeps the base pointer of
// its operand: Go never makes a pointer past the end. A nil map or channel in a hook has Obj 0. The
// size of a hook with Size -1 depends on type parameters, and the record contains it. Padding bytes
// of structs are recorded as they are in memory.
//
// # Numbers
//
// Functions, blocks and instructions are numbered in the order of package path (packages of other
// modules first, see [Program]), position of the unit, position of the function in it, block, and
// instruction. The numbers depend on the source alone, not on which units are opaque.
package plan
