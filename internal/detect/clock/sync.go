package clock

import (
	"github.com/presage-race/presage/internal/detect/table"
	"github.com/presage-race/presage/internal/trace/format"
)

// object is the clocks of one synchronisation object.
type object struct {
	addr uint64
	vc   VC          // w(l), or the only clock
	r    VC          // r(l): readers of an RWMutex; the clock of an unbuffered channel's sender
	by   format.GoID // lock: the goroutine that released vc, which need not acquire it
	ring []VC        // buffered channel: the clocks of the buffer's entries (CL4)
	send uint64      // channel: sends so far
	recv uint64
	from format.GoID // unbuffered channel: the sender that waits, if full
	full bool
}

// class separates the objects that share an address.
type class uint64

const (
	classLock class = iota
	classMerge
	classChan
	classHidden
	classAtomic
)

// syncs finds objects by class and address.
type syncs struct {
	index   table.Table
	objects []object
	pages   map[uint64][]int32 // objects by page, for reset
}

const syncPageShift = 12

func (s *syncs) at(c class, addr format.Addr) *object {
	i, fresh := s.index.At(uint64(addr)*8 + uint64(c))
	if fresh {
		s.objects = append(s.objects, object{addr: uint64(addr)})
		if s.pages == nil {
			s.pages = make(map[uint64][]int32)
		}
		no := uint64(addr) >> syncPageShift
		s.pages[no] = append(s.pages[no], i)
	}
	return &s.objects[i]
}

// reset makes the objects in [addr, addr+size) new. Keys leave out the top three bits of an
// address, which are not used.
func (s *syncs) reset(addr, size uint64) {
	if size == 0 || len(s.pages) == 0 {
		return
	}
	first, last := addr>>syncPageShift, (addr+size-1)>>syncPageShift
	if last-first > uint64(len(s.pages)) {
		for no, list := range s.pages { // the order does not matter
			if first <= no && no <= last {
				s.resetPage(list, addr, size)
			}
		}
		return
	}
	for no := first; no <= last; no++ {
		if list := s.pages[no]; list != nil {
			s.resetPage(list, addr, size)
		}
	}
}

func (s *syncs) resetPage(list []int32, addr, size uint64) {
	for _, i := range list {
		o := &s.objects[i]
		if o.addr-addr < size {
			*o = object{addr: o.addr, vc: o.vc.set(VC{}), r: o.r.set(VC{})}
		}
	}
}

// release sets v to t's clock and increments t's component.
func (t *Goroutine) release(v VC) VC {
	v = v.set(t.vc).with(t.epoch)
	t.epoch++
	return v
}

// merge joins t's clock into v and increments t's component.
func (t *Goroutine) merge(v VC) VC {
	v = v.join(t.vc).with(t.epoch)
	t.epoch++
	return v
}

func (t *Goroutine) acquire(v VC) { t.vc = t.vc.join(v) }

// lock is (CL2).
func (o *Order) lock(e *format.Event) {
	t, l := o.Goroutine(e.G), o.syncs.at(classLock, e.Obj)
	read := e.Flags&format.FlagRead != 0
	switch {
	case e.Kind == format.Lock:
		if l.by != e.G {
			t.acquire(l.vc)
		}
		if !read {
			t.acquire(l.r)
		}
	case read:
		l.r = t.merge(l.r)
	default:
		l.vc, l.by = t.release(l.vc), e.G
	}
}

// merge is (CL3).
func (o *Order) merge(e *format.Event) {
	t, m := o.Goroutine(e.G), o.syncs.at(classMerge, e.Obj)
	switch e.Kind {
	case format.WGAdd:
		if int64(e.Val) < 0 {
			m.vc = t.merge(m.vc)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast:
		m.vc = t.merge(m.vc)
	case format.WGWait, format.OncePass, format.CondWake:
		t.acquire(m.vc)
	}
}

// hidden is (CL8).
func (o *Order) hidden(e *format.Event) {
	t, h := o.Goroutine(e.G), o.syncs.at(classHidden, e.Obj)
	switch e.Kind {
	case format.Acquire:
		if e.Obj == 0 {
			o.acquireAll(t)
		}
		t.acquire(h.vc)
	case format.Release:
		h.vc = t.release(h.vc)
	case format.ReleaseMerge:
		h.vc = t.merge(h.vc)
	}
}

// AcquireAtomic is the first half of (CL7). It must be called before the access is checked: what
// happens before the write that an atomic read returns happens before the read.
func (o *Order) AcquireAtomic(t *Goroutine, e *format.Event) {
	if e.Kind != format.AtomicWrite {
		t.acquire(o.syncs.at(classAtomic, e.Obj).vc)
	}
}

// ReleaseAtomic is the second half of (CL7).
func (o *Order) ReleaseAtomic(t *Goroutine, e *format.Event) {
	if e.Kind != format.AtomicRead {
		a := o.syncs.at(classAtomic, e.Obj)
		a.vc = t.release(a.vc)
	}
}

// channel is (CL4), (CL5) and (CL6). Entries of a buffer are made when they are used first: a
// capacity may be in the millions.
func (o *Order) channel(e *format.Event) {
	t, c := o.Goroutine(e.G), o.syncs.at(classChan, e.Obj)
	switch {
	case e.Kind == format.ChanClose:
		c.vc = t.merge(c.vc)
	case e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0:
		t.acquire(c.vc)
	case e.Aux == 0 && e.Kind == format.ChanSend:
		c.r = t.release(c.r)
		c.from, c.full = e.G, true
	case e.Aux == 0:
		if !c.full {
			return // the send is not in the trace
		}
		c.full = false
		back := t.release(VC{})
		t.acquire(c.r)
		o.Goroutine(c.from).acquire(back)
	case e.Kind == format.ChanSend:
		o.swap(t, c, c.send%e.Aux)
		c.send++
	default:
		o.swap(t, c, c.recv%e.Aux)
		c.recv++
	}
}

// swap puts t's clock into entry k and acquires the clock that was there.
func (o *Order) swap(t *Goroutine, c *object, k uint64) {
	for uint64(len(c.ring)) <= k {
		c.ring = append(c.ring, VC{})
	}
	o.scratch = t.release(o.scratch)
	t.acquire(c.ring[k])
	c.ring[k], o.scratch = o.scratch, c.ring[k]
}
