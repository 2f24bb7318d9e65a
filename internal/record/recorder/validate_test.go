package recorder_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/record/recorder/rawfile"
	"github.com/presage-race/presage/internal/trace/format"
)

// validate puts the stamped records of a process in the order of their stamps and executes them:
// every operation must be enabled where it stands, and every value be the one that was written
// last. It knows nothing of the recorder but the contract in internal/trace/format/raw.go.
func validate(p *rawfile.Process) error {
	var all []event
	if err := stampsGrow(p); err != nil {
		return err
	}
	for _, s := range p.Streams {
		i := 0
		for r := range s.Records() {
			i++
			if r.Stamp != 0 {
				all = append(all, event{r, s.ID, s.GoID, i})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.Stamp, b.Stamp) })
	m := &machine{objects: map[uint64]*object{}, starts: map[uint64]uint64{}}
	for _, e := range all {
		if err := m.step(e); err != nil {
			return fmt.Errorf("stream %d (goroutine %d) record %d: %v%v %x: %w", e.stream, e.goid, e.index, e.Kind, flagText(e.Kind, e.Flags), e.Words, err)
		}
	}
	return nil
}

// stampsGrow: within each stream, strictly.
func stampsGrow(p *rawfile.Process) error {
	for _, s := range p.Streams {
		last, i := uint64(0), 0
		for r := range s.Records() {
			i++
			if r.Stamp == 0 {
				continue
			}
			if r.Stamp <= last {
				return fmt.Errorf("stream %d record %d: %v has stamp %d after %d", s.ID, i, r.Kind, r.Stamp, last)
			}
			last = r.Stamp
		}
	}
	return nil
}

type event struct {
	rawfile.Record
	stream uint32
	goid   uint64
	index  int
}

type object struct {
	writer  bool
	readers int
	wg      int64
	once    int // 0 fresh, 1 running, 2 done
	waiting []waiter
	queue   []uint64
	closed  bool
	value   uint64 // of an atomic
	written bool
	last    uint64 // stamp
	shared  bool   // an RWMutex
}

type waiter struct {
	goid     uint64
	notified bool
}

type machine struct {
	objects map[uint64]*object
	starts  map[uint64]uint64
}

func (m *machine) object(a uint64) *object {
	o := m.objects[a]
	if o == nil {
		o = &object{}
		m.objects[a] = o
	}
	return o
}

func (m *machine) step(e event) error {
	switch e.Kind {
	case format.Alloc:
		for a := e.Words[0]; a < e.Words[0]+e.Words[1] && e.Words[1] < 1<<16; a++ {
			delete(m.objects, a)
		}
		return nil
	case format.Go:
		m.starts[e.Words[0]] = e.Stamp
		return nil
	case format.Start:
		if e.Words[0] != 0 && m.starts[e.goid] == 0 {
			return fmt.Errorf("started by no goroutine")
		}
		return nil
	case format.End, format.RawStamp, format.RawGC, format.SelectDefault:
		return nil
	}
	o := m.object(e.Words[0])
	if e.Stamp == o.last {
		return fmt.Errorf("same stamp twice")
	}
	o.last = e.Stamp
	return o.step(e)
}

func (o *object) step(e event) error {
	ok := true
	w := e.Words
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Lock:
		if read {
			o.shared = true
			ok = !o.writer
			o.readers++
		} else {
			ok = !o.writer && o.readers == 0
			o.writer = true
		}
	case format.Unlock:
		if read {
			ok = o.readers > 0
			o.readers--
		} else {
			ok = o.writer
			o.writer = false
		}
	case format.TryFail:
		// a waiting writer is no event: MO13
		ok = o.shared || o.writer || o.readers > 0
	case format.WGAdd:
		o.wg += int64(w[1])
		ok = o.wg == int64(w[2])
	case format.WGWait:
		ok = o.wg == 0
	case format.OnceBegin:
		ok = o.once == 0
		o.once = 1
	case format.OnceEnd:
		ok = o.once == 1
		o.once = 2
	case format.OncePass:
		ok = o.once == 2
	case format.CondWait:
		o.waiting = append(o.waiting, waiter{goid: e.goid})
	case format.CondSignal:
		for i := range o.waiting {
			if !o.waiting[i].notified {
				o.waiting[i].notified = true
				break
			}
		}
	case format.CondBroadcast:
		for i := range o.waiting {
			o.waiting[i].notified = true
		}
	case format.CondWake:
		i := slices.Index(o.waiting, waiter{e.goid, true})
		if ok = i >= 0; ok {
			o.waiting = slices.Delete(o.waiting, i, i+1)
		}
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase:
		return o.channel(e)
	case format.AtomicRead:
		ok = !o.written || o.value == w[1]
		o.value, o.written = w[1], true
	case format.AtomicWrite:
		o.value, o.written = w[1], true
	case format.AtomicRMW:
		ok = !o.written || o.value == w[1]
		o.value, o.written = w[2], true
	}
	if !ok {
		return fmt.Errorf("not enabled in %+v", *o)
	}
	return nil
}

func (o *object) channel(e event) error {
	w := e.Words
	size := max(w[2], 1) // the slot of a rendezvous
	ok := true
	switch e.Kind {
	case format.ChanSend:
		ok = !o.closed && uint64(len(o.queue)) < size
		o.queue = append(o.queue, w[1])
	case format.ChanRecv:
		if e.Flags&format.FlagClosed != 0 {
			ok = o.closed && len(o.queue) == 0
			break
		}
		if ok = len(o.queue) > 0 && o.queue[0] == w[1]; len(o.queue) > 0 {
			o.queue = o.queue[1:]
		}
	case format.ChanClose:
		ok = !o.closed
		o.closed = true
	case format.ChanLen:
		ok = uint64(len(o.queue)) == w[1]
	}
	if !ok {
		return fmt.Errorf("not enabled in %+v", *o)
	}
	return nil
}
