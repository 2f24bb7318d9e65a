package alternative

import "slices"

// timers are a path's knowledge of timers that run.
type timers struct{ p *path }

func timersOf(p *path) timers { return timers{p} }

// recorded returns the timer of the recorded run that has its channel, or its time.Timer, at
// an address, if it runs.
func (t timers) recorded(addr uint64) (object uint64, ok bool) {
	p := t.p
	if addr >= freshMemory || p.g != p.x.fork.G || !p.x.around.Settled(addr) {
		return 0, false
	}
	x, ok := p.x.fork.Facts.TimerAt(addr, p.g, p.x.fork.Event, p.x.around.Until())
	return x.Object, ok && !slices.Contains(p.memory.still, x.Object)
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

// halts stops a timer that runs, or has it fire: after that, it does not run. It returns false if
// the address is not that of the timer or its channel.
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
