// Package fasttrack finds the first race of every location, in constant time for nearly every
// access.
//
// The algorithm is FastTrack (Flanagan and Freund, PLDI 2009), with its rules by their names, on
// the order of Go's synchronisation (package clock) and the cells of package shadow. Package hb
// gathers what it finds by pairs of sites.
//
// # Rules
//
// C(t) is the clock of goroutine t, E(t) its own component, an *epoch*. A location remembers the
// epoch W of its last write and the epoch R of its last read, or, while reads are unordered, the
// epochs of those reads. "W ≼ C(t)" says that t knows of W.
//
//	ReadSameEpoch    R = E(t): nothing to do.
//	ReadShared       R is several: W ≼ C(t) is checked; t's place among them becomes E(t).
//	ReadExclusive    R ≼ C(t): W ≼ C(t) is checked; R := E(t).
//	ReadShare        R is one that t does not know of: W ≼ C(t) is checked; R := the two.
//	WriteSameEpoch   W = E(t): nothing to do.
//	WriteExclusive   R is one: W ≼ C(t) and R ≼ C(t) are checked; W := E(t).
//	WriteShared      R is several: W ≼ C(t) and each of R ≼ C(t) are checked; W := E(t), R := none.
//
// A check that fails is a race. Besides:
//
//	(F1) The rules of the same epoch are taken only for the same site, where reads are ordered,
//	     and a write only while R is t's own or none. The paper takes them always, which loses no
//	     first race either, but pairs of sites; the others then go by the rule that comes next,
//	     which costs two comparisons more.
//	(F2) Atomic accesses order as (R10) of package clock says, and are accesses: checked against
//	     plain ones, not against each other. Those that are unordered are kept beside R; a plain
//	     write that comes after them checks them and forgets them, and takes the place of
//	     WriteShared. A CompareAndSwap that fails is write-like in these checks, and releases
//	     nothing.
//	(F3) An 8-byte write and the read of one of its bytes meet: package shadow, (M1) to (M3).
//	(F4) Memory that is allocated anew is new locations.
//	(F5) A write that races with R takes its place: R := none. (The paper leaves open what comes
//	     after a race.) So what a cell has depends on nothing but the last accesses, which package
//	     tree relies on.
//
// # Soundness
//
// Precise: the first race of every location is found, and what is found first in a run is a race of
// it. Later ones of a location, and all after the first of the run, are *candidates*, because the
// first may have changed what came after. Found tells each pair that a check fails for, so a
// location may be told of several times.
//
// # Complexity
//
// Constant but for ReadShared and WriteShared, which depend on the number of goroutines that read
// unordered, and for synchronisation (package clock). A location takes 64 bytes. What an ended
// goroutine had is used again.
//
// # Inside a program
//
// Nothing here needs more of the standard library than slices, and no access goes through a Go map;
// shadow and clock keep pages and objects in tables of their own. What is missing for use by many
// threads at once is a lock, or an order of atomic operations, on each cell and clock.
//
// # Names
//
//	t  goroutine; c  cell; w, r  W and R; a  the access at hand
package fasttrack
