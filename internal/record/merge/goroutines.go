package merge

import (
	"encoding/binary"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// goroutines numbers the goroutines from 1, in the order of their first event. Goroutine 1 is the
// main one; threads of the runtime are goroutine 0.
type goroutines struct {
	meta    *trace.Meta
	numbers map[uint64]trace.GoID // by the number that the runtime gave
}

func newGoroutines(meta *trace.Meta) *goroutines {
	k := &goroutines{meta, map[uint64]trace.GoID{1: 1}}
	k.number(1)
	return k
}

// owner returns the number of the goroutine of s.
func (k *goroutines) owner(s *stream) trace.GoID {
	if s.g < 0 {
		s.g = k.number(s.goid)
	}
	return s.g
}

// number returns the number of the goroutine that the runtime numbered id.
func (k *goroutines) number(id uint64) trace.GoID {
	if id == 0 {
		return 0
	}
	g, ok := k.numbers[id]
	if !ok {
		g = trace.GoID(len(k.numbers) + 1)
		k.numbers[id] = g
	}
	for len(k.meta.Goroutines) <= int(g) {
		k.meta.Goroutines = append(k.meta.Goroutines, trace.Goroutine{})
	}
	k.meta.Goroutines[g].RunID = id
	return g
}

// spawn completes a Go event of s. The parent of a timer's function is the goroutine that set the
// timer, not the thread that fires it.
func (k *goroutines) spawn(s *stream, r *record, e *trace.Event) {
	child := k.number(r.word(0))
	if s.goid < format.FirstFiring {
		k.meta.Goroutines[child].Parent, k.meta.Goroutines[child].Site = e.G, e.Site
	}
	e.Obj = trace.Addr(child)
}

// start completes a Start event.
func (k *goroutines) start(r *record, e *trace.Event) {
	var b []byte
	for i := 2; 8*i < len(r.w); i++ {
		b = binary.LittleEndian.AppendUint64(b, r.word(i))
	}
	k.meta.Goroutines[e.G].Func = string(b[:min(len(b), int(r.size))])
	if p := r.word(0); p != 0 {
		e.Obj = trace.Addr(k.number(p))
	}
}

// test takes the name of the test that the goroutine of s runs, or the path of the tested package.
func (k *goroutines) test(s *stream, r *record) {
	var b []byte
	for i := range len(r.w) / 8 {
		b = binary.LittleEndian.AppendUint64(b, r.word(i))
	}
	name := string(b[:min(len(b), int(r.size))])
	if r.flags&format.FlagFirst != 0 {
		k.meta.TestPackage = name
		return
	}
	k.meta.Goroutines[k.owner(s)].Test = name
}

// elements numbers the elements of channels that were sent without their value: the number of the
// send on its channel serves as the value of the send and of its receive.
type elements map[uint64]*transfers

// transfers are the numbers of the last send and receive of a channel.
type transfers struct{ sent, received uint64 }

// number completes an operation on a channel.
func (k elements) number(e *trace.Event) {
	send, recv := e.Kind == format.ChanSend, e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0
	if e.Flags&format.FlagNoValue == 0 || !send && !recv {
		return
	}
	c := k[uint64(e.Obj)]
	if c == nil {
		c = new(transfers)
		k[uint64(e.Obj)] = c
	}
	if send {
		c.sent++
		e.Val = c.sent
	} else {
		c.received++
		e.Val = c.received
	}
}
