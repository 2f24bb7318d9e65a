// Package hb finds the races of the recorded order in one pass over a trace, by pairs of sites: the
// conflicting accesses that happens-before leaves unordered.
//
// The algorithm is that of package fasttrack, the order that of package clock. This package adds a
// table of pairs of sites, with how often each was found.
//
// # Soundness
//
// The first race of a trace is a race. Later ones are candidates, because the first may have
// changed the execution that follows. Package predict looks for a witness of each.
//
// # Complexity
//
// That of package fasttrack, and a look-up in a table for each pair that is found.
package hb
