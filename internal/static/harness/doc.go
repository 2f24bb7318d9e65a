// Package harness writes tests in which two goroutines call two functions of a module, on one
// object. A run of such a test, or the exploration of its schedules, may show that two accesses
// race of which static analysis only warns.
//
// # What is called
//
// The two functions are those that the goroutines of the warning begin with, as a caller from
// outside calls them: exported functions, and methods of exported types, also of those that embed
// a type without an exported name. Two methods of one type
// are called on one object. If the second is of another type, its object is made by an exported
// method of the first type that returns one, or else on its own.
//
// # How objects are made
//
// An object is made as the tests and examples of the package make it: by an exported function
// that returns the type or a pointer to it, with the arguments of a call in a test, if these are
// closed: literals, and names of exported declarations. Functions that tests call come first, then
// New and the type's name, New, and others by name. The zero value is a way of its own: what waits
// for a first use to make a map shows only there. One more test fills the object before the two
// calls: with methods whose names say so (Set, Add, Start and the like), those first that tests
// call.
//
// An argument that no test has, or whose text is not closed, is a value of its type: 1, "a",
// true, a context that is never cancelled, a function that returns zero values, an object made as
// in. Type parameters are string, if their constraint permits it, or else int.
//
// # What is not done
//
// Functions of package main, and functions that take what nobody outside can name, have no test. A
// test that does not type-check is dropped. Which calls have to come first is known by the names of
// methods alone.
package harness
