package alternative

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A method is what a method of package sync does, as an event.
type method struct {
	kind  format.Kind
	flags format.Flags
	delta int64 // of a WaitGroup
	arg   bool  // the argument is its delta
}

var methods = map[string]method{
	"(*sync.Mutex).Lock":      {kind: format.Lock},
	"(*sync.Mutex).Unlock":    {kind: format.Unlock},
	"(*sync.RWMutex).Lock":    {kind: format.Lock},
	"(*sync.RWMutex).Unlock":  {kind: format.Unlock},
	"(*sync.RWMutex).RLock":   {kind: format.Lock, flags: format.FlagRead},
	"(*sync.RWMutex).RUnlock": {kind: format.Unlock, flags: format.FlagRead},
	"(*sync.WaitGroup).Add":   {kind: format.WGAdd, arg: true},
	"(*sync.WaitGroup).Done":  {kind: format.WGAdd, delta: -1},
	"(*sync.WaitGroup).Wait":  {kind: format.WGWait},
	"(*sync.Cond).Signal":     {kind: format.CondSignal},
	"(*sync.Cond).Broadcast":  {kind: format.CondBroadcast},
}

// closing is what close(ch) does.
var closing = method{kind: format.ChanClose}

// An operation is the execution of one typed operation of package plan: an instruction that
// synchronises. The instruction may be a Defer, whose call is executed now.
type operation struct {
	p  *path
	in *regcode.Instr
}

// call executes a call of a typed operation: args[0] is the callee.
func (o operation) call(call *ssa.CallCommon, args []Value) bool {
	if b, ok := call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
		return o.on(closing, args[1], 0)
	}
	fn := call.StaticCallee()
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return o.p.stop("not-modelled")
	}
	if obj.Pkg().Path() == "sync/atomic" {
		return o.atomic(fn, args)
	}
	if plan.MapMethod(fn) != "" {
		return syncMap{operation: o}.call(obj.Name(), args)
	}
	switch name := obj.FullName(); name {
	case "(*sync.Mutex).TryLock", "(*sync.RWMutex).TryLock":
		return o.tryLock(args[1], 0)
	case "(*sync.RWMutex).TryRLock":
		return o.tryLock(args[1], format.FlagRead)
	case "(*sync.Once).Do":
		return o.once(args)
	case "(*sync.WaitGroup).Go":
		return o.groupGo(args)
	case "(*sync.Cond).Wait":
		return o.wait(args[1])
	}
	m, ok := methods[obj.FullName()]
	if !ok {
		return o.p.stop("synchronisation")
	}
	delta := m.delta
	if m.arg {
		d, ok := args[2].Concrete.Bits()
		if !ok {
			return o.p.stop("unknown-value")
		}
		delta = int64(d)
	}
	return o.on(m, args[1], delta)
}

// on executes a method on the object at ptr.
func (o operation) on(m method, ptr Value, delta int64) bool {
	addr, ok := ptr.Concrete.Bits()
	e := trace.Event{Kind: m.kind, Flags: m.flags, Obj: trace.Addr(addr), Val: uint64(delta)}
	switch {
	case !ok || ptr.symbolic():
		return o.p.stop("unknown-address")
	case addr < lowestPointer:
		return o.p.stop("panic")
	case addr >= freshMemory:
		return o.onOwn(m, addr)
	case !o.p.memory.settled(addr) || !o.p.x.around.Object(&e):
		return o.p.stop("opaque-object")
	}
	if m.kind == format.ChanClose {
		n, ok := channelsOf(o.p).capacity(addr)
		if !ok {
			return o.p.stop("unknown-capacity")
		}
		e.Aux = n
	}
	o.p.emit(o.in, e, flow.Flow{})
	return o.done()
}

// object sets the object of an event of package sync. It returns the reason if the operation is not
// modelled.
func (o operation) object(e *trace.Event, ptr Value) (why string) {
	addr, ok := ptr.Concrete.Bits()
	e.Obj = trace.Addr(addr)
	switch {
	case !ok || ptr.symbolic():
		return "unknown-address"
	case addr < lowestPointer:
		return "panic"
	case addr >= freshMemory:
		return "new-object"
	case !o.p.memory.settled(addr) || !o.p.x.around.Object(e):
		return "opaque-object"
	}
	return ""
}

