package alternative

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
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
	if (maps{p}).mapAccess(in) {
		return p.last("map")
	}
	return p.stop("not-modelled")
}

// readsMap executes an instruction that reads a map: what it finds is not known. A key that may not
// be hashable ends the path.
func (m maps) readsMap(in *regcode.Instr) bool {
	p := m.p
	if x, ok := in.SSA.(*ssa.Lookup); ok && !hashable(plan.Core(x.X.Type()).(*types.Map).Key()) || !m.mapAccess(in) {
		return p.notModelled(in)
	}
	if p.end != "" {
		return true
	}
	p.frame.returned(nil)
	return true
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

// mapAccess makes the step of an access to a map. It returns false if in is none, or the map is not
// known.
func (m maps) mapAccess(in *regcode.Instr) bool {
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
				p.emit(in, trace.Event{Kind: w.Hook.Kind, Obj: trace.Addr(addr), Size: 8, Flags: format.FlagNoValue}, flow.Flow{})
				return true
			}
		}
	}
	return false
}
