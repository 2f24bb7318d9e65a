package clock

import "github.com/presage-race/presage/internal/trace/format"

// Goroutine is the clock of one goroutine. Its own component is in epoch, not in vc:
// a goroutine that just started shares nothing with the other 100,000 and has a short clock.
type Goroutine struct {
	epoch Epoch
	acted Epoch // that of the last access by it, or by one whose slot it has
	vc    VC
	ended bool
}

// Epoch is the goroutine's own component, the time of an access that it makes now.
func (t *Goroutine) Epoch() Epoch {
	t.acted = t.epoch
	return t.epoch
}

// Has reports whether epoch e is at or before t.
func (t *Goroutine) Has(e Epoch) bool {
	return e.Slot() == t.epoch.Slot() || t.vc.Knows(e)
}

// end is the end of a goroutine: who knows of its last access knows all that it did.
type end struct{ acted, last Epoch }

// Options say what a trace may hold, and what orders in it. The zero value is happens-before in a
// run of a Go program.
type Options struct {
	// the end of a goroutine may be waited for by name (Join, in traces of other tools): ended
	// clocks are kept
	Joins   bool
	NoLocks bool // mutexes order nothing: the order of a hybrid detector
}

// Order knows what each goroutine knows. Use Step for the events in order, but for atomic
// operations, whose access lies between Acquire and Release.
type Order struct {
	opt     Options
	gs      []*Goroutine
	spare   []*Goroutine
	ended   []end // of goroutines whose slots may be used again
	turn    int   // where the next search in ended begins
	dead    VC    // of each slot, the last epoch of a goroutine that has ended
	slots   uint32
	kept    int // words of clocks of ended goroutines
	syncs   syncs
	scratch VC
}

// maxKept bounds the words of the clocks of ended goroutines.
const maxKept = 1 << 20

// New returns the order of a run in which nothing has happened.
func New(opt Options) *Order { return &Order{opt: opt} }

// Slots is the length of the longest clock: how many goroutines could not share a component.
func (o *Order) Slots() int { return int(o.slots) }

// Step takes an event. Accesses order nothing here, nor do observations of states, nor kinds that a
// later version added.
func (o *Order) Step(e *format.Event) {
	switch e.Kind {
	case format.Lock, format.Unlock:
		if !o.opt.NoLocks {
			o.lock(e)
		}
	case format.WGAdd, format.WGWait, format.OnceEnd, format.OncePass, format.CondSignal, format.CondBroadcast, format.CondWake:
		o.merge(e)
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		o.channel(e)
	case format.Go, format.Start, format.End, format.Join:
		o.fork(e)
	case format.Acquire, format.Release, format.ReleaseMerge:
		o.hidden(e)
	case format.Alloc:
		o.syncs.reset(uint64(e.Obj), e.Val)
	}
}

// Goroutine returns the clock of goroutine id, giving it a slot when it is new. It is valid until
// the next Step.
func (o *Order) Goroutine(id format.GoID) *Goroutine {
	if int(id) < len(o.gs) && o.gs[id] != nil {
		return o.gs[id]
	}
	return o.newGoroutine(id, nil)
}

// newGoroutine makes the clock of id, started by parent if that is known.
func (o *Order) newGoroutine(id format.GoID, parent *Goroutine) *Goroutine {
	for int(id) >= len(o.gs) {
		o.gs = append(o.gs, nil)
	}
	var t *Goroutine
	if n := len(o.spare); n > 0 {
		t, o.spare = o.spare[n-1], o.spare[:n-1]
	} else {
		t = new(Goroutine)
	}
	start := t.vc.set(VC{})
	if parent != nil {
		start = start.set(parent.vc).with(parent.epoch)
	}
	x := o.slotFor(start)
	*t = Goroutine{epoch: x.last + 1, acted: x.acted, vc: start}
	o.gs[id] = t
	return t
}

// slotFor finds a slot for a goroutine that starts with clock start: that of an ended goroutine if
// start knows of its last access, because then everything it did is before the new one. (What it
// released after that is not: a lock that it left has to be acquired.)
func (o *Order) slotFor(start VC) end {
	for range min(len(o.ended), probes) {
		o.turn = (o.turn + 1) % len(o.ended)
		if x := o.ended[o.turn]; x.acted == 0 || start.Knows(x.acted) {
			last := len(o.ended) - 1
			o.ended[o.turn] = o.ended[last]
			o.ended = o.ended[:last]
			return x
		}
	}
	o.slots++
	return end{last: epoch(o.slots-1, 0)}
}

// probes is the number of ended goroutines that a new one looks at.
const probes = 8

// fork is (R1).
func (o *Order) fork(e *format.Event) {
	t := o.Goroutine(e.G)
	switch e.Kind {
	case format.Go:
		if id := format.GoID(e.Obj); int(id) >= len(o.gs) || o.gs[id] == nil {
			o.newGoroutine(id, t)
		}
		t.epoch++
	case format.End:
		if !t.ended && e.G != 0 {
			o.end(e.G, t)
		}
	case format.Join:
		u := o.Goroutine(format.GoID(e.Obj))
		t.vc = t.vc.join(u.vc).with(u.epoch)
	}
}

// end frees what an ended goroutine has: its slot for a goroutine that knows of the end, and its
// clock.
func (o *Order) end(id format.GoID, t *Goroutine) {
	t.ended = true
	o.ended = append(o.ended, end{t.acted, t.epoch})
	o.dead = o.dead.with(t.epoch)
	if !o.opt.Joins {
		o.gs[id] = nil
		o.spare = append(o.spare, t)
		return
	}
	if o.kept += t.vc.words(); t.vc.words() > headSlots/2 || o.kept > maxKept {
		t.vc = VC{} // Join needs it only in traces of other tools, which have few threads
	}
}

// acquireAll makes everything so far come before t: a finalizer runs when its object
// cannot be reached any more. What a goroutine knows of others is what they are or have been.
func (o *Order) acquireAll(t *Goroutine) {
	t.vc = t.vc.join(o.dead)
	for _, u := range o.gs {
		if u != nil && u != t && !u.ended {
			t.vc = t.vc.with(u.epoch)
			u.epoch++
		}
	}
}
