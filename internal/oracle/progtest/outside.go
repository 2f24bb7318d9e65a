package progtest

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Operations of the standard library that are not typed: sync.Map, sync.Pool, contexts and timers.
// Each is one step, and a recording has the events that its code has in a real run: atomic
// accesses, locks, channels. Plain accesses of that code have no events: they are never in a race.

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

// A sync.Map is a trie, here of one node. Its keys are small numbers.
const (
	mapInit   = 4  // offset of the lock
	mapRoot   = 16 // of the node
	nodeDead  = 4
	nodeLock  = 8
	nodeSlots = 24
	entryNext = 8 // of the entry
	entryKey  = 16
	entryData = 32
)

// slot returns the node of the map, and the address of the key's place in it.
func (u *outside) slot() (node, slot uint64) {
	m, key := u.arg(0)[0], u.arg(1)
	if m < nilPage {
		panic(isPanic{})
	}
	if u.load(m, 4) == 0 {
		u.sync(format.Lock, m+mapInit)
		u.load(m, 4)
		u.store(m+mapRoot, 8, u.alloc(nodeSlots+16*8))
		u.store(m, 4, 1)
		u.sync(format.Unlock, m+mapInit)
	}
	if key[0] == 0 {
		panic(fault("a nil key"))
	}
	k := u.st.prog.inside(u.s, u.st.prog.typeOf(key[0]), key)[0]
	if k > 15 {
		panic(fault("a large key"))
	}
	node = u.load(m+mapRoot, 8)
	return node, node + nodeSlots + 8*k
}

// found returns the value of an entry.
func (u *outside) found(entry uint64) (t, d uint64) {
	if entry == 0 {
		return 0, 0
	}
	return *u.s.word(entry + entryData), *u.s.word(entry + entryData + 8)
}

func (u *outside) mapLoad() {
	_, slot := u.slot()
	e := u.load(slot, 8)
	t, d := u.found(e)
	u.result(t, d, truth(e != 0))
}

// change locks the node around a change of one of its slots.
func (u *outside) change(node, slot uint64, change func(e uint64)) {
	u.sync(format.Lock, node+nodeLock)
	e := u.load(slot, 8)
	u.load(node+nodeDead, 4)
	change(e)
	u.sync(format.Unlock, node+nodeLock)
}

// put stores a new entry.
func (u *outside) put(slot uint64) {
	key, v := u.arg(1), u.arg(2)
	a := u.alloc(entryData + 16)
	*u.s.word(a + entryKey), *u.s.word(a + entryKey + 8) = key[0], key[1]
	*u.s.word(a + entryData), *u.s.word(a + entryData + 8) = v[0], v[1]
	u.store(slot, 8, a)
}

func (u *outside) mapStore() {
	node, slot := u.slot()
	u.load(slot, 8)
	u.change(node, slot, func(e uint64) {
		if e != 0 {
			u.load(e+entryNext, 8)
		}
		u.put(slot)
	})
}

func (u *outside) mapLoadOrStore() {
	node, slot := u.slot()
	if e := u.load(slot, 8); e != 0 {
		t, d := u.found(e)
		u.result(t, d, 1)
		return
	}
	u.change(node, slot, func(uint64) { u.put(slot) })
	v := u.arg(2)
	u.result(v[0], v[1], 0)
}

func (u *outside) mapDelete() {
	node, slot := u.slot()
	e := u.load(slot, 8)
	t, d := u.found(e)
	if e != 0 {
		u.change(node, slot, func(e uint64) {
			u.load(e+entryNext, 8)
			u.store(slot, 8, 0)
		})
	}
	u.result(t, d, truth(e != 0))
}
