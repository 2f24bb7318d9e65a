package tree

import "github.com/presage-race/presage/internal/trace/format"

// send is SND: another goroutine may be after the accesses of t so far, but not after later ones.
func (f *Filter) send(t *goroutine, e *format.Event) {
	t.segment, t.pristine = f.gs.fresh(), false
	f.write(t, e)
}

// receive is RCV.
func (f *Filter) receive(t *goroutine, e *format.Event) {
	t.pristine = false
	f.write(t, e)
}

// write appends a message to Γ (TR1).
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

// message takes an event that is neither a plain access nor a lock operation.
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

// sendAll is the Acquire of object 0 by a finalizer: a message of every goroutine, lost ones
// included.
func (f *Filter) sendAll(e *format.Event) {
	for _, t := range f.gs.list {
		if t != nil {
			f.send(t, e)
		}
	}
	f.lost = bits{}
}
