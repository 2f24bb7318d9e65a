package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Maps. Pairs race on the word of a map, and nothing depends on what an access finds there. What a
// map has is in objects of their own, one for each key that the window names: an update writes that
// of its key, a lookup reads it. So a lookup does not rest on what happens to other keys. The value
// of such an object is a number; equal numbers stand for equal contents.
//
// What depends on the map as a whole, as its length does, reads one more object, which each write
// changes. If the key of a write is not known, all accesses to the map act on that one.

// entries are what a map has for the keys that a window names.
type entries struct {
	by      map[flow.MapKey]*entry
	order   []*entry
	whole   bool // an access reads the map as a whole
	keyless bool // the key of a write is not known
	only    bool // to a lookup only matters whether the key is there
}

// entry is what a map has for a key.
type entry struct {
	named    *flow.Entry // by the first access
	contents content
	presence content // whether the key is there; used with entries.only
}

// content is an object of an entry, and the values that it has had.
type content struct {
	obj     model.Obj // -1: there is none yet
	initial uint64
	cur     uint64
	made    []made
}

// made is a value that an event of the trace has left.
type made struct {
	index int64
	value uint64
}

// after returns what an event of the trace has left, or, if that is begins, what was there at
// first. ok is false if the event has left nothing there.
func (c *content) after(index, begins int64) (v uint64, ok bool) {
	if index == begins {
		return c.initial, true
	}
	for _, m := range c.made {
		if m.index == index {
			return m.value, true
		}
	}
	return 0, false
}

// Values of entry.presence.
const (
	absent = iota
	present
	perhaps // it is not known
)

func presenceOf(v flow.MapValue) uint64 {
	if v.Present {
		return present
	}
	return absent
}

// names notes what an access to the word of a map is about.
func (m *layout) names(e *entries, r *record) {
	x := r.entry
	switch {
	case x == nil && r.alt > 0:
	case x != nil && m.renewed(x):
		e.keyless = true
	case x == nil:
		e.whole = e.whole || reads(r.Event.Kind)
		e.keyless = e.keyless || r.Event.Kind.IsWrite()
	case x.All:
	default:
		if e.only = e.only || x.Only; e.by[x.Key] != nil {
			return
		}
		if e.by == nil {
			e.by = map[flow.MapKey]*entry{}
		}
		n := &entry{named: x, contents: content{obj: -1}, presence: content{obj: -1}}
		e.by[x.Key], e.order = n, append(e.order, n)
	}
}

// of returns the entries that an access is about.
func (e *entries) of(x *flow.Entry) []*entry {
	if x.All {
		return e.order
	}
	return []*entry{e.by[x.Key]}
}

// mapBegins returns the event after which a map has what it has at first in the window: the one
// before the window, or the one that allocates it, if that is alloc of the layout's allocs; -1:
// none is.
func (m *layout) mapBegins(alloc int32) int64 {
	if alloc >= 0 {
		return m.recs[m.allocs[alloc].at].Index
	}
	return m.recs[0].Index - 1
}

// renewed reports whether a key is an address that is allocated in the window. Then it may stand
// for two objects.
func (m *layout) renewed(x *flow.Entry) bool {
	return x.Address && m.generation(x.Key.Bits, int32(len(m.allocs))) >= 0
}

// mapEntries makes the events of accesses to entries of maps.
type mapEntries struct {
	*graph
	numbers map[flow.MapValue]uint64 // of contents that are known
	others  uint64                   // the number of numbers for contents that are not known
}

// number returns the number of the contents v, a new one if they are not known.
func (m *mapEntries) number(v flow.MapValue, known bool) uint64 {
	if !known || v.Present && !v.Known {
		m.others++
		return 2*m.others + 1
	}
	n, ok := m.numbers[v]
	if !ok {
		n = 2 * uint64(len(m.numbers)+1)
		m.numbers[v] = n
	}
	return n
}

// object gives a part of an entry of the map at an atom its object.
func (m *mapEntries) object(w *word, a *atom, n *entry, c *content) {
	if c.obj >= 0 {
		return
	}
	x := n.named
	v, ok := x.Facts.MapValueAt(w.addr, x.Key, x.Elem, m.mapBegins(w.alloc), m.recs[m.onPath-1].Index+1)
	switch isPresence := c == &n.presence; {
	case !isPresence:
		c.initial = m.number(v, ok)
	case ok:
		c.initial = presenceOf(v)
	default:
		c.initial = perhaps
	}
	c.cur = c.initial
	c.obj = m.newObj(model.ObjState{Val: c.cur}, built.Place{})
	m.inMaps[c.obj] = built.Entry{Map: a.obj, Key: x.Key, Presence: c == &n.presence}
}

