package hb

import (
	"presage/internal/clock"
	"presage/internal/shadow"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Detector finds the races of the recorded order. Use Step for each event in order.
type Detector struct {
	order  *clock.Order
	mem    shadow.Memory[cell]
	crowds crowds
	races  races
}

// New returns a detector that has seen nothing.
func New() *Detector {
	d := &Detector{order: clock.New(clock.Options{Joins: true})}
	d.mem.Split, d.mem.Drop = d.crowds.split, d.crowds.drop
	return d
}

// Each has f called with the event numbers of every pair found racing.
func (d *Detector) Each(f func(a, b int64)) { d.races.each = f }

// Step takes the next event of the trace.
func (d *Detector) Step(index int64, e *trace.Event) {
	switch e.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		d.access(index, e)
	case format.Lock, format.Unlock, format.WGAdd, format.WGWait, format.OnceEnd, format.OncePass, format.CondSignal, format.CondBroadcast, format.CondWake,
		format.ChanSend, format.ChanRecv, format.ChanClose, format.Go, format.Start, format.End, format.Join, format.Acquire, format.Release, format.ReleaseMerge:
		d.order.Step(e)
	case format.Alloc:
		d.mem.Reset(e.Obj, e.Val)
		d.order.Step(e)
	case format.TryFail, format.OnceBegin, format.CondWait, format.ChanLen, format.SelectCase, format.SelectDefault,
		format.OpaqueBegin, format.OpaqueEnd, format.MethodBegin, format.MethodEnd, format.Reach, format.ReachGo, format.ReachSet, format.Enter, format.Exit, format.Block, format.Value, format.Word:
	default:
		// A kind that a later version added orders nothing that this version knows of.
	}
}

// access checks one access against its cells and stores it in them.
func (d *Detector) access(index int64, e *trace.Event) {
	if e.Flags&format.FlagStack != 0 || e.Obj == 0 { // 0: a nil map
		return
	}
	t := d.order.Goroutine(e.G)
	if e.Kind.IsAtomic() {
		d.order.AcquireAtomic(t, e)
	}
	a := seen{epoch: t.Epoch(), index: index, site: e.Site, g: e.G}
	mask := shadow.Mask(e.Obj, e.Size)
	if c := d.mem.At(e.Obj, mask); c != nil {
		d.check(t, c, a, e)
	} else {
		d.mem.Each(e.Obj, mask, func(c *cell) { d.check(t, c, a, e) })
	}
	if e.Kind.IsAtomic() {
		d.order.ReleaseAtomic(t, e)
	}
}

func (d *Detector) check(t *clock.Goroutine, c *cell, a seen, e *trace.Event) {
	switch e.Kind {
	case format.Read:
		d.read(t, c, a, e)
	case format.Write:
		d.write(t, c, a, e)
	case format.AtomicRead:
		d.unordered(t, &c.w, a, e, format.Write)
		w := d.crowds.of(c)
		w.aReads = put(t, w.aReads, a)
	case format.AtomicWrite, format.AtomicRMW:
		d.unordered(t, &c.w, a, e, format.Write)
		d.unordered(t, &c.r, a, e, format.Read)
		w := d.crowds.of(c)
		d.all(t, w.reads, a, e, format.Read)
		w.aWrites = put(t, w.aWrites, a)
	}
}

// read is FastTrack's read rules.
func (d *Detector) read(t *clock.Goroutine, c *cell, a seen, e *trace.Event) {
	if c.r.epoch == a.epoch { // ReadSameEpoch
		return
	}
	d.unordered(t, &c.w, a, e, format.Write)
	if c.more != 0 {
		w := &d.crowds.list[c.more-1]
		d.all(t, w.aWrites, a, e, format.AtomicWrite)
		if len(w.reads) > 0 { // ReadShared
			w.reads = put(t, w.reads, a)
			return
		}
	}
	if c.r.epoch == 0 || t.Has(c.r.epoch) { // ReadExclusive
		c.r = a
		return
	}
	w := d.crowds.of(c) // ReadShare
	w.reads = append(w.reads, c.r, a)
	c.r = seen{}
}

// write is FastTrack's write rules.
func (d *Detector) write(t *clock.Goroutine, c *cell, a seen, e *trace.Event) {
	if c.w.epoch == a.epoch && c.r.epoch == 0 && c.more == 0 { // WriteSameEpoch
		return
	}
	d.unordered(t, &c.w, a, e, format.Write) // WriteExclusive
	d.unordered(t, &c.r, a, e, format.Read)
	if c.more != 0 { // WriteShared
		w := &d.crowds.list[c.more-1]
		d.all(t, w.reads, a, e, format.Read)
		d.all(t, w.aReads, a, e, format.AtomicRead)
		d.all(t, w.aWrites, a, e, format.AtomicWrite)
		d.crowds.drop(c)
	}
	c.w, c.r = a, seen{}
}

// put adds a to a set of unordered accesses, in place of those that t knows.
func put(t *clock.Goroutine, s []seen, a seen) []seen {
	k := 0
	for _, b := range s {
		if !t.Has(b.epoch) {
			s[k] = b
			k++
		}
	}
	return append(s[:k], a)
}

// unordered reports a race of a with b when b is not before it.
func (d *Detector) unordered(t *clock.Goroutine, b *seen, a seen, e *trace.Event, kind format.Kind) {
	if b.epoch != 0 && !t.Has(b.epoch) {
		d.races.add(b, kind, &a, e)
	}
}

func (d *Detector) all(t *clock.Goroutine, s []seen, a seen, e *trace.Event, kind format.Kind) {
	for i := range s {
		d.unordered(t, &s[i], a, e, kind)
	}
}
