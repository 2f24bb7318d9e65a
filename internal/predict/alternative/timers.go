package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// timers are a path's knowledge of timers that run.
type timers struct{ p *path }

func timersOf(p *path) timers { return timers{p} }

// recorded returns the timer of the recorded run that has its channel, or its time.Timer, at
// an address, if it runs.
func (t timers) recorded(addr uint64) (object uint64, ok bool) {
	x, _, ok := t.known(addr)
	return x.Object, ok && x.Fired < 0 && !slices.Contains(t.p.memory.still, x.Object)
}

// known returns the timer of the recorded run at an address, if it was started before the fork, and
// the function that it calls.
func (t timers) known(addr uint64) (x flow.Timer, runs goval.Value, ok bool) {
	p := t.p
	if addr >= freshMemory || p.g != p.x.fork.G || !p.x.around.Settled(addr) {
		return x, runs, false
	}
	return p.x.fork.Facts.TimerAt(addr, p.g, p.x.fork.Event, p.x.around.Until())
}

// runs reports whether ch is the channel of a timer that runs.
func (t timers) runs(ch Value) bool {
	addr, ok := ch.Concrete.Bits()
	if !ok || ch.symbolic() {
		return false
	}
	_, recorded := t.recorded(addr)
	return recorded || t.p.memory.ticking(addr)
}

// halts has a timer with a channel fire: after that, it does not run. It returns false if the
// address is not that of its channel.
func (t timers) halts(addr uint64) bool {
	m := &t.p.memory
	if m.ticking(addr) {
		m.tick(addr)
		return true
	}
	object, ok := t.recorded(addr)
	if ok {
		m.still = append(m.still, object)
	}
	return ok
}

// stop stops the timer at an address. The result is that of Stop: whether it has run. It is so as
// long as nobody has received from its channel; before Go 1.23, if it has not sent yet either,
// which is one of the two cases. ok is false if the timer is not known, or if the goroutine is one
// that the path has started: the others may use the timer before or after that.
func (t timers) stop(addr uint64) (result Value, ok bool) {
	m := &t.p.memory
	if m.reader {
		return Value{}, false
	}
	if running, ok := m.stop(addr); ok {
		return truth(running), true
	}
	x, _, ok := t.known(addr)
	switch {
	case !ok:
		return Value{}, false
	case slices.Contains(m.still, x.Object):
		return truth(false), true
	case x.Fired >= 0:
		return Value{}, false
	}
	m.still = append(m.still, x.Object)
	return truth(true), true
}

// timerStop executes the Stop of a timer of the recorded run that calls a function (AL3): it comes
// before the timer fires, or after that, so that a goroutine calls the function. At a fork, the
// outcome is another one than in the recorded run. ok is false if it is no such call.
func (l library) timerStop(in *regcode.Instr, timer Value) (going, ok bool) {
	p := l.p
	addr, ok := timer.Concrete.Bits()
	if !ok || timer.symbolic() || p.memory.reader {
		return false, false
	}
	x, runs, ok := timersOf(p).known(addr)
	if !ok || !x.Calls || slices.Contains(p.memory.still, x.Object) {
		return false, false
	}
	fork := p.x.forksAt(p, in)
	var choices []func(*path)
	if !fork || x.Fired >= 0 {
		choices = append(choices, func(q *path) {
			timersOf(q).ends(x)
			q.emit(in, trace.Event{Kind: format.Block, Flags: format.FlagTimer}, flow.Flow{})
			q.next(in, truth(true))
		})
	}
	if (!fork || x.Fired < 0) && (!x.Long || x.Fired >= 0) {
		choices = append(choices, l.tooLate(in, x, runs))
	}
	return p.split(choices), true
}

// tooLate returns the choice that a timer has fired when it is stopped. If its function is not
// known, the goroutine that calls it has done nothing yet.
func (l library) tooLate(in *regcode.Instr, x flow.Timer, runs goval.Value) func(*path) {
	r := l.p.resolver()
	fn, free, why := r.function(Value{Concrete: runs})
	if why == "" && regcode.BoundMethod(fn) == nil && !plan.Typed(fn) {
		if c, why := r.enters(fn, nil, free); why == "" {
			return func(q *path) {
				timersOf(q).ends(x)
				if (operation{q, in}).starts(c) {
					q.next(in, truth(false))
				}
			}
		}
	}
	return func(q *path) {
		timersOf(q).ends(x)
		q.emit(in, trace.Event{Kind: format.Block, Flags: format.FlagTimer}, flow.Flow{})
		q.events.last().Case = fired
		q.next(in, truth(false))
	}
}

// fired is the Case of a step that says that a timer has fired, without what its function does.
const fired = 1

// ends has a timer of the recorded run run no more, and not fire as it has.
func (t timers) ends(x flow.Timer) {
	t.p.memory.still = append(t.p.memory.still, x.Object)
	if x.Fired >= 0 {
		t.p.unfired = append(t.p.unfired, x)
	}
}
