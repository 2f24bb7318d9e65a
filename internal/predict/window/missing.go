package window

import "github.com/presage-race/presage/internal/trace"

// Missing is what a window's stretch of the trace says of missing methods: all that a checker needs
// to judge by itself what they forbid.
type Missing struct {
	Index  []int64 // numbers of Events
	Events []trace.Event
	Calls  []MissingCall

	// Needs and From are, for each event, the reads of its goroutine that it needs, and that what
	// it writes rests on, by number: as the walk has found them. Of a trace that was not walked
	// there are none.
	Needs, From [][]int64
}

// MissingCall is a call of a missing method.
type MissingCall struct {
	G          trace.GoID
	Begin, End int64 // by number; End is -1 if it has not ended
	All        bool  // it reaches everything
	// what it does with locks, channels and goroutines is in the trace: it reaches memory
	Seen       bool
	Memory     [][2]uint64 // in order and apart
	Goroutines []trace.GoID
}
