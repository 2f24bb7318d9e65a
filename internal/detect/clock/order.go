package clock

import "github.com/presage-race/presage/internal/trace/format"

// Goroutine is the clock of one goroutine. Its own component is in epoch and not in vc, so the
// clock of a goroutine that has just started is short, even among 100,000 others.
type Goroutine struct {
	epoch Epoch
	acted Epoch // of the last access by the goroutine, or by an earlier one in its slot
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

// end is the end of a goroutine: its last access, and its last epoch.
type end struct{ acted, last Epoch }

// Options are properties of the trace and of the order. The zero value is happens-before in a run
// of a Go program.
type Options struct {
	// Joins says that ended goroutines may be joined by name, as in traces of other tools. Their
	// clocks are kept.
	Joins   bool
	NoLocks bool // locks order nothing: the order of a hybrid detector
}

// Order has the clocks of all goroutines. Call Step for the events in order, except for atomic
// operations: their access is between AcquireAtomic and ReleaseAtomic.
type Order struct {
	opt     Options
	gs      []*Goroutine
	spare   []*Goroutine
	ended   []end // of goroutines whose slots may be used again
	turn    int   // the next search in ended begins here
	dead    VC    // of each slot, the last epoch of a goroutine that has ended
	slots   uint32
	kept    int // words of clocks of ended goroutines
	syncs   syncs
	scratch VC
}

// maxKept bounds the words of the clocks of ended goroutines.
const maxKept = 1 << 20

// New returns the order at the start of a run.
func New(opt Options) *Order { return &Order{opt: opt} }

// Slots is the length of the longest clock: the number of slots.
func (o *Order) Slots() int { return int(o.slots) }

// Step takes an event. Accesses, observations of states and unknown kinds have no effect.
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

// Goroutine returns the clock of a goroutine, which is valid until the next Step. A new goroutine
// gets a slot.
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

// slotFor finds a slot for a goroutine that starts with clock start. It may be that of an ended
// goroutine whose last access start has: all its accesses are before those of the new one. Its
// later releases are not, so a lock that it released has to be acquired.
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

// probes is the number of ended goroutines that slotFor tries.
const probes = 8

// fork is (CL1).
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

// end frees the slot and the clock of an ended goroutine.
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

// acquireAll makes all events so far happen before t, a finalizer: its object is unreachable. The
// epochs of all goroutines, alive and ended, are all that clocks contain.
func (o *Order) acquireAll(t *Goroutine) {
	t.vc = t.vc.join(o.dead)
	for _, u := range o.gs {
		if u != nil && u != t && !u.ended {
			t.vc = t.vc.with(u.epoch)
			u.epoch++
		}
	}
}
