package progtest

import (
	"cmp"
	"encoding/binary"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A recorder writes the events of a run. A nil recorder writes nothing.
type recorder struct {
	prog  *Program
	run   *Run
	case_ int // chosen by the last select

	firings uint64 // of timers, so far
}

// id numbers goroutines in the order of their start, from 1; 0 is the runtime.
func (g *goroutine) id() trace.GoID { return trace.GoID(g.slot + 1) }

func (r *recorder) emit(e trace.Event) { r.run.Events = append(r.run.Events, e) }

// begin writes the first events: the runtime starts main.
func (r *recorder) begin(s *state) {
	r.emit(trace.Event{Kind: format.Go, Flags: format.FlagOpaque, G: 0, Obj: 1})
	r.emit(trace.Event{Kind: format.Start, G: 1})
	r.run.Meta.Goroutines = append(r.run.Meta.Goroutines, trace.Goroutine{Func: "runtime.main", RunID: 1})
	for i := range s.globals { // the contexts that variables hold
		if w := r.prog.contexts.cancel; w != 0 && s.globals[i] == w {
			ctx := s.globals[i+1]
			r.emit(trace.Event{Kind: format.AtomicWrite, Flags: format.FlagOpaque, G: 1, Size: 8, Obj: format.Contexts + trace.Addr(ctx), Val: *s.word(ctx + ctxDone + 8)})
			for child := *s.word(ctx + ctxChildren); child != 0; child = *s.word(child + ctxSibling) {
				r.emit(partOfContext(1, ctx, child))
			}
		}
	}
	for _, f := range r.prog.cancels(s) {
		r.emit(partOfContext(1, f, *s.word(f + 8)))
	}
	if len(s.globals) > 0 {
		v := trace.Memory{Addr: trace.Addr(globalBase)}
		for _, w := range s.globals {
			v.Data = binary.LittleEndian.AppendUint64(v.Data, w)
		}
		r.run.Meta.Variables = []trace.Memory{v}
		for g, at := range r.prog.globals {
			r.run.Meta.Globals = append(r.run.Meta.Globals, trace.Global{Name: g.String(), Addr: trace.Addr(at), Size: uint64(plan.Sizeof(g.Type().Underlying().(*types.Pointer).Elem())), Own: r.prog.Plan.Named(g), Watched: true})
		}
		r.channels(s)
		r.initial(s)
		slices.SortFunc(r.run.Meta.Globals, func(a, b trace.Global) int { return cmp.Compare(a.Addr, b.Addr) })
	}
}

// channels notes the channels to which global variables point.
func (r *recorder) channels(s *state) {
	capacity := map[trace.Addr]uint64{}
	for g, at := range r.prog.globals {
		if _, ok := g.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Chan); !ok {
			continue
		}
		c := s.load(at, 8)
		if c != 0 && *s.word(c + 8) == 0 && *s.word(c + 16) == 0 { // open and empty
			capacity[trace.Addr(c)] = r.capacity(s, c)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(capacity)) {
		r.run.Meta.Channels = append(r.run.Meta.Channels, trace.Channel{Addr: c, Cap: capacity[c]})
	}
}

// initial notes the function values and Conds to which global variables point.
func (r *recorder) initial(s *state) {
	m := r.run.Meta
	for g, at := range r.prog.globals {
		t := g.Type().Underlying().(*types.Pointer).Elem()
		p := s.load(at, 8)
		if p != 0 && t.String() == "*sync.Cond" {
			m.Conds = append(m.Conds, trace.Cond{Addr: trace.Addr(p), Lock: trace.Addr(s.locker(p))})
		}
		for _, at := range functionsIn(t, at) {
			if p := s.load(at, 8); p != 0 {
				r.function(s, p)
			}
		}
	}
	slices.SortFunc(m.Conds, func(a, b trace.Cond) int { return cmp.Compare(a.Addr, b.Addr) })
	slices.SortFunc(m.Functions, func(a, b trace.Function) int { return cmp.Compare(a.Addr, b.Addr) })
}

// functionsIn returns where a variable of type t at an address has function values.
func functionsIn(t types.Type, at uint64) (list []uint64) {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return []uint64{at}
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		for i, off := range types.SizesFor("gc", "amd64").Offsetsof(fields) {
			list = append(list, functionsIn(fields[i].Type(), at+uint64(off))...)
		}
	}
	return list
}

