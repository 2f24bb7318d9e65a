package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Calls of the library that other goroutines need not notice (AL3).

// nameOf returns the full name of the function that a call calls, "" if it is not known, or if its
// code is instrumented.
func (l library) nameOf(call *ssa.CallCommon) string {
	p := l.p
	fn := call.StaticCallee()
	if fn == nil || p.x.fork.Program.Plan.Func(fn) != nil {
		return ""
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return ""
}

// quiet executes a call of a sync.Pool or a timer: args[0] is the callee. ok is false if it is no
// such call, or one that is not modelled.
func (l library) quiet(name string, args []Value) (result Value, ok bool) {
	p := l.p
	switch name {
	case "(*sync.Pool).Put": // what is put need not be got
		pool, known := args[1].Concrete.Bits()
		return Value{}, known && !args[1].symbolic() && pool >= lowestPointer
	case "(*time.Timer).Stop", "(*time.Ticker).Stop":
		t, known := args[1].Concrete.Bits()
		if !known || args[1].symbolic() {
			return Value{}, false
		}
		return timersOf(p).stop(t)
	case "time.AfterFunc", "time.After", "time.NewTimer", "time.NewTicker":
		return l.newTimer(name, args)
	}
	return Value{}, false
}

// newTimer makes a timer, or the channel of one.
func (l library) newTimer(name string, args []Value) (result Value, ok bool) {
	p := l.p
	d, known := args[1].Concrete.Bits()
	switch {
	case !p.x.fork.Facts.FreeTimers():
		return Value{}, false
	case name == "time.AfterFunc":
		return p.memory.timer(false)
	case !known || args[1].symbolic() || int64(d) <= 0: // it may send at once
		return Value{}, false
	case name == "time.After":
		return p.memory.channel()
	}
	return p.memory.timer(true)
}

// channel makes the channel of a timer. ok is false if the path has started a goroutine.
func (m *memory) channel() (c Value, ok bool) {
	if m.shared {
		return Value{}, false
	}
	addr := m.allocate()
	m.ticks = append(m.ticks, addr)
	return known(addr), true
}

// timer makes a timer with a channel, which is its first field, or none.
func (m *memory) timer(channel bool) (timer Value, ok bool) {
	if m.shared {
		return Value{}, false
	}
	addr := m.allocate()
	m.timers = append(m.timers, addr)
	if channel {
		c, _ := m.channel()
		m.store(addr, 8, c)
	} else {
		m.ticks = append(m.ticks, addr)
	}
	return known(addr), true
}

// stop stops a timer that the path has made. ok is false if it is another one; running reports that
// it has run.
func (m *memory) stop(timer uint64) (running, ok bool) {
	if !slices.Contains(m.timers, timer) {
		return false, false
	}
	at := timer
	if c, ok := m.loadOwn(timer, 8); ok && !c.isZero() {
		at, _ = c.Concrete.Bits()
	}
	running = m.ticking(at)
	m.tick(at)
	return running, true
}

// ticking reports whether a timer that the path has made sends to a channel, or, if it calls a
// function, is at an address and runs.
func (m *memory) ticking(at uint64) bool { return slices.Contains(m.ticks, at) }

// tick has such a timer run no more.
func (m *memory) tick(at uint64) {
	m.ticks = slices.DeleteFunc(slices.Clone(m.ticks), func(x uint64) bool { return x == at })
}

// waits executes a receive from the channel of a timer that runs. ok is false if it is another
// channel.
func (o operation) waits(x *ssa.UnOp, ch Value) (ok bool) {
	addr, ok := ch.Concrete.Bits()
	if !ok || ch.symbolic() || !timersOf(o.p).halts(addr) {
		return false
	}
	o.set(o.p, x, Value{}, 1)
	return true
}

// set gives a receive its results, and goes on.
func (o operation) set(q *path, x *ssa.UnOp, v Value, ok uint64) {
	q.frame.Regs[o.in.Reg] = v
	if x.CommaOk {
		q.frame.Regs[o.in.Reg+1] = known(ok)
	}
	q.frame.IP++
}

// deferredQuiet runs a deferred call without effect on others. ok is false if it is another one.
func (l library) deferredQuiet(d Deferred, call *ssa.CallCommon) (ok bool) {
	_, ok = l.quiet(l.nameOf(call), d.Args)
	return ok
}

// quietCall executes such a call that is not deferred.
func (l library) quietCall(in *regcode.Instr, call *ssa.CallCommon) (going, ok bool) {
	p := l.p
	name := l.nameOf(call)
	if name == "" {
		return false, false
	}
	args := p.values(in.Args)
	if plan.PoolGet(call) {
		return l.poolGet(in, call, args[1])
	}
	if name == "context.WithCancel" {
		return l.newContext(in, args[1])
	}
	if plan.TimerStop(call) {
		if going, ok := l.timerStop(in, args[1]); ok {
			return going, true
		}
	}
	v, ok := l.quiet(name, args)
	switch {
	case !ok:
		return false, false
	case name == "time.AfterFunc":
		return l.afterFunc(in, v, args[2]), true
	}
	return p.next(in, v), true
}

// afterFunc starts a timer t that calls a function in a goroutine of its own. It makes two paths
// (AL3): the timer fires, or it does not.
func (l library) afterFunc(in *regcode.Instr, t, function Value) bool {
	choices := []func(*path){func(q *path) {
		q.emit(in, trace.Event{Kind: format.Block}, flow.Flow{})
		q.next(in, t)
	}}
	r := l.p.resolver()
	fn, free, why := r.function(function)
	if why == "" && regcode.BoundMethod(fn) == nil && !plan.Typed(fn) {
		if c, why := r.enters(fn, nil, free); why == "" {
			choices = append(choices, func(q *path) {
				if (operation{q, in}).starts(c) {
					at, _ := t.Concrete.Bits()
					q.memory.tick(at) // it has fired, and cannot be stopped
					q.next(in, t)
				}
			})
		}
	}
	return l.p.split(choices)
}
