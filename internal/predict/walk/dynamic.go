package walk

import (
	"go/types"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// What the type words of interfaces stand for. The trace has their values where walked code makes an interface; the runtime keeps a type's word, and an
// interface type's for a type, for good.

// learntType is the type that a word stands for.
type learntType struct {
	dynamic
	from int64 // the event that showed it
}

// dynamics are those that are known. Alternatives look beside the walk.
type dynamics struct {
	mu    sync.Mutex
	types map[uint64]learntType
	words map[[2]string]word
}

type word struct {
	bits uint64
	from int64
}

// typeKey names a type in all programs, "" if a name does not tell: it is local, generic, or a literal of one.
func typeKey(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name()
	case *types.Pointer:
		if n := typeKey(t.Elem()); n != "" {
			return "*" + n
		}
	case *types.Slice:
		if n := typeKey(t.Elem()); n != "" {
			return "[]" + n
		}
	case *types.Interface:
		if t.Empty() {
			return "any"
		}
	case *types.Named:
		obj := t.Obj()
		switch {
		case t.TypeArgs().Len() > 0 || t.TypeParams().Len() > 0:
		case obj.Pkg() == nil:
			return obj.Name()
		case obj.Parent() == obj.Pkg().Scope():
			return obj.Pkg().Path() + "." + obj.Name()
		}
	}
	return ""
}

// sameType reports whether two types are one. sure is false if that is not known: they may be of different programs.
func sameType(a, b types.Type) (same, sure bool) {
	if types.Identical(a, b) {
		return true, true
	}
	x, y := typeKey(a), typeKey(b)
	return x == y, x != "" && y != ""
}

func (d *dynamics) addType(i, t types.Type, prog *ssa.Program, bits uint64, event int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.types == nil {
		d.types, d.words = map[uint64]learntType{}, map[[2]string]word{}
	}
	if _, ok := d.types[bits]; !ok {
		d.types[bits] = learntType{dynamic{t, prog}, event}
	}
	if k := [2]string{typeKey(i), typeKey(t)}; k[0] != "" && k[1] != "" {
		if _, ok := d.words[k]; !ok {
			d.words[k] = word{bits, event}
		}
	}
}

// TypeOf returns the type that a type word stands for, if an event before the given one has shown it.
func (d *dynamics) TypeOf(bits uint64, event int64) (dynamic, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.types[bits]
	return t.dynamic, ok && t.from < event
}

// TypeWord returns the type word of an interface of type i that holds a t.
func (d *dynamics) TypeWord(i, t types.Type, event int64) (uint64, bool) {
	k := [2]string{typeKey(i), typeKey(t)}
	if k[0] == "" || k[1] == "" {
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w, ok := d.words[k]
	return w.bits, ok && w.from < event
}

// learnType notes the type word of an interface that an instruction has made.
func (g *goroutine) learnType(f *frame, in *instr) {
	var bits uint64
	ok := false
	if in.reg >= 0 && in.n > 0 {
		bits, ok = f.regs[in.reg].Bits()
	}
	if !ok || bits == 0 || plan.Generic(f.code.plan.SSA) {
		return
	}
	prog := f.code.plan.SSA.Prog
	from := func(x ssa.Value) {
		if w, ok := f.value(&in.args[0]).Bits(); ok {
			if t, ok := g.w.facts.TypeOf(w, g.event+1); ok {
				g.w.facts.addType(in.in.(ssa.Value).Type(), t.typ, t.prog, bits, g.event)
			}
		}
	}
	switch x := in.in.(type) {
	case *ssa.MakeInterface:
		g.w.facts.addType(x.Type(), x.X.Type(), prog, bits, g.event)
	case *ssa.ChangeInterface:
		from(x.X)
	case *ssa.TypeAssert:
		if types.IsInterface(x.AssertedType) && !x.CommaOk {
			from(x.X)
		}
	}
}

// pointerShaped reports whether an interface holds a value of type t as it is, not a pointer to a copy. sure is false for types of which Go's
// compiler decides.
func pointerShaped(t types.Type) (yes, sure bool) {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true, true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer, true
	case *types.Struct:
		return false, u.NumFields() == 0 || plan.Sizeof(t) != 8
	case *types.Array:
		return false, plan.Sizeof(t) != 8
	}
	return false, true
}
