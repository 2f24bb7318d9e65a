// Package symtrace prints the symbolic trace of a recording: the execution of each goroutine, in
// SSA form ("RECIPE: Relaxed Sound Predictive Analysis", section III.A). The input is a plan and
// the events of the trace, the output is text. A walk of the trace (package walk) executes the
// program, and the printer observes it.
//
// # Lines
//
// Lines are numbered in the order of the walk. Every variable is defined once, by the line whose
// number it has.
//
//	s^5 = s^2 + i^3    a local variable; loops are unrolled, a phi is the assignment of its edge
//	W^11_y = s^8       a write of a shared location: several goroutines access it, and one writes
//	R^14_y             a read of a shared location
//	l^7_o1.f = 10      a write of any other location; reads of it are uses of l^7_o1.f
//	R^14_y > 2         a branch, with its outcome
//	v^9 = a^3          a parameter, at a call; the result is assigned when the call returns
//
// The numbers are not those of the trace: #14 at the end of a line is the number of its event in
// the trace.
//
// # Names
//
// A variable that no line assigns is zero, or its value comes from outside: captured variables,
// and parameters of goroutines and of functions that other code calls. A value that is used once,
// and that the source does not assign to a variable, is printed where it is used. Locations have
// the names of the source. A location that is reached through a pointer is a field or an element
// of an object o1, o2, …, which the trace identifies. This is the heap invariant of RECIPE.
//
// # Files
//
//	symtrace.go      lines; Print
//	invocations.go   calls, returns, branches and phis
//	instructions.go  instructions, accesses and synchronisation
//	text.go          how values, operations and locations are written
//	names.go         names that the source has for values
package symtrace
