package witness

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// class is what the Obj of an event denotes.
type class uint8

const (
	onNothing class = iota
	onObject
	onThread
)

func classOf(k format.Kind) class {
	switch k {
	case format.Go, format.Join:
		return onThread
	case format.End, format.Start, format.SelectDefault, model.Pin:
		return onNothing
	}
	return onObject
}

// execute checks that event i, which is next in its thread, is enabled (MO5), and applies its
// effect. An event of a kind that the model does not have is never enabled.
func (s *state) execute(i int32, e *model.Event) error {
	if classOf(e.Kind) != onObject {
		return s.executeThread(i, e)
	}
	o := &s.objects[e.Obj]
	switch e.Kind {
	case format.Read, format.AtomicRead:
		s.sees(i, o.word)
	case format.Write, format.AtomicWrite:
		o.word = s.produced(i, e, e.Val, s.allIntact(e.ValDeps))
	case format.AtomicRMW:
		s.sees(i, o.word)
		o.word = s.produced(i, e, e.Aux, s.intact[i] && s.allIntact(e.ValDeps))
	case format.Lock:
		return s.lock(i, e, o)
	case format.Unlock:
		return s.unlock(i, e, o)
	case format.TryFail:
		// (L) It fails because the lock is held in a mode that excludes it.
		shared := e.Flags&format.FlagRead != 0
		if !o.writer && (shared || o.readers == 0) {
			return s.violation("L", i, "lock %d is free", e.Obj)
		}
	case format.WGAdd:
		// (W) Val is a delta in two's complement.
		if o.counter+int64(e.Val) < 0 {
			return s.violation("W", i, "counter %d%+d is negative", o.counter, int64(e.Val))
		}
		o.counter += int64(e.Val)
	case format.WGWait:
		if o.counter != 0 {
			return s.violation("W", i, "counter is %d", o.counter)
		}
	case format.OnceBegin, format.OnceEnd, format.OncePass:
		return s.stepOnce(i, e, o)
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		return s.cond(i, e, o)
	case format.ChanSend:
		return s.send(i, e, o)
	case format.ChanRecv:
		return s.recv(i, e, o)
	case format.ChanClose:
		if o.closed {
			return s.violation("C", i, "channel %d is closed", e.Obj)
		}
		if o.slot.full {
			return s.violation("U", i, "a sender waits on channel %d", e.Obj)
		}
		o.closed = true
	case format.ChanLen:
		// (S) An unbuffered channel has length 0; its queue is never used.
		s.sees(i, word{uint64(len(o.queue)), true, -1})
	default:
		return s.violation("X", i, "the model has no such event")
	}
	return nil
}

// executeThread is execute for events that act on no object.
func (s *state) executeThread(i int32, e *model.Event) error {
	switch e.Kind {
	case format.Go, format.Start, format.End, model.Pin: // (G) (P) always
	case format.Join:
		// (MO3)
		u := model.Thread(e.Obj)
		if int(s.next[u]) != len(s.threads[u]) || s.blockedOn[u] >= 0 {
			return s.violation("MO3", i, "thread %d has not ended", u)
		}
	case format.SelectDefault:
		// (S)
		for _, c := range e.Cases {
			if s.ready(c) {
				return s.violation("S", i, "a case on channel %d is ready", c.Chan)
			}
		}
	}
	return nil
}

// lock is rule (L), acquiring.
func (s *state) lock(i int32, e *model.Event, o *object) error {
	if o.writer {
		return s.violation("L", i, "lock %d is held", e.Obj)
	}
	if e.Flags&format.FlagRead != 0 {
		o.readers++
		return nil
	}
	if o.readers > 0 {
		return s.violation("L", i, "lock %d has %d readers", e.Obj, o.readers)
	}
	o.writer = true
	return nil
}

// unlock is rule (L), releasing.
func (s *state) unlock(i int32, e *model.Event, o *object) error {
	if e.Flags&format.FlagRead != 0 {
		if o.readers <= 0 {
			return s.violation("L", i, "lock %d has no readers", e.Obj)
		}
		o.readers--
		return nil
	}
	if !o.writer {
		return s.violation("L", i, "lock %d is not held", e.Obj)
	}
	o.writer = false
	return nil
}

// stepOnce is rule (O): fresh → running → done, and OncePass only when done.
func (s *state) stepOnce(i int32, e *model.Event, o *object) error {
	switch {
	case e.Kind == format.OnceBegin && o.once == model.OnceFresh:
		o.once = model.OnceRunning
	case e.Kind == format.OnceEnd && o.once == model.OnceRunning:
		o.once = model.OnceDone
	case e.Kind == format.OncePass && o.once == model.OnceDone:
	default:
		return s.violation("O", i, "once %d is in state %d", e.Obj, o.once)
	}
	return nil
}

