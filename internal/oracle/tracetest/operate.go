package tracetest

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// do executes one operation of thread t, if it is enabled.
func (g *run) do(t model.Thread, o op) {
	th := &g.threads[t]
	switch o {
	case opRead, opWrite, opAtomicRead, opAtomicWrite, opRMW:
		if len(th.holds) == 0 && g.chance(g.p.Guard) {
			g.lock(t, hold{g.pick(locks), g.chance(0.3) && g.p.Weights[opRLock] > 0}, 0)
			return
		}
		g.access(t, o, g.pick(memory))
	case opPin:
		if len(th.reads) > 0 {
			g.emit(t, model.Event{Kind: model.Pin})
		}
	case opLock, opRLock:
		g.lock(t, hold{g.pick(locks), o == opRLock}, 0)
	case opTry, opTryRead:
		g.try(t, hold{g.pick(locks), o == opTryRead})
	case opUnlock:
		g.unlockSome(t)
	case opAdd, opDone, opWaitGroup:
		g.waitGroup(t, o, g.pick(waitGroups))
	case opOnce, opOnceEnd:
		g.once(t, o, g.pick(onces))
	case opWait, opSignal, opBroadcast:
		g.cond(t, o, g.pick(conds))
	case opSend, opRecv, opClose, opLen:
		g.channel(t, o, g.pick(channels))
	case opSelect, opPoll:
		g.choose(t, o == opPoll)
	case opGo, opJoin, opEnd:
		g.other(t, o, model.Thread(g.r.IntN(len(g.threads))))
	}
}

func (g *run) access(t model.Thread, o op, x model.Obj) {
	c := &g.objs[x]
	switch o {
	case opRead:
		g.emit(t, model.Event{Kind: format.Read, Obj: x, Val: c.Val})
	case opAtomicRead:
		g.emit(t, model.Event{Kind: format.AtomicRead, Obj: x, Val: c.Val})
	case opRMW:
		v := g.value()
		g.emit(t, model.Event{Kind: format.AtomicRMW, Obj: x, Val: c.Val, Aux: v})
		c.Val = v
	case opWrite, opAtomicWrite:
		c.Val = g.value()
		k := format.Write
		if o == opAtomicWrite {
			k = format.AtomicWrite
		}
		g.emit(t, model.Event{Kind: k, Obj: x, Val: c.Val})
	}
}

// lockFlags are the flags of an event of the lock in h's mode.
func lockFlags(h hold) format.Flags {
	if h.shared {
		return format.FlagRead
	}
	return 0
}

func (g *run) lock(t model.Thread, h hold, flags format.Flags) bool {
	c := &g.objs[h.lock]
	if c.Writer || !h.shared && c.Readers > 0 {
		return false
	}
	if h.shared {
		c.Readers++
	} else {
		c.Writer = true
	}
	g.emit(t, model.Event{Kind: format.Lock, Obj: h.lock, Flags: flags | lockFlags(h)})
	g.threads[t].holds = append(g.threads[t].holds, h)
	return true
}

func (g *run) try(t model.Thread, h hold) {
	c := &g.objs[h.lock]
	if !g.lock(t, h, format.FlagTry) && (c.Writer || !h.shared) {
		g.emit(t, model.Event{Kind: format.TryFail, Obj: h.lock, Flags: lockFlags(h)})
	}
}

// unlockSome releases a lock of t or sometimes, as Go allows, one of another thread.
func (g *run) unlockSome(t model.Thread) {
	u := t
	if g.chance(0.05) {
		u = model.Thread(g.r.IntN(len(g.threads)))
		if len(g.threads[u].todo) > 0 {
			return
		}
	}
	holds := g.threads[u].holds
	if len(holds) == 0 {
		return
	}
	k := g.r.IntN(len(holds))
	h := holds[k]
	g.threads[u].holds = slices.Delete(holds, k, k+1)
	g.release(t, h)
}

// unlock releases h, which t holds unless another thread has released it.
func (g *run) unlock(t model.Thread, h hold) {
	th := &g.threads[t]
	if k := slices.Index(th.holds, h); k >= 0 {
		th.holds = slices.Delete(th.holds, k, k+1)
		g.release(t, h)
	}
}