// function notes a function value, and what it runs if it has a Once.
func (r *recorder) function(s *state, p uint64) {
	m := r.run.Meta
	f := trace.Function{Addr: trace.Addr(p)}
	code := p
	if p >= heapBase {
		code = *s.word(p)
	}
	i := (code - funcBase) / 16
	switch {
	case slices.ContainsFunc(m.Functions, func(x trace.Function) bool { return x.Addr == f.Addr }):
		return
	case code == onceCode:
		f.Once, f.Runs = f.Addr+8, trace.Addr(*s.word(p + 16))
		r.function(s, uint64(f.Runs))
	case code < funcBase || i >= uint64(len(r.prog.list)):
		return
	default:
		fn := r.prog.list[i]
		if fn.plan == nil || len(fn.plan.SSA.FreeVars) > 0 {
			return
		}
		f.Func = fn.plan.ID
	}
	m.Functions = append(m.Functions, f)
}

func (r *recorder) goes(g, c *goroutine, x *ins) {
	if r == nil {
		return
	}
	r.emit(trace.Event{Kind: format.Go, G: g.id(), Site: x.site(), Obj: trace.Addr(c.id())})
	r.emit(trace.Event{Kind: format.Start, G: c.id(), Obj: trace.Addr(g.id())})
	r.run.Meta.Goroutines = append(r.run.Meta.Goroutines, trace.Goroutine{Parent: g.id(), Site: x.site(), RunID: uint64(c.id())})
}

func (r *recorder) end(g *goroutine) {
	if r != nil {
		r.emit(trace.Event{Kind: format.End, G: g.id()})
	}
}

// enter writes the Enter event of the frame on top, and its parameters if the caller does not
// record them.
func (r *recorder) enter(s *state, g *goroutine) {
	if r == nil {
		return
	}
	f := g.top()
	if f.fn.plan == nil {
		return
	}
	e := trace.Event{Kind: format.Enter, G: g.id(), Site: f.fn.plan.Site, Aux: uint64(len(g.frames))}
	switch f.kind {
	case static:
		e.Val = uint64(f.site.site())
	case dynamic, onceFunc:
		e.Flags |= format.FlagDirect
	}
	r.emit(e)
	if f.kind != static {
		for i := range f.fn.plan.Params {
			r.value(s, g, f, f.fn.plan.Site, &f.fn.plan.Params[i])
		}
	}
}

func (r *recorder) exit(g *goroutine) {
	if r == nil || g.top().fn.plan == nil {
		return
	}
	r.emit(trace.Event{Kind: format.Exit, G: g.id(), Site: g.top().fn.plan.Site, Aux: uint64(len(g.frames))})
}

func (r *recorder) block(g *goroutine, b int) {
	if r == nil || g.top().fn.plan == nil {
		return
	}
	if pb := &g.top().fn.plan.Blocks[b]; pb.Recorded {
		r.emit(trace.Event{Kind: format.Block, G: g.id(), Site: pb.Site})
	}
}

func (r *recorder) opaque(g *goroutine, x *ins, begin bool) {
	if r == nil || x.plan == nil || !x.plan.Opaque {
		return
	}
	e := trace.Event{Kind: format.OpaqueEnd, G: g.id(), Site: x.site()}
	if begin {
		if e.Kind = format.OpaqueBegin; x.plan.Target != plan.Static {
			// all functions of the program are instrumented
			e.Flags |= format.FlagDirect
		}
	}
	r.emit(e)
}

// after writes the Value records of an instruction. Those of accesses have been written.
func (r *recorder) after(s *state, g *goroutine, x *ins) {
	if r == nil || x.plan == nil {
		return
	}
	for i := range x.plan.After {
		if h := &x.plan.After[i]; h.Kind == format.Value && (h.Case < 0 || h.Case == r.case_) {
			r.value(s, g, g.top(), x.site(), h)
		}
	}
}

