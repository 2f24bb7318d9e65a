package progtest

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A timer that was started is a goroutine with one step, which may be taken at any moment: it sends
// on a channel, or starts a goroutine with a function.
type timer struct {
	at uint64 // its Timer, whose first word is the channel
	ch uint64 // 0: it runs the function
	fn uint64
}

const (
	timerSize   = 112
	timerObject = 16 // offset of the object of its synchronisation
)

// arm starts a timer. As for goroutines, its name does not depend on the schedule.
func (u *outside) arm(ch, fn uint64) uint64 {
	at := u.alloc(timerSize)
	*u.s.word(at) = ch
	g := u.g
	if g.children++; g.children >= fanout || len(u.s.gs) >= maxGos-1 || g.name > 1<<6 {
		panic(fault("too many goroutines"))
	}
	u.s.gs = append(u.s.gs, &goroutine{name: g.name*fanout + g.children, slot: len(u.s.gs), timer: timer{at, ch, fn}})
	u.s.live++
	u.s.started = true
	u.emit(trace.Event{Kind: format.ReleaseMerge, Flags: format.FlagTimer, Obj: trace.Addr(at + timerObject)})
	if u.st.rec != nil {
		u.st.rec.run.Meta.Goroutines = append(u.st.rec.run.Meta.Goroutines, trace.Goroutine{RunID: uint64(len(u.s.gs))})
	}
	return at
}

// timerChan makes the channel of a timer, which holds one time.
func (u *outside) timerChan() uint64 {
	c := u.alloc(32)
	*u.s.word(c) = 1
	return c
}

func (u *outside) after() {
	c := u.timerChan()
	u.arm(c, 0)
	u.result(c)
}

func (u *outside) newTimer() { u.result(u.arm(u.timerChan(), 0)) }

func (u *outside) afterFunc() {
	fn := u.arg(1)[0]
	if fn == 0 {
		panic(fault("a timer without a function"))
	}
	u.result(u.arm(0, fn))
}

// timerStop also takes back a time that was sent and not received, since Go 1.23.
func (u *outside) timerStop() {
	at, active := u.arg(0)[0], false
	if at < nilPage {
		panic(isPanic{})
	}
	u.emit(trace.Event{Kind: format.ReleaseMerge, Flags: format.FlagTimer, Obj: trace.Addr(at + timerObject)})
	for _, g := range u.s.gs {
		if g.timer.at == at && !g.ended {
			g.ended, active = true, true
			u.s.live--
		}
	}
	if c := *u.s.word(at); c != 0 && *u.s.word(c + 16) > 0 {
		*u.s.word(c + 16), active = 0, true
	}
	u.result(truth(active))
}

// fire is the step of a timer.
func (st *steps) fire(s *state, g *goroutine) {
	t := g.timer
	g.ended = true
	s.live--
	r := st.rec
	if r != nil {
		r.run.Meta.Goroutines[g.id()].RunID = format.FirstFiring + r.firings
		r.firings++
		r.emit(trace.Event{Kind: format.Go, Flags: format.FlagOpaque, Obj: trace.Addr(g.id())})
		r.emit(trace.Event{Kind: format.Start, G: g.id()})
		r.emit(trace.Event{Kind: format.Acquire, Flags: format.FlagOpaque, G: g.id(), Obj: trace.Addr(t.at + timerObject)})
	}
	if t.ch != 0 {
		*s.word(t.ch + 16) = 1
		if r != nil {
			r.emit(trace.Event{Kind: format.Read, Flags: format.FlagNoValue | format.FlagOpaque, G: g.id(), Size: 1, Obj: trace.Addr(t.ch)})
			r.emit(trace.Event{Kind: format.ChanSend, Flags: format.FlagNonBlocking | format.FlagNoValue | format.FlagOpaque, G: g.id(), Obj: trace.Addr(t.ch), Val: uint64(g.id()), Aux: 1})
		}
	} else {
		c := &goroutine{name: g.name*fanout + 1, slot: len(s.gs), fresh: true}
		if _, ok := st.calls.ran[c.name]; !ok && st.calls.ran != nil {
			c.left = AtTimer
		}
		s.gs = append(s.gs, c)
		s.live++
		if r != nil {
			r.emit(trace.Event{Kind: format.Go, Flags: format.FlagOpaque, G: g.id(), Obj: trace.Addr(c.id())})
			r.emit(trace.Event{Kind: format.Start, G: c.id(), Obj: trace.Addr(g.id())})
			r.run.Meta.Goroutines = append(r.run.Meta.Goroutines, trace.Goroutine{Parent: g.id(), RunID: uint64(c.id())})
		}
		fn, closure := st.calls.target(s, c, &ins{}, t.fn)
		st.calls.enter(s, c, fn, started, nil, nil, closure)
	}
	r.end(g)
}
