// Package footprint says which memory a call of code that was not instrumented may
// touch, and whether two such calls, or a call and a traced access, may meet.
//
// It is the set D of RDIT's BarrierPairs (Cai and Cao, thesis ch. 4, §4.3) in its
// coarsest sound form: types in place of addresses. An opaque call gets what its
// arguments hold. Through an argument of type *T it can reach a T, the values
// inside a T, and what they point to; so the types reachable from the argument
// types over-approximate the memory, whatever the addresses are.
//
// # Rules
//
//	(F1) Of a call: the types reachable from its arguments, receiver included.
//	(F2) Of an access: the type of the value accessed, and the struct or array
//	     type that it is a part of. Through a pointer of unknown origin it may be a
//	     part of anything that has a part of its type.
//	(F3) An interface holds what its dynamic type holds where the SSA shows it
//	     (MakeInterface); otherwise it reaches every type.
//	(F4) A function value reaches nothing: its captured variables are accessed by
//	     its own code, which is traced or has a footprint of its own.
//	(F5) Strings are immutable and reach nothing.
//	(F6) table.txt narrows the effect of functions of the standard library: none, read
//	     (what the arguments reach is only read), args (read and written), recv (the receiver only). Any other
//	     function also has hidden state: that of its package in the standard library,
//	     one common state in other modules.
//	(F7) A call of which the callee is not known is a call of any function.
//	(F8) An interface or unsafe pointer inside a value of a type of a package that is not
//	     instrumented reaches nothing: what such a package keeps in its own types it
//	     stores, returns, or calls methods of, and methods of traced types are traced.
//	(M1) Two calls meet if they share hidden state, or if their types meet and not
//	     both only read.
//	(M2) A call and an access meet if their types meet and one of them writes.
//
// # Soundness
//
// Missed: by (F8), memory that opaque code looks into by reflection through an interface
// it had kept (a logger that prints an attribute later); memory that opaque code kept from an earlier call and touches in a later
// one that does not get it (a registry in a dependency is covered by its common
// state only against other opaque calls); unsafe.Pointer conversions between
// unrelated types inside opaque code. The results of functions whose effect is
// none or read are taken as inputs from outside where they depend on time,
// randomness or the environment.
//
// # Names
//
//	T a type, as its string with full package paths
//	s a Set: the footprint of a call or an access
package footprint
