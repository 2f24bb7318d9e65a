package progtest

import (
	"errors"
	"fmt"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Follow executes the program under the schedule of a trace, such as one that was really recorded,
// and returns its own trace of the run. It fails if the program cannot perform the next event of
// the trace.
func (p *Program) Follow(events []trace.Event) (*Run, error) {
	f := &follower{prog: p, events: events, slots: map[trace.GoID]int{}, met: map[int]bool{}}
	f.ends = effects(events)
	f.rec = &recorder{prog: p, run: &Run{Meta: p.meta(), paths: map[uint64][]decision{}}}
	f.m = newMachine(p, f.rec)
	f.s = p.start.clone()
	f.rec.begin(f.s)
	for i := range events {
		if err := f.event(i); err != nil {
			return f.rec.run, fmt.Errorf("event %d: %w", i, err)
		}
	}
	f.rec.run.Ended = f.s.gs[0].ended
	return f.rec.run, nil
}

// ErrOrder is returned if a read of the trace returned a value that no earlier write had written.
// The read is marked as unexplained, or it is the first access to its word and its value is taken
// for the initial one.
var ErrOrder = errors.New("the order of the trace is that of no execution")

type follower struct {
	prog   *Program
	events []trace.Event
	slots  map[trace.GoID]int
	ends   map[int]int  // see effects
	met    map[int]bool // by event: receives that were performed with their sends
	rec    *recorder
	m      *machine
	s      *state
}

// effects returns, by the event at which an operation of outside code takes effect, the end of its
// call. That event is a close of a channel, or else the last atomic access, or else the end.
func effects(events []trace.Event) map[int]int {
	at, last, closes := map[int]int{}, map[trace.GoID]int{}, map[trace.GoID]bool{}
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == format.OpaqueBegin:
			delete(last, e.G)
			closes[e.G] = false
		case e.Flags&format.FlagOpaque != 0 && !closes[e.G] && (e.Kind.IsAtomic() || e.Kind == format.ChanClose):
			last[e.G], closes[e.G] = i, e.Kind == format.ChanClose
		case e.Kind == format.OpaqueEnd:
			if k, ok := last[e.G]; ok {
				at[k] = i
			} else {
				at[i] = i
			}
		}
	}
	return at
}

// event performs the step that an event records.
func (f *follower) event(i int) error {
	e := &f.events[i]
	if e.Kind == format.Enter && len(f.slots) == 0 && e.Site == f.prog.main.plan.Site {
		f.slots[e.G] = 0
	}
	slot, ok := f.slots[e.G]
	if end, does := f.ends[i]; ok && does {
		return f.outside(end, slot)
	}
	if !ok || e.Flags&format.FlagOpaque != 0 || f.met[i] {
		return nil
	}
	g := f.s.gs[slot]
	switch e.Kind {
	case format.Enter:
		if !g.fresh {
			return nil
		}
	case format.Exit:
		if slot != 0 || e.Aux != 1 {
			return nil
		}
	case format.Alloc, format.SelectCase, format.Start, format.End,
		format.Acquire, format.Release, format.ReleaseMerge, format.Observe:
		return nil
	default:
		if e.Kind.IsControl() {
			return nil
		}
	}
	if err := f.step(i, slot); err != nil {
		return err
	}
	if e.Kind == format.Go {
		f.slots[trace.GoID(e.Obj)] = len(f.s.gs) - 1
	}
	return nil
}

// outside performs an operation of outside code that ends at event end.
func (f *follower) outside(end, slot int) error {
	g := f.s.gs[slot]
	for {
		if err := f.m.run(f.s, g); err != nil || f.s.pending(g).kind != opOutside || g.next().site() != f.events[end].Site {
			return err
		}
		if err := f.step(end, slot); err != nil {
			return err
		}
		if g.top().phase == 0 {
			return nil
		}
	}
}

