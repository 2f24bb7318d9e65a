package tracetest

import (
	"io"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Execution is a small execution of a random program, as a trace, with the pairs that race in any
// of its reorderings, by exhaustive exploration. Each event has a site of its own.
type Execution struct {
	Name   string // of the profile
	Window *model.Window
	Races  map[[2]trace.Site]bool // the lower site first
	Events []trace.Event
	Flows  []flow.Flow
}

// maxExplored bounds the states of one execution.
const maxExplored = 300_000

// NewExecution makes execution number k of a series. It is not ok if memory is not zero at the
// start, if a read returns a value that no write left, or if it has too many states.
func NewExecution(r *rand.Rand, k int) (x *Execution, ok bool) {
	ps := slices.DeleteFunc(Profiles(), func(p Profile) bool {
		// terms come from the program, not from its trace
		return p.Semantics == model.EvaluatedReads
	})
	p := ps[k%len(ps)]
	p.Before, p.Where = 0, 0 // the builder decides which appends are open
	w := Generate(r, p)
	w.Edges, w.Orders = nil, nil
	for i := range w.Init {
		w.Init[i].Val = 0
	}
	if Validate(w) != nil || !explained(w) {
		return nil, false
	}
	races, complete := Explore(w, maxExplored)
	if !complete {
		return nil, false
	}
	x = &Execution{Name: p.Name, Window: w, Races: make(map[[2]trace.Site]bool)}
	x.Events, x.Flows = Trace(w)
	for q := range races {
		a, b := trace.Site(q.A+1), trace.Site(q.B+1)
		x.Races[[2]trace.Site{min(a, b), max(a, b)}] = true
	}
	return x, true
}

// explained reports whether every read of a window returns what the last write wrote.
func explained(w *model.Window) bool {
	val := make(map[model.Obj]uint64)
	for i := range w.Events {
		e := &w.Events[i]
		switch e.Kind {
		case format.Read, format.AtomicRead, format.AtomicRMW:
			if e.Val != val[e.Obj] {
				return false
			}
		}
		switch e.Kind {
		case format.Write, format.AtomicWrite:
			val[e.Obj] = e.Val
		case format.AtomicRMW:
			val[e.Obj] = e.Aux
		}
	}
	return true
}

// Left returns the races both of whose sites occur in the events.
func (h *Hidden) Left(races map[[2]trace.Site]bool) map[[2]trace.Site]bool {
	left, out := make(map[trace.Site]bool), make(map[[2]trace.Site]bool)
	for i := range h.Events {
		left[h.Events[i].Site] = true
	}
	for q := range races {
		if left[q[0]] && left[q[1]] {
			out[q] = true
		}
	}
	return out
}

// Source is a trace in memory.
type Source struct {
	Events []trace.Event // those to come
	Tables *trace.Meta   // may be nil
}

// Meta returns the tables.
func (s *Source) Meta() *trace.Meta { return s.Tables }

// Next takes the next event.
func (s *Source) Next(e *trace.Event) error {
	if len(s.Events) == 0 {
		return io.EOF
	}
	*e, s.Events = s.Events[0], s.Events[1:]
	return nil
}

// Walker is a walk with a given flow for each event.
type Walker []flow.Flow

// Step returns the flow of event i.
func (w Walker) Step(i int64, _ *trace.Event) flow.Flow { return w[i] }
