package report

import "cmp"

// Candidate is a pair of accesses that a detector of one pass reports without a witness
// (presage analyze -engine, presage test -online). It need not be a race.
type Candidate struct {
	ID     string // (RT3)
	A, B   Access // A is the access that comes first in the source
	Object string // the variable, field or element accessed
	Hidden Hidden // the chain of synchronisation that orders the two in the recorded run
	Count  int    // pairs of recorded accesses at these two source lines
	Trace  string // the file, if the report is of several
}

// Name names the memory that the two accesses share.
func (c *Candidate) Name() string { return nameOf(c.Object, &c.A) }

func compareCandidates(a, b *Candidate) int {
	return cmp.Or(comparePairs(&a.A, &a.B, &b.A, &b.B), cmp.Compare(a.ID, b.ID))
}