// step runs all goroutines to their next steps and performs that of one.
func (f *follower) step(i, slot int) error {
	e := &f.events[i]
	var ops []op
	for _, g := range f.s.gs {
		if err := f.m.run(f.s, g); err != nil {
			return err
		}
	}
	for _, g := range f.s.gs {
		ops = append(ops, f.s.pending(g))
	}
	if o := &ops[slot]; o.kind == opWait && e.Kind == format.Write && e.Site == o.ins.site() {
		// Merge may put this access after the events that the Wait waited for, since nothing
		// orders them.
		f.rec.pseudo(f.s.gs[slot], &op{ins: o.ins, addr: o.addr + 8, size: 4, write: true})
		f.s.gs[slot].waits = true
		return nil
	}
	if o := &ops[slot]; o.kind == opAccess && !o.pseudo && e.Kind == format.Read && e.Val < funcBase {
		if v := f.s.load(o.addr, o.size); v != e.Val && e.Site == o.ins.site() {
			return fmt.Errorf("%w: %#x is read of %#x, which holds %#x", ErrOrder, e.Val, uint64(e.Obj), v)
		}
	}
	partner := -1
	if e.Kind == format.ChanSend && e.Aux == 0 {
		for k := i + 1; k < len(f.events); k++ {
			if h := &f.events[k]; h.Kind == format.ChanRecv && h.Obj == e.Obj && h.Flags&format.FlagClosed == 0 {
				f.met[k] = true
				partner = f.slots[h.G]
				break
			}
		}
	}
	for _, t := range (&enabled{f.s, ops}).transitions(nil) {
		if t.g == slot && t.h == partner && f.fits(e, &t) {
			return f.m.steps.perform(f.s, t)
		}
	}
	return fmt.Errorf("%v of g%d at site %d: the program's next step is %d at site %v", e.Kind, e.G, e.Site, ops[slot].kind, siteOf(&ops[slot]))
}

func siteOf(o *op) trace.Site {
	if o.ins == nil {
		return 0
	}
	return o.ins.site()
}

// fits reports whether a step is of the kind of an event.
func (f *follower) fits(e *trace.Event, t *transition) bool {
	switch t.op.kind {
	case opStart:
		return e.Kind == format.Enter
	case opExit:
		return e.Kind == format.Exit
	case opPanic:
		return false
	}
	if t.op.ins.site() != e.Site {
		return false
	}
	switch t.op.kind {
	case opLock, opRLock:
		return e.Kind == format.Lock
	case opTryLock, opTryRLock:
		return e.Kind == format.Lock || e.Kind == format.TryFail
	case opOnce:
		return e.Kind == format.OnceBegin || e.Kind == format.OncePass
	case opOnceEnd:
		return e.Kind == format.OnceEnd
	case opCondWait:
		return e.Kind == format.CondWait
	case opCondWake:
		return e.Kind == format.CondWake
	case opSignal:
		return e.Kind == format.CondSignal
	case opBroadcast:
		return e.Kind == format.CondBroadcast
	case opLen:
		return e.Kind == format.ChanLen
	case opOutside:
		return e.Kind == format.OpaqueEnd || e.Kind.IsAtomic() // of a sync.Map
	case opUnlock, opRUnlock:
		return e.Kind == format.Unlock
	case opAdd, opGroupEnd:
		return e.Kind == format.WGAdd
	case opWait:
		return e.Kind == format.WGWait
	case opClose:
		return e.Kind == format.ChanClose
	case opGo:
		return e.Kind == format.Go
	case opAtomic:
		return e.Kind.IsAtomic()
	case opAccess:
		return e.Kind == format.Read && !t.op.write || e.Kind == format.Write && t.op.write
	case opSend:
		return e.Kind == format.ChanSend
	case opRecv:
		return e.Kind == format.ChanRecv
	case opSelect:
		return e.Kind == format.SelectDefault && t.c < 0
	}
	return false
}
