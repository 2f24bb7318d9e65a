package hb

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// goroutine is the clock of one goroutine. Its own component is in epoch, not in vc:
// a goroutine that just started shares nothing with the other 100,000 and has a short clock.
type goroutine struct {
	epoch Epoch
	vc    VC
	known bool
	ended bool
}

// Detector finds the races of the recorded order. Use Step for each event in order.
type Detector struct {
	gs      []goroutine
	ended   []Epoch // last epochs of goroutines whose slots may be used again, oldest first
	slots   uint32
	kept    int // clocks of ended goroutines
	mem     shadow
	syncs   syncs
	races   races
	scratch VC
}

// maxKept bounds the words of the clocks of ended goroutines.
const maxKept = 1 << 20

// New returns a detector that has seen nothing.
func New() *Detector { return &Detector{} }

// Each has f called with the event numbers of every pair found racing.
func (d *Detector) Each(f func(a, b int64)) { d.races.each = f }

// Step takes the next event of the trace.
func (d *Detector) Step(index int64, e *trace.Event) {
	switch e.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		d.access(index, e)
	case format.Lock, format.Unlock:
		d.lock(e)
	case format.WGAdd, format.WGWait, format.OnceEnd, format.OncePass, format.CondSignal, format.CondBroadcast, format.CondWake:
		d.merge(e)
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		d.channel(e)
	case format.Go, format.Start, format.End, format.Join:
		d.fork(e)
	case format.Acquire, format.Release, format.ReleaseMerge:
		d.hidden(e)
	case format.Alloc:
		d.mem.reset(uint64(e.Obj), e.Val)
		d.syncs.reset(uint64(e.Obj), e.Val)
	case format.TryFail, format.OnceBegin, format.CondWait, format.ChanLen, format.SelectCase, format.SelectDefault,
		format.OpaqueBegin, format.OpaqueEnd, format.MethodBegin, format.MethodEnd, format.Reach, format.ReachGo, format.Enter, format.Exit, format.Block, format.Value, format.Word:
	default:
		// A kind that a later version added orders nothing that this version knows of.
	}
}

// g returns the clock of goroutine id, giving it a slot when it is new.
func (d *Detector) g(id trace.GoID) *goroutine {
	if int(id) < len(d.gs) && d.gs[id].known {
		return &d.gs[id]
	}
	return d.newGoroutine(id, nil)
}

// newGoroutine makes the clock of id, started by parent if that is known.
func (d *Detector) newGoroutine(id trace.GoID, parent *goroutine) *goroutine {
	var start VC
	if parent != nil {
		start = VC{}.set(parent.vc).with(parent.epoch)
	}
	for int(id) >= len(d.gs) {
		d.gs = append(d.gs, goroutine{})
	}
	t := &d.gs[id]
	*t = goroutine{epoch: d.slotFor(start), vc: start, known: true}
	return t
}

// slotFor finds a slot for a goroutine that starts with clock start: that of an ended
// goroutine if start knows its end, because then everything it did is before the new one.
func (d *Detector) slotFor(start VC) Epoch {
	for i := 0; i < len(d.ended) && i < 8; i++ {
		if e := d.ended[i]; start.knows(e) {
			d.ended = append(d.ended[:i], d.ended[i+1:]...)
			return e + 1
		}
	}
	d.slots++
	return epoch(d.slots-1, 1)
}

// fork is (R1).
func (d *Detector) fork(e *trace.Event) {
	switch e.Kind {
	case format.Go:
		d.g(e.G)
		if id := trace.GoID(e.Obj); int(id) >= len(d.gs) || !d.gs[id].known {
			for int(id) >= len(d.gs) {
				d.gs = append(d.gs, goroutine{})
			}
			d.newGoroutine(id, &d.gs[e.G])
		}
		d.gs[e.G].epoch++
	case format.Start:
		d.g(e.G)
	case format.End:
		t := d.g(e.G)
		if !t.ended && e.G != 0 {
			t.ended = true
			d.ended = append(d.ended, t.epoch)
			if d.kept += t.vc.words(); t.vc.words() > headSlots/2 || d.kept > maxKept {
				t.vc = VC{} // Join needs it only in traces of other tools, which have few threads
			}
		}
	case format.Join:
		d.g(e.G)
		u := d.g(trace.GoID(e.Obj))
		t := &d.gs[e.G]
		t.vc = t.vc.join(u.vc).with(u.epoch)
	}
}

