package offpath

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Maps (CP4). Pairs race on the word of a map, and nothing depends on what an access finds there.
// The events behind it act on the entries of the map: the objects of the window for its keys, and
// the one for its contents as a whole.

// mapRead is an access that finds something in a map, by a key with a hash.
func (m *memory) mapRead(at *plan.Instr, x value, hash bool) *step {
	s := m.mapAccess(format.Read, at, x)
	m.goesOn(hash)
	return s
}

func (m *memory) mapAccess(k format.Kind, at *plan.Instr, x value) *step {
	addr := pointer(x)
	return m.steps.expect(k, format.FlagNoValue, at.Site, &addr, 8)
}

// goesOn ends the check at the last step of the witness. Behind it the program goes on only if the
// key has a hash.
func (m *memory) goesOn(hash bool) {
	switch {
	case m.steps.empty():
		panic(finished{})
	case !hash:
		throw("the key of a map may have no hash")
	}
}

// lookup is m[k]: the value, and whether the key is there. It is known if the step says what the
// map has for the key.
func (m *machine) lookup(in *ssa.Lookup, t *types.Map) value {
	f := m.frame
	x, size := f.val(in.X), sizeof(t.Elem())
	v, present := zero(size), truth(false)
	if bits, ok := x.bits(); !ok || bits != 0 {
		s := m.memory.mapRead(f.at(), x, hasHash(t.Key()))
		v, present = unknown(size), unknown(1)
		if len(s.entries) > 0 && s.whole {
			key, ok := mapKey(t.Key(), f.val(in.Index))
			if entry := m.process.in.entry(s.entries[0]); !ok || entry.Key != key {
				reject("CP4", "the step finds another entry of the map than the program")
			}
			v, present = m.process.found(m.env, s, t.Elem())
		}
	}
	if in.CommaOk {
		return value{tuple: []value{v, present}}
	}
	return v
}

// found is what a lookup finds by the entry of its step: what the recorded run has left there, or
// an alternative.
func (p *process) found(env *env, s *step, elem types.Type) (v, present value) {
	in := p.in
	i := s.entries[0]
	entry, e := in.entry(i), &in.variant.Events[i]
	size := sizeof(elem)
	v, present = unknown(size), unknown(1)
	if list := in.left(uint64(s.Event.Obj), e.Obj, e.Val); len(list) > 0 {
		c := in.snap.Map(uint64(s.Event.Obj), entry.Key, int64(size), list[0], in.window.To)
		if !entry.Presence || c.HasPresent && !c.Present {
			v = env.datum(c.Value, elem)
		}
		if c.HasPresent {
			present = truth(c.Present)
		}
		return v, present
	}
	left, ok := in.leftOff(e.Obj, e.Val)
	if !ok {
		return v, present
	}
	switch present = truth(left.Present); {
	case !left.Present:
		v = zero(size)
	case left.Known && !entry.Presence:
		v = mapValue(elem, left)
	}
	return v, present
}

// writeMap is an access that leaves a value for a key of a map, or, if left is nil, removes it. If
// all is set, it removes each key.
func (m *machine) writeMap(x value, t *types.Map, key value, all bool, left *value) {
	s := m.memory.mapAccess(format.Write, m.frame.at(), x)
	if s.any {
		k, ok := mapKey(t.Key(), key)
		(&mapWrite{m, s, t.Elem(), left}).check(func(entry *built.Entry) bool {
			if !all && !ok {
				reject("CP4", "the program writes an entry of a map, and it is not known which")
			}
			return all || entry.Key == k
		})
	}
	m.memory.goesOn(hasHash(t.Key()))
}

// mapWrite is a write of a program to a map: left is the value of type elem that it leaves, nil
// if it removes the key.
type mapWrite struct {
	m    *machine
	step *step
	elem types.Type
	left *value
}

// check checks that a write changes those entries of the map, if the window has them, that
// the program writes.
func (w *mapWrite) check(writes func(*built.Entry) bool) {
	in, s := w.m.process.in, w.step
	for obj, entry := range in.window.Entries { // the order does not matter
		if entry.Map != in.variant.Events[s.events[0]].Obj {
			continue
		}
		n := slices.IndexFunc(s.entries, func(i int32) bool { return in.variant.Events[i].Obj == obj })
		if (n >= 0) != (entry.Whole || writes(&entry)) {
			reject("CP4", "a write to a map leaves another entry than the program")
		}
		if n < 0 {
			continue
		}
		switch e := &in.variant.Events[s.entries[n]]; {
		case entry.Whole:
			if in.finds(obj, e.Aux) {
				reject("CP4", "an event finds the contents that a write to a map leaves")
			}
		case entry.Presence:
			if e.Val > 1 || (e.Val == 1) != (w.left != nil) {
				reject("CP4", "a write to a map does not leave whether the key is there")
			}
		default:
			w.leaves(e, &entry)
		}
	}
}