// cond is rule (N).
func (s *state) cond(i int32, e *model.Event, o *object) error {
	switch e.Kind {
	case format.CondWait:
		o.waiters = append(o.waiters, model.Waiter{Thread: e.Thread})
	case format.CondSignal:
		k := slices.IndexFunc(o.waiters, func(w model.Waiter) bool { return !w.Notified })
		if k >= 0 {
			o.waiters[k].Notified = true
		}
	case format.CondBroadcast:
		for k := range o.waiters {
			o.waiters[k].Notified = true
		}
	case format.CondWake:
		k := slices.IndexFunc(o.waiters, func(w model.Waiter) bool { return w.Thread == e.Thread })
		if k < 0 || !o.waiters[k].Notified {
			return s.violation("N", i, "thread %d was not notified", e.Thread)
		}
		o.waiters = slices.Delete(o.waiters, k, k+1)
	}
	return nil
}

// send is rules (C) and (U), sending.
func (s *state) send(i int32, e *model.Event, o *object) error {
	elem := s.produced(i, e, e.Val, s.allIntact(e.ValDeps))
	if o.closed {
		return s.violation("C", i, "channel %d is closed", e.Obj)
	}
	if o.capacity > 0 {
		if len(o.queue) >= o.capacity {
			return s.violation("C", i, "channel %d is full", e.Obj)
		}
		o.queue = append(o.queue, elem)
		return nil
	}
	if o.slot.full {
		return s.violation("U", i, "another sender waits on channel %d", e.Obj)
	}
	o.slot = slot{full: true, word: elem, sender: e.Thread, send: i, partner: -1}
	if e.Flags&format.FlagNonBlocking != 0 && e.Partner != model.Anyone {
		// (U) Its receiver must be waiting at the receive.
		if !s.isNextOfItsThread(e.Partner) {
			return s.violation("U", i, "is non-blocking, but its receiver %d is not waiting", e.Partner)
		}
		o.slot.partner = e.Partner
	}
	s.blockedOn[e.Thread] = e.Obj
	return nil
}

// isNextOfItsThread reports whether event i is the next one of its thread.
func (s *state) isNextOfItsThread(i int32) bool {
	if i < 0 || int(i) >= len(s.w.Events) {
		return false
	}
	t := s.w.Events[i].Thread
	n := s.next[t]
	return int(n) < len(s.threads[t]) && s.threads[t][n] == i
}

// recv is rules (C) and (U), receiving.
func (s *state) recv(i int32, e *model.Event, o *object) error {
	if e.Flags&format.FlagClosed != 0 {
		if !o.closed || len(o.queue) > 0 || o.slot.full {
			return s.violation("C", i, "channel %d is not closed and empty", e.Obj)
		}
		s.sees(i, word{e.Val, true, -1})
		return nil
	}
	if o.capacity == 0 {
		return s.rendezvous(i, e, o)
	}
	if len(o.queue) == 0 {
		return s.violation("C", i, "channel %d is empty", e.Obj)
	}
	elem := o.queue[0]
	o.queue = o.queue[1:]
	s.sees(i, elem)
	return nil
}

// rendezvous is rule (U), receiving. It unblocks the sender.
func (s *state) rendezvous(i int32, e *model.Event, o *object) error {
	met := o.slot
	if !met.full {
		return s.violation("U", i, "no sender waits on channel %d", e.Obj)
	}
	if met.partner >= 0 && met.partner != i {
		return s.violation("U", i, "channel %d was filled for receive %d", e.Obj, met.partner)
	}
	o.slot = slot{}
	if !s.patient(i) && met.send >= 0 && !s.patient(met.send) {
		return s.violation("U", i, "neither the receive nor send %d could have waited", met.send)
	}
	s.blockedOn[met.sender] = -1
	s.sees(i, met.word)
	return nil
}

// patient reports whether the send or receive i could have waited for the other side (U): it is
// blocking, and no other case of its select is ready.
func (s *state) patient(i int32) bool {
	e := &s.w.Events[i]
	return e.Flags&format.FlagNonBlocking == 0 && !slices.ContainsFunc(e.Cases, s.ready)
}

// ready reports whether a case of a select is ready (S).
func (s *state) ready(c model.Case) bool {
	o := &s.objects[c.Chan]
	if c.Send {
		return o.closed || len(o.queue) < o.capacity
	}
	return o.closed || len(o.queue) > 0 || o.slot.full
}