// tryLock makes two paths (AL3): the lock is taken, or it is not.
func (o operation) tryLock(ptr Value, mode format.Flags) bool {
	if _, ok := o.in.SSA.(*ssa.Call); !ok {
		return o.p.stop("synchronisation")
	}
	e := trace.Event{Kind: format.Lock, Flags: mode | format.FlagTry}
	if why := o.object(&e, ptr); why != "" {
		return o.p.stop(why)
	}
	outcome := func(kind format.Kind, flags format.Flags, result uint64) func(*path) {
		return func(q *path) {
			e := e
			e.Kind, e.Flags = kind, flags
			q.emit(o.in, e, flow.Flow{})
			q.frame.set(o.in, known(result))
			q.frame.IP++
		}
	}
	return o.p.split([]func(*path){outcome(format.Lock, e.Flags, 1), outcome(format.TryFail, mode, 0)})
}

// once makes two paths (AL3): the goroutine is the first at a Once and executes the function, or
// the function has been executed.
func (o operation) once(args []Value) bool {
	if _, ok := o.in.SSA.(*ssa.Call); !ok {
		return o.p.stop("synchronisation")
	}
	e := trace.Event{Kind: format.OnceBegin}
	if why := o.object(&e, args[1]); why != "" {
		return o.p.stop(why)
	}
	return o.runsOnce(e, args[2])
}

// callsOnce executes a call of what OnceFunc or the like has returned, as an operation of its Once.
// It returns false if it is no such call.
func (o operation) callsOnce(call *ssa.CallCommon) (ok, going bool) {
	f := o.p.value(&o.in.Args[0])
	addr, sure := f.Concrete.Bits()
	if call.IsInvoke() || !sure || f.symbolic() || !o.p.x.around.Settled(addr) {
		return false, false
	}
	object, runs, ok := o.p.x.fork.Facts.OnceAt(addr, o.p.x.around.Until())
	if !ok {
		return false, false
	}
	e := trace.Event{Kind: format.OnceBegin}
	if why := o.object(&e, known(object)); why != "" {
		return true, o.p.stop(why)
	}
	return true, o.runsOnce(e, Value{Concrete: runs})
}

// runsOnce makes the two paths of an operation of a Once, which runs a function.
func (o operation) runsOnce(e trace.Event, function Value) bool {
	fn, free, why := o.p.resolver().function(function)
	if why != "" {
		return o.p.stop(why)
	}
	if m := regcode.BoundMethod(fn); m != nil || plan.Typed(fn) {
		return o.p.stop(opaqueCall)
	}
	c, why := o.p.resolver().enters(fn, nil, free)
	if why != "" {
		return o.p.stop(why)
	}
	return o.p.split([]func(*path){
		func(q *path) {
			q.emit(o.in, e, flow.Flow{})
			f := newFrame(c.code, nil, c.free)
			f.Caller, f.depth, f.Once = q.frame, q.frame.depth+1, e.Obj
			if q.frame = f; f.depth > maxDepth {
				q.stop("too-deep")
			}
		},
		func(q *path) {
			pass := e
			pass.Kind = format.OncePass
			q.emit(o.in, pass, flow.Flow{})
			q.frame.returned(nil)
		},
	})
}

// group is what a goroutine does at its end that the Go of a WaitGroup has started.
type group struct {
	object trace.Addr
	in     *regcode.Instr // the call of Go
}

// groupGo executes the Go of a WaitGroup: it adds one, and starts a goroutine that takes one away
// at its end.
func (o operation) groupGo(args []Value) bool {
	if _, ok := o.in.SSA.(*ssa.Call); !ok {
		return o.p.stop("synchronisation")
	}
	e := trace.Event{Kind: format.WGAdd, Val: 1}
	if why := o.object(&e, args[1]); why != "" {
		return o.p.stop(why)
	}
	c, why := o.p.resolver().called(args[2], nil)
	if why != "" {
		return o.p.stop(why)
	}
	if o.p.emit(o.in, e, flow.Flow{}); o.starts(c) {
		o.p.waiting[len(o.p.waiting)-1].frame.group = &group{e.Obj, o.in}
		o.p.frame.IP++
	}
	return true
}

