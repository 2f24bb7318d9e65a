// Package hb finds the races of the recorded order: conflicting accesses that no
// chain of synchronisation orders, in one pass over the trace, by pairs of sites.
//
// The algorithm is that of package fasttrack, with the order (R1) to (R11) of package clock. What
// is added is the table of the pairs of sites, and how often each was found.
//
// # Soundness
//
// The first race of a trace is real; later ones are candidates, because the first may
// have changed what came after. The analysis asks for a witness for each.
//
// # Complexity
//
// That of package fasttrack; a look-up in a table for each pair that is found.
package hb
