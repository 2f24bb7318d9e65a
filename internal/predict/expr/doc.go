// Package expr is the language of the symbolic trace (RECIPE, section III.A): what a word
// that an execution computes is, as a function of the words that its reads return. An [Expr] is
// data: it can be printed, evaluated, taken apart and given to a solver. Package walk makes them
// from the program's SSA, package window puts them together across goroutine-local memory.
//
// # Values
//
// (E1) A value is a word of 64 bits, or the content of a string ([String]). A number of fewer bits
// is its memory image, zero-extended, whatever its signedness; a bool is 0 or 1; a float is its
// IEEE bits. Values of several words (strings as pointer and length, slices, interfaces, structs,
// complex128) are several expressions.
//
// (E2) An operator is typed by a [Kind], that of its operands, and a conversion and a shift by a
// second one: the target, the type of the count. There is no int, uint or uintptr: they are [Int64]
// and [Uint64]. Overflow wraps; a shift by the width or more gives 0 or the sign; MinInt / -1 is
// MinInt: Go's spec.
//
// (E3) An operator may have no value, and so has all that is computed from it, but for what an Ite
// does not choose: a quotient by zero and a shift by a negative count (they panic), an index out of
// range, a Call that nobody has filled in.
//
// (E4) Nor has what Go leaves to the implementation: a conversion of a float that does not fit the
// integer type (or is NaN), and arithmetic whose result is NaN, as which of the NaNs it is depends
// on the order of the operands in machine code. Comparisons with a NaN have values, and the minus
// sign only changes the sign bit.
//
// (E5) Every expression knows its recorded value, the one that it has if its reads return what they
// returned in the recorded run. So an expression of constants is a constant, and whether a term
// amounts to what was recorded (package walk, T3) costs nothing to ask.
//
// (E6) The content of a string that is in memory ([TextAt]) is a function of its pointer and its
// length where these lead into read-only memory (Texts). Elsewhere it has no value.
//
// # The library
//
// A Call is of a pure function of the standard library ([Library]; rules L1 to L5 in library.go).
// docs/theory/values.md lists them.
//
// # Sharing
//
// An Expr is immutable and may be part of many others. Constructors return nil where an operand is
// nil ("not known"), or where the result would have more than MaxSize nodes or MaxReads reads. They
// simplify what comes from taking words apart and putting them together again; everything else
// stays as it was written. What they drop need not have a value: a part of a word does not rest on
// the other parts.
//
// # Evaluation
//
// An [Evaluator] is the one of the engine. The checker (package witness, eval.go) has its own, and
// the two are compared with each other and with compiled Go, for every operator and kind. A small
// expression is evaluated by recursion, a larger one is first put in an order in which every node
// stands after its operands.
//
// # Names
//
//	e, x, y  expressions     k  kind of the operands     to  kind of a conversion's result, or of a shift's count
package expr
