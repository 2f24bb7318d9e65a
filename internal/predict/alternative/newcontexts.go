package alternative

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
)

// A madeContext is a context that the path has made (AL3), and that no other goroutine has.
type madeContext struct {
	at        uint64 // its address,
	cancel    uint64 // that of the function that cancels it, and
	ch        uint64 // that of its channel
	parent    int    // its number among those that the path has made; -1: another one
	done      uint64 // the channel of the nearest parent of the recorded run; 0: there is none
	cancelled bool
}

// contextType stands for the types of contexts, which package context does not export.
var contextType = func() types.Type {
	pkg := types.NewPackage("context", "context")
	name := types.NewTypeName(token.NoPos, pkg, "a type of contexts", nil)
	return types.NewPointer(types.NewNamed(name, types.NewStruct(nil, nil), nil))
}()

// newContext executes context.WithCancel. The parent is a context of package context. ok is false
// if it may be another one, or if the path has started a goroutine.
func (l library) newContext(in *regcode.Instr, parent Value) (going, ok bool) {
	p := l.p
	call, ok := in.SSA.(*ssa.Call)
	if !ok || p.memory.shared {
		return false, false
	}
	c := madeContext{parent: p.memory.contextOf(parent)}
	if c.parent >= 0 {
		c.done = p.memory.contexts[c.parent].done
	} else if c.done, ok = l.doneOf(parent); !ok {
		return false, false
	}
	c.at, c.cancel, c.ch = p.memory.allocate(), p.memory.allocate(), p.memory.allocate()
	p.memory.contexts = append(p.memory.contexts, c)
	t := call.Type().(*types.Tuple).At(0).Type()
	p.frame.Regs[in.Reg] = p.interfaces().of(t, &goval.Dynamic{Type: contextType}, known(c.at))
	p.frame.Regs[in.Reg+1] = known(c.cancel)
	p.frame.IP++
	return true, true
}

// doneOf returns the channel of a context of package context that the recorded run has made.
func (l library) doneOf(ctx Value) (ch uint64, ok bool) {
	p := l.p
	data, ok := ctx.piece(8, 8).Concrete.Bits()
	if ctx.symbolic() || !ok || data < lowestPointer || data >= freshMemory || !p.x.around.Settled(data) {
		return 0, false
	}
	return p.x.fork.Facts.DoneAt(0, data, p.x.around.Until())
}

// madeContext executes Done or Err of context k. Nobody but the path cancels it, or a parent of the
// recorded run: it is cancelled if and once the channel of that is closed. A goroutine that closes
// this channel can cancel the new context next, as it can do so in any order.
func (l library) madeContext(in *regcode.Instr, call *ssa.CallCommon, k int) (going, ok bool) {
	p := l.p
	c := &p.memory.contexts[k]
	switch {
	case p.memory.shared:
		return false, false
	case call.Method.Name() == "Done":
		return p.next(in, known(c.ch)), true
	case p.memory.cancelled(k):
		return p.next(in, l.newError(in.SSA.(*ssa.Call), formedError, Value{})), true
	case c.done == 0:
		return p.next(in, zero(16)), true
	}
	return l.contextErr(in, call, c.done)
}

// cancelsMade executes a call of the function that cancels context k. Nobody notices it.
func (o operation) cancelsMade(k int) bool {
	m := &o.p.memory
	if m.shared {
		return o.p.stop(opaqueCall)
	}
	m.contexts = slices.Clone(m.contexts)
	m.contexts[k].cancelled = true
	return o.returned()
}

// contextOf returns the number of a context that the path has made; -1: it is another value.
func (m *memory) contextOf(v Value) int {
	if t := v.holds(); t == nil || t.Type != contextType {
		return -1
	}
	data := v.piece(8, 8)
	addr, ok := data.Concrete.Bits()
	if !ok || data.symbolic() {
		return -1
	}
	return slices.IndexFunc(m.contexts, func(c madeContext) bool { return c.at == addr })
}

// stoppedBy returns the number of the context that a function at an address cancels.
func (m *memory) stoppedBy(addr uint64) int {
	return slices.IndexFunc(m.contexts, func(c madeContext) bool { return c.cancel == addr })
}

// cancelled reports whether the path has cancelled context k, or one that it descends from.
func (m *memory) cancelled(k int) bool {
	for ; k >= 0; k = m.contexts[k].parent {
		if m.contexts[k].cancelled {
			return true
		}
	}
	return false
}

// A contextChannel is the channel of a context that the path has made: it is closed; or it is open
// as long as the channel done is; or, if that is 0, it is open for ever.
type contextChannel struct {
	closed bool
	done   uint64
}

// ofContext returns what is known of a channel of a context that the path has made.
func (c channels) ofContext(ch Value) (x contextChannel, ok bool) {
	m := &c.p.memory
	addr, ok := ch.Concrete.Bits()
	if !ok || ch.symbolic() || addr < freshMemory || m.shared {
		return x, false
	}
	k := slices.IndexFunc(m.contexts, func(c madeContext) bool { return c.ch == addr })
	if k < 0 {
		return x, false
	}
	return contextChannel{m.cancelled(k), m.contexts[k].done}, true
}
