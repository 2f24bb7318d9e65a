package tree

import "github.com/presage-race/presage/internal/trace/format"

// goroutine is Γ of a goroutine but for its locks, which package lockset has.
type goroutine struct {
	serial uint32 // in the order in which goroutines were started, from 1
	// stands for the history of its SND; unique, but that (T7) may give an earlier one back
	segment uint64
	// the segment of (T5), which it shares with all that the same goroutine has started
	siblings uint64
	children uint64 // that of the goroutines it starts; 0: none yet
	written  uint64 // its history of SND and RCV, as in (T2); 0: nothing yet
	pristine bool   // it has sent and received nothing since it was started
	releases releases
}

// goroutines are those alive.
type goroutines struct {
	list     []*goroutine
	spare    []*goroutine
	started  uint32
	segments uint64 // numbers given
}

func (s *goroutines) at(id format.GoID) *goroutine {
	if int(id) < len(s.list) && s.list[id] != nil {
		return s.list[id]
	}
	return s.start(id, nil)
}

// start makes a goroutine, started by parent if that is known. One that nobody starts has no
// siblings.
func (s *goroutines) start(id format.GoID, parent *goroutine) *goroutine {
	for int(id) >= len(s.list) {
		s.list = append(s.list, nil)
	}
	t := new(goroutine)
	if n := len(s.spare); n > 0 {
		t, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	s.started++
	*t = goroutine{serial: s.started, segment: s.fresh()}
	if parent != nil {
		if parent.children == 0 {
			parent.children = s.fresh()
		}
		t.siblings, t.pristine = parent.children, true
	}
	s.list[id] = t
	return t
}

func (s *goroutines) end(id format.GoID) {
	s.spare = append(s.spare, s.list[id])
	s.list[id] = nil
}

func (s *goroutines) fresh() uint64 {
	s.segments++
	return s.segments
}

// send is SND: what t does from now on is not known to who knows what it did before.
func (f *Filter) send(t *goroutine, e *format.Event) {
	t.segment, t.pristine = f.gs.fresh(), false
	f.write(t, e)
}

// receive is RCV.
func (f *Filter) receive(t *goroutine, e *format.Event) {
	t.pristine = false
	f.write(t, e)
}

// write appends a message to Γ (T2).
func (f *Filter) write(t *goroutine, e *format.Event) {
	if f.target != AsWritten {
		return
	}
	from := t.written
	t.written = f.gs.fresh()
	if f.grown != nil {
		f.grown(from, t.written, e)
	}
}

// message takes an event that is no plain access and no lock operation.
func (f *Filter) message(e *format.Event) {
	t := f.gs.at(e.G)
	switch e.Kind {
	case format.Go:
		if id := format.GoID(e.Obj); int(id) >= len(f.gs.list) || f.gs.list[id] == nil {
			f.gs.start(id, t)
		}
		f.send(t, e)
	case format.End:
		f.locks.Step(e)
		if t.pristine {
			f.lost.add(t.serial)
		}
		if e.G != 0 {
			f.gs.end(e.G)
		}
	case format.WGAdd:
		if int64(e.Val) < 0 {
			f.send(t, e)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast, format.ChanClose, format.AtomicWrite, format.Release, format.ReleaseMerge:
		f.send(t, e)
	case format.WGWait, format.OncePass, format.CondWake, format.AtomicRead, format.Join:
		f.receive(t, e)
	case format.ChanSend, format.ChanRecv, format.AtomicRMW:
		if e.Flags&format.FlagClosed == 0 {
			f.send(t, e)
		}
		f.receive(t, e)
	case format.Acquire:
		if e.Obj == 0 {
			f.sendAll(e)
		}
		f.receive(t, e)
	}
}

// sendAll is what a finalizer's Acquire of everything is: a message from everybody, the lost ones
// as well.
func (f *Filter) sendAll(e *format.Event) {
	for _, t := range f.gs.list {
		if t != nil {
			f.send(t, e)
		}
	}
	f.lost = bits{}
}

// bits is a set of serial numbers.
type bits []uint64

func (b *bits) add(n uint32) {
	for int(n/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n uint32) bool { return int(n/64) < len(b) && b[n/64]>>(n%64)&1 != 0 }
