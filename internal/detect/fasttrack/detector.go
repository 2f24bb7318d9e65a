package fasttrack

import (
	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// Stats counts applications of the rules.
type Stats struct {
	ReadSameEpoch, ReadShared, ReadExclusive, ReadShare int64
	WriteSameEpoch, WriteExclusive, WriteShared         int64
	Atomic                                              int64 // (FT1)
	Races                                               int64 // checks that failed
	Locations                                           int64 // locations of which one failed
}

// Detector is the detector. Call Step for the events of a run in order.
type Detector struct {
	Stats Stats
	// First is called for the first race of each cell, after Found, with the later access and its
	// bytes.
	First func(index int64, addr format.Addr, mask uint8)

	order *clock.Order
	mem   shadow.Memory[cell] // (FT2)
	more  unorderedSets
	found shadow.Found
}

// New returns a detector that calls found for each pair of accesses for which a check fails. Joins
// says that goroutines may be joined by name, as in traces of other tools.
func New(joins bool, found shadow.Found) *Detector {
	d := &Detector{order: clock.New(clock.Options{Joins: joins}), found: found}
	d.mem.Split, d.mem.Drop = d.more.split, d.more.drop
	return d
}

// Slots is the length of the longest clock.
func (d *Detector) Slots() int { return d.order.Slots() }

// Step takes the next event.
func (d *Detector) Step(index int64, e *format.Event) {
	switch {
	case e.IsText():
	case e.Kind.IsAccess():
		d.access(index, e)
	case e.Kind == format.Alloc: // (FT2)
		d.mem.Reset(e.Obj, e.Val)
		d.order.Step(e)
	default:
		d.order.Step(e)
	}
}

func (d *Detector) access(index int64, e *format.Event) {
	if e.Flags&format.FlagStack != 0 || e.Obj == 0 { // 0: a nil map
		return
	}
	t := d.order.Goroutine(e.G)
	if e.Kind.IsAtomic() {
		d.Stats.Atomic++
		d.order.AcquireAtomic(t, e)
	}
	a := seen{epoch: t.Epoch(), index: index, site: e.Site, g: e.G}
	mask := shadow.Mask(e.Obj, e.Size)
	if c := d.mem.At(e.Obj, mask); c != nil {
		d.check(t, c, a, e, mask)
	} else {
		d.mem.Each(e.Obj, mask, func(c *cell) { d.check(t, c, a, e, mask) })
	}
	if e.Kind.IsAtomic() {
		d.order.ReleaseAtomic(t, e)
	}
}

func (d *Detector) check(t *clock.Goroutine, c *cell, a seen, e *format.Event, mask uint8) {
	before := d.Stats.Races
	switch e.Kind {
	case format.Read:
		d.read(t, c, a, e)
	case format.Write:
		d.write(t, c, a, e)
	default:
		d.atomic(t, c, a, e)
	}
	if d.Stats.Races != before && !c.raced {
		c.raced = true
		d.Stats.Locations++
		if d.First != nil {
			d.First(a.index, e.Obj, mask)
		}
	}
}

func (d *Detector) read(t *clock.Goroutine, c *cell, a seen, e *format.Event) {
	if c.r.epoch == a.epoch && c.r.site == a.site && c.more == 0 {
		d.Stats.ReadSameEpoch++
		return
	}
	d.known(t, &c.w, &a, e, format.Write)
	if c.more != 0 {
		w := d.more.of(c)
		d.all(t, w.atomicWrites.list, &a, e, format.AtomicWrite)
		if len(w.reads.list) > 0 {
			d.Stats.ReadShared++
			w.reads.put(a)
			return
		}
	}
	if c.r.epoch == 0 || t.Has(c.r.epoch) {
		d.Stats.ReadExclusive++
		c.r = a
		return
	}
	d.Stats.ReadShare++
	w := d.more.of(c)
	w.reads.put(c.r)
	w.reads.put(a)
	c.r = seen{}
}

func (d *Detector) write(t *clock.Goroutine, c *cell, a seen, e *format.Event) {
	if c.w.epoch == a.epoch && c.w.site == a.site && c.more == 0 && (c.r.epoch == 0 || c.r.epoch.Slot() == a.epoch.Slot()) {
		d.Stats.WriteSameEpoch++
		return
	}
	d.known(t, &c.w, &a, e, format.Write)
	if d.known(t, &c.r, &a, e, format.Read); c.more == 0 {
		d.Stats.WriteExclusive++
		c.w = a
		if !t.Has(c.r.epoch) { // (FT3)
			c.r = seen{}
		}
		return
	}
	d.Stats.WriteShared++
	w := d.more.of(c)
	d.all(t, w.reads.list, &a, e, format.Read)
	d.all(t, w.atomicReads.list, &a, e, format.AtomicRead)
	d.all(t, w.atomicWrites.list, &a, e, format.AtomicWrite)
	d.more.drop(c)
	c.w, c.r = a, seen{}
}

// atomic is (FT1).
func (d *Detector) atomic(t *clock.Goroutine, c *cell, a seen, e *format.Event) {
	d.known(t, &c.w, &a, e, format.Write)
	w := d.more.of(c)
	if !e.WriteLike() {
		w.atomicReads.put(a)
		return
	}
	d.known(t, &c.r, &a, e, format.Read)
	d.all(t, w.reads.list, &a, e, format.Read)
	w.atomicWrites.put(a)
}

// known checks b ≼ C(t). The kind is that of b.
func (d *Detector) known(t *clock.Goroutine, b, a *seen, e *format.Event, kind format.Kind) {
	if b.epoch != 0 && !t.Has(b.epoch) {
		d.Stats.Races++
		d.found(b.access(kind), a.access(e.Kind), e.Obj)
	}
}

func (d *Detector) all(t *clock.Goroutine, s []seen, a *seen, e *format.Event, kind format.Kind) {
	for i := range s {
		d.known(t, &s[i], a, e, kind)
	}
}