func (r *recorder) value(s *state, g *goroutine, f *frame, site trace.Site, h *plan.Hook) {
	at := f.fn.slots[h.Val]
	if h.Index > 0 {
		t := h.Val.Type().(*types.Tuple)
		for i := range h.Index {
			at += r.prog.layout.width(t.At(i).Type())
		}
	}
	w := g.regs[f.base+at:]
	if f.fn.plan.Bound(h.Val) { // the variable is captured by value in the plan: its content
		addr := w[0]
		w = make([]uint64, words(h.Size))
		for i := range w {
			w[i] = s.load(addr+uint64(i)*8, min(8, h.Size-int64(i)*8))
		}
	}
	w = w[:words(h.Size)]
	r.emit(trace.Event{Kind: format.Value, G: g.id(), Site: site, Size: uint16(h.Size), Val: w[0]})
	for _, v := range w[1:] {
		r.emit(trace.Event{Kind: format.Word, G: g.id(), Site: site, Val: v})
	}
}

// box is the allocation of the value in an interface, which is not zero.
func (r *recorder) box(g *goroutine, addr uint64, size int64) {
	if r != nil {
		r.emit(trace.Event{Kind: format.Alloc, G: g.id(), Obj: trace.Addr(addr), Val: uint64(size)})
	}
}

func (r *recorder) alloc(g *goroutine, addr uint64, size int64) {
	r.allocFlags(g, addr, size, format.FlagZero)
}

// variable is the allocation of memory that instrumented code uses. Outside code accesses none of
// its words, but for those of objects of package sync.
func (r *recorder) variable(g *goroutine, addr uint64, size int64) {
	r.allocFlags(g, addr, size, format.FlagZero|format.FlagFirst)
}

func (r *recorder) allocFlags(g *goroutine, addr uint64, size int64, flags format.Flags) {
	if r != nil {
		r.emit(trace.Event{Kind: format.Alloc, Flags: flags, G: g.id(), Obj: trace.Addr(addr), Val: uint64(size)})
	}
}

// hook returns the record of an access in the plan.
func (x *ins) hook(k format.Kind) *plan.Hook {
	if x.plan == nil {
		return nil
	}
	for i := range x.plan.After {
		if x.plan.After[i].Kind == k {
			return &x.plan.After[i]
		}
	}
	return nil
}

// access is one piece of a load or a store.
func (r *recorder) access(g *goroutine, o *op, w uint64) {
	if r == nil {
		return
	}
	k := format.Read
	if o.write {
		k = format.Write
	}
	if o.ins.hook(k) == nil {
		return
	}
	e := trace.Event{Kind: k, G: g.id(), Site: o.ins.site(), Size: uint16(o.size), Obj: trace.Addr(o.addr), Val: w}
	if o.done+o.size < o.ins.size {
		e.Flags |= format.FlagMore
	}
	r.emit(e)
}

// pseudo is an access that stands for an operation of synchronisation in the race detector.
func (r *recorder) pseudo(g *goroutine, o *op) {
	if r == nil {
		return
	}
	k := format.Read
	if o.write {
		k = format.Write
	}
	r.emit(trace.Event{Kind: k, Flags: format.FlagNoValue, G: g.id(), Site: o.ins.site(), Size: uint16(o.size), Obj: trace.Addr(o.addr)})
}

// sync is an operation on a lock or WaitGroup.
func (r *recorder) sync(g *goroutine, o *op, after, delta uint64) {
	if r == nil {
		return
	}
	e := trace.Event{G: g.id(), Site: o.ins.site(), Obj: trace.Addr(o.addr)}
	switch o.kind {
	case opLock:
		e.Kind = format.Lock
	case opUnlock:
		e.Kind = format.Unlock
	case opRLock:
		e.Kind, e.Flags = format.Lock, format.FlagRead
	case opRUnlock:
		e.Kind, e.Flags = format.Unlock, format.FlagRead
	case opAdd:
		e.Kind, e.Val, e.Aux = format.WGAdd, delta, after
	case opWait:
		e.Kind = format.WGWait
	case opOnceEnd:
		e.Kind = format.OnceEnd
	case opCondWait:
		e.Kind = format.CondWait
	case opCondWake:
		e.Kind = format.CondWake
	case opSignal:
		e.Kind = format.CondSignal
	case opBroadcast:
		e.Kind = format.CondBroadcast
	}
	r.emit(e)
}