// access checks one access against its cells and stores it in them.
func (d *Detector) access(index int64, e *trace.Event) {
	if e.Flags&format.FlagStack != 0 || e.Obj == 0 { // 0: a nil map
		return
	}
	t := d.g(e.G)
	if e.Kind.IsAtomic() {
		d.acquireAtomic(t, e)
	}
	a := seen{epoch: t.epoch, index: index, site: e.Site, g: e.G}
	mask := maskOf(uint64(e.Obj), e.Size)
	c := d.mem.word(uint64(e.Obj))
	switch {
	case c.mask == mask:
		d.check(t, c, a, e)
	case c.mask == 0 && c.next == 0:
		c.mask = mask
		d.check(t, c, a, e)
	default:
		d.mem.each(c, mask, func(c *cell) { d.check(t, c, a, e) })
	}
	if e.Kind.IsAtomic() {
		d.releaseAtomic(t, e)
	}
}

func (d *Detector) check(t *goroutine, c *cell, a seen, e *trace.Event) {
	switch e.Kind {
	case format.Read:
		d.read(t, c, a, e)
	case format.Write:
		d.write(t, c, a, e)
	case format.AtomicRead:
		d.unordered(t, &c.w, a, e, format.Write)
		w := d.mem.crowd(c)
		w.aReads = t.put(w.aReads, a)
	case format.AtomicWrite, format.AtomicRMW:
		d.unordered(t, &c.w, a, e, format.Write)
		d.unordered(t, &c.r, a, e, format.Read)
		w := d.mem.crowd(c)
		d.all(t, w.reads, a, e, format.Read)
		w.aWrites = t.put(w.aWrites, a)
	}
}

// read is FastTrack's read rules.
func (d *Detector) read(t *goroutine, c *cell, a seen, e *trace.Event) {
	if c.r.epoch == a.epoch { // ReadSameEpoch
		return
	}
	d.unordered(t, &c.w, a, e, format.Write)
	if c.more != 0 {
		w := &d.mem.crowds[c.more-1]
		d.all(t, w.aWrites, a, e, format.AtomicWrite)
		if len(w.reads) > 0 { // ReadShared
			w.reads = t.put(w.reads, a)
			return
		}
	}
	if c.r.epoch == 0 || t.has(c.r.epoch) { // ReadExclusive
		c.r = a
		return
	}
	w := d.mem.crowd(c) // ReadShare
	w.reads = append(w.reads, c.r, a)
	c.r = seen{}
}

// write is FastTrack's write rules.
func (d *Detector) write(t *goroutine, c *cell, a seen, e *trace.Event) {
	if c.w.epoch == a.epoch && c.r.epoch == 0 && c.more == 0 { // WriteSameEpoch
		return
	}
	d.unordered(t, &c.w, a, e, format.Write) // WriteExclusive
	d.unordered(t, &c.r, a, e, format.Read)
	if c.more != 0 { // WriteShared
		w := &d.mem.crowds[c.more-1]
		d.all(t, w.reads, a, e, format.Read)
		d.all(t, w.aReads, a, e, format.AtomicRead)
		d.all(t, w.aWrites, a, e, format.AtomicWrite)
		d.mem.dropCrowd(c)
	}
	c.w, c.r = a, seen{}
}

// has reports whether epoch e is at or before t.
func (t *goroutine) has(e Epoch) bool {
	return e.slot() == t.epoch.slot() || t.vc.knows(e)
}

// put adds a to a set of unordered accesses, in place of those that t knows.
func (t *goroutine) put(s []seen, a seen) []seen {
	k := 0
	for _, b := range s {
		if !t.has(b.epoch) {
			s[k] = b
			k++
		}
	}
	return append(s[:k], a)
}

// unordered reports a race of a with b when b is not before it.
func (d *Detector) unordered(t *goroutine, b *seen, a seen, e *trace.Event, kind format.Kind) {
	if b.epoch != 0 && !t.has(b.epoch) {
		d.races.add(b, kind, &a, e)
	}
}

func (d *Detector) all(t *goroutine, s []seen, a seen, e *trace.Event, kind format.Kind) {
	for i := range s {
		d.unordered(t, &s[i], a, e, kind)
	}
}