func (g *run) release(t model.Thread, h hold) {
	if h.shared {
		g.objs[h.lock].Readers--
	} else {
		g.objs[h.lock].Writer = false
	}
	g.emit(t, model.Event{Kind: format.Unlock, Obj: h.lock, Flags: lockFlags(h)})
}

func (g *run) waitGroup(t model.Thread, o op, x model.Obj) {
	c := &g.objs[x]
	switch {
	case o == opAdd:
		d := int64(1 + g.r.IntN(2))
		c.Counter += d
		g.emit(t, model.Event{Kind: format.WGAdd, Obj: x, Val: uint64(d), Aux: uint64(c.Counter)})
	case o == opDone && c.Counter > 0:
		c.Counter--
		g.emit(t, model.Event{Kind: format.WGAdd, Obj: x, Val: ^uint64(0), Aux: uint64(c.Counter)})
	case o == opWaitGroup && c.Counter == 0:
		g.emit(t, model.Event{Kind: format.WGWait, Obj: x})
	}
}

func (g *run) once(t model.Thread, o op, x model.Obj) {
	c, th := &g.objs[x], &g.threads[t]
	if o == opOnceEnd {
		if len(th.running) > 0 {
			g.objs[th.running[0]].Once = model.OnceDone
			g.emit(t, model.Event{Kind: format.OnceEnd, Obj: th.running[0]})
			th.running = th.running[1:]
		}
		return
	}
	switch c.Once {
	case model.OnceFresh:
		c.Once = model.OnceRunning
		th.running = append(th.running, x)
		g.emit(t, model.Event{Kind: format.OnceBegin, Obj: x})
	case model.OnceDone:
		g.emit(t, model.Event{Kind: format.OncePass, Obj: x})
	}
}

func (g *run) cond(t model.Thread, o op, x model.Obj) {
	c, th := &g.objs[x], &g.threads[t]
	switch o {
	case opWait:
		g.emit(t, model.Event{Kind: format.CondWait, Obj: x})
		c.Waiters = append(c.Waiters, model.Waiter{Thread: t})
		wake := todo{op: opWait, obj: x}
		if len(th.holds) == 0 {
			th.todo = []todo{wake}
			return
		}
		h := th.holds[len(th.holds)-1]
		th.todo = []todo{{op: opUnlock, hold: h}, wake, {op: opLock, hold: h}}
	case opSignal, opBroadcast:
		k := format.CondSignal
		if o == opBroadcast {
			k = format.CondBroadcast
		}
		g.emit(t, model.Event{Kind: k, Obj: x})
		for i := range c.Waiters {
			if !c.Waiters[i].Notified {
				c.Waiters[i].Notified = true
				if o == opSignal {
					break
				}
			}
		}
	}
}

func (g *run) wake(t model.Thread, x model.Obj) bool {
	c := &g.objs[x]
	k := slices.Index(c.Waiters, model.Waiter{Thread: t, Notified: true})
	if k < 0 {
		return false
	}
	c.Waiters = slices.Delete(slices.Clone(c.Waiters), k, k+1)
	g.emit(t, model.Event{Kind: format.CondWake, Obj: x})
	return true
}

func (g *run) channel(t model.Thread, o op, x model.Obj) {
	c := &g.objs[x]
	switch o {
	case opSend:
		g.send(t, x, 0, nil)
	case opRecv:
		g.recv(t, x, 0, nil)
	case opClose:
		if !c.Closed && !c.full && g.chance(0.5) {
			c.Closed = true
			g.emit(t, model.Event{Kind: format.ChanClose, Obj: x, Aux: uint64(c.Cap)})
		}
	case opLen:
		n := len(c.Queue)
		if c.Cap == 0 {
			n = 0
		}
		g.emit(t, model.Event{Kind: format.ChanLen, Obj: x, Val: uint64(n), Aux: uint64(c.Cap)})
	}
}

