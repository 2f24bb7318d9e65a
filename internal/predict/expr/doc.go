// Package expr is the language of the symbolic trace ("RECIPE: Relaxed Sound Predictive Analysis",
// section III.A). An [Expr] describes a word that an execution computes, as a function of the words
// that its reads return. It is data: it can be printed, evaluated, taken apart and given to a
// solver. Package walk makes expressions from the program's SSA. Package window joins them across
// memory that only one goroutine accesses.
//
// # Values
//
// A value is a word of 64 bits, or the content of a string ([String]). A number of fewer bits is
// its memory image, zero-extended, whatever its signedness; a bool is 0 or 1; a float is its IEEE
// bits. Values of several words (strings as pointer and length, slices, interfaces, structs,
// complex128) are several expressions.
//
// An operator is typed by the [Kind] of its operands. A conversion has a second Kind, its target,
// and a shift has that of its count. There is no int, uint or uintptr: they are [Int64] and
// [Uint64]. As Go's specification says, overflow wraps, a shift by the width or more gives 0 or the
// sign, and MinInt / -1 is MinInt.
//
// (TE1) *No value.* An operator may have no value: a quotient by zero and a shift by a negative
// count (they panic), an index out of range, a Call without a result. It has none either where Go
// leaves the value to the implementation: a conversion of a float that does not fit the integer
// type or is NaN, and arithmetic whose result is NaN, since machine code decides which NaN it is.
// Comparisons with a NaN have values, and negation changes the sign bit only. All that is computed
// from an operand without a value has none, except an Ite that chooses the other operand.
//
// (TE2) *Recorded value.* Every expression knows its recorded value: its value if its reads return
// what they returned in the recorded run. So an expression of constants is a constant, and it costs
// nothing to compare a term with what was recorded (package walk).
//
// (TE3) *Strings in memory.* The content of a string in memory ([TextAt]) is a function of its
// pointer and its length if these lead into read-only memory (Texts). Elsewhere it has no value.
//
// # The library
//
// A Call is of a pure function of the standard library ([Library]; TE4 in library.go).
// docs/theory/values.md says for which arguments they have a value.
//
// # Sharing
//
// An Expr is immutable and may be part of many others. Constructors return nil if an operand is nil
// ("not known"), or if the result would have more than MaxSize nodes or MaxReads reads. They
// simplify words that are taken apart and put together again, and nothing else. A part that they
// drop need not have a value, since a part of a word does not depend on the other parts.
//
// # Evaluation
//
// The engine uses [Evaluator]. Package witness has an evaluator of its own (eval.go). Tests compare
// the two with each other and with compiled Go, for every operator and kind. A small expression is
// evaluated by recursion. The nodes of a larger one are first sorted so that each comes after its
// operands.
//
// # Names
//
//	e, x, y  expressions     k   kind of the operands
//	                         to  kind of a conversion's result, or of a shift's count
package expr
