package window

import "github.com/presage-race/presage/internal/trace"

// Way is an alternative in a window: how one goroutine could go on from a fork, as events. Variant
// puts it in its place.
type Way struct {
	G      trace.GoID
	Thread Thread
	Fork   trace.Site // where the path is left
	Base   bool       // because a pointer or index is another, not at a branch
	At     int64      // the event of the trace before which that is
	Chosen []FlowGuard
	Holds  []Guard // Chosen, over the window's reads
	Where  func() Where
	Steps  []Step
	// numbered from the end of the window's events on; their Index is AlternativeBase plus the step
	Events  []Event
	Assumes []Assumption
	Origin  Fork

	// the last event of the goroutine that it has in common with the recorded run, -1: none
	Before int32
	Leaves int32 // the first one that it replaces; the number of events of the window: none
}
