// Package fasttrack finds the first race of each location, in constant time for nearly every
// access.
//
// The algorithm is FastTrack (Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race
// Detection", PLDI 2009, section 3). Its rules have the names of the paper. The order is that of
// package clock, the cells are those of package shadow. Package hb collects the races by pairs of
// sites.
//
// # Rules
//
// C(t) is the clock of goroutine t, E(t) its own component, an epoch. A location has the epoch W of
// its last write and the epoch R of its last read, or, while reads are unordered, the epochs of
// those reads. "W ≼ C(t)" means that W happens before the access of t.
//
//	ReadSameEpoch    R = E(t): nothing changes.
//	ReadShared       R is several: check W ≼ C(t); t's component of R becomes E(t).
//	ReadExclusive    R ≼ C(t): check W ≼ C(t); R := E(t).
//	ReadShare        R is one, and not R ≼ C(t): check W ≼ C(t); R := both reads.
//	WriteSameEpoch   W = E(t): nothing changes.
//	WriteExclusive   R is one: check W ≼ C(t) and R ≼ C(t); W := E(t).
//	WriteShared      R is several: check W ≼ C(t) and each R ≼ C(t); W := E(t), R := none.
//
// A check that fails is a race. The rules for the same epoch apply to the same site only, where
// reads are ordered, and to a write only while R is t's own or none. The paper applies them always.
// That loses no first race of a location, but pairs of sites. An access to which they do not apply
// goes by the next rule, which costs two comparisons more.
//
// Three rules are not in the paper:
//
// (FT1) An atomic access orders as CL7 says, and is checked against plain accesses, but not against
// other atomic ones. Unordered atomic accesses are kept beside R. A later plain write checks them
// and drops them; it takes the place of WriteShared. A CompareAndSwap that failed is checked like a
// write, and releases nothing.
//
// (FT2) A location is a set of bytes of a word that were accessed together. An access that covers
// parts of several locations is an access of each (package shadow). Memory that is allocated anew
// is new locations.
//
// (FT3) A write that races with R drops it: R := none. The paper does not define what follows a
// race. So the state of a location depends only on its last accesses, which package tree needs.
//
// # Soundness
//
// The first race of every location is found, and the first race that is found in a run is a race.
// Later pairs of a location, and all pairs after the first of the run, are candidates: the first
// race may have changed the execution that follows. Found is called for each check that fails, so a
// location may be reported several times.
//
// # Complexity
//
// Constant time for an access, but for ReadShared and WriteShared, which take time in the number of
// unordered reads; for synchronisation see package clock. A location takes 64 bytes. The memory of
// ended goroutines is used again.
//
// # Use inside a program
//
// The package uses nothing of the standard library but slices, and no access uses a Go map: shadow
// and clock have tables of their own. For use by several threads at once, each cell and clock would
// need a lock or an order of atomic operations.
//
// # Names
//
//	t  goroutine     c  cell     w, r  W and R     a  the present access
package fasttrack
