package walk

import (
	"go/types"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// timers are the timers of the trace. Alternatives look them up while the walk continues.
type timers struct {
	objects  places[*timer] // by the object of their synchronisation,
	handles  places[*timer] // by the address of the time.Timer,
	channels places[*timer] // and of the channel that they send to
	mu       sync.Mutex     // of the operations of all
	bubbles  bool           // some may be in a bubble of testing/synctest: none is known
	left     int64          // operations on these
}

// FreeTimers implements [alternative.Facts].
func (k *timers) FreeTimers() bool { return !k.bubbles }

// A timer has its operations in the order of the trace, the first maxTimerOps.
type timer struct {
	object uint64
	ops    []timerOp
	calls  bool        // it calls a function,
	runs   goval.Value // which is this one
}

const maxTimerOps = 256

// longTimer is how long no goroutine is held up before it stops a timer.
const longTimer = time.Minute

type timerOp struct {
	event int64
	g     trace.GoID // who starts or stops it; 0: it has fired
	arms  bool       // it is started, for a known and positive time,
	long  bool       // which is more than longTimer
}

func (k *timers) allocated(addr, size uint64, at int64) {
	k.objects.allocated(addr, size, at)
	k.handles.allocated(addr, size, at)
	k.channels.allocated(addr, size, at)
}

func anyTimer(*timer) bool { return true }

// operation notes that a timer is started or stopped (a ReleaseMerge with FlagTimer), or that it
// fires (an Acquire). It returns nil if e is none of these.
func (k *timers) operation(index int64, e *trace.Event) *timer {
	if k.bubbles {
		if e.Kind == format.ReleaseMerge && e.Flags&format.FlagTimer != 0 {
			k.left++
		}
		return nil
	}
	t, known := k.objects.at(uint64(e.Obj), index, anyTimer)
	op := timerOp{event: index}
	switch {
	case e.Kind == format.ReleaseMerge && e.Flags&format.FlagTimer != 0:
		if op.g = e.G; !known {
			t = &timer{object: uint64(e.Obj)}
			k.objects.add(t.object, t, index, func(*timer) bool { return false })
		}
	case e.Kind != format.Acquire || !known:
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(t.ops) < maxTimerOps {
		t.ops = append(t.ops, op)
	}
	return t
}

// armed notes that the last operation of a timer has started it for a known and positive time.
func (k *timers) armed(t *timer, d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(t.ops); n > 0 && n < maxTimerOps {
		t.ops[n-1].arms, t.ops[n-1].long = true, d > longTimer
	}
}

// willCall notes the function that a timer calls.
func (k *timers) willCall(t *timer, function goval.Value) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.calls, t.runs = true, function
}

// TimerAt implements [alternative.Facts].
func (k *timers) TimerAt(addr uint64, g trace.GoID, fork, until int64) (x flow.Timer, runs goval.Value, ok bool) {
	t, ok := k.channels.at(addr, until, anyTimer)
	if !ok {
		if t, ok = k.handles.at(addr, until, anyTimer); !ok {
			return x, runs, false
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	x = flow.Timer{Object: t.object, Armed: -1, Fired: -1, By: g, Calls: t.calls}
	for i, op := range t.ops {
		switch {
		case op.event >= until:
			return x, t.runs, x.Armed >= 0
		case op.g != 0 && op.g != g || i == maxTimerOps-1: // others know it, or more follow
			return x, runs, false
		case op.g == 0 && x.Armed >= 0 && x.Fired < 0:
			x.Fired = op.event
		case op.g == 0, op.event >= fork: // not on an alternative
		case op.arms:
			x.Armed, x.Fired, x.Long = op.event, -1, op.long
		default:
			x.Armed, x.Fired = -1, -1
		}
	}
	return x, t.runs, x.Armed >= 0
}

// callsAt reports whether a timer that calls a function is at an address.
func (k *timers) callsAt(addr uint64, event int64) bool {
	t, ok := k.handles.at(addr, event, anyTimer)
	if !ok {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return t.calls
}

// runs reports whether nothing has happened to a timer since it was started.
func (k *timers) runs(x *flow.Timer) bool {
	t, ok := k.objects.at(x.Object, math.MaxInt64, anyTimer)
	if !ok {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(t.ops)
	return n < maxTimerOps && t.ops[n-1].event == x.Armed
}

// firstTimer is the number of the first goroutine that a timer of the trace could have started.
const firstTimer trace.GoID = 1 << 29

// maxPending bounds the timers that [Walker.Rest] looks at: they are the last ones.
const maxPending = 256

// arms keeps how the goroutine would begin that a timer starts, if the goroutine is in a call of
// time.AfterFunc.
func (g *goroutine) arms(t *timer, index int64) {
	f := g.stack.top()
	if f == nil || !f.walked || !f.stage.inside || g.away > 0 || g.w.straight {
		return
	}
	in := f.Instr()
	if c, ok := timerCallOf(in); !ok || !c.function || len(t.ops) != 1 {
		return
	}
	v := f.Value(&in.Args[2])
	g.w.facts.willCall(t, v)
	fn := v.Function()
	var free []goval.Value
	if addr, ok := v.Bits(); ok && fn == nil {
		fn, free, _ = factsOf(g).FunctionAt(addr, index)
	}
	frame, at := g.w.entry(fn, nil, values(free))
	if frame == nil {
		return
	}
	x := &alternative.Fork{
		Program: g.w.program, Facts: &g.w.facts, G: firstTimer + g.w.timers, Frame: frame, At: at, Event: math.MaxInt64, Rest: true,
		Starts: &flow.Timer{Object: t.object, Armed: index, By: g.id},
	}
	g.w.timers++
	g.w.stats.Forks++
	g.forks.list = append(g.forks.list, x)
	if g.w.pending = append(g.w.pending, x); len(g.w.pending) > 2*maxPending {
		g.w.pending = slices.Delete(g.w.pending, 0, maxPending)
	}
}

// timerCall is what a call of package time does to a timer.
type timerCall struct {
	time     int  // the operand that is how long it runs, as in regcode; 0: none
	channel  bool // the result is its channel,
	handle   bool // or the time.Timer
	function bool // it calls a function
}

var timerCalls = map[string]timerCall{
	"time.After":          {time: 1, channel: true},
	"time.NewTimer":       {time: 1, handle: true},
	"time.AfterFunc":      {time: 1, handle: true, function: true},
	"(*time.Timer).Reset": {time: 2},
}

// timerCallOf returns what a call does to a timer. ok is false if it is none of timerCalls.
func timerCallOf(in *regcode.Instr) (c timerCall, ok bool) {
	call, ok := in.SSA.(*ssa.Call)
	if !ok {
		return c, false
	}
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "time" {
		return c, false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return c, false
	}
	c, ok = timerCalls[obj.FullName()]
	return c, ok
}
