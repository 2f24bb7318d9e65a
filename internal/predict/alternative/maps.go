package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// maps executes accesses of a path to maps.
type maps struct{ p *path }

// notModelled ends a path at an instruction that is not modelled. An access to a map can still
// race: it is the last step.
func (p *path) notModelled(in *regcode.Instr) bool {
	if _, ok := (maps{p}).mapAccess(in, flow.Flow{}); ok {
		return p.last("map")
	}
	return p.stop("not-modelled")
}

// writesMap executes an instruction that writes a map x (AL3). If the type of the keys is one that
// flow.MapKey can be, the key must be known, and what the map has for other keys stays. Else what
// the map has is not known any more. A key that may not be hashable ends the path.
func (m maps) writesMap(in *regcode.Instr, x ssa.Value) bool {
	p := m.p
	t := plan.Core(x.Type()).(*types.Map)
	if !hashable(t.Key()) {
		return p.notModelled(in)
	}
	entry, ok, going := m.written(in, t)
	if !ok {
		return going
	}
	addr, ok := m.mapAccess(in, flow.Flow{Entry: entry})
	switch {
	case !ok:
		return p.stop("not-modelled")
	case p.end != "":
		return true
	case entry == nil:
		p.memory.changed = append(p.memory.changed, addr)
	default:
		p.memory.entries = append(p.memory.entries, ownEntry{addr, entry})
	}
	p.frame.IP++
	return true
}

// ownEntry is a write of a path to a map.
type ownEntry struct {
	m     uint64
	entry *flow.Entry
}

// written returns what an instruction leaves in a map of type t, nil if the key cannot be a
// flow.MapKey. If ok is false, the path was split or has ended.
func (m maps) written(in *regcode.Instr, t *types.Map) (entry *flow.Entry, ok, going bool) {
	p := m.p
	if plan.Open(t.Elem()) || !mapKeys(t.Key()) {
		return nil, true, true
	}
	entry = &flow.Entry{Address: Address(t.Key()), Elem: t.Elem(), Facts: p.x.fork.Facts}
	key := 1
	if x, call := in.SSA.(*ssa.Call); call { // operand 0 is the function
		if entry.All = x.Call.Value.Name() == "clear"; entry.All {
			return entry, true, true
		}
		key = 2
	}
	if ok, going := p.settle(in, key); !ok {
		return nil, false, going
	}
	if entry.Key, ok = MapKeyOf(t.Key(), p.value(&in.Args[key]).Concrete); !ok {
		return nil, false, p.notModelled(in)
	}
	if key == 1 {
		entry.Left = flow.MapValue{Present: true}
		if v := p.value(&in.Args[2]); !v.symbolic() {
			entry.Left = MapValueOf(t.Elem(), v.Concrete)
		}
	}
	return entry, true, true
}

// readsMap executes an instruction that reads a map: what it finds is not known. A key that may not
// be hashable ends the path.
func (m maps) readsMap(in *regcode.Instr) bool {
	p := m.p
	x, ok := in.SSA.(*ssa.Lookup)
	if ok {
		t := plan.Core(x.X.Type()).(*types.Map)
		if !hashable(t.Key()) || plan.Open(t.Elem()) {
			return p.notModelled(in)
		}
		if going, ok := m.lookup(in, x); ok {
			return going
		}
	}
	if _, ok := m.mapAccess(in, flow.Flow{}); !ok {
		return p.notModelled(in)
	}
	if p.end != "" {
		return true
	}
	p.frame.returned(nil)
	return true
}

// maxVersions bounds the contents of a map among which a lookup has one.
const maxVersions = 6

// lookup executes a lookup of a known key (AL3): the map has for it what it had at some time of the
// recorded run, or what an alternative has written. ok is false if what it has had is not known.
func (m maps) lookup(in *regcode.Instr, x *ssa.Lookup) (going, ok bool) {
	p := m.p
	t := plan.Core(x.X.Type()).(*types.Map)
	mv := p.value(&in.Args[0])
	addr, ok := mv.Concrete.Bits()
	if !ok || mv.symbolic() || p.memory.shared || slices.Contains(p.memory.changed, addr) {
		return false, false
	}
	if ok, going := p.settle(in, 1); !ok {
		return going, true
	}
	key, ok := MapKeyOf(t.Key(), p.value(&in.Args[1]).Concrete)
	if !ok {
		return false, false
	}
	size := p.frame.Code.Sizes.Sizeof(t.Elem())
	switch {
	case addr == 0:
		m.found(p, in, x, zero(size), known(0))
		return true, true
	case addr < lowestPointer || addr >= freshMemory || !p.x.around.Settled(addr):
		return false, false
	}
	had, forks := m.recorded(in, t, addr)
	contents := m.contents(addr, key, t.Elem(), func(c *MapContent) bool { return !forks || !c.same(&had, size) })
	if len(contents) == 0 && !forks {
		return false, false
	}
	choose := func(c *version, only bool) func(*path) {
		v := c.value(size)
		if only && c.Present { // other values may lead to its value
			v = Value{}
		}
		entry := &flow.Entry{Key: key, Address: Address(t.Key()), Only: only, Left: c.left, Elem: t.Elem(), Facts: p.x.fork.Facts}
		return func(q *path) {
			if _, ok := (maps{q}).mapAccess(in, flow.Flow{Version: c.version, Entry: entry}); !ok || q.end != "" {
				q.stop("not-modelled")
				return
			}
			m.found(q, in, x, v, c.present())
		}
	}
	var choices, others []func(*path)
	for _, c := range contents {
		absent := c.HasPresent && !c.Present
		if c.HasValue || absent || c.version != flow.OwnVersion {
			choices = append(choices, choose(&c, absent))
		}
		if c.HasPresent && c.Present && (!forks || had.HasPresent && !had.Present) {
			others = append(others, choose(&c, true))
		}
	}
	return p.split(append(choices, others...)), true
}

