package offpath

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// operations executes the synchronisation of one goroutine. Each operation is the goroutine's next
// step (CP4), but for mutexes that the alternative has allocated (CP5).
type operations struct {
	owner   *owner
	steps   *queue
	values  *valuation
	heap    *heap
	private *private
	timers  *timers
	in      *subject
}

// sync is an operation on an object: a lock, a WaitGroup, the closing of a channel.
func (o *operations) sync(k format.Kind, flags format.Flags, p value, site trace.Site) *step {
	addr := pointer(p)
	if addr >= freshBase {
		o.heap.lock(o.owner, k, flags, addr)
		return nil
	}
	return o.steps.expect(k, flags, site, &addr, 0)
}

// typed executes a call of package sync or sync/atomic.
func (o *operations) typed(site trace.Site, call *ssa.CallCommon, callee *ssa.Function, args []value) value {
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok {
		throw("%v is not modelled", callee)
	}
	if fn.Pkg().Path() == "sync/atomic" {
		return o.atomic(call, fn, args, site)
	}
	switch fn.FullName() {
	case "(*sync.Mutex).TryLock", "(*sync.RWMutex).TryLock":
		return o.tryLock(args[0], 0, site)
	case "(*sync.RWMutex).TryRLock":
		return o.tryLock(args[0], format.FlagRead, site)
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock":
		o.sync(format.Lock, 0, args[0], site)
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
		o.sync(format.Unlock, 0, args[0], site)
	case "(*sync.RWMutex).RLock":
		o.sync(format.Lock, format.FlagRead, args[0], site)
	case "(*sync.RWMutex).RUnlock":
		o.sync(format.Unlock, format.FlagRead, args[0], site)
	case "(*sync.WaitGroup).Wait":
		o.sync(format.WGWait, 0, args[0], site)
	case "(*sync.Cond).Wait":
		o.wait(args[0], site)
	case "(*sync.Cond).Signal":
		o.sync(format.CondSignal, 0, args[0], site)
	case "(*sync.Cond).Broadcast":
		o.sync(format.CondBroadcast, 0, args[0], site)
	case "(*sync.WaitGroup).Done":
		adds(o.sync(format.WGAdd, 0, args[0], site), -1)
	case "(*sync.WaitGroup).Add":
		n, ok := args[1].bits()
		if !ok {
			throw("an unknown number")
		}
		adds(o.sync(format.WGAdd, 0, args[0], site), int64(n))
	default:
		throw("%v is not modelled", fn)
	}
	return value{}
}

// wait is the Wait of a Cond: the goroutine joins the queue, unlocks, is woken, and locks again.
func (o *operations) wait(p value, site trace.Site) {
	cond := pointer(p)
	l, ok := o.in.snap.Locker(cond, o.in.window.To)
	if !ok || cond >= freshBase || l.Lock >= freshBase {
		throw("a Cond of unknown lock")
	}
	mode := format.Flags(0)
	if l.Shared {
		mode = format.FlagRead
	}
	o.steps.expect(format.CondWait, 0, site, &cond, 0)
	for _, x := range []struct {
		kind format.Kind
		mode format.Flags
		obj  uint64
	}{{format.Unlock, mode, l.Lock}, {format.CondWake, 0, cond}, {format.Lock, mode, l.Lock}} {
		if o.steps.empty() { // the witness ends while it waits
			panic(finished{})
		}
		o.steps.expect(x.kind, x.mode, site, &x.obj, 0)
	}
}

// tryLock takes a lock, or does not, as the next step says.
func (o *operations) tryLock(p value, mode format.Flags, site trace.Site) value {
	addr := pointer(p)
	if addr >= freshBase {
		throw("TryLock of a lock that the alternative has made")
	}
	if o.steps.ahead(site).Event.Kind == format.TryFail {
		o.steps.expect(format.TryFail, mode, site, &addr, 0)
		return truth(false)
	}
	o.steps.expect(format.Lock, mode|format.FlagTry, site, &addr, 0)
	return truth(true)
}

// once is the Do of a Once: it reports whether the goroutine is the first, and executes the
// function, as the next step says.
func (o *operations) once(p value, site trace.Site) (addr uint64, first bool) {
	addr = pointer(p)
	if addr >= freshBase {
		throw("a Once that the alternative has made")
	}
	if o.steps.ahead(site).Event.Kind == format.OncePass {
		o.steps.expect(format.OncePass, 0, site, &addr, 0)
		return addr, false
	}
	o.steps.expect(format.OnceBegin, 0, site, &addr, 0)
	return addr, true
}

func adds(s *step, delta int64) {
	if s == nil || int64(s.Event.Val) != delta {
		reject("CP4", "the program adds %d, the step does not", delta)
	}
}

// cell is the variable of an operation of sync/atomic.
func cell(fn *types.Func, call *ssa.CallCommon, p value) (addr uint64, size int, boolean bool) {
	addr = pointer(p)
	var t types.Type
	if fn.Signature().Recv() == nil {
		t = pointee(call.Args[0].Type())
	} else { // the last field of Int32, Pointer[T], …
		named, ok := types.Unalias(pointee(call.Args[0].Type())).(*types.Named)
		if !ok {
			throw("%v is not modelled", fn)
		}
		switch name := named.Obj().Name(); name {
		case "Bool":
			t, boolean = types.Typ[types.Uint32], true
		case "Int32", "Uint32":
			t = types.Typ[types.Uint32]
		case "Int64", "Uint64", "Uintptr", "Pointer":
			t = types.Typ[types.Uint64]
		default:
			throw("%s is not modelled", name)
		}
	}
	size = sizeof(t)
	if size != 4 && size != 8 || addr >= freshBase || addr%uint64(size) != 0 {
		throw("an atomic operation on %d bytes at %#x", size, addr)
	}
	return addr, size, boolean
}

