package offpath

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Maps (CP4). Pairs race on the header of a map, and nothing depends on what an access finds there.
// The event behind it acts on the version of the contents.

// mapAccess is an access to a map, by a key with a hash. What a map has after a write of the
// alternative is not modelled.
func (m *memory) mapAccess(k format.Kind, at *plan.Instr, x value, hash bool) *step {
	addr := pointer(x)
	s := m.steps.expect(k, format.FlagNoValue, at.Site, &addr, 8)
	switch {
	case m.steps.empty():
		panic(finished{})
	case !hash:
		throw("the key of a map may have no hash")
	}
	return s
}

// lookup is m[k]: the value, and whether the key is there. It is known if the step says which of
// its recorded contents the map has.
func (m *machine) lookup(in *ssa.Lookup, t *types.Map) value {
	f := m.frame
	x, size := f.val(in.X), sizeof(t.Elem())
	v, present := zero(size), truth(false)
	if bits, ok := x.bits(); !ok || bits != 0 {
		s := m.memory.mapAccess(format.Read, f.at(), x, hasHash(t.Key()))
		v, present = unknown(size), unknown(1)
		key, ok := mapKey(t.Key(), f.val(in.Index))
		if index, values, has := m.process.script.versionOf(s); has && ok {
			p := m.process
			c := p.in.snap.Map(pointer(x), key, int64(size), index, p.in.window.To)
			if values || c.HasPresent && !c.Present {
				v = m.env.datum(c.Value, t.Elem())
			}
			if c.HasPresent {
				present = truth(c.Present)
			}
		}
	}
	if in.CommaOk {
		return value{tuple: []value{v, present}}
	}
	return v
}

// mapKey is a key of a map as the snapshot names it.
func mapKey(t types.Type, v value) (key flow.MapKey, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			key.Text, ok = v.content()
			return key, ok
		case u.Info()&(types.IsInteger|types.IsBoolean) == 0:
			return key, false
		}
	case *types.Pointer, *types.Chan:
	default:
		return key, false
	}
	key.Bits, ok = v.bits()
	return key, ok
}

// ofVersion reports whether event i of the variant is one of a step that acts on the version of a
// map, or on that of its keys. It follows the access. That of a lookup is strict, and that of a
// write leaves a version that no recorded event finds.
func (s *script) ofVersion(t *step, i int32, e *model.Event) bool {
	d, n := &t.Event, len(t.events)
	if !ofMap(d) || n == 0 || t.events[n-1] != i-1-int32(len(t.versions)) || s.in.window.Places[e.Obj].Mask != 0 {
		return false
	}
	access := &s.in.variant.Events[t.events[n-1]]
	if !access.Bare || e.Thread != access.Thread || e.Obj != s.keysOf(access.Obj) && !s.isVersion(access.Obj, e.Obj) {
		reject("CP4", "event %d is not of the version of the map of the step", i)
	}
	switch {
	case d.Kind == format.Read && e.Kind == format.AtomicRead && e.Strict:
	case d.Kind == format.Write && e.Kind == format.AtomicRMW && !s.finds(e.Obj, e.Aux):
	default:
		reject("CP4", "event %d is not what the step does to the version of the map", i)
	}
	t.versions = append(t.versions, i)
	return true
}

// ofMap reports whether a step is an access to a map.
func ofMap(d *trace.Event) bool {
	return (d.Kind == format.Read || d.Kind == format.Write) && d.Flags&format.FlagNoValue != 0
}

// leavesVersions checks that a write of the alternative to a map leaves other contents, and other
// keys if the window has their version.
func (s *script) leavesVersions(t *step) {
	if !ofMap(&t.Event) || t.Event.Kind != format.Write || !t.any {
		return
	}
	for _, i := range t.events {
		keys := s.keysOf(s.in.variant.Events[i].Obj)
		if keys < 0 {
			continue
		}
		if !slices.ContainsFunc(t.versions, func(k int32) bool { return s.in.variant.Events[k].Obj == keys }) {
			reject("CP4", "a write to a map leaves its keys as they were")
		}
	}
}

