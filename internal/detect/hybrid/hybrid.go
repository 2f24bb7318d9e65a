// Package hybrid finds pairs of accesses that hold no common lock and that no message orders. A
// happens-before detector could report them if the locks were taken in another order.
//
// The algorithm is that of O'Callahan and Choi, "Hybrid Dynamic Data Race Detection" (PPoPP 2003),
// with Go's messages.
//
// # Rules
//
// (HY1) Two accesses of one location by different goroutines, at least one a write and not both
// atomic, are a candidate if two conditions hold. Their sets of locks do not protect each other
// (LS1 to LS4 of package lockset). The earlier access does not happen before the later one by
// messages alone: CL1 and CL3 to CL8 of package clock, without the order of locks.
//
// (HY2) Of the accesses of a goroutine to a location with the same site, kind and set of locks, the
// last is kept. A later access that is unordered with an earlier one of them is also unordered with
// the last, so no pair of sites is lost.
//
// # Soundness
//
// A report is a candidate, never a race: nothing is known of an execution in which the locks are
// taken in another order. Exactly the pairs of sites with a candidate by HY1 are reported.
//
// They include each pair of sites of a race of the recorded order. Such a race is unordered by all
// synchronisation, so also without locks. And no common lock protects it: critical sections of one
// lock are ordered.
//
// # Complexity
//
// An access takes time in the number of entries of its location: goroutines × sites × sets of
// locks. Entries of ended goroutines stay. A location has at most Options.Most entries; those that
// are dropped are counted in Stats.Cut, and pairs may then be missed.
//
// # Names
//
//	t  goroutine     p  entry     s  set of locks
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

// Stats counts applications of the rules.
type Stats struct {
	Compared  int64 // pairs of an access and an entry that conflict
	Protected int64 // of these, pairs that a common lock protects
	Ordered   int64 // of these, pairs that messages order
	Pairs     int64 // candidates
	Replaced  int64 // (HY2)
	Cut       int64 // entries dropped because a location had too many
}

// Detector is the detector. Call Step for the events of a run in order.
type Detector struct {
	Stats Stats
	Locks lockset.Locks

	opt   Options
	order *clock.Order
	mem   shadow.Memory[[]entry]
	found shadow.Found
}

// entry is an access with which later ones are compared.
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

// access compares an access with the entries of a cell, and adds it.
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
	case own >= 0: // (HY2)
		d.Stats.Replaced++
		(*c)[own] = a
	case len(*c) >= d.opt.Most:
		d.Stats.Cut++
		(*c)[int(uint64(a.access.Index)%uint64(len(*c)))] = a
	default:
		*c = append(*c, a)
	}
}

// conflict reports whether accesses of two kinds conflict (HY1).
func conflict(a, b format.Kind) bool {
	return (a.IsWrite() || b.IsWrite()) && !(a.IsAtomic() && b.IsAtomic())
}