// atomic executes an operation of sync/atomic.
func (o *operations) atomic(call *ssa.CallCommon, fn *types.Func, args []value, site trace.Site) value {
	addr, size, boolean := cell(fn, call, args[0])
	word := func(i int) value {
		if boolean {
			b, ok := args[i].bits()
			if !ok {
				return unknown(size)
			}
			return number(b&1, size)
		}
		return args[i]
	}
	result := func(v value) value {
		if boolean {
			if b, ok := v.bits(); ok {
				return truth(b != 0)
			}
			return unknown(1)
		}
		return v
	}
	name := fn.Name()
	if !strings.HasPrefix(name, "Load") && !strings.HasPrefix(name, "CompareAndSwap") {
		o.private.atomics = append(o.private.atomics, span{addr, uint64(size)})
	}
	switch {
	case strings.HasPrefix(name, "Load"):
		return result(o.values.seen(o.steps.expect(format.AtomicRead, 0, site, &addr, size), size))
	case strings.HasPrefix(name, "Store"):
		o.values.written(o.steps.expect(format.AtomicWrite, 0, site, &addr, size), word(1))
		return value{}
	case strings.HasPrefix(name, "Swap"):
		s := o.steps.expect(format.AtomicRMW, 0, site, &addr, size)
		o.values.written(s, word(1))
		return result(o.values.seen(s, size))
	case strings.HasPrefix(name, "Add"), strings.HasPrefix(name, "And"), strings.HasPrefix(name, "Or"):
		s := o.steps.expect(format.AtomicRMW, 0, site, &addr, size)
		old := o.values.seen(s, size)
		now := updated(name, old, word(1))
		o.values.written(s, now)
		if name[:2] == "Ad" {
			return result(now)
		}
		return result(old)
	case strings.HasPrefix(name, "CompareAndSwap"):
		return o.compareAndSwap(addr, size, word(1), word(2), site)
	}
	throw("%v is not modelled", fn)
	return value{}
}

// updated is the value after an Add, And or Or.
func updated(name string, old, arg value) value {
	x, ok := old.bits()
	y, ok2 := arg.bits()
	switch n := len(old.img); {
	case !ok || !ok2:
		return unknown(n)
	case strings.HasPrefix(name, "Add"):
		return number(x+y, n)
	case strings.HasPrefix(name, "And"):
		return number(x&y, n)
	default:
		return number(x|y, n)
	}
}

// compareAndSwap is an update if the variable holds old, else a read that must return another
// value.
func (o *operations) compareAndSwap(addr uint64, size int, old, now value, site trace.Site) value {
	want, ok := old.bits()
	if !ok {
		throw("a comparison with an unknown value")
	}
	kind, flags := format.AtomicRMW, format.Flags(0)
	if o.steps.ahead(site).Event.Kind == format.AtomicRead {
		kind, flags = format.AtomicRead, format.FlagTry
	}
	if kind == format.AtomicRMW {
		o.private.atomics = append(o.private.atomics, span{addr, uint64(size)})
	}
	s := o.steps.expect(kind, flags, site, &addr, size)
	if s.racing && !s.any {
		if kind == format.AtomicRMW && s.Event.Val != want {
			reject("CP4", "the step is an update of %#x, but the program compares with %#x", s.Event.Val, want)
		}
		if kind == format.AtomicRMW {
			o.values.finds(s, old)
		}
		return unknown(1)
	}
	found, ok := o.values.seen(s, size).bits()
	if !ok || (found == want) != (kind == format.AtomicRMW) {
		reject("CP4", "the program compares with %#x and finds %#x, which is not the outcome of the step", want, found)
	}
	if kind == format.AtomicRMW {
		o.values.written(s, now)
	}
	return truth(kind == format.AtomicRMW)
}

// send is c <- x.
func (o *operations) send(site trace.Site, c, x value) {
	addr := pointer(c)
	o.sent(o.steps.expect(format.ChanSend, noValue(len(x.img)), site, &addr, 0), x)
}

// sent checks what a step sends.
func (o *operations) sent(s *step, x value) {
	if noValue(len(x.img)) == 0 {
		o.values.written(s, x)
	}
}

// received is the element of a channel that a step receives.
func (o *operations) received(s *step, elem int) value {
	if noValue(elem) == 0 {
		return o.values.seen(s, elem)
	}
	return unknown(elem)
}

// noValue is the flag of an operation on a channel if its elements are empty or larger than a word:
// their values are unknown.
func noValue(elem int) format.Flags {
	if elem > 0 && elem <= 8 {
		return 0
	}
	return format.FlagNoValue
}

// receive is <-c: of an element, or of the zero value if the channel is closed.
func (o *operations) receive(site trace.Site, in *ssa.UnOp, c value) value {
	addr := pointer(c)
	if o.timers.halt(addr) {
		v := unknown(sizeof(in.X.Type().Underlying().(*types.Chan).Elem()))
		if in.CommaOk {
			return value{tuple: []value{v, truth(true)}}
		}
		return v
	}
	elem := sizeof(in.X.Type().Underlying().(*types.Chan).Elem())
	addr, over := o.receivesDone(addr)
	if over {
		if in.CommaOk {
			return value{tuple: []value{zero(elem), truth(false)}}
		}
		return zero(elem)
	}
	closed := o.steps.ahead(site).Event.Flags & format.FlagClosed
	v := zero(elem)
	if closed == 0 {
		v = o.received(o.steps.expect(format.ChanRecv, noValue(elem), site, &addr, 0), elem)
	} else {
		o.steps.expect(format.ChanRecv, closed, site, &addr, 0)
	}
	if in.CommaOk {
		return value{tuple: []value{v, truth(closed == 0)}}
	}
	return v
}