// send sends on x if it can.
func (g *run) send(t model.Thread, x model.Obj, flags format.Flags, others []model.Case) bool {
	c := &g.objs[x]
	e := model.Event{Kind: format.ChanSend, Obj: x, Aux: uint64(c.Cap), Flags: flags, Cases: others}
	if c.Closed || c.full || c.Cap > 0 && len(c.Queue) >= int(c.Cap) {
		return false
	}
	receiver := model.Thread(g.r.IntN(len(g.threads)))
	if c.Cap == 0 && flags&format.FlagNonBlocking != 0 && !g.idle(receiver, t) {
		return false
	}
	e.Val = g.value()
	i := g.emit(t, e)
	c.Queue = append(slices.Clone(c.Queue), e.Val)
	if c.Cap > 0 {
		return true
	}
	c.full, c.SlotOf, c.send = true, t, i
	if flags&format.FlagNonBlocking != 0 {
		c.partner = true
		g.threads[receiver].todo = []todo{{op: opRecv, obj: x, send: i}}
	}
	return true
}

// idle reports whether u could be waiting to receive from t.
func (g *run) idle(u, t model.Thread) bool {
	th := &g.threads[u]
	return u != t && th.live && !th.ended && len(th.todo) == 0 && !g.blocked(u)
}

// empty removes the element of an unbuffered channel.
func (g *run) empty(x model.Obj) uint64 {
	c := &g.objs[x]
	v := c.Queue[0]
	c.Queue, c.full, c.SlotOf = nil, false, 0
	return v
}

// recv receives from x if it can.
func (g *run) recv(t model.Thread, x model.Obj, flags format.Flags, others []model.Case) bool {
	c := &g.objs[x]
	e := model.Event{Kind: format.ChanRecv, Obj: x, Aux: uint64(c.Cap), Flags: flags, Cases: others}
	switch {
	case len(c.Queue) == 0 && !c.Closed, c.partner:
		return false
	case len(c.Queue) == 0:
		e.Flags |= format.FlagClosed
	case c.Cap > 0:
		e.Val = c.Queue[0]
		c.Queue = slices.Clone(c.Queue[1:])
	default:
		sender := c.SlotOf
		e.Val = g.empty(x)
		if !g.calm(&e) && c.send >= 0 && !g.calm(&g.events[c.send]) {
			c.Queue, c.full, c.SlotOf = []uint64{e.Val}, true, sender
			return false
		}
	}
	g.emit(t, e)
	return true
}

// calm reports whether e could have waited (U: patient).
func (g *run) calm(e *model.Event) bool {
	return e.Flags&format.FlagNonBlocking == 0 && !slices.ContainsFunc(e.Cases, g.offers)
}

// offers reports whether a case is ready (S).
func (g *run) offers(k model.Case) bool {
	c := &g.objs[k.Chan]
	return c.Closed || k.Send && len(c.Queue) < int(c.Cap) || !k.Send && len(c.Queue) > 0
}

// choose is a select of one or two cases.
func (g *run) choose(t model.Thread, poll bool) {
	cases := []model.Case{{Chan: g.pick(channels), Send: g.chance(0.5)}}
	if !poll || g.chance(0.4) {
		cases = append(cases, model.Case{Chan: g.pick(channels), Send: g.chance(0.5)})
	}
	flags := format.Flags(0)
	if poll {
		flags = format.FlagNonBlocking
	}
	for k, c := range cases {
		others := append(slices.Clone(cases[:k]), cases[k+1:]...)
		if poll {
			others = nil // not patient in any case
		}
		if c.Send && g.send(t, c.Chan, flags, others) || !c.Send && g.recv(t, c.Chan, flags, others) {
			return
		}
	}
	if poll && !slices.ContainsFunc(cases, g.offers) {
		g.emit(t, model.Event{Kind: format.SelectDefault, Cases: cases})
	}
}

func (g *run) other(t model.Thread, o op, u model.Thread) {
	th, uh := &g.threads[t], &g.threads[u]
	switch {
	case o == opGo && !uh.live:
		uh.live = true
		g.emit(t, model.Event{Kind: format.Go, Obj: model.Obj(u)})
	case o == opJoin && uh.ended:
		g.emit(t, model.Event{Kind: format.Join, Obj: model.Obj(u)})
	case o == opEnd && len(th.running) == 0:
		th.ended = true
		g.emit(t, model.Event{Kind: format.End})
	}
}
