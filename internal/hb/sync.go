package hb

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// object is the clocks of one synchronisation object.
type object struct {
	addr uint64
	vc   VC     // w(l), or the only clock
	r    VC     // r(l): readers of an RWMutex; the clock of an unbuffered channel's sender
	by   uint32 // lock: slot+1 of the goroutine that left vc, and need not acquire it
	ring []VC   // buffered channel: the clocks of the buffer's entries (R7)
	send uint64 // channel: sends so far
	recv uint64
	from trace.GoID // unbuffered channel: the sender that waits
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
	index   table
	objects []object
	pages   map[uint64][]int32 // objects by page, for reset
}

const syncPageShift = 12

func (s *syncs) at(c class, addr trace.Addr) *object {
	i, fresh := s.index.at(uint64(addr)*8 + uint64(c))
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

// reset makes the objects in [addr, addr+size) new. Keys have lost the address's top
// three bits, which no address uses.
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

// release sets v to t's clock and counts t up.
func (t *goroutine) release(v VC) VC {
	v = v.set(t.vc).with(t.epoch)
	t.epoch++
	return v
}

// merge joins t's clock into v and counts t up.
func (t *goroutine) merge(v VC) VC {
	v = v.join(t.vc).with(t.epoch)
	t.epoch++
	return v
}

func (t *goroutine) acquire(v VC) { t.vc = t.vc.join(v) }

// lock is (R2) and (R3).
func (d *Detector) lock(e *trace.Event) {
	t, l := d.g(e.G), d.syncs.at(classLock, e.Obj)
	read := e.Flags&format.FlagRead != 0
	switch {
	case e.Kind == format.Lock:
		if l.by != t.epoch.slot()+1 {
			t.acquire(l.vc)
		}
		if !read {
			t.acquire(l.r)
		}
	case read:
		l.r = t.merge(l.r)
	default:
		l.vc, l.by = t.release(l.vc), t.epoch.slot()+1
	}
}

// merge is (R4), (R5) and (R6).
func (d *Detector) merge(e *trace.Event) {
	t, o := d.g(e.G), d.syncs.at(classMerge, e.Obj)
	switch e.Kind {
	case format.WGAdd:
		if int64(e.Val) < 0 {
			o.vc = t.merge(o.vc)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast:
		o.vc = t.merge(o.vc)
	case format.WGWait, format.OncePass, format.CondWake:
		t.acquire(o.vc)
	}
}

// hidden is (R11).
func (d *Detector) hidden(e *trace.Event) {
	t, o := d.g(e.G), d.syncs.at(classHidden, e.Obj)
	switch e.Kind {
	case format.Acquire:
		if e.Obj == 0 {
			d.acquireAll(t)
		}
		t.acquire(o.vc)
	case format.Release:
		o.vc = t.release(o.vc)
	case format.ReleaseMerge:
		o.vc = t.merge(o.vc)
	}
}

// acquireAll makes everything so far come before t: a finalizer runs when its object
// cannot be reached any more.
func (d *Detector) acquireAll(t *goroutine) {
	for i := range d.gs {
		if u := &d.gs[i]; u != t && u.known {
			t.vc = t.vc.join(u.vc).with(u.epoch)
			if !u.ended {
				u.epoch++
			}
		}
	}
}

// acquireAtomic is the first half of (R10). It comes before the access is checked: what
// precedes the write that an atomic read sees precedes the read.
func (d *Detector) acquireAtomic(t *goroutine, e *trace.Event) {
	if e.Kind != format.AtomicWrite {
		t.acquire(d.syncs.at(classAtomic, e.Obj).vc)
	}
}

func (d *Detector) releaseAtomic(t *goroutine, e *trace.Event) {
	if e.Kind != format.AtomicRead {
		o := d.syncs.at(classAtomic, e.Obj)
		o.vc = t.release(o.vc)
	}
}

// channel is (R7), (R8) and (R9). Entries of a buffer are made as they are used: a
// capacity may be in the millions.
func (d *Detector) channel(e *trace.Event) {
	t, c := d.g(e.G), d.syncs.at(classChan, e.Obj)
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
		d.g(c.from).acquire(back)
	case e.Kind == format.ChanSend:
		d.swap(t, c, c.send%e.Aux)
		c.send++
	default:
		d.swap(t, c, c.recv%e.Aux)
		c.recv++
	}
}

// swap leaves t's clock in entry k and acquires what was there.
func (d *Detector) swap(t *goroutine, c *object, k uint64) {
	for uint64(len(c.ring)) <= k {
		c.ring = append(c.ring, VC{})
	}
	d.scratch = t.release(d.scratch)
	t.acquire(c.ring[k])
	c.ring[k], d.scratch = d.scratch, c.ring[k]
}
