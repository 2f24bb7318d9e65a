// Package points says which objects an access may be to: points-to analysis for accesses of one class that no frame sees together.
//
// # What it computes
//
// Unification in the manner of Steensgaard (Points-to Analysis in Almost Linear Time, POPL 1996) for what memory holds, and flows with a direction
// for what registers, parameters and fields hold (Das, Unification-based Pointer Analysis with Directional Assignments, PLDI 2000): were parameters
// unified with arguments, all objects with a common method would be one. Flow-insensitive, and but for (F2) context-insensitive. [Build]
// makes the [Graph] of a package from its SSA form, as small as others need it; a [Linker] joins the graphs, and says of two accesses whether their
// objects are apart.
//
//	x := &T{}          site ──▶ x
//	y := x             x ──▶ y
//	q := &x.f          x ─(T ▸ F)─▶ q      objects of type T, seen as what lies in them
//	x.p = y            y ──▶ field T.p
//	c <- x; y := <-c   x ──▶ sent(c) ──▶ y
//
// # Rules
//
// Nodes.
//
// (N1) An object is an allocation site, a package-level variable, or what is outside. Flows are split by the type of the object: a question is for
// objects of one type, so that what else is in the same interface{} or container does not count. A type is named by its origin; one with a type
// parameter in it may be any type that is given for a parameter somewhere.
//
// (N2) Nodes are the registers, parameters and results that hold addresses, and (N3) the fields: one for each field of a struct type, for all its
// objects, as the classes of package link are. What has no name (elements, entries of maps, what is in a channel, what a pointer
// points to) is a cell of what holds it. Offsets in an object are not told apart: the class of an access does that.
//
// (N4) In an open world, others call the exported functions of packages that are not commands, call exported methods of what they have and
// function values, and read and write exported fields and variables. One node has all that gets outside, and gives it back. Objects of a type that is not
// exported are not made outside.
//
// (N5) Functions that are in no package (assembly, go:linkname, the runtime) count as outside.
//
// Constraints.
//
// (U1) Cells that may be one are unified. (U2) What is held by two nodes with a flow between them has the same cells. (U3) A copy is a flow. (U4) The
// address of a part is a flow from objects of one type to objects of another. (U5) A conversion of a struct type, too, and their
// fields flow into each other.
//
// (U6) A call binds arguments and results to the nodes of the function; of a generic one, to those of its origin. (U7) Calls through interfaces and
// methods meet in a node for the method's name and number of parameters, calls of function values and functions that become values in one for
// the signature. (U8) Where an instance meets its origin, their signatures are bound.
//
// (U9) An unsafe pointer that becomes one to a struct binds the fields to the cell.
//
// Objects.
//
// (F1) A flow is inside one execution of a function, through memory or parameters, or from a result to a call. (F2) An object that comes from its
// site only in registers and through results was made in this call: it is another object than that of another call. At most three calls
// are told apart. (F3) An object with fewer calls stands for all with these and more: it meets them.
//
// Answers.
//
// (A1) An access is to the objects that reach the address in its instruction. If that is not found by its place, nothing is known.
//
// (A2) The objects that reach a node are found backwards along the flows, within a bound; beyond it, nothing is known, and it is counted.
//
// (A3) Two accesses are apart if no object is in both sets, and both have one. An empty set says that the analysis does not see where the object
// comes from.
//
// Graphs of packages.
//
// (C1) Kept are the nodes that other packages name, the cells that these lead to, and what flows into them or into an access of the package. (C2) A
// register that only copies another is left out.
//
// # Soundness
//
// Missed: what reflection and unsafe code store in fields and cells, other than by (U9), if it also flows elsewhere; arrays and anonymous structs with
// type parameters in them; outside, other packages of commands. Two results of one site in one call are one.
//
// # Complexity
//
// Almost linear in the number of instructions for a graph, and linear in the sizes of the graphs to join them. A question is linear in the nodes that
// lead to it.
package points
