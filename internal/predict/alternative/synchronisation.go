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
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Synchronisation: the typed operations of package plan.

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
func (p *path) typed(in *regcode.Instr, call *ssa.CallCommon, args []Value) bool {
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
		d, ok := args[2].Concrete.Bits()
		if !ok {
			return p.stop("unknown-value")
		}
		delta = int64(d)
	}
	return p.sync(in, op, args[1], delta)
}

// sync makes the event of an operation on the object at ptr.
func (p *path) sync(in *regcode.Instr, op operation, ptr Value, delta int64) bool {
	addr, ok := ptr.Concrete.Bits()
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

// ownLock locks or unlocks a mutex that the alternative has allocated. There is no event, but the
// mutex may be locked already.
func (p *path) ownLock(in *regcode.Instr, op operation, addr uint64) bool {
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

// advance continues after an operation. A deferred operation is run by RunDefers, which is executed
// again.
func (p *path) advance(in *regcode.Instr) {
	if _, ok := in.SSA.(*ssa.Defer); !ok {
		p.frame.IP++
	}
}

// atomic executes an operation of sync/atomic.
func (p *path) atomic(in *regcode.Instr, callee *ssa.Function, args []Value) bool {
	size := regcode.AtomicSize(callee)
	name := callee.Name()
	ptr, ok := args[1].Concrete.Bits()
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
	old := Value{Term: goval.LoadTerm([]goval.LoadPart{{Read: own, Size: size}})}
	result := old
	var f flow.Flow
	known := true
	switch {
	case strings.HasPrefix(name, "Load"):
		e.Kind = format.AtomicRead
	case strings.HasPrefix(name, "Store"):
		e.Kind = format.AtomicWrite
		f, known = p.written(pieceOf(args[2], 0, size), &e.Val)
		result = Value{}
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
		if _, ok := args[2].Concrete.Bits(); !ok && !args[2].symbolic() {
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
	if in.Reg >= 0 && in.N > 0 {
		p.frame.Regs[in.Reg] = result
	}
	p.advance(in)
	return true
}

// updated returns the new value of Add, And and Or.
func (p *path) updated(name string, old, arg Value, size int64) Value {
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

// compareAndSwap makes two paths: the operation finds old and is an update, or it finds another
// value and is a read.
func (p *path) compareAndSwap(in *regcode.Instr, e trace.Event, old, now Value) bool {
	want, ok := old.Concrete.Bits()
	if !ok || old.symbolic() || want >= 4096 && want < 1<<48 && !p.s.Settled(want) {
		return p.stop("unknown-value")
	}
	set := func(q *path, done uint64) {
		if in.Reg >= 0 && in.N > 0 {
			q.frame.Regs[in.Reg] = Value{Concrete: goval.Known(done)}
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
			found := goval.LoadTerm([]goval.LoadPart{{Read: r, Size: int64(e.Size)}}).Word(0)
			differs := expr.Unary(expr.Not, expr.Bool, goval.Equal(found, expr.Word(want)))
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

// channel sets the object of an event to the channel ch, and Aux to its capacity. ok is false if
// the path has ended.
func (p *path) channel(ch Value, e *trace.Event) (ok bool) {
	addr, known := ch.Concrete.Bits()
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
func (p *path) send(in *regcode.Instr) bool {
	e := trace.Event{Kind: format.ChanSend}
	if !p.channel(p.val(&in.Args[0]), &e) {
		return true
	}
	size := p.frame.Code.Sizes.Sizeof(in.SSA.(*ssa.Send).X.Type())
	if size <= 0 || size > 8 {
		return p.stop("large-element")
	}
	f, known := p.written(p.val(&in.Args[1]), &e.Val)
	if !known {
		return p.stop("unknown-value")
	}
	p.emit(in, e, f)
	p.frame.IP++
	return true
}

// receive executes a receive expression: of a value, or of the zero value of a closed channel.
func (p *path) receive(in *regcode.Instr, x *ssa.UnOp) bool {
	e := trace.Event{Kind: format.ChanRecv}
	if !p.channel(p.val(&in.Args[0]), &e) {
		return true
	}
	elem := x.X.Type().Underlying().(*types.Chan).Elem()
	size := p.frame.Code.Sizes.Sizeof(elem)
	if size <= 0 || size > 8 {
		return p.stop("large-element")
	}
	set := func(q *path, v Value, ok uint64) {
		q.frame.Regs[in.Reg] = v
		if x.CommaOk {
			q.frame.Regs[in.Reg+1] = Value{Concrete: goval.Known(ok)}
		}
		q.frame.IP++
	}
	choices := []func(*path){func(q *path) {
		r := q.emit(in, e, flow.Flow{})
		set(q, Value{Term: goval.LoadTerm([]goval.LoadPart{{Read: r, Size: size}})}, 1)
	}}
	if p.closes(uint64(e.Obj)) {
		choices = append(choices, func(q *path) {
			c := e
			c.Flags |= format.FlagClosed
			q.emit(in, c, flow.Flow{})
			set(q, Value{Concrete: goval.Zero(size)}, 0)
		})
	}
	return p.split(choices)
}
