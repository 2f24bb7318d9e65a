package built

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Way is an alternative in a window: how one goroutine could go on from a fork, as events.
// Variant puts it in its place.
type Way struct {
	G      trace.GoID
	Thread model.Thread
	Fork   trace.Site // where the path is left
	Base   bool       // because a pointer or index is another, not at a branch
	Other  bool       // because an operation has another outcome
	Ended  bool       // because the recorded run has ended: there is no choice
	At     int64      // the event of the trace before which the path is left

	// Returned is, if the recorded run has ended, the call from which the goroutine has returned as
	// its last event; 0: none, or it is not known.
	Returned trace.Site

	Chosen  []flow.Guard
	Holds   []model.Guard // Chosen, over the window's reads
	Where   func() flow.Where
	Steps   []flow.Step
	Assumes []flow.Assumption
	Origin  flow.Fork

	// Alone are words (address / 8) that it takes to be the goroutine's own: no goroutine accesses
	// them on its recorded path in the window. Unseen is as in flow.Alternative.
	Alone  map[uint64]bool
	Unseen bool

	// Halted are as in flow.Alternative.
	Halted []uint64

	// Events are numbered from the end of the window's events on. The Index of each is
	// AlternativeBase plus the number of its step.
	Events []model.Event

	Before int32 // the last event of the goroutine that both paths have, -1: none
	Leaves int32 // the first event that the way replaces; the window's number of events: none

	// Cuts are where the recorded paths of other goroutines end. If a timer starts the goroutine,
	// they do before anything else happens to the timer. If the way stops a timer that has fired,
	// the goroutine of the firing does before that.
	Cuts []Cut
}

// decided returns the Onces whose calls find what the way has returned (flow.Step.Decides).
func (w *Way) decided() (list []model.Obj) {
	for i := range w.Events {
		e := &w.Events[i]
		if e.Kind != format.OnceEnd {
			continue
		}
		if k := e.Index - flow.AlternativeBase; k >= 0 && int(k) < len(w.Steps) && w.Steps[k].Decides {
			list = append(list, e.Obj)
		}
	}
	return list
}

// passes reports whether a recorded event is a call that has found what the function of one of some
// Onces has returned.
func passes(e *model.Event, onces []model.Obj) bool {
	return e.Kind == format.OncePass && slices.Contains(onces, e.Obj)
}

// A Cut is a point of the recorded path of a goroutine, after which it does nothing more.
type Cut struct {
	Thread         model.Thread
	At             int64 // the event of the trace before which the path ends
	Before, Leaves int32 // as of a Way
}

// CutsOff reports whether the recorded path of a thread ends earlier with the way.
func (w *Way) CutsOff(t model.Thread) bool {
	return slices.ContainsFunc(w.Cuts, func(c Cut) bool { return c.Thread == t })
}

// Halts reports whether a timer that starts the goroutine of another way does not run on this one.
func (w *Way) Halts(o *Way) bool {
	t, ok := o.Origin.Timer()
	return ok && slices.Contains(w.Halted, t.Object)
}
