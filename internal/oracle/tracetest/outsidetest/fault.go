package outsidetest

import (
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Fault is a rule of the model of outside code that is left out: a judge has to find false races.
// It is a change of the trace, or of its windows.
type Fault struct {
	Name     string
	Trace    func(r *rand.Rand, run *Run) *Run // of a run with every access; nil: it is thinned
	Window   func(w *model.Window)             // nil: none
	Ordered  bool                              // racing accesses are not marked
	Thinning Thinning
}

// Faults lists the faults.
func Faults() []Fault {
	return []Fault{
		{Name: "O1: outside reads may return anything", Window: func(w *model.Window) {
			for i := range w.Events {
				if e := &w.Events[i]; e.Kind == format.Read && e.Flags&format.FlagOpaque != 0 {
					e.Strict = false
				}
			}
		}},
		{Name: "O2: arguments are not pinned", Trace: needless(format.OpaqueBegin, 0)},
		{Name: "O2: what is returned to outside code is not pinned", Trace: needless(format.Exit, 0)},
		{Name: "O3: outside code always writes the same number", Window: sameLeft},
		{Name: "O3: a map write does not read", Trace: full(func(e *trace.Event) bool {
			if isOutside(e) && e.Kind == format.Write {
				e.Size = 8
			}
			return true
		})},
		{Name: "O5: no locks of outside code", Trace: full(func(e *trace.Event) bool {
			return e.Flags&format.FlagOpaque == 0 || e.Kind != format.Lock && e.Kind != format.Unlock
		})},
		{Name: "O5: no channels of outside code", Trace: full(func(e *trace.Event) bool {
			return e.Flags&format.FlagOpaque == 0 || e.Kind != format.ChanSend && e.Kind != format.ChanRecv
		})},
		{Name: "O7: racing accesses are not marked", Trace: full(func(*trace.Event) bool { return true }), Ordered: true},
		{Name: "O8: files are not observed", Trace: full(func(e *trace.Event) bool {
			return e.Kind != format.Observe || e.Obj != format.StateFiles
		})},
		{Name: "O8: goroutines are not counted", Trace: full(func(e *trace.Event) bool {
			return e.Kind != format.Observe || e.Obj != format.StateGoroutines
		})},
		{Name: "E4: no accesses are left out of a turn", Window: func(w *model.Window) {
			w.Orders = nil
			w.Edges = slices.DeleteFunc(w.Edges, func(e model.Edge) bool { return e.Weak })
		}},
		{Name: "E4, E5: late records are not marked", Trace: func(r *rand.Rand, run *Run) *Run {
			return full(func(e *trace.Event) bool {
				if isOutside(e) {
					e.Flags &^= format.FlagLate
				}
				return true
			})(r, run.Thin(r, Thinning{}))
		}},
		{Name: "SC7: reads of what inside code has written are not recorded", Thinning: Thinning{NoDirty: true}},
		{Name: "SC1: no late records", Thinning: Thinning{NoLate: true}},
	}
}

// Apply makes the trace of a run with the fault.
func (f *Fault) Apply(r *rand.Rand, run *Run) *Run {
	if f.Trace != nil {
		return f.Trace(r, run)
	}
	return run.Thin(r, f.Thinning)
}

// full changes each event of a trace, and leaves out those for which change returns false.
func full(change func(e *trace.Event) bool) func(*rand.Rand, *Run) *Run {
	return func(_ *rand.Rand, run *Run) *Run {
		out, at := &Run{Program: run.Program, Schedule: run.Schedule}, make([]int64, len(run.Events))
		for i := range run.Events {
			if e := run.Events[i]; change(&e) {
				at[i] = int64(len(out.Events))
				out.Events, out.Flows = append(out.Events, e), append(out.Flows, renumbered(run.Flows[i], at))
			}
		}
		return out
	}
}

// needless removes the needs of events of a kind with exactly these flags.
func needless(k format.Kind, flags format.Flags) func(*rand.Rand, *Run) *Run {
	return func(_ *rand.Rand, run *Run) *Run {
		out := *run
		out.Flows = slices.Clone(run.Flows)
		for i := range out.Flows {
			if e := &run.Events[i]; e.Kind == k && e.Flags == flags {
				out.Flows[i].Needs = nil
			}
		}
		return &out
	}
}

// sameLeft has outside code write 1 wherever the value is unknown.
func sameLeft(w *model.Window) {
	own := map[uint64]bool{}
	for i := range w.Events {
		if e := &w.Events[i]; e.Kind == format.Write && e.Flags&format.FlagOpaque != 0 && e.Val >= values {
			own[e.Val] = true
		}
	}
	for i := range w.Events {
		if e := &w.Events[i]; own[e.Val] {
			e.Val = 1
		}
	}
}
