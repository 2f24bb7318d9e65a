// Package hybrid finds pairs of accesses that hold no common lock and are ordered by no message:
// what a happens-before detector could have reported had the locks been taken in another order.
//
// The algorithm is that of O'Callahan and Choi (PPoPP 2003), with Go's messages.
//
// # Rules
//
//	(Y1) Two accesses of one location by different goroutines, at least one a write, not both
//	     atomic, are a candidate if
//	(Y2) no lock is held at both, by one of them exclusively (package lockset, L1 to L5), and
//	(Y3) the earlier does not precede the later by messages: (R1) and (R4) to (R11) of package
//	     clock. Locks order nothing.
//	(Y4) Of the accesses of a goroutine to a location that have one site, kind and set of locks,
//	     the last is kept. Whatever is unordered with an earlier one and comes later is unordered
//	     with it, so no pair of sites is lost.
//
// Every pair of sites that has a candidate is reported: nothing is left out by (Y4), and nothing
// else is.
//
// # Soundness
//
// What is reported is a *candidate*, never a race: that the locks could be taken in another order
// says nothing of what the goroutines would do then. In the recorded order, a pair that is
// unordered by all synchronisation, locks included, is among the pairs reported, but for pairs that
// a common lock protects and that the order of its critical sections leaves unordered, of which
// there are none.
//
// # Complexity
//
// An access costs the number of entries of its location: goroutines × sites × sets of locks. Ended
// goroutines keep theirs. A location has at most Options.Most; what is dropped then is counted in
// Stats.Cut, and pairs may be missed.
//
// # Names
//
//	t  goroutine; p  an entry; s  set of locks
package hybrid

import (
	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// Options are the limits. The zero value is the recommended one.
type Options struct {
	Most  int  // entries of a location; 0: 4096
	Joins bool // as of package clock
}

// Stats counts what the rules did.
type Stats struct {
	Compared  int64 // pairs of an access and an entry that conflict
	Protected int64 // (Y2)
	Ordered   int64 // (Y3)
	Pairs     int64 // candidates
	Replaced  int64 // (Y4)
	Cut       int64 // entries dropped because a location had too many
}

// Detector is the detector. Use Step for the events of a run in order.
type Detector struct {
	Stats Stats
	Locks lockset.Locks

	opt   Options
	order *clock.Order
	mem   shadow.Memory[[]entry]
	found shadow.Found
}

// entry is an access that later ones are compared with.
type entry struct {
	epoch  clock.Epoch
	access shadow.Access
	set    lockset.Set
}

// New returns a detector that calls found for each candidate.
func New(opt Options, found shadow.Found) *Detector {
	if opt.Most == 0 {
		opt.Most = 4096
	}
	d := &Detector{opt: opt, order: clock.New(clock.Options{Joins: opt.Joins, NoLocks: true}), found: found}
	d.mem.Split = func(to, from *[]entry) { *to = append([]entry(nil), *from...) }
	return d
}

// Step takes the next event.
func (d *Detector) Step(index int64, e *format.Event) {
	if !e.Kind.IsAccess() {
		d.order.Step(e)
		d.Locks.Step(e)
		if e.Kind == format.Alloc {
			d.mem.Reset(e.Obj, e.Val)
		}
		return
	}
	if e.Flags&format.FlagStack != 0 || e.Obj == 0 {
		return
	}
	t := d.order.Goroutine(e.G)
	if e.Kind.IsAtomic() {
		d.order.AcquireAtomic(t, e)
	}
	p := entry{t.Epoch(), shadow.Access{Index: index, G: e.G, Site: e.Site, Kind: e.Kind}, d.Locks.At(e)}
	mask := shadow.Mask(e.Obj, e.Size)
	if c := d.mem.At(e.Obj, mask); c != nil {
		d.access(t, c, p, e.Obj)
	} else {
		d.mem.Each(e.Obj, mask, func(c *[]entry) { d.access(t, c, p, e.Obj) })
	}
	if e.Kind.IsAtomic() {
		d.order.ReleaseAtomic(t, e)
	}
}

// access compares a with the entries of a cell, and makes it one.
func (d *Detector) access(t *clock.Goroutine, c *[]entry, a entry, addr format.Addr) {
	own := -1
	for i := range *c {
		p := &(*c)[i]
		if p.access.G == a.access.G {
			if p.access.Site == a.access.Site && p.access.Kind == a.access.Kind && p.set == a.set {
				own = i
			}
			continue
		}
		if !conflict(p.access.Kind, a.access.Kind) {
			continue
		}
		d.Stats.Compared++
		switch {
		case d.Locks.Common(p.set, a.set):
			d.Stats.Protected++
		case t.Has(p.epoch):
			d.Stats.Ordered++
		default:
			d.Stats.Pairs++
			d.found(p.access, a.access, addr)
		}
	}
	switch {
	case own >= 0: // (Y4)
		d.Stats.Replaced++
		(*c)[own] = a
	case len(*c) >= d.opt.Most:
		d.Stats.Cut++
		(*c)[int(uint64(a.access.Index)%uint64(len(*c)))] = a
	default:
		*c = append(*c, a)
	}
}

// conflict is (Y1).
func conflict(a, b format.Kind) bool {
	return (a.IsWrite() || b.IsWrite()) && !(a.IsAtomic() && b.IsAtomic())
}
