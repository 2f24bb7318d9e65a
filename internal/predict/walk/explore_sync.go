package walk

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Synchronisation of alternatives: the typed operations of package plan.

// operation is what a function of package sync does, as an event.
type operation struct {
	kind  format.Kind
	flags format.Flags
	delta int64 // WGAdd
	arg   bool  // its delta is the argument
}

var operations = map[string]operation{
	"(*sync.Mutex).Lock":      {kind: format.Lock},
	"(*sync.Mutex).Unlock":    {kind: format.Unlock},
	"(*sync.RWMutex).Lock":    {kind: format.Lock},
	"(*sync.RWMutex).Unlock":  {kind: format.Unlock},
	"(*sync.RWMutex).RLock":   {kind: format.Lock, flags: format.FlagRead},
	"(*sync.RWMutex).RUnlock": {kind: format.Unlock, flags: format.FlagRead},
	"(*sync.WaitGroup).Add":   {kind: format.WGAdd, arg: true},
	"(*sync.WaitGroup).Done":  {kind: format.WGAdd, delta: -1},
	"(*sync.WaitGroup).Wait":  {kind: format.WGWait},
}

var closing = operation{kind: format.ChanClose}

// typed executes a typed operation, also as a deferred call: args[0] is the callee.
func (p *path) typed(in *instr, call *ssa.CallCommon, args []sval) bool {
	if b, ok := call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
		return p.sync(in, closing, args[1], 0)
	}
	callee := call.StaticCallee()
	if o := callee.Origin(); o != nil {
		callee = o
	}
	obj, ok := callee.Object().(*types.Func)
	if !ok {
		return p.stop("not-modelled")
	}
	if obj.Pkg().Path() == "sync/atomic" {
		return p.atomic(in, callee, args)
	}
	op, ok := operations[obj.FullName()]
	if !ok {
		return p.stop("synchronisation")
	}
	delta := op.delta
	if op.arg {
		d, ok := args[2].v.Bits()
		if !ok {
			return p.stop("unknown-value")
		}
		delta = int64(d)
	}
	return p.sync(in, op, args[1], delta)
}

// sync makes the event of an operation on the object at ptr.
func (p *path) sync(in *instr, op operation, ptr sval, delta int64) bool {
	addr, ok := ptr.v.Bits()
	e := trace.Event{Kind: op.kind, Flags: op.flags, Obj: trace.Addr(addr), Val: uint64(delta)}
	switch {
	case !ok || ptr.symbolic():
		return p.stop("unknown-address")
	case addr < 4096:
		return p.stop("panic")
	case addr >= freshMemory:
		return p.ownLock(in, op, addr)
	case !p.s.Object(&e):
		return p.stop("opaque-object")
	}
	if op.kind == format.ChanClose {
		n, ok := p.s.Capacity(addr)
		if !ok {
			return p.stop("unknown-capacity")
		}
		e.Aux = n
	}
	p.emit(in, e, flow.Flow{})
	p.advance(in)
	return true
}

// ownLock locks or unlocks a mutex that nobody else has: there is no event, but it may be held
// already.
func (p *path) ownLock(in *instr, op operation, addr uint64) bool {
	held := slices.Index(p.held, addr)
	switch {
	case p.forked || op.flags != 0 || addr >= unseenMemory:
		return p.stop("new-object")
	case op.kind == format.Lock && held < 0:
		p.held = append(slices.Clip(p.held), addr)
	case op.kind == format.Unlock && held >= 0:
		p.held = slices.Delete(slices.Clone(p.held), held, held+1)
	default:
		return p.stop("new-object")
	}
	p.advance(in)
	return true
}

// advance goes on behind an operation; a deferred one is run by its RunDefers, which looks for
// more.
func (p *path) advance(in *instr) {
	if _, ok := in.in.(*ssa.Defer); !ok {
		p.frame.ip++
	}
}

// atomic executes an operation of sync/atomic.
func (p *path) atomic(in *instr, callee *ssa.Function, args []sval) bool {
	size := atomicSize(callee)
	name := callee.Name()
	ptr, ok := args[1].v.Bits()
	switch {
	case size == 0:
		return p.stop("synchronisation")
	case !ok || args[1].symbolic():
		return p.stop("unknown-address")
	case ptr < 4096:
		return p.stop("panic")
	case ptr >= freshMemory:
		return p.stop("new-object")
	case !p.s.Settled(ptr):
		return p.stop("reused-memory")
	case ptr%uint64(size) != 0:
		return p.stop("panic")
	}
	e := trace.Event{Obj: trace.Addr(ptr), Size: uint16(size)}
	own := flow.AlternativeBase + int64(len(p.steps))
	old := sval{t: leaf([]loaded{{read: own, n: size}})}
	result := old
	var f flow.Flow
	known := true
	switch {
	case strings.HasPrefix(name, "Load"):
		e.Kind = format.AtomicRead
	case strings.HasPrefix(name, "Store"):
		e.Kind = format.AtomicWrite
		f, known = p.written(pieceOf(args[2], 0, size), &e.Val)
		result = sval{}
	case strings.HasPrefix(name, "Swap"):
		e.Kind = format.AtomicRMW
		f, known = p.written(pieceOf(args[2], 0, size), &e.Aux)
		if f.Value == nil {
			f.Value = expr.Word(e.Aux)
		}
	case strings.HasPrefix(name, "CompareAndSwap"):
		return p.compareAndSwap(in, e, pieceOf(args[2], 0, size), pieceOf(args[3], 0, size))
	default: // Add, And, Or
		e.Kind = format.AtomicRMW
		now := p.updated(name, old, pieceOf(args[2], 0, size), size)
		if !args[2].symbolic() && args[2].v.known&1 == 0 {
			known = false
		}
		f, _ = p.written(now, &e.Aux)
		f.From = slices.DeleteFunc(slices.Clone(f.From), func(r int64) bool { return r == own })
		if strings.HasPrefix(name, "Add") {
			result = now
		}
	}
	opaque := p.opaque(in, &e)
	p.emit(in, e, f)
	if !known {
		return p.last("unknown-value")
	}
	if opaque {
		return p.last("opaque-memory")
	}
	if in.reg >= 0 && in.n > 0 {
		p.frame.regs[in.reg] = result
	}
	p.advance(in)
	return true
}