// leaves checks that the number that a write leaves for a key stands for what the program leaves
// there. If that is not known, no event of the recorded run finds the number.
func (w *mapWrite) leaves(e *model.Event, entry *built.Entry) {
	in, s := w.m.process.in, w.step
	var says flow.MapValue
	if s.Flow.Entry != nil {
		says = s.Flow.Entry.Left
	}
	switch {
	case says.Present != (w.left != nil):
		reject("CP4", "a write to a map does not leave what the step says")
	case says.Present && !says.Known:
		if in.finds(e.Obj, e.Val) {
			reject("CP4", "an event finds what a write to a map leaves, which is not known")
		}
		return
	case says.Present && !isMapValue(*w.left, w.elem, says):
		reject("CP4", "a write to a map leaves another value than the step says")
	}
	for _, index := range in.left(uint64(s.Event.Obj), e.Obj, e.Val) {
		c := in.snap.Map(uint64(s.Event.Obj), entry.Key, int64(sizeof(w.elem)), index, in.window.To)
		if !c.HasPresent || c.Present != says.Present || c.Present && !isMapValue(w.m.env.datum(c.Value, w.elem), w.elem, says) {
			reject("CP4", "a number stands for two contents of a map")
		}
	}
}

// mapValue is a value of a map.
func mapValue(elem types.Type, v flow.MapValue) value {
	size := sizeof(elem)
	if isText(elem) {
		x := unknown(size)
		x.text = &v.Text
		return x
	}
	return number(v.Word, size)
}

// isMapValue reports whether x is known to be a value of a map.
func isMapValue(x value, elem types.Type, v flow.MapValue) bool {
	if isText(elem) {
		s, ok := x.content()
		return ok && s == v.Text
	}
	if len(x.img) == 0 {
		return true
	}
	bits, ok := x.bits()
	return ok && len(x.img) <= 8 && bits == v.Word
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
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

// ofEntry reports whether event i of the variant is one of a step that acts on an entry of a map.
// It follows the access. That of a lookup is strict.
func (s *script) ofEntry(t *step, i int32, e *model.Event) bool {
	d, n := &t.Event, len(t.events)
	entry, ok := s.in.window.Entries[e.Obj]
	if !ok || !ofMap(d) || n == 0 || t.events[n-1] != i-1-int32(len(t.entries)) {
		return false
	}
	access := &s.in.variant.Events[t.events[n-1]]
	if !access.Bare || e.Thread != access.Thread || entry.Map != access.Obj {
		reject("CP4", "event %d is not of an entry of the map of the step", i)
	}
	switch {
	case d.Kind == format.Read && e.Kind == format.AtomicRead && e.Strict && !entry.Whole && len(t.entries) == 0:
	case d.Kind == format.Write && entry.Whole && e.Kind == format.AtomicRMW:
	case d.Kind == format.Write && !entry.Whole && e.Kind == format.AtomicWrite && e.Value == nil && len(e.ValDeps) == 0:
	default:
		reject("CP4", "event %d is not what the step does to an entry of a map", i)
	}
	t.entries = append(t.entries, i)
	return true
}

// ofMap reports whether a step is an access to a map.
func ofMap(d *trace.Event) bool {
	return (d.Kind == format.Read || d.Kind == format.Write) && d.Flags&format.FlagNoValue != 0
}

// entry is the entry of a map that an event of the variant acts on.
func (in *subject) entry(i int32) built.Entry { return in.window.Entries[in.variant.Events[i].Obj] }

// finds reports whether a recorded event finds a value of an entry, or it is the first one.
func (in *subject) finds(entry model.Obj, v uint64) bool {
	if in.variant.Init[entry].Val == v {
		return true
	}
	for i := range in.window.Events {
		if e := &in.window.Events[i]; e.Kind.IsAtomic() && e.Obj == entry && e.Val == v {
			return true
		}
	}
	return false
}

// left are the events of the trace that have left a value of an entry of the map at an address:
// writes in the window, or the last event before it, or the one that has allocated the map.
func (in *subject) left(at uint64, entry model.Obj, v uint64) (list []int64) {
	if init := &in.variant.Init[entry]; init.Val == v && !init.Unknown {
		first := in.window.From - 1
		for _, r := range in.window.Records {
			if r.Kind == format.Alloc && at-uint64(r.Obj) < r.Val {
				first = r.Index
			}
		}
		list = append(list, first)
	}
	for i := range in.window.Events {
		if e := &in.window.Events[i]; e.Obj == entry && e.Kind == format.AtomicWrite && e.Val == v {
			list = append(list, e.Index)
		}
	}
	return list
}

// leftOff is what alternatives say that a value of an entry stands for. The check of each of these
// verifies it. ok is false if none has left it, or they do not say the same.
func (in *subject) leftOff(entry model.Obj, v uint64) (says flow.MapValue, ok bool) {
	for i := len(in.window.Events); i < len(in.variant.Events); i++ {
		e := &in.variant.Events[i]
		if e.Obj != entry || e.Kind != format.AtomicWrite || e.Val != v {
			continue
		}
		s := in.stepOf(e)
		if s == nil || s.Flow.Entry == nil {
			return says, false
		}
		left := s.Flow.Entry.Left
		if in.entry(int32(i)).Presence {
			left = flow.MapValue{Present: left.Present}
		}
		if ok && left != says {
			return says, false
		}
		says, ok = left, true
	}
	return says, ok
}

// stepOf is the step of an alternative that an event is of, nil if there is none.
func (in *subject) stepOf(e *model.Event) *flow.Step {
	k := e.Index - flow.AlternativeBase
	for _, way := range in.all {
		n := int64(len(way.Steps))
		if k >= 0 && k < n {
			return &way.Steps[k]
		}
		k -= n
	}
	return nil
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
