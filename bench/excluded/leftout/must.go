package leftout

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Every execution keeps three orders: of a goroutine's own events, of what comes before a go
// statement with the events of its goroutine, and of Dones with a Wait for all of them. All of
// these events stay in the trace (Waits and Dones where synchronisation is seen). Memory that an
// excluded call touches need not be in its D if these orders order it with everything that
// conflicts (EX10).

// clocks are what each goroutine knows of the others: numbers of events.
type clocks map[trace.GoID]map[trace.GoID]int

func (c clocks) of(g trace.GoID) map[trace.GoID]int {
	if c[g] == nil {
		c[g] = map[trace.GoID]int{}
	}
	return c[g]
}

func join(to, from map[trace.GoID]int) {
	for g, n := range from {
		to[g] = max(to[g], n)
	}
}

// group is a WaitGroup that one goroutine adds to and waits for.
type group struct {
	owner  trace.GoID
	done   map[trace.GoID]int
	waited int // the number of the last Wait
}

// order is the orders of a trace that every execution keeps.
type order struct {
	clocks clocks
	groups map[trace.Addr]*group // nil: not looked at
	loose  map[trace.Addr]bool   // of which it is not known that a Wait comes after its Dones
	wait   bool                  // Waits are seen
}

// step takes event i. It returns false if a WaitGroup turns out to be loose: then all begins again.
func (o *order) step(i int, e *trace.Event) bool {
	own := o.clocks.of(e.G)
	own[e.G] = i
	switch e.Kind {
	case format.Go:
		join(o.clocks.of(trace.GoID(e.Obj)), own)
	case format.WGAdd, format.WGWait:
		if o.wait && !o.loose[e.Obj] && !o.group(i, e, own) {
			o.loose[e.Obj] = true
			return false
		}
	}
	return true
}

func (o *order) group(i int, e *trace.Event, own map[trace.GoID]int) bool {
	w := o.groups[e.Obj]
	if w == nil {
		w = &group{owner: e.G, done: map[trace.GoID]int{}, waited: -1}
		o.groups[e.Obj] = w
	}
	switch {
	case e.Kind == format.WGWait:
		if w.waited = i; e.G == w.owner {
			join(own, w.done)
		}
		return e.G == w.owner
	case int64(e.Val) > 0:
		return e.G == w.owner
	}
	if w.waited >= 0 && e.G != w.owner && own[w.owner] < w.waited {
		// it may be the one that a Wait before has waited for
		return false
	}
	join(w.done, own)
	return true
}

// touched is the accesses of one goroutine to a byte, in one call of an excluded call or outside.
type touched struct {
	g           trace.GoID
	call        *call
	read, wrote int // the last ones; -1: none
}

// maxTouched is how many of them are kept for a byte; if there are more, all are taken to be
// without order.
const maxTouched = 64

// cover adds to the D of each call what it touches without such an order.
func (h *hidden) cover() {
	loose := map[trace.Addr]bool{}
	for !h.tryCover(&order{clocks: clocks{}, groups: map[trace.Addr]*group{}, loose: loose, wait: h.seen.sync()}) {
	}
}

func (h *hidden) tryCover(o *order) bool {
	type bytes struct {
		call *call
		at   uint64
	}
	bare := map[bytes]bool{}
	words := map[uint64][]touched{}
	for i := range h.all.events {
		e := &h.all.events[i]
		if !o.step(i, e) {
			return false
		}
		if !e.Kind.IsAccess() || e.Obj == 0 || e.Flags&format.FlagStack != 0 {
			continue
		}
		own, c := o.clocks.of(e.G), h.of[i]
		for a := uint64(e.Obj); a < uint64(e.Obj)+uint64(max(1, e.Size)); a++ {
			list := words[a]
			for k := range list {
				t := &list[k]
				last := t.wrote
				if e.Kind != format.Read && e.Kind != format.AtomicRead {
					last = max(last, t.read)
				}
				if t.g != e.G && last >= 0 && own[t.g] < last {
					bare[bytes{t.call, a}], bare[bytes{c, a}] = true, true
				}
			}
			words[a] = note(list, e, c, i)
			if len(words[a]) > maxTouched {
				for _, t := range words[a] {
					bare[bytes{t.call, a}] = true
				}
				words[a] = forget(words[a])
			}
		}
	}
	for x := range bare {
		if x.call != nil {
			x.call.d.AddMemory(x.at, 1)
		}
	}
	return true
}

func note(list []touched, e *trace.Event, c *call, i int) []touched {
	k := slices.IndexFunc(list, func(t touched) bool { return t.g == e.G && t.call == c })
	if k < 0 {
		list = append(list, touched{e.G, c, -1, -1})
		k = len(list) - 1
	}
	if e.Kind == format.Read || e.Kind == format.AtomicRead {
		list[k].read = i
	} else {
		list[k].wrote = i
	}
	return list
}

// forget keeps of each goroutine one entry, of no call.
func forget(list []touched) (kept []touched) {
	for _, t := range list {
		k := slices.IndexFunc(kept, func(x touched) bool { return x.g == t.g })
		if k < 0 {
			t.call = nil
			kept = append(kept, t)
			continue
		}
		kept[k].read, kept[k].wrote = max(kept[k].read, t.read), max(kept[k].wrote, t.wrote)
	}
	return kept
}
