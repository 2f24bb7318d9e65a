package window

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// class separates objects that share an address.
type class uint8

const (
	lockClass class = iota
	groupClass
	onceClass
	condClass
	chanClass
	hiddenClass
)

// classOf returns the class of the object an event acts on, false if it acts on none.
func classOf(k format.Kind) (class, bool) {
	switch k {
	case format.Lock, format.Unlock, format.TryFail:
		return lockClass, true
	case format.WGAdd, format.WGWait:
		return groupClass, true
	case format.OnceBegin, format.OnceEnd, format.OncePass:
		return onceClass, true
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		return condClass, true
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase:
		return chanClass, true
	case format.Acquire, format.Release, format.ReleaseMerge, format.Observe:
		return hiddenClass, true
	}
	return 0, false
}

// objectOf is the object that an event acts on. C code makes system calls, so its memory is one
// with files.
func objectOf(e *trace.Event) trace.Addr {
	if e.Kind == format.Observe && e.Obj == format.StateC {
		return format.StateFiles
	}
	return e.Obj
}

type objKey struct {
	class class
	addr  trace.Addr
}

// object is the state of one object, with goroutines for threads.
type object struct {
	known    bool // some event said what the state is
	writer   bool
	readers  int32
	counter  int64
	once     model.OnceState
	cap      uint64
	closed   bool
	queue    []element
	slotOf   trace.GoID
	nonBlock bool // the send in the slot was non-blocking
	waiters  []sleeper
}

// element is a value in a channel.
type element struct {
	val   uint64
	known bool
	send  int32   // in a window: the event that sent it; -1: it was there,
	place int32   // at this place
	deps  []int32 // in a window: what it was computed from, if one goroutine uses the channel
}

type sleeper struct {
	g        trace.GoID
	notified bool
}

func (o *object) clone() *object {
	c := *o
	c.queue = append([]element(nil), o.queue...)
	for i := range c.queue {
		c.queue[i].place = int32(i)
	}
	c.waiters = append([]sleeper(nil), o.waiters...)
	return &c
}

// infer sets the state of an object that was in use before the trace began, from its first event.
func (o *object) infer(e *trace.Event) {
	if o.known {
		return
	}
	o.known = true
	switch e.Kind {
	case format.Unlock:
		if e.Flags&format.FlagRead != 0 {
			o.readers = 1
		} else {
			o.writer = true
		}
	case format.WGAdd:
		o.counter = int64(e.Aux) - int64(e.Val)
	case format.OncePass:
		o.once = model.OnceDone
	case format.OnceEnd:
		o.once = model.OnceRunning
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase:
		o.cap = e.Aux
		if e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0 {
			o.closed = true
		}
	}
}

// step applies an event if the state enables it, and reports whether it does. With force it applies
// the event in any case, because the trace has it. The comments name the rules of
// docs/theory/model.md.
func (o *object) step(e *trace.Event, force bool) bool {
	o.infer(e)
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Lock: // (MO13)
		ok := !o.writer && (read || o.readers == 0)
		if !ok && !force {
			return false
		}
		if read {
			o.readers++
		} else {
			o.writer = true
		}
		return ok
	case format.Unlock:
		if read {
			ok := o.readers > 0
			o.readers = max(0, o.readers-1)
			return ok
		}
		ok := o.writer
		o.writer = false
		return ok
	case format.TryFail:
		return o.writer || !read && o.readers > 0
	case format.WGAdd: // (MO13)
		c := o.counter + int64(e.Val)
		if c < 0 && !force {
			return false
		}
		o.counter = max(0, c)
		return c >= 0
	case format.WGWait:
		return o.counter == 0
	case format.OnceBegin: // (MO13)
		ok := o.once == model.OnceFresh
		if ok || force {
			o.once = model.OnceRunning
		}
		return ok
	case format.OnceEnd:
		ok := o.once == model.OnceRunning
		if ok || force {
			o.once = model.OnceDone
		}
		return ok
	case format.OncePass:
		return o.once == model.OnceDone
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		return o.cond(e)
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen:
		return o.channel(e, force)
	}
	return true
}

// cond executes operations on a Cond (MO13).
func (o *object) cond(e *trace.Event) bool {
	switch e.Kind {
	case format.CondWait:
		o.waiters = append(o.waiters, sleeper{g: e.G})
	case format.CondSignal:
		for i := range o.waiters {
			if !o.waiters[i].notified {
				o.waiters[i].notified = true
				break
			}
		}
	case format.CondBroadcast:
		for i := range o.waiters {
			o.waiters[i].notified = true
		}
	case format.CondWake:
		for i, w := range o.waiters {
			if w.g == e.G {
				o.waiters = append(o.waiters[:i], o.waiters[i+1:]...)
				return w.notified
			}
		}
		return false
	}
	return true
}

// channel executes operations on a channel (MO13, MO14, MO15).
func (o *object) channel(e *trace.Event, force bool) bool {
	switch {
	case e.Kind == format.ChanLen:
		return e.Val == o.length()
	case e.Kind == format.ChanClose:
		ok := !o.closed && (o.cap > 0 || len(o.queue) == 0)
		if ok || force {
			o.closed = true
		}
		return ok
	case e.Kind == format.ChanSend:
		ok := !o.closed && uint64(len(o.queue)) < max(1, o.cap)
		if !ok && !force {
			return false
		}
		if !ok && uint64(len(o.queue)) >= max(1, o.cap) {
			o.queue = o.queue[1:]
		}
		o.queue = append(o.queue, element{val: e.Val, known: e.Flags&format.FlagNoValue == 0, send: -1})
		o.slotOf, o.nonBlock = e.G, e.Flags&format.FlagNonBlocking != 0
		return ok
	case e.Flags&format.FlagClosed != 0:
		ok := o.closed && len(o.queue) == 0
		if !ok && force {
			o.closed, o.queue = true, nil
		}
		return ok
	default:
		if len(o.queue) == 0 {
			return false
		}
		o.queue = o.queue[1:]
		return true
	}
}

func (o *object) length() uint64 {
	if o.cap == 0 {
		return 0
	}
	return uint64(len(o.queue))
}

// ready reports whether a select could take this case (MO15).
func (o *object) ready(send bool) bool {
	if send {
		return o.closed || o.cap > 0 && uint64(len(o.queue)) < o.cap
	}
	return o.closed || len(o.queue) > 0
}