// wait executes the Wait of a Cond: the goroutine joins the queue, unlocks, is woken, and locks
// again.
func (o operation) wait(ptr Value) bool {
	e := trace.Event{Kind: format.CondWait}
	if why := o.object(&e, ptr); why != "" {
		return o.p.stop(why)
	}
	l, ok := o.p.x.fork.Facts.LockerAt(uint64(e.Obj), o.p.x.around.Until())
	if !ok || !o.p.x.around.Settled(uint64(e.Obj)) {
		return o.p.stop("synchronisation")
	}
	lock := trace.Event{Kind: format.Unlock}
	if l.Shared {
		lock.Flags = format.FlagRead
	}
	if why := o.object(&lock, known(l.Lock)); why != "" {
		return o.p.stop(why)
	}
	for _, k := range []format.Kind{format.CondWait, format.Unlock, format.CondWake, format.Lock} {
		x := lock
		if k == format.CondWait || k == format.CondWake {
			x = e
		}
		x.Kind = k
		o.p.emit(o.in, x, flow.Flow{})
	}
	return o.done()
}

// onOwn locks or unlocks a mutex that the alternative has allocated. There is no event, but the
// mutex may be locked already.
func (o operation) onOwn(m method, addr uint64) bool {
	if o.p.memory.shared || m.flags != 0 || addr >= unseenMemory || !o.p.memory.lock(m.kind, addr) {
		return o.p.stop("new-object")
	}
	return o.done()
}

// done continues after the operation. RunDefers runs a deferred operation, and is executed again.
func (o operation) done() bool {
	if _, ok := o.in.SSA.(*ssa.Defer); !ok {
		o.p.frame.IP++
	}
	return true
}

// atomic executes an operation of sync/atomic: args[0] is the callee, args[1] the address.
func (o operation) atomic(fn *ssa.Function, args []Value) bool {
	size := regcode.AtomicSize(fn)
	ptr, ok := args[1].Concrete.Bits()
	switch {
	case size == 0:
		return o.p.stop("synchronisation")
	case !ok || args[1].symbolic():
		return o.p.stop("unknown-address")
	case ptr < lowestPointer:
		return o.p.stop("panic")
	case ptr >= freshMemory:
		return o.p.stop("new-object")
	case !o.p.memory.settled(ptr):
		return o.p.stop("reused-memory")
	case ptr%uint64(size) != 0:
		return o.p.stop("panic")
	}
	e := trace.Event{Obj: trace.Addr(ptr), Size: uint16(size)}
	if strings.HasPrefix(fn.Name(), "CompareAndSwap") {
		return o.compareAndSwap(e, args[2].piece(0, size), args[3].piece(0, size))
	}
	var arg Value
	if len(args) > 2 {
		arg = args[2]
	}
	f, result, ok := o.updates(&e, fn.Name(), arg)
	if e.Kind != format.AtomicRead {
		o.p.memory.atomics = append(o.p.memory.atomics, stored{addr: ptr, size: size})
	}
	if _, going := o.p.access(o.in, e, f, ok); !going {
		return true
	}
	o.p.frame.set(o.in, result)
	return o.done()
}