// updated is what Add, And and Or leave.
func (p *path) updated(name string, old, arg sval, size int64) sval {
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
	return bounded(single(expr.Binary(op, k, 0, old.t.word(0), arg.term().word(0))))
}

// compareAndSwap goes on in both ways: it finds old, and is an update, or something else, and is a
// read.
func (p *path) compareAndSwap(in *instr, e trace.Event, old, now sval) bool {
	want, ok := old.v.Bits()
	if !ok || old.symbolic() || want >= 4096 && want < 1<<48 && !p.s.Settled(want) {
		return p.stop("unknown-value")
	}
	set := func(q *path, done uint64) {
		if in.reg >= 0 && in.n > 0 {
			q.frame.regs[in.reg] = sval{v: Known(done)}
		}
		q.advance(in)
	}
	return p.split([]func(*path){
		func(q *path) {
			e := e
			e.Kind, e.Val = format.AtomicRMW, want
			f, known := q.written(now, &e.Aux)
			if f.Value == nil {
				f.Value = expr.Word(e.Aux)
			}
			opaque := q.opaque(in, &e)
			q.emit(in, e, f)
			q.steps[len(q.steps)-1].Compares = true
			q.lastIf(!known, "unknown-value")
			q.lastIf(opaque, "opaque-memory")
			set(q, 1)
		},
		func(q *path) {
			e := e
			e.Kind, e.Flags = format.AtomicRead, format.FlagTry
			opaque := q.opaque(in, &e)
			r := q.emit(in, e, flow.Flow{})
			q.lastIf(opaque, "opaque-memory")
			found := leaf([]loaded{{read: r, n: int64(e.Size)}}).word(0)
			differs := expr.Unary(expr.Not, expr.Bool, equals(found, expr.Word(want)))
			q.guards = append(q.guards, flow.Guard{Term: differs, Want: 1})
			set(q, 0)
		},
	})
}

// lastIf is [path.last] under a condition.
func (p *path) lastIf(cond bool, why string) {
	if cond {
		p.last(why)
	}
}

// atomicSize is the number of bytes that a function of sync/atomic works on, 0 for one that is not
// modelled.
func atomicSize(callee *ssa.Function) int64 {
	name := callee.Name()
	if recv := callee.Signature.Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := t.(*types.Named)
		if !ok {
			return 0
		}
		name = n.Obj().Name()
	}
	switch {
	case strings.HasSuffix(name, "32") || name == "Bool":
		return 4
	case strings.HasSuffix(name, "64") || strings.HasSuffix(name, "ptr") || strings.HasSuffix(name, "Pointer"):
		return 8
	}
	return 0
}

// channel returns the capacity of the channel ch. ok is false if the path has ended.
func (p *path) channel(ch sval, e *trace.Event) (ok bool) {
	addr, known := ch.v.Bits()
	e.Obj = trace.Addr(addr)
	n, ok := p.s.Capacity(addr)
	switch {
	case !known || ch.symbolic():
		p.stop("unknown-address")
	case addr == 0:
		p.stop("nil-channel")
	case addr >= freshMemory:
		p.stop("new-object")
	case !p.s.Object(e):
		p.stop("opaque-object")
	case !ok:
		p.stop("unknown-capacity")
	default:
		e.Aux = n
		return true
	}
	return false
}

// send is a send statement.
func (p *path) send(in *instr) bool {
	e := trace.Event{Kind: format.ChanSend}
	if !p.channel(p.val(&in.args[0]), &e) {
		return true
	}
	size := p.frame.code.sizes.Sizeof(in.in.(*ssa.Send).X.Type())
	if size <= 0 || size > 8 {
		return p.stop("large-element")
	}
	f, known := p.written(p.val(&in.args[1]), &e.Val)
	if !known {
		return p.stop("unknown-value")
	}
	p.emit(in, e, f)
	p.frame.ip++
	return true
}

// receive is a receive expression: of a value, or of the zero value because the channel is closed.
func (p *path) receive(in *instr, x *ssa.UnOp) bool {
	e := trace.Event{Kind: format.ChanRecv}
	if !p.channel(p.val(&in.args[0]), &e) {
		return true
	}
	elem := x.X.Type().Underlying().(*types.Chan).Elem()
	size := p.frame.code.sizes.Sizeof(elem)
	if size <= 0 || size > 8 {
		return p.stop("large-element")
	}
	set := func(q *path, v sval, ok uint64) {
		q.frame.regs[in.reg] = v
		if x.CommaOk {
			q.frame.regs[in.reg+1] = sval{v: Known(ok)}
		}
		q.frame.ip++
	}
	choices := []func(*path){func(q *path) {
		r := q.emit(in, e, flow.Flow{})
		set(q, sval{t: leaf([]loaded{{read: r, n: size}})}, 1)
	}}
	if p.closes(uint64(e.Obj)) {
		choices = append(choices, func(q *path) {
			c := e
			c.Flags |= format.FlagClosed
			q.emit(in, c, flow.Flow{})
			set(q, sval{v: Zero(size)}, 0)
		})
	}
	return p.split(choices)
}
