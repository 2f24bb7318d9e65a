package tracetest

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Enforced returns a trace without BarrierPairs that has synchronisation in their place. For each
// order it has a Release directly after the first event, and an Acquire directly before the second
// one, of an object that nothing else uses. So each detector for whole traces keeps the orders
// (RDIT's thesis, 4.2: "the same HB algorithm or other precise algorithms can be directly applied …
// without any change"). flows are those of a walk that is not symbolic, or nil.
func Enforced(events []trace.Event, flows []flow.Flow, orders []excluded.Edge) ([]trace.Event, []flow.Flow) {
	w := &enforcing{events: events, flows: flows, at: make([]int64, len(events)), before: map[int64][]int64{}, first: map[int64]trace.Addr{}}
	for _, o := range orders {
		w.before[o.To] = append(w.before[o.To], o.From)
		if w.first[o.From] == 0 {
			w.first[o.From] = enforcedObjects + trace.Addr(64*len(w.first))
		}
	}
	for i := range events {
		w.event(i)
	}
	return w.out, w.outFlows
}

// enforcedObjects is where the objects of Enforced begin, above all addresses of a program.
const enforcedObjects trace.Addr = 1 << 62

type enforcing struct {
	events   []trace.Event
	flows    []flow.Flow
	at       []int64 // by event: its new number
	before   map[int64][]int64
	first    map[int64]trace.Addr // the object of an order, by its first event
	out      []trace.Event
	outFlows []flow.Flow
}

func (w *enforcing) event(i int) {
	e := w.events[i]
	if e.Kind == format.Start { // its goroutine has no event before it
		w.put(i, e)
	}
	for _, f := range w.before[int64(i)] {
		w.sync(format.Acquire, e.G, w.first[f])
	}
	if e.Kind != format.Start && e.Kind != format.End {
		w.put(i, e)
	}
	if x := w.first[int64(i)]; x != 0 {
		w.sync(format.Release, e.G, x)
	}
	if e.Kind == format.End { // and none after it
		w.put(i, e)
	}
}

func (w *enforcing) sync(k format.Kind, g trace.GoID, x trace.Addr) {
	w.out = append(w.out, trace.Event{Kind: k, G: g, Obj: x})
	if w.flows != nil {
		w.outFlows = append(w.outFlows, flow.Flow{Walked: true})
	}
}

// put appends event i, if it is not of a BarrierPair.
func (w *enforcing) put(i int, e trace.Event) {
	w.at[i] = -1
	switch e.Kind {
	case format.MethodBegin, format.MethodEnd, format.Reach, format.ReachGo, format.ReachSet:
		return
	}
	w.at[i] = int64(len(w.out))
	w.out = append(w.out, e)
	if w.flows != nil {
		f := w.flows[i]
		f.Needs, f.From, f.Where = w.moved(f.Needs), w.moved(f.From), w.moved(f.Where)
		if f.Appended != nil {
			x := *f.Appended
			x.Moved = w.moved(x.Moved)
			f.Appended = &x
		}
		w.outFlows = append(w.outFlows, f)
	}
}

func (w *enforcing) moved(list []int64) []int64 {
	list = slices.Clone(list)
	for k, n := range list {
		list[k] = w.at[n]
	}
	return list
}
