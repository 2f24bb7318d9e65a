package walk

import (
	"go/types"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// Types of type words. The trace has the type word where walked code makes an interface. The
// runtime never changes the type word of a type, nor of a pair of an interface type and a type.

// learntType is the type that a word stands for.
type learntType struct {
	goval.Dynamic
	from int64 // the event that showed it
}

// dynamics are the type words that are known. Alternatives look them up while the walk continues.
type dynamics struct {
	mu    sync.Mutex
	types map[uint64]learntType
	words map[[2]string]word
}

type word struct {
	bits uint64
	from int64
}

func (d *dynamics) addType(i, t types.Type, prog *ssa.Program, bits uint64, event int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.types == nil {
		d.types, d.words = map[uint64]learntType{}, map[[2]string]word{}
	}
	if _, ok := d.types[bits]; !ok {
		d.types[bits] = learntType{Dynamic: goval.Dynamic{Type: t, Prog: prog}, from: event}
	}
	if k := [2]string{goval.TypeKey(i), goval.TypeKey(t)}; k[0] != "" && k[1] != "" {
		if _, ok := d.words[k]; !ok {
			d.words[k] = word{bits, event}
		}
	}
}

// TypeOf returns the type that a type word stands for, if an event before the given one has shown
// it.
func (d *dynamics) TypeOf(bits uint64, event int64) (goval.Dynamic, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.types[bits]
	return t.Dynamic, ok && t.from < event
}

// TypeWord returns the type word of an interface of type i that holds a t.
func (d *dynamics) TypeWord(i, t types.Type, event int64) (uint64, bool) {
	k := [2]string{goval.TypeKey(i), goval.TypeKey(t)}
	if k[0] == "" || k[1] == "" {
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w, ok := d.words[k]
	return w.bits, ok && w.from < event
}

// learnType notes the type word of an interface that an instruction has made.
func (g *goroutine) learnType(f *Frame, in *regcode.Instr) {
	var bits uint64
	ok := false
	if in.Reg >= 0 && in.N > 0 {
		bits, ok = f.regs[in.Reg].Bits()
	}
	if !ok || bits == 0 || plan.Generic(f.code.Plan.SSA) {
		return
	}
	prog := f.code.Plan.SSA.Prog
	from := func(x ssa.Value) {
		if w, ok := f.Value(&in.Args[0]).Bits(); ok {
			if t, ok := g.w.facts.TypeOf(w, g.event+1); ok {
				g.w.facts.addType(in.SSA.(ssa.Value).Type(), t.Type, t.Prog, bits, g.event)
			}
		}
	}
	switch x := in.SSA.(type) {
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
