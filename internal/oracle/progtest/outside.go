package progtest

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Operations of the standard library: sync.Map, which is typed, and sync.Pool, contexts and timers,
// which are not. Each is one step, and a recording has the events that its code has in a real run:
// atomic accesses, locks, channels. Plain accesses of that code have no events: they are never in a
// race.

// An outside executes one operation of code that is not instrumented.
type outside struct {
	st *steps
	s  *state
	g  *goroutine
	x  *ins
	// addr is the context of a method or a cancel function, or the pool of a Get.
	addr uint64
	item int  // what a Get takes, from 1; 0: none
	more bool // the operation continues in another step
}

// outsideOps are the operations, by the name of the function.
var outsideOps = map[string]func(*outside){
	"(*sync.Map).Load":          (*outside).mapLoad,
	"(*sync.Map).Store":         (*outside).mapStore,
	"(*sync.Map).LoadOrStore":   (*outside).mapLoadOrStore,
	"(*sync.Map).LoadAndDelete": (*outside).mapDelete,
	"(*sync.Map).Delete":        (*outside).mapDelete,
	"(*sync.Pool).Get":          (*outside).poolGet,
	"(*sync.Pool).Put":          (*outside).poolPut,
	"time.After":                (*outside).after,
	"time.NewTimer":             (*outside).newTimer,
	"time.AfterFunc":            (*outside).afterFunc,
	"(*time.Timer).Stop":        (*outside).timerStop,
	"context.Background":        (*outside).background,
	"context.WithCancel":        (*outside).withCancel,
}

// outsideOp returns the operation that a function is, nil if it is none.
func outsideOp(fn *ssa.Function) func(*outside) {
	if o := fn.Object(); o != nil {
		if m, ok := o.(interface{ FullName() string }); ok {
			return outsideOps[m.FullName()]
		}
	}
	return nil
}

// outside is the step of an operation.
func (st *steps) outside(s *state, g *goroutine, o *op) {
	f := g.top()
	if f.phase == 0 {
		st.rec.bracket(g, o.ins, format.OpaqueBegin)
	}
	u := &outside{st: st, s: s, g: g, x: o.ins, addr: o.addr, item: o.item}
	if o.outside(u); u.more {
		return
	}
	st.rec.bracket(g, o.ins, format.OpaqueEnd)
	st.finish(s, g, o)
}

// bracket begins or ends a call of code that is not instrumented.
func (r *recorder) bracket(g *goroutine, x *ins, k format.Kind) {
	if r != nil && x.plan != nil && x.plan.Opaque {
		r.emit(trace.Event{Kind: k, G: g.id(), Site: x.site()})
	}
}

func (u *outside) arg(i int) []uint64 { return u.g.arg(u.g.top(), &u.x.args[i]) }

// result sets the words of the result.
func (u *outside) result(words ...uint64) {
	f := u.g.top()
	copy(u.g.regs[f.base+u.x.dst:f.base+u.x.dst+u.x.n], words)
}

func (u *outside) emit(e trace.Event) {
	if u.st.rec != nil {
		e.G, e.Flags = u.g.id(), e.Flags|format.FlagOpaque
		u.st.rec.emit(e)
	}
}

func (u *outside) load(addr uint64, size int64) uint64 {
	v := u.s.load(addr, size)
	u.emit(trace.Event{Kind: format.AtomicRead, Size: uint16(size), Obj: trace.Addr(addr), Val: v})
	return v
}

func (u *outside) store(addr uint64, size int64, v uint64) {
	u.s.store(addr, size, v)
	u.emit(trace.Event{Kind: format.AtomicWrite, Size: uint16(size), Obj: trace.Addr(addr), Val: v})
}

func (u *outside) swap(addr uint64, v uint64) {
	old := u.s.load(addr, 8)
	u.s.store(addr, 8, v)
	u.emit(trace.Event{Kind: format.AtomicRMW, Size: 8, Obj: trace.Addr(addr), Val: old, Aux: v})
}

func (u *outside) sync(k format.Kind, addr uint64) {
	u.emit(trace.Event{Kind: k, Obj: trace.Addr(addr)})
}

func (u *outside) alloc(size int64) uint64 {
	a := u.g.alloc(size)
	u.emit(trace.Event{Kind: format.Alloc, Flags: format.FlagZero, Obj: trace.Addr(a), Val: uint64(size)})
	return a
}
