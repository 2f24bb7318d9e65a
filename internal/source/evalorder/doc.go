// Package evalorder builds SSA that evaluates the operands of a statement in the order that the gc
// compiler chooses.
//
// # The problem
//
// The language specification orders calls, receives, && and || among each other. It does not order
// the reads of variables between them. go/ssa evaluates all operands from left to right. gc moves
// calls and similar operations into statements of their own, from left to right. It evaluates the
// remaining operands when the statement itself is executed:
//
//	return results, g.Wait() // reads results after Wait has returned
//
// A program that was tested with gc may depend on that order.
//
// # The method
//
// [Build] applies to the syntax what cmd/compile applies to its trees (package walk: order.go, then
// assign.go). go/ssa builds the changed syntax, and Build then undoes the changes. Apart from EO8,
// only statements in which the order matters are changed: those in which a late read stands to the
// left of an effect (EO1, EO2). Positions, types and literals stay. The new variables become
// registers, so the SSA has the same instructions in another order. An && or || that moves gets a
// Phi, as it has elsewhere.
//
// # Rules
//
// The rules hold for the versions that package goversion supports. A late operand is evaluated when
// the statement is executed; an operand in place is evaluated before, from left to right. File
// gc.go has the conditions that depend on the representation of values.
//
// (EO1) Late operands are: variables, fields, elements, dereferences, map reads, arithmetic,
// comparisons, composite literals of structs, arrays and slices, method values, string(bytes), and
// conversions, with the panics of all these. A late read matters if its variable is package-level,
// is captured by a function literal, or has its address taken. A call cannot change other
// variables.
//
// (EO2) Operations with an effect are in place: calls, receives, append and copy. The arguments and
// the function operand of a call are evaluated for that call. They are late relative to calls
// inside of them, and no later than the call. A function operand that contains a call, a receive or
// a built-in function other than new is copied before the arguments: getFs()[0](f()). The same
// holds for an interface on which a method is called: get().i.M(f()).
//
// (EO3) These operations have no effect and are in place nevertheless, so that reads in them are
// early: len, cap, min, max, complex, real, imag, make, new, recover, slice expressions, []byte(s)
// and []rune(s). && and || are in place, and each side is a statement of its own; in a condition
// that is the order of branches. In a select, channels and values are each evaluated in place,
// clause by clause; the destination of a receive is evaluated after the choice. Function literals
// are in place: gc does not order them and no program can observe it, so their order, and with it
// their names, stays.
//
// (EO4) The representation of a value can cause a copy in place:
//
//   - Operands of == on structs and arrays are copied in place, the calls of the right operand
//     first. If they are addressable, they are compared late.
//   - A value that is converted to an interface by taking its address is copied in place. Numbers
//     of 2, 4 or 8 bytes, strings and slices are not converted that way. An addressable value is
//     late. So fmt.Println(x == 1, f()) reads x first, and fmt.Println(x, f()) reads x last.
//   - x.(T) is in place, unless T is a pointer, channel, map or function, or consists of one of
//     these; then it is late.
//   - The key of a map operation is copied in place if the map function takes its address and the
//     key has none, or if it is a struct or array that is read as a number. m[string(b)] is in
//     place.
//
// (EO5) Operands of the left side of an assignment (p of p.x, a and i of a[i]) are late like
// others, and are evaluated before anything is assigned. With a, b = f() they come after the call.
// In x op= y, x comes last. The struct or array that contains the assigned variable is reached late
// as well: p.a.x = f() calls f even if p is nil. If both sides fail, the right side fails first,
// except for an index on the left that is not a name: p.s[0] = 1 / z. Results, arguments of go and
// defer, sent values and the operand of range are treated as the right side of an assignment.
// Operations in place come before late ones, also if both can only fail: x, s = s[len(s)-1],
// s[:len(s)-1] fails with the bounds of the slice.
//
// (EO6) The entries of a map literal are assignments, one after the other. In m[k] = append(m[k],
// …), m and k come before the other arguments, unless they are names. k is not a name if a fast map
// function takes it as another type.
//
// (EO7) Some operands keep the order of go/ssa, and are counted:
//
//   - the operands of the variables that a range assigns to;
//   - the first operands of a loop, switch or select with a label that a goto names;
//   - the cases of a switch without a tag that has a case of interface type;
//   - a map literal in a composite literal of pointers to maps;
//   - the operand of get().M(f()), if M belongs to an interface that the result of get embeds and
//     points to;
//   - initialisers of package-level variables, before which no statement can stand. They are
//     counted apart, because a recorded program has them as written, in gc's order. Function
//     literals in them are in order.
//
// (EO8) Some differences between go/ssa and gc are not about the order of operands. They are
// corrected in all statements:
//
//   - A range over the indices of an array, or of a pointer to one, needs only the length, which is
//     a constant: for i := range p.arr does not evaluate p.
//   - x.f, where x is a variable and f a promoted field or method, reads the embedded field alone,
//     where go/ssa may read all of x. This concerns a method of an embedded pointer or interface, a
//     method that takes its embedded receiver by value, and a field behind an embedded pointer. The
//     embedded fields are written out for go/ssa: e.Lock() becomes e.Mutex.Lock().
//   - unsafe.Sizeof(x) and unsafe.Alignof(x) do not evaluate x. Where the type of x contains a type
//     parameter they are not constants, and go/ssa would evaluate x.
//   - A shift count that is itself a shift of an untyped constant, 1 << (1 << n), has no type in
//     go/types. gc gives it the type of its leftmost constant: int32 for a rune, int for a negative
//     constant, else uint. go/ssa would give it int, and 1 << (1 << 63 >> 63) would have another
//     value.
//   - If two interfaces are compared and only the left one has all methods of the other, the left
//     one is converted to the type of the right one. go/ssa would convert the right one, which may
//     not have the methods. The tag of a switch with such a case is converted to the empty
//     interface.
//
// # Soundness
//
// TestOrder of package instrument compares the order of effects and reads of random statements,
// plain against instrumented. These cases are not modelled:
//
//   - Which of two late panics occurs, in four places. Within an expression whose map reads have
//     operands that fail: 1/z + m[p.k] fails at p. In x op= y: at x. In entries of map literals
//     without a call: at the value. In assignments of several values: with g, y = a, b / c, gc
//     assigns g before it divides by zero, and m[k], y = a / b, c enters k.
//   - Operands whose type is a type parameter are late where (EO4) asks for the representation.
//   - Inlining leaves results in variables that are not copied. A variable that only inlined
//     literals capture is copied where its address would be taken: the key k of m[k] = f() with
//     f := func() int { k = 2; … }. Profile-guided devirtualisation adds branches.
//
// # Complexity
//
// The time is linear in the syntax. A statement without a call, a slice or a type assertion costs
// one visit of its nodes. Others cost one more visit, with types. Those in which the order matters
// cost two more.
package evalorder
