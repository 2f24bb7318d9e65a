// Package hb finds the races of the recorded order: conflicting accesses that no
// chain of synchronisation orders, in one pass over the trace.
//
// The algorithm is FastTrack (Flanagan and Freund, PLDI 2009), with the edges (R1) to (R11) of package clock. It remembers more than
// the paper's, so as to report more of the unordered pairs; package fasttrack is the paper's, for use on the fly.
//
// # Rules
//
// An access that conflicts with an earlier one whose epoch is not in C(t) is a race
// of the recorded order. Two atomic accesses do not conflict. Bytes of a word that are
// accessed together share a cell; a cell splits when an access covers part of it.
//
// # Soundness
//
// The first race of a trace is real; later ones are candidates, because the first may
// have changed what came after. The analysis asks for a witness for each.
//
// A cell remembers its last write and the reads since that are unordered. An older
// access that races with the current one is not reported when a later one replaced it.
//
// # Complexity
//
// Constant time per access but for reads by several unordered goroutines, whose number
// it depends on; package clock says what synchronisation costs.
//
// # Names
//
//	t, u  goroutines; c  cell
package hb
