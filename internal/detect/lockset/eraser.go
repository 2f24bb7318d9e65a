package lockset

import (
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// State is the state of a location.
type State uint8

// The states, as in the paper's Figure 4.
const (
	Virgin State = iota
	Exclusive
	Shared
	SharedModified
)

// Eraser is the detector. Call Step for the events of a run in order.
type Eraser struct {
	Locks Locks
	Stats Stats
	mem   shadow.Memory[variable]
	found shadow.Found
}

// Stats counts transitions of locations.
type Stats struct {
	Exclusive int64 // accesses of a location by its only goroutine so far
	Shares    int64 // locations that a second goroutine accessed
	Refined   int64 // accesses that made C(v) smaller
	Same      int64 // accesses that did not change C(v)
	Empty     int64 // locations reported
}

// variable is a location.
type variable struct {
	state    State
	reported bool
	c        Set
	// last is the access that made c what it is; of an Exclusive location, the first write or, if
	// there is none, the first access
	last  shadow.Access
	other shadow.Access // the last such access by another goroutine
}

// NewEraser returns a detector that calls found for each candidate.
func NewEraser(found shadow.Found) *Eraser { return &Eraser{found: found} }

// Step takes the next event.
func (d *Eraser) Step(index int64, e *format.Event) {
	if !e.Kind.IsAccess() {
		d.Locks.Step(e)
		if e.Kind == format.Alloc {
			d.mem.Reset(e.Obj, e.Val)
		}
		return
	}
	if e.Flags&format.FlagStack != 0 || e.Obj == 0 {
		return
	}
	a := shadow.Access{Index: index, G: e.G, Site: e.Site, Kind: e.Kind}
	held := d.Locks.At(e)
	if e.Kind.IsWrite() {
		held = d.Locks.Writes(held)
	} else {
		held = d.Locks.Any(held)
	}
	mask := shadow.Mask(e.Obj, e.Size)
	if v := d.mem.At(e.Obj, mask); v != nil {
		d.access(v, a, held, e.Obj)
	} else {
		d.mem.Each(e.Obj, mask, func(v *variable) { d.access(v, a, held, e.Obj) })
	}
}

// access is the state machine of the package doc.
func (d *Eraser) access(v *variable, a shadow.Access, held Set, addr format.Addr) {
	write := a.Kind.IsWrite()
	switch {
	case v.state == Virgin:
		d.Stats.Exclusive++
		v.state, v.last = Exclusive, a
		return
	case v.state == Exclusive && v.last.G == a.G:
		d.Stats.Exclusive++
		if write && !v.last.Kind.IsWrite() {
			v.last = a
		}
		return
	case v.state == Exclusive:
		d.Stats.Shares++
		v.state = Shared
		if write {
			v.state = SharedModified
		}
		v.smaller(a, held)
	default:
		c := d.Locks.Meet(v.c, held)
		modified := write && v.state == Shared
		if modified {
			v.state = SharedModified
		}
		if c == v.c && !modified {
			d.Stats.Same++
			return
		}
		d.Stats.Refined++
		v.smaller(a, c)
	}
	if v.state == SharedModified && v.c == 0 && !v.reported {
		v.reported = true
		d.Stats.Empty++
		d.found(v.other, a, addr)
	}
}

// smaller makes c the candidate set of v, because of a.
func (v *variable) smaller(a shadow.Access, c Set) {
	if a.G != v.last.G {
		v.other = v.last
	}
	v.last, v.c = a, c
}
