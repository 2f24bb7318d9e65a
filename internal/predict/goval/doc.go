// Package goval computes with values of Go: those that are known, and those that are expressions.
//
// Packages regcode, walk and alternative use it. It has the types and the operators of Go, and no
// traces, goroutines or frames.
//
// # Values
//
// A [Value] is the memory image of a Go value in words of 8 bytes. Each word is known or not. A
// function of values has a known result only if the known words of its operands determine it.
// Operators on basic types are executed by Go's own operators on the same type, so overflow,
// shifts, NaN and division are those of the compiler. A test compares all of them with compiled
// code. If the language leaves a result to the implementation, it is unknown: for example the
// conversion of a float to an integer type that cannot represent it.
//
// # Terms
//
// A [Term] is a value whose words are expressions of package expr over numbered reads. A term has
// the layout of a value, and functions of terms have the results that functions of values have
// when the reads return what they returned in the recorded run. A word without an expression is
// not known.
//
// # Calls of the standard library
//
// A [LibraryCall] evaluates a pure function of the standard library that package expr knows, over
// values or over terms.
//
// # Files
//
//	value.go                   values: words, parts, joins
//	operator.go, convert.go    Go's operators and conversions on values
//	term.go                    terms: words, parts, loads
//	expression.go, complex.go  operators on terms: integers, complex numbers
//	text.go                    contents of strings, by their address
//	library.go                 calls of the standard library
//	types.go                   types: names, kinds, types of interface contents
package goval