func (r *recorder) atomic(g *goroutine, o *op, old, now uint64) {
	if r == nil {
		return
	}
	c := &o.ins.call
	e := trace.Event{Kind: format.AtomicRMW, G: g.id(), Site: o.ins.site(), Size: uint16(c.size), Obj: trace.Addr(o.addr), Val: old, Aux: now}
	switch c.atomic {
	case atomicLoad:
		e.Kind, e.Aux = format.AtomicRead, 0
	case atomicStore:
		e.Kind, e.Val, e.Aux = format.AtomicWrite, now, 0
	case atomicCAS:
		if old != r.expected(g, o) {
			e.Kind, e.Flags, e.Aux = format.AtomicRead, format.FlagTry, 0
		}
	}
	r.emit(e)
}

func (r *recorder) expected(g *goroutine, o *op) uint64 {
	if o.defer_ {
		return g.deferral().args[1]
	}
	return g.arg1(g.top(), &o.ins.args[1])
}

// nonBlocking is the flag of an operation that is a case of a select with a default.
func nonBlocking(x *ins) format.Flags {
	if sel, ok := x.in.(*ssa.Select); ok && !sel.Blocking {
		return format.FlagNonBlocking
	}
	return 0
}

// element returns the channel of an operation, or of case i of a select, and FlagNoValue if its
// elements are not of one word.
func (r *recorder) element(g *goroutine, x *ins, i int) (c uint64, flags format.Flags) {
	if sel, ok := x.in.(*ssa.Select); ok {
		elem := sel.States[i].Chan.Type().Underlying().(*types.Chan).Elem()
		return g.arg1(g.top(), &x.args[2*i]), noValue(r.prog.layout.sizeof(elem))
	}
	return g.arg1(g.top(), &x.args[0]), noValue(x.size)
}

func noValue(size int64) format.Flags {
	if size == 0 || size > 8 {
		return format.FlagNoValue
	}
	return 0
}

func (r *recorder) send(s *state, g *goroutine, x *ins, i int, v uint64) {
	if r != nil {
		c, flags := r.element(g, x, i)
		r.emit(trace.Event{Kind: format.ChanSend, Flags: flags | nonBlocking(x), G: g.id(), Site: x.site(), Obj: trace.Addr(c), Val: v, Aux: r.capacity(s, c)})
	}
}

func (r *recorder) recv(s *state, g *goroutine, x *ins, i int, v uint64, closed bool) {
	if r == nil {
		return
	}
	c, flags := r.element(g, x, i)
	e := trace.Event{Kind: format.ChanRecv, Flags: flags | nonBlocking(x), G: g.id(), Site: x.site(), Obj: trace.Addr(c), Val: v, Aux: r.capacity(s, c)}
	if closed {
		e.Flags |= format.FlagClosed
	}
	r.emit(e)
}

func (r *recorder) capacity(s *state, c uint64) uint64 {
	return *s.word(c)
}

func (r *recorder) chanOp(s *state, g *goroutine, o *op) {
	if r != nil {
		r.emit(trace.Event{Kind: format.ChanClose, Flags: format.FlagNoValue, G: g.id(), Site: o.ins.site(), Obj: trace.Addr(o.addr), Aux: r.capacity(s, o.addr)})
	}
}

func (r *recorder) chosen(c int) {
	if r != nil {
		r.case_ = c
	}
}

// cases writes the cases of a select that were not chosen, with their numbers as in a steered run,
// and the default if that was.
func (r *recorder) cases(s *state, g *goroutine, x *ins, chosen int) {
	if r == nil {
		return
	}
	sel, ok := x.in.(*ssa.Select)
	if !ok {
		return
	}
	for i, st := range sel.States {
		c := g.arg1(g.top(), &x.args[2*i])
		if i == chosen || c == 0 {
			continue
		}
		e := trace.Event{Kind: format.SelectCase, Flags: format.FlagNoValue, G: g.id(), Site: x.site(), Obj: trace.Addr(c), Val: uint64(i+1) | uint64(chosen+1)<<16, Aux: r.capacity(s, c)}
		if st.Dir == types.SendOnly {
			e.Flags |= format.FlagWrite
		}
		r.emit(e)
	}
	if chosen < 0 {
		r.emit(trace.Event{Kind: format.SelectDefault, G: g.id(), Site: x.site()})
	}
}
