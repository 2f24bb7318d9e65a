package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
)

// timers are a path's knowledge of timers that run.
type timers struct{ p *path }

func timersOf(p *path) timers { return timers{p} }

// recorded returns the timer of the recorded run that has its channel, or its time.Timer, at
// an address, if it runs.
func (t timers) recorded(addr uint64) (object uint64, ok bool) {
	x, ok := t.known(addr)
	return x.Object, ok && !slices.Contains(t.p.memory.still, x.Object)
}

// known returns the timer of the recorded run at an address, if it runs at the fork.
func (t timers) known(addr uint64) (x flow.Timer, ok bool) {
	p := t.p
	if addr >= freshMemory || p.g != p.x.fork.G || !p.x.around.Settled(addr) {
		return x, false
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
	x, ok := t.known(addr)
	if !ok {
		return Value{}, false
	}
	running := !slices.Contains(m.still, x.Object)
	if running {
		m.still = append(m.still, x.Object)
	}
	return truth(running), true
}
