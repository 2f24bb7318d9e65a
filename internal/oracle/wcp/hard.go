package wcp

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A hard edge is in happens-before and in every execution, and ≺ follows it (WC3). The rules are
// those of package clock.

type object struct {
	class class
	addr  trace.Addr
}

type class uint8

const (
	classMeeting class = iota // WaitGroup, Once, Cond
	classHidden
	classAtomic
	classClosed
	classes
)

type channel struct {
	ring       []clocks
	sent, recv uint64
	sender     *goroutine // of an unbuffered channel: the goroutine that waits
}

func (d *Detector) acquire(t *goroutine, o object) {
	if c := d.objects[o]; c != nil {
		t.join(c)
	}
}

func (d *Detector) release(t *goroutine, o object, merge bool) {
	c := d.objects[o]
	if c == nil || !merge {
		c = &clocks{}
		d.objects[o] = c
	}
	c.join(&t.clocks)
	t.tick()
}

func (d *Detector) hard(e *trace.Event) {
	switch e.Kind {
	case format.Go, format.Join:
		t, u := d.g(e.G), d.g(trace.GoID(e.Obj))
		if e.Kind == format.Join {
			t, u = u, t
		}
		u.join(&t.clocks)
		t.tick()
	case format.WGAdd:
		if int64(e.Val) < 0 {
			d.release(d.g(e.G), object{classMeeting, e.Obj}, true)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast:
		d.release(d.g(e.G), object{classMeeting, e.Obj}, true)
	case format.WGWait, format.OncePass, format.CondWake:
		d.acquire(d.g(e.G), object{classMeeting, e.Obj})
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		d.channel(e)
	case format.Acquire:
		t := d.g(e.G)
		d.acquire(t, object{classHidden, e.Obj})
		if e.Obj == 0 { // a finalizer
			for _, u := range d.list {
				if u != t {
					t.join(&u.clocks)
					u.tick()
				}
			}
		}
	case format.Release, format.ReleaseMerge:
		d.release(d.g(e.G), object{classHidden, e.Obj}, e.Kind == format.ReleaseMerge)
	}
}

func (d *Detector) channel(e *trace.Event) {
	t, c := d.g(e.G), d.chans[e.Obj]
	if c == nil {
		c = &channel{}
		d.chans[e.Obj] = c
	}
	switch {
	case e.Kind == format.ChanClose:
		d.release(t, object{classClosed, e.Obj}, false)
	case e.Flags&format.FlagClosed != 0:
		d.acquire(t, object{classClosed, e.Obj})
	case e.Aux == 0 && e.Kind == format.ChanSend:
		c.sender = t
	case e.Aux == 0:
		if u := c.sender; u != nil && u != t {
			t.join(&u.clocks)
			u.join(&t.clocks)
			t.tick()
			u.tick()
		}
	default: // send and receive number k swap with entry k of the buffer
		k := &c.sent
		if e.Kind == format.ChanRecv {
			k = &c.recv
		}
		i := int(*k % min(e.Aux, maxRing))
		*k++
		for len(c.ring) <= i {
			c.ring = append(c.ring, clocks{})
		}
		t.join(&c.ring[i])
		c.ring[i] = t.clone()
		t.tick()
	}
}

// maxRing bounds the entries of a channel. Larger channels share entries, which orders more.
const maxRing = 1 << 12