// recorded returns what the lookup under way has found in the recorded run, if it is the choice at
// the fork: on the path it finds something else.
func (m maps) recorded(in *regcode.Instr, t *types.Map, addr uint64) (had MapContent, forks bool) {
	p, x := m.p, m.p.x.fork
	if !p.x.forksAt(p, in) {
		return had, false
	}
	kv := in.Args[1]
	v := p.value(&kv).Concrete
	if kv.Reg >= 0 && x.Frame.Regs[kv.Reg].symbolic() {
		v, _ = goval.RecordedValue(x.Frame.Regs[kv.Reg].Term)
	}
	key, ok := MapKeyOf(t.Key(), v)
	if !ok {
		return had, true
	}
	at := int64(-1)
	for _, v := range p.x.around.Versions(addr, key) {
		if v < x.Event {
			at = v
		}
	}
	return x.Facts.MapAt(addr, key, at, p.x.around.Until()), true
}

// version is what a map may have for a key: what an event of the trace has left
// (flow.Flow.Version), or what an alternative leaves.
type version struct {
	MapContent
	version int64
	left    flow.MapValue // as far as is
	is      bool          // known
}

// contents returns what the map may have for a key, as far as accept accepts it: first what the
// path has written, then what the recorded run has left, the last one first, then what alternatives
// of others leave.
func (m maps) contents(addr uint64, key flow.MapKey, elem types.Type, accept func(*MapContent) bool) (list []version) {
	around := m.p.x.around
	versions := around.Versions(addr, key)
	if len(versions) == 0 {
		return nil
	}
	add := func(c MapContent, at int64) {
		left, ok := c.MapValueIn(elem)
		equal := func(v version) bool { return ok && (!left.Present || left.Known) && v.is && v.left == left }
		switch {
		case !c.known() || !accept(&c) || slices.ContainsFunc(list, equal):
		case len(list) == maxVersions:
			m.p.x.bounded = true
		default:
			list = append(list, version{c, at, left, ok})
		}
	}
	for _, w := range slices.Backward(m.p.memory.entries) {
		if w.m == addr && (w.entry.All || w.entry.Key == key) {
			add(contentOf(w.entry.Left, elem), flow.OwnVersion)
		}
	}
	for _, v := range slices.Backward(versions) {
		add(m.p.x.fork.Facts.MapAt(addr, key, v, around.Until()), v+2)
	}
	for _, v := range around.Entries(addr, key) {
		add(contentOf(v, elem), flow.OwnVersion)
	}
	return list
}

// found gives a lookup its results.
func (m maps) found(q *path, in *regcode.Instr, x *ssa.Lookup, v, present Value) {
	q.frame.Regs[in.Reg] = v
	if x.CommaOk {
		q.frame.Regs[in.Reg+1] = present
	}
	q.frame.IP++
}

// hashable reports whether every value of a type can be the key of a map.
func hashable(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return hashable(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !hashable(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// mapAccess makes the step of an access to a map, with the Flow f. ok is false if in is none, or
// the map is not known.
func (m maps) mapAccess(in *regcode.Instr, f flow.Flow) (addr uint64, ok bool) {
	p := m.p
	for i := range in.Wants {
		w := &in.Wants[i]
		if w.Kind != regcode.WantAccess || w.Hook.Extent != plan.MapObject {
			continue
		}
		var of ssa.Value = w.Hook.Addr
		for k, o := range in.SSA.Operands(nil) {
			if *o != of {
				continue
			}
			addr, ok := p.value(&in.Args[k]).Concrete.Bits()
			if ok && addr >= lowestPointer && addr < freshMemory && p.x.around.Settled(addr) {
				p.emit(in, trace.Event{Kind: w.Hook.Kind, Obj: trace.Addr(addr), Size: 8, Flags: format.FlagNoValue}, f)
				return addr, true
			}
		}
	}
	return 0, false
}

func isMap(t types.Type) bool { _, ok := plan.Core(t).(*types.Map); return ok }
