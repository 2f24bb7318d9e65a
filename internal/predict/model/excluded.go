package model

import "github.com/presage-race/presage/internal/trace"

// ExcludedTrace is what a window's stretch of the trace has of excluded code
// (docs/theory/excluded.md). A judge needs nothing else to decide which orders such code forbids.
type ExcludedTrace struct {
	Index  []int64 // numbers of Events
	Events []trace.Event
	Calls  []ExcludedCall

	// Needs and From are, for each event, the reads of its goroutine that it needs, and the reads
	// that the value it writes is computed from, by number. The walk finds them. They are nil if
	// the trace was not walked.
	Needs, From [][]int64
}

// ExcludedCall is a call of excluded code.
type ExcludedCall struct {
	G          trace.GoID
	Begin, End int64 // by number; End is -1 if the call has not ended

	// All reports that the call reaches everything. Seen reports that its operations on locks,
	// channels and goroutines are in the trace, so that its D is memory only.
	All, Seen bool

	Memory     [][2]uint64 // sorted and disjoint
	Goroutines []trace.GoID
}