// updates sets the kind of the event e of an operation of sync/atomic, and what it writes. It
// returns the flow of the event and the result of the operation. ok is false if the value written
// is unknown.
func (o operation) updates(e *trace.Event, name string, arg Value) (f flow.Flow, result Value, ok bool) {
	own, size := o.p.events.next(), int64(e.Size)
	old := readValue(own, size)
	switch {
	case strings.HasPrefix(name, "Load"):
		e.Kind = format.AtomicRead
		return f, old, true
	case strings.HasPrefix(name, "Store"):
		e.Kind = format.AtomicWrite
		f, e.Val, ok = o.p.memory.write(arg.piece(0, size))
		return f, Value{}, ok
	}
	e.Kind = format.AtomicRMW
	if strings.HasPrefix(name, "Swap") {
		f, ok = o.swaps(e, arg.piece(0, size))
		return f, old, ok
	}
	_, ok = arg.Concrete.Bits()
	now := updated(name, old, arg.piece(0, size), size)
	f, e.Aux, _ = o.p.memory.write(now)
	f.From = slices.DeleteFunc(slices.Clone(f.From), func(r int64) bool { return r == own })
	if result = old; strings.HasPrefix(name, "Add") {
		result = now
	}
	return f, result, ok || arg.symbolic()
}

// swaps returns the flow of an update that writes v. Its value does not depend on what it reads.
func (o operation) swaps(e *trace.Event, v Value) (f flow.Flow, ok bool) {
	if f, e.Aux, ok = o.p.memory.write(v); f.Value == nil {
		f.Value = expr.Word(e.Aux)
	}
	return f, ok
}

// updated returns the new value of Add, And and Or.
func updated(name string, old, arg Value, size int64) Value {
	k := expr.Uint64
	if size == 4 {
		k = expr.Uint32
	}
	op := expr.Add
	switch {
	case strings.HasPrefix(name, "And"):
		op = expr.And
	case strings.HasPrefix(name, "Or"):
		op = expr.Or
	}
	return bounded(goval.Single(expr.Binary(op, k, 0, old.Term.Word(0), arg.term().Word(0))))
}

// compareAndSwap makes two paths (AL3): the operation finds old and is an update, or it finds
// another value and is a read.
func (o operation) compareAndSwap(e trace.Event, old, now Value) bool {
	want, ok := old.Concrete.Bits()
	if !ok || old.symbolic() || !o.p.memory.lasting(want) {
		return o.p.stop("unknown-value")
	}
	return o.p.split([]func(*path){
		func(q *path) { operation{q, o.in}.swapped(e, want, now) },
		func(q *path) { operation{q, o.in}.differed(e, want) },
	})
}

// swapped is a CompareAndSwap that finds the word want.
func (o operation) swapped(e trace.Event, want uint64, now Value) {
	e.Kind, e.Val = format.AtomicRMW, want
	f, ok := o.swaps(&e, now)
	o.p.memory.atomics = append(o.p.memory.atomics, stored{addr: uint64(e.Obj), size: int64(e.Size)})
	opaque := o.p.opaque(o.in, e)
	o.p.emit(o.in, e, f)
	o.p.events.last().Compares = true
	if !ok {
		o.p.last("unknown-value")
	}
	if opaque {
		o.p.last("opaque-memory")
	}
	o.p.frame.set(o.in, known(1))
	o.done()
}

// differed is a CompareAndSwap that finds another word than want.
func (o operation) differed(e trace.Event, want uint64) {
	e.Kind, e.Flags = format.AtomicRead, format.FlagTry
	r, _ := o.p.access(o.in, e, flow.Flow{}, true)
	found := readValue(r, int64(e.Size)).Term.Word(0)
	differs := expr.Unary(expr.Not, expr.Bool, goval.Equal(found, expr.Word(want)))
	o.p.events.require(flow.Guard{Term: differs, Want: 1})
	o.p.frame.set(o.in, known(0))
	o.done()
}

// starts starts a goroutine with a call. It returns false if the path ends here.
func (o operation) starts(c callee) bool {
	p := o.p
	if slices.ContainsFunc(slices.Concat(c.args, c.free), func(v Value) bool { return v.symbolic() }) {
		p.stop("goroutine-argument")
		return false
	}
	f := Entry(c.code, c.args, c.free)
	g := p.x.around.Goroutine()
	p.emit(o.in, trace.Event{Kind: format.Go, Obj: trace.Addr(g)}, flow.Flow{})
	p.memory.shared = true
	p.waiting = append(p.waiting, started{g, f})
	return true
}