// keysOf is the object of the window that is the version of the keys that a map has, -1 if there is
// none. Each recorded write to the map acts on it as on the version of the contents, and nothing
// else does.
func (s *script) keysOf(location model.Obj) model.Obj {
	if o, ok := s.keys[location]; ok {
		return o
	}
	events := s.in.window.Events
	keys, writes := model.Obj(-1), 0
	for i := range events {
		e := &events[i]
		if !e.Bare || e.Obj != location || !e.Kind.IsWrite() {
			continue
		}
		at := model.Obj(-1)
		if i+2 < len(events) {
			v, k := &events[i+1], &events[i+2]
			if k.Kind == format.AtomicRMW && k.Index == e.Index && k.Thread == e.Thread && v.Kind == k.Kind && v.Val == k.Val && v.Aux == k.Aux {
				at = k.Obj
			}
		}
		if writes++; writes > 1 && at != keys {
			at = -1
		}
		if keys = at; keys < 0 {
			break
		}
	}
	for i := range events {
		if keys >= 0 && events[i].Kind.IsAtomic() && events[i].Obj == keys {
			writes--
		}
	}
	if keys >= 0 && (writes != 0 || s.in.window.Places[keys].Mask != 0) {
		keys = -1
	}
	if s.keys == nil {
		s.keys = map[model.Obj]model.Obj{}
	}
	s.keys[location] = keys
	return keys
}

// isVersion reports whether an object of the window is the version of the contents of a location.
func (s *script) isVersion(location, version model.Obj) bool {
	events := s.in.window.Events
	for i := range events[:len(events)-1] {
		if e := &events[i]; e.Bare && e.Obj == location {
			return events[i+1].Obj == version && events[i+1].Thread == e.Thread
		}
	}
	for i := range events {
		if events[i].Kind.IsAtomic() && events[i].Obj == version {
			return false
		}
	}
	return true
}

// finds reports whether a recorded event finds a version, or a version is the first one.
func (s *script) finds(version model.Obj, v uint64) bool {
	if s.in.variant.Init[version].Val == v {
		return true
	}
	for i := range s.in.window.Events {
		if e := &s.in.window.Events[i]; e.Kind.IsAtomic() && e.Obj == version && e.Val == v {
			return true
		}
	}
	return false
}

// versionOf is the event of the trace that has left the contents which a lookup finds: one before
// the window, or a write in it. Without values it has left the keys, with other values perhaps.
func (s *script) versionOf(t *step) (index int64, values, ok bool) {
	values = true
	for k, i := range t.versions {
		e := &s.in.variant.Events[i]
		at, found := s.left(e.Obj, e.Val)
		if !found || k > 0 && at != index {
			return 0, false, false
		}
		index = at
		if e.Obj == s.keysOf(s.in.variant.Events[i-1].Obj) {
			values = false
		}
	}
	return index, values, len(t.versions) > 0 && t.whole
}

func (s *script) left(version model.Obj, v uint64) (index int64, ok bool) {
	if init := &s.in.variant.Init[version]; init.Val == v && !init.Unknown {
		return s.in.window.From - 1, true
	}
	for i := range s.in.window.Events {
		if e := &s.in.window.Events[i]; e.Obj == version && (e.Kind == format.AtomicRMW && e.Aux == v || e.Kind == format.AtomicWrite && e.Val == v) {
			return e.Index, true
		}
	}
	return 0, false
}

// hasHash reports whether each value of a type of key can be looked up in a map.
func hasHash(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return hasHash(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if !hasHash(t.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// pointer is an address that is not nil.
func pointer(p value) uint64 {
	addr, ok := p.bits()
	switch {
	case !ok:
		throw("an unknown address")
	case addr < 4096:
		throw("panic: nil dereference")
	}
	return addr
}