// reads makes the event of a recorded lookup.
func (m *mapEntries) reads(i int, r *record, t *thread, w *word, a *atom) int32 {
	n := a.entries.by[r.entry.Key]
	c := &n.contents
	if r.entry.Only {
		c = &n.presence
	}
	m.object(w, a, n, c)
	return m.add(t, i, model.Event{Kind: format.AtomicRead, Obj: c.obj, Val: c.cur})
}

// writes makes the events of a recorded write. That a key is there does not rest on its value.
func (m *mapEntries) writes(i int, r *record, t *thread, w *word, a *atom, valDeps []int32) {
	left := func(n *entry, c *content, v uint64, deps []int32) {
		m.object(w, a, n, c)
		m.add(t, i, model.Event{Kind: format.AtomicWrite, Obj: c.obj, Val: v, ValDeps: deps})
		c.cur = v
		c.made = append(c.made, made{r.Index, v})
	}
	for _, n := range a.entries.of(r.entry) {
		left(n, &n.contents, m.number(r.entry.Left, true), valDeps)
		if a.entries.only {
			left(n, &n.presence, presenceOf(r.entry.Left), nil)
		}
	}
}

// readsOff makes the event of a lookup of an alternative: it finds what its Flow names, strictly.
// It is not ok if the window does not have that.
func (m *mapEntries) readsOff(i int, x *flow.Flow, t *thread, w *word, a *atom) (ok bool) {
	if x.Entry == nil || a.entries.keyless {
		return false
	}
	n := a.entries.by[x.Entry.Key]
	c := &n.contents
	if x.Entry.Only {
		c = &n.presence
	}
	m.object(w, a, n, c)
	var v uint64
	switch {
	case x.Version != flow.OwnVersion:
		if v, ok = c.after(x.Version-2, m.mapBegins(w.alloc)); !ok {
			return false
		}
	case x.Entry.Only:
		v = presenceOf(x.Entry.Left)
	default:
		v = m.number(x.Entry.Left, true)
	}
	m.add(t, i, model.Event{Kind: format.AtomicRead, Obj: c.obj, Val: v, Strict: true, Partner: -1})
	return true
}

// writesOff makes the events of a write of an alternative. It is not ok if the window has entries
// of the map, and the key is not known.
func (m *mapEntries) writesOff(i int, x *flow.Entry, t *thread, w *word, a *atom) (ok bool) {
	if a.version >= 0 {
		m.add(t, i, model.Event{Kind: format.AtomicRMW, Obj: a.version, Val: m.ownValue(), Aux: m.ownValue(), Partner: -1})
	}
	switch {
	case a.entries.keyless:
		return true
	case x == nil:
		return len(a.entries.order) == 0
	}
	for _, n := range a.entries.of(x) {
		m.object(w, a, n, &n.contents)
		m.add(t, i, model.Event{Kind: format.AtomicWrite, Obj: n.contents.obj, Val: m.number(x.Left, true), Partner: -1})
		if a.entries.only {
			m.object(w, a, n, &n.presence)
			m.add(t, i, model.Event{Kind: format.AtomicWrite, Obj: n.presence.obj, Val: presenceOf(x.Left), Partner: -1})
		}
	}
	return true
}

// Versions implements [flow.Surroundings].
func (s *surroundings) Versions(addr uint64, key flow.MapKey) []int64 {
	alloc := s.m.generation(addr, int32(len(s.m.allocs)))
	begins := s.m.mapBegins(alloc)
	list := []int64{begins}
	for _, i := range s.m.at(addr) {
		r := &s.m.recs[i]
		switch e := &r.Event; {
		case r.Index <= begins:
		case r.outside() || uint64(e.Obj) != addr || e.Flags&format.FlagNoValue == 0:
			return nil
		case int(i) >= s.m.onPath || e.Kind != format.Write:
		case r.entry == nil || s.m.renewed(r.entry):
			return nil
		case r.entry.All || r.entry.Key == key:
			list = append(list, r.Index)
		}
	}
	return list
}

// Entries implements [flow.Surroundings].
func (s *surroundings) Entries(addr uint64, key flow.MapKey) (list []flow.MapValue) {
	s.looked[addr>>3] = true
	for _, x := range s.off.entries[addr] {
		if x.g != s.g && (x.entry.All || x.entry.Key == key) && !slices.Contains(list, x.entry.Left) {
			list = append(list, x.entry.Left)
		}
	}
	return list
}
