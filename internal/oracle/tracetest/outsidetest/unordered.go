package outsidetest

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Unordered returns the pairs of sites, the lower one first, of conflicting accesses that
// happens-before leaves unordered in a run with every access. They are races of the recorded run.
// Explore need not have them: files and numbers of elements and goroutines order accesses in
// executions, but not by happens-before.
func (run *Run) Unordered() map[[2]trace.Site]bool {
	n := len(run.Code)
	h := &order{now: make([]clock, n), held: map[trace.Addr]*released{}, waits: make([]*released, n)}
	for g := range h.now {
		h.now[g] = make(clock, n)
	}
	races := map[[2]trace.Site]bool{}
	var accesses []access
	for i := range run.Events {
		e := &run.Events[i]
		g := int(e.G) - 1
		h.event(g, e)
		if !e.Kind.IsAccess() {
			continue
		}
		for _, a := range accesses {
			b := run.Events[a.event]
			conflict := b.Obj == e.Obj && (b.Kind.IsWrite() || e.Kind.IsWrite()) && !(b.Kind.IsAtomic() && e.Kind.IsAtomic())
			if u := int(b.G) - 1; conflict && u != g && a.at >= h.now[g][u] {
				races[[2]trace.Site{min(b.Site, e.Site), max(b.Site, e.Site)}] = true
			}
		}
		accesses = append(accesses, access{i, h.now[g][g]})
	}
	return races
}

// access is an access, with its goroutine and the time of the goroutine.
type access struct{ event, at int }

// clock is a vector clock, by goroutine.
type clock []int

func (c clock) join(d clock) {
	for g := range d {
		c[g] = max(c[g], d[g])
	}
}

// released is the clock of an object.
type released struct {
	writers, readers clock
	sent, received   []clock
}

// order is the state of Unordered.
type order struct {
	now   []clock
	held  map[trace.Addr]*released
	waits []*released // by goroutine: the unbuffered channel that it has sent on
}

// release returns the clock of g and begins a new epoch of g.
func (h *order) release(g int) clock {
	h.now[g][g]++
	return slices.Clone(h.now[g])
}

func (h *order) event(g int, e *trace.Event) {
	if c := h.waits[g]; c != nil { // its element has been received
		h.waits[g] = nil
		h.now[g].join(c.received[len(c.received)-1])
	}
	o := h.held[e.Obj]
	if o == nil {
		o = &released{writers: make(clock, len(h.now)), readers: make(clock, len(h.now))}
		if e.Kind >= format.Lock || e.Kind.IsAtomic() {
			h.held[e.Obj] = o
		}
	}
	switch e.Kind {
	case format.Lock:
		if h.now[g].join(o.writers); e.Flags&format.FlagRead == 0 {
			h.now[g].join(o.readers)
		}
	case format.Unlock:
		to := o.writers
		if e.Flags&format.FlagRead != 0 {
			to = o.readers
		}
		to.join(h.release(g))
	case format.WGAdd, format.OnceEnd:
		o.writers.join(h.release(g))
	case format.WGWait, format.OncePass, format.AtomicRead:
		h.now[g].join(o.writers)
	case format.AtomicRMW:
		h.now[g].join(o.writers)
		o.writers.join(h.release(g))
	case format.AtomicWrite:
		o.writers = h.release(g)
	case format.Go:
		h.now[e.Obj-1].join(h.release(g))
	case format.ChanSend, format.ChanRecv:
		h.channel(g, e, o)
	}
}

func (h *order) channel(g int, e *trace.Event, o *released) {
	if e.Kind == format.ChanRecv {
		h.now[g].join(o.sent[len(o.received)])
		o.received = append(o.received, h.release(g))
		return
	}
	if k := len(o.sent) - int(e.Aux); e.Aux > 0 && k >= 0 {
		h.now[g].join(o.received[k])
	}
	if o.sent = append(o.sent, h.release(g)); e.Aux == 0 {
		h.waits[g] = o
	}
}
