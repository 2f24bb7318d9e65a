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

// writesMap executes an instruction that writes a map: after it, what the map has is not known. A
// key that may not be hashable ends the path.
func (m maps) writesMap(in *regcode.Instr, x ssa.Value) bool {
	p := m.p
	addr, ok := m.mapAccess(in, flow.Flow{})
	switch {
	case !ok:
		return p.stop("not-modelled")
	case !hashable(plan.Core(x.Type()).(*types.Map).Key()):
		return p.last("map")
	case p.end != "":
		return true
	}
	p.memory.changed = append(p.memory.changed, addr)
	p.frame.IP++
	return true
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

// lookup executes a lookup of a known key (AL3): the map has one of the contents that it had in the
// recorded run. ok is false if what these have for the key is not known, or if the path has written
// the map.
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
	versions := p.x.around.Versions(addr)
	had, forks := m.recorded(in, t, addr, versions)
	contents := m.contents(addr, key, versions, func(c *MapContent) bool { return !forks || !c.same(&had, size) })
	if len(contents) == 0 && !forks {
		return false, false
	}
	choose := func(c *version, only bool) func(*path) {
		v := c.value(size)
		if only && c.Present { // other values may lead to its value
			v = Value{}
		}
		return func(q *path) {
			if _, ok := (maps{q}).mapAccess(in, flow.Flow{Version: c.at + 2, Present: only}); !ok || q.end != "" {
				q.stop("not-modelled")
				return
			}
			m.found(q, in, x, v, c.present())
		}
	}
	var choices, others []func(*path)
	for _, c := range contents {
		absent := c.HasPresent && !c.Present
		choices = append(choices, choose(&c, absent))
		if c.HasPresent && c.Present && (!forks || had.HasPresent && !had.Present) {
			others = append(others, choose(&c, true))
		}
	}
	return p.split(append(choices, others...)), true
}

// recorded returns what the lookup under way has found in the recorded run, if it is the choice at
// the fork: on the path it finds something else.
func (m maps) recorded(in *regcode.Instr, t *types.Map, addr uint64, versions []int64) (had MapContent, forks bool) {
	p, x := m.p, m.p.x.fork
	if !p.x.forksAt(p, in) {
		return had, false
	}
	kv := in.Args[1]
	v := p.value(&kv).Concrete
	if kv.Reg >= 0 && x.Frame.Regs[kv.Reg].symbolic() {
		v, _ = goval.RecordedValue(x.Frame.Regs[kv.Reg].Term)
	}
	at := int64(-1)
	for _, v := range versions {
		if v < x.Event {
			at = v
		}
	}
	if key, ok := MapKeyOf(t.Key(), v); ok {
		had = x.Facts.MapAt(addr, key, at, p.x.around.Until())
	}
	return had, true
}

// version is what a map has for a key after an event.
type version struct {
	MapContent
	at int64
}

// contents returns what the map has for a key in those of its versions that accept accepts, the
// last ones first.
func (m maps) contents(addr uint64, key flow.MapKey, versions []int64, accept func(*MapContent) bool) (list []version) {
	for _, v := range slices.Backward(versions) {
		c := m.p.x.fork.Facts.MapAt(addr, key, v, m.p.x.around.Until())
		if !c.known() || !accept(&c) {
			continue
		}
		if len(list) == maxVersions {
			m.p.x.bounded = true
			break
		}
		list = append(list, version{c, v})
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
