// Package evalorder builds SSA in which the operands of a statement are evaluated in the order that
// the gc compiler takes.
//
// # What it computes
//
// The language orders calls, receives and && and || among each other, but not the reads of
// variables between them. go/ssa goes from left to right. gc moves calls and what is like them to
// statements of their own, from left to right, and evaluates what is left when the statement itself
// is executed:
//
//	return results, g.Wait() // reads results when Wait has returned
//
// A program tested with gc may rest on that. [Build] does to the syntax what cmd/compile does to
// its trees (package walk, order.go, then assign.go), has go/ssa build that, and changes the syntax
// back. Only statements in which the order matters are changed: those with a late read left of an
// effect (O1, O2). Positions, types and literals stay, and the new variables become registers, so
// the SSA has the same instructions in another order; && and || that move get a Phi as they have
// elsewhere.
//
// # Rules
//
// They hold for go1.25 and go1.26. What depends on the representation of values is in gc.go.
//
// (O1) Late, when the statement is executed: variables, fields, elements, dereferences, map reads,
// arithmetic, comparisons, composite literals of structs, arrays and slices, method values,
// string(bytes), conversions, with the panics of all these. A variable matters if it is
// package-level, is captured by a literal, or has its address taken; a call cannot change others.
//
// (O2) In place, from left to right, because they have effects: calls, receives, append, copy.
// Arguments and function operand of a call are evaluated for that call: they are late relative to
// calls inside of them, and no later than the call. A function operand with a call, a receive or a
// built-in function but new in it is copied before the arguments; so is the interface that a method
// is called of: getFs()[0](f()), get().i.M(f()).
//
// (O3) In place without an effect of their own: len, cap, min, max, complex, real, imag, make, new,
// recover, slice expressions, []byte(s), []rune(s). Reads in them are early.
//
// (O4) && and || are in place; each side is a statement of its own. In a condition that is the
// order of branches.
//
// (O5) Operands of == on structs and arrays are copied in place, the right one's calls first,
// unless they are addressable; then they are compared late.
//
// (O6) A value that becomes an interface by having its address taken (not numbers of 2, 4 or 8
// bytes, strings and slices) is copied in place, unless it is addressable; then it is late. So
// fmt.Println(x == 1, f()) reads x first, and fmt.Println(x, f()) last.
//
// (O7) x.(T) is in place, unless T is a pointer, channel, map, function or what consists of one;
// then it is late.
//
// (O8) Operands of the left side of an assignment (p of p.x, a and i of a[i]) are late like others,
// and before anything is assigned. With a, b = f() they come after the call. Of x op= y, x comes
// last. What the variable is a field or element of is reached late too: p.a.x = f() calls f though
// p is nil. Of two sides that fail, the right one does first, but for an index on the left that is
// no name: p.s[0] = 1 / z.
//
// (O9) Results, arguments of go and defer, sent values, and the operand of range are as the right
// side of an assignment.
//
// (O10) The entries of a map literal are one assignment after the other. In m[k] = append(m[k], …),
// m and k come before the other arguments, unless they are names; k is no name if a fast map
// function takes it as another type.
//
// (O11) The key of a map operation is copied in place if the map function takes its address and it
// has none, or if it is a struct or array that is read as a number. m[string(b)] is in place.
//
// (O12) In a select, channels and values are each evaluated in place, clause by clause; what a
// receive is assigned to, after the choice.
//
// (O13) Function literals are in place. gc does not order them and nobody can tell; so their order,
// and with it their names, stays.
//
// (O14) As go/ssa has it stay, and are counted: the operands of what range assigns to; the first
// operands of a loop, switch or select with a label that a goto names; the cases of a switch
// without a tag that has a case of interface type; a map literal in a composite literal of pointers
// to maps; the operand of get().M(f()) if M is of an interface that get's result embeds and points
// to; initialisers of package-level variables, before which no statement can stand. These are
// counted apart, because a recorded program has them as written, in gc's order; what literals in
// them do is in order.
//
// (O15) What is in place comes before what is late, also if both only fail: x, s = s[len(s)-1],
// s[:len(s)-1] fails with the bounds of the slice.
//
// (O16) Of a range over the indices of an array, or of what a pointer points to, only the length
// counts, a constant: for i := range p.arr does not need p.
//
// (O17) x.f of a variable x, f a field or method of what x embeds, reads the embedded field alone,
// where go/ssa may read all of x: e.Lock() with an embedded *sync.Mutex, interface, or method that
// takes its receiver by value; e.n behind an embedded pointer. The fields between are named for
// go/ssa: e.Mutex.Lock().
//
// (O18) unsafe.Sizeof(x) and unsafe.Alignof(x) do not evaluate x. Where x has a type parameter in
// its type they are no constants, and go/ssa evaluates it.
//
// (O19) A shift count that is itself a shift of an untyped constant, 1 << (1 << n), has no type in
// go/types. gc gives it that of its leftmost constant: int32 for a rune, int for a negative one,
// else uint. go/ssa would give it int, and 1 << (1 << 63 >> 63) has another value then.
//
// (O20) Where two interfaces are compared and only the left one has all methods of the other, the
// left one is converted to the type of the right one: go/ssa would convert the right one, which may
// not have the methods. The tag of a switch with such a case is converted to the empty interface.
//
// # Soundness
//
// What is compared by random statements, plain against instrumented (TestOrder of package
// instrument), is the order of effects and reads. Which of two late panics comes is not modelled
// inside of one expression whose map reads have operands that fail (1/z + m[p.k] fails at p), for x
// op= y (at x), for entries of map literals without a call (at the value), and in assignments of
// several values: g, y = a, b / c of gc assigns g before it divides by zero, m[k], y = a / b, c
// enters k. Operands whose type is a type parameter are late where (O5), (O6), (O7) and (O11) ask
// for the representation. Inlining leaves results in variables that are not copied, and a variable
// that only inlined literals capture is copied where its address would be taken (key k of m[k] =
// f(), f := func() int { k = 2; … }); profile-guided devirtualisation adds branches: none of that
// is seen in the rules.
//
// # Complexity
//
// Linear in the syntax: statements without a call, a slice or a type assertion cost one visit of
// their nodes, others one more with types, and those in which the order matters two more.
package evalorder
