package offpath

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// timers are the timers that run, as one goroutine knows them: those that the alternative has made,
// and those of the recorded run that nobody else starts or stops (CP3).
type timers struct {
	in    *subject
	heap  *heap
	first bool     // the goroutine is that of the fork
	still []uint64 // timers of the recorded run that run no more, by their object
}

// runs reports whether a timer runs that has its channel, or its time.Timer, at an address.
func (t *timers) runs(addr uint64) bool {
	_, recorded := t.recorded(addr)
	return recorded || t.heap.ticking(addr) != nil
}

// halt has a timer send to its channel. It returns false if there is none that runs.
func (t *timers) halt(addr uint64) bool {
	if x := t.heap.ticking(addr); x != nil {
		x.ticks = false
		return true
	}
	object, ok := t.recorded(addr)
	if ok {
		t.ended(object)
	}
	return ok
}

// stop stops a timer of the recorded run that runs at the fork. ok is false if there is none at the
// address.
func (t *timers) stop(addr uint64) (running, ok bool) {
	x, ok := t.known(addr)
	if !ok {
		return false, false
	}
	if running = !slices.Contains(t.still, x.Object); running {
		ok = t.alone(x, false)
		t.ended(x.Object)
	}
	return running, ok
}

// ends has a timer of the recorded run that calls a function run no more, and not fire as it has.
// ok is false if there is none at the address that runs at the fork.
func (t *timers) ends(addr uint64) (x flow.Timer, ok bool) {
	x, ok = t.known(addr)
	if !ok || !x.Calls || slices.Contains(t.still, x.Object) || !t.alone(x, true) {
		return x, false
	}
	if x.Fired >= 0 && x.Fired < t.in.window.From {
		reject("CP1", "the timer has fired before the window")
	}
	for _, r := range t.in.window.Records {
		if r.Index > x.Armed && r.Kind == format.Acquire && uint64(r.Obj) == x.Object {
			t.in.endsBefore(r)
		}
	}
	t.ended(x.Object)
	return x, true
}

// ended notes that a timer of the recorded run does not run any more. So it starts no goroutine of
// another alternative.
func (t *timers) ended(object uint64) {
	for _, alt := range t.in.beside {
		if x := alt.Origin.Snapshot().Starts; x != nil && x.Object == object {
			reject("CP1", "a timer that is stopped starts the goroutine of another alternative")
		}
	}
	t.still = append(t.still, object)
}

// recorded returns the timer of the recorded run at an address, by its object, if it runs.
func (t *timers) recorded(addr uint64) (object uint64, ok bool) {
	x, ok := t.known(addr)
	return x.Object, ok && x.Fired < 0 && !slices.Contains(t.still, x.Object) && t.alone(x, false)
}

// known returns the timer of the recorded run at an address, if it is started before the fork.
func (t *timers) known(addr uint64) (x flow.Timer, ok bool) {
	if addr == 0 || addr >= notProgram || !t.first {
		return x, false
	}
	return t.in.snap.Timer(addr, t.in.window.To)
}

// alone reports whether a timer is started before the fork, and nothing happens to it in the window
// after that, but on the path that the goroutine has left, and, if it may fire, that it fires.
func (t *timers) alone(x flow.Timer, mayFire bool) bool {
	alt := t.in.alt
	if x.Armed >= alt.At || x.Fired >= 0 && !mayFire {
		return false
	}
	return !slices.ContainsFunc(t.in.window.Records, func(r *built.Record) bool {
		switch {
		case r.Kind == format.Alloc:
			return r.Index > x.Armed && x.Object-uint64(r.Obj) < r.Val
		case uint64(r.Obj) != x.Object || r.Kind != format.Acquire && (r.Kind != format.ReleaseMerge || r.Flags&format.FlagTimer == 0):
			return false
		case mayFire && r.Kind == format.Acquire && r.G != alt.G && r.Index > x.Armed:
			return false
		}
		return r.Index == x.Armed && r.G != alt.G || r.Index > x.Armed && (r.G != alt.G || r.Index < alt.At)
	})
}

// timerStarts checks that a goroutine that a timer starts comes after the start of the timer, and
// that the witness has nothing else that happens to the timer, nor what follows that (CP1).
func (in *subject) timerStarts() {
	x := in.snap.Starts
	if x == nil {
		return
	}
	if in.hasRecorded(in.alt.Thread) {
		reject("CP1", "the goroutine that a timer starts has recorded events")
	}
	for _, r := range in.window.Records {
		switch {
		case r.Index < x.Armed:
		case r.Index == x.Armed:
			if r.Kind != format.ReleaseMerge || r.Flags&format.FlagTimer == 0 || uint64(r.Obj) != x.Object || r.G != x.By {
				reject("CP1", "event %d does not start the timer", r.Index)
			}
			in.startedBy(x)
		case r.Kind == format.Alloc && x.Object-uint64(r.Obj) < r.Val:
			reject("CP1", "the timer is not there any more")
		case uint64(r.Obj) == x.Object && (r.Kind == format.Acquire || r.Kind == format.ReleaseMerge):
			in.endsBefore(r)
		}
	}
}

// startedBy checks that the window has the start of a timer as the Go of its goroutine, in the
// place of the event that has started it.
func (in *subject) startedBy(x *flow.Timer) {
	for i := range in.window.Events {
		e := &in.variant.Events[i]
		if e.Kind == format.Go && model.Thread(e.Obj) == in.alt.Thread && e.Index == x.Armed && in.window.Threads[in.window.Events[i].Thread] == x.By {
			return
		}
	}
	reject("CP1", "the window does not have the start of the timer")
}

// endsBefore checks that a goroutine does not come to an event.
func (in *subject) endsBefore(r *built.Record) {
	for i := range in.window.Events {
		if e := &in.window.Events[i]; in.window.Threads[e.Thread] == r.G && e.Index >= r.Index && !in.variant.Events[i].Never {
			reject("CP1", "event %d comes after event %d of the trace, by which the timer does not run", i, r.Index)
		}
	}
	for _, alt := range in.beside {
		if alt.G == r.G && alt.At > r.Index {
			reject("CP1", "goroutine %d has got to event %d, by which the timer does not run", r.G, r.Index)
		}
	}
}
