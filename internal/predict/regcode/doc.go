// Package regcode turns SSA functions into register code, and evaluates instructions of it that
// have no effect.
//
// Two machines execute the code: package walk along a recorded trace, and package alternative on
// untaken branches. Both need the same preparation and the same meaning of instructions, which
// are in this package alone. It has no machine of its own: no frames, no goroutines, no memory.
//
// # Code
//
// A [Program] has the functions of a plan (package plan). It compiles each function at its first
// use; several goroutines may use it at a time. A [Code] is one function, and it is
// immutable: SSA values have numbered registers, operands are resolved to registers, constants
// and globals, and sizes and offsets are computed. A result that is a tuple has a register for
// each component. A local variable whose address does not leave the function has a cell.
//
// An [Instr] is an instruction: its [Opcode], the records that the plan has for it in their order
// ([Want]), and the operands that must keep their values (Pins, the table of WA2).
//
// # Evaluation
//
// [Code.Eval] computes the result of an instruction from values of its operands, and
// [Code.Express] from terms. Both are pure functions, and they agree: where Eval decides by the
// value of an operand, the term of Express has a conditional. A result that is not determined by
// the operands alone is not known; loads, allocations and calls are among these.
//
// # Files
//
//	program.go                 programs and global variables
//	code.go, compile.go        code, and how it is made from SSA
//	operand.go, want.go        operands; records of an instruction
//	pins.go                    operands that must keep their values
//	eval.go, express.go        results as values; results as terms
//	strings.go                 strings: bounds, min and max
//	library.go, library_fmt.go calls of the standard library that are evaluated
//	log.go                     calls that print what the program cannot read
//	stays.go                   variables to which only walked functions have pointers
//	atomic.go                  functions of sync/atomic
//	live.go                    liveness of registers
//	shape.go                   how the bits of a value are printed
package regcode
