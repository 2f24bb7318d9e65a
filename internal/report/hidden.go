package report

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// chain searches a chain of synchronisation from one access of a race to the other while the trace
// is read (RT1). It follows the goroutines and releases that come after the first access. The first
// chain that reaches a goroutine has the fewest events.
type chain struct {
	from, to int64
	reached  map[trace.GoID]*hop
	released map[mark]*hop
	sends    map[trace.Addr]int64 // by channel, since the trace began
	recvs    map[trace.Addr]int64
	sender   map[trace.Addr]trace.GoID
	done     bool
	end      *hop
}

// hop is an event after the first access, with the hop that brought us there.
type hop struct {
	index   int64
	event   trace.Event
	acquire bool
	back    *hop
}

// mark is what a release leaves for an acquire to find (RT1). N numbers the messages
// of a channel.
type mark struct {
	what byte
	obj  trace.Addr
	n    int64
}

func newChain(s Spec) *chain {
	return &chain{
		from: min(s.A, s.B), to: max(s.A, s.B),
		reached: make(map[trace.GoID]*hop), released: make(map[mark]*hop),
		sends: make(map[trace.Addr]int64), recvs: make(map[trace.Addr]int64), sender: make(map[trace.Addr]trace.GoID),
	}
}

func (c *chain) step(i int64, e *trace.Event) {
	switch {
	case c.done:
	case i == c.from:
		c.reached[e.G] = &hop{index: i, event: *e}
	case i == c.to:
		c.end, c.done = c.reached[e.G], true
	case e.Kind == format.Start:
		c.acquire(i, e, mark{'g', trace.Addr(e.G), 0})
	default:
		c.sync(i, e)
	}
}

// sync applies (RT1): first what the event acquires, then what it releases.
func (c *chain) sync(i int64, e *trace.Event) {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Lock:
		c.acquire(i, e, mark{'l', e.Obj, 0})
		if !read {
			c.acquire(i, e, mark{'r', e.Obj, 0})
		}
	case format.Unlock:
		c.release(i, e, mark{byte(pick(read, "r", "l")[0]), e.Obj, 0})
	case format.WGAdd, format.OnceEnd, format.ReleaseMerge, format.Release, format.CondSignal, format.CondBroadcast:
		c.release(i, e, mark{'o', e.Obj, 0})
	case format.WGWait, format.OncePass, format.Acquire, format.CondWake:
		c.acquire(i, e, mark{'o', e.Obj, 0})
	case format.AtomicRead:
		c.acquire(i, e, mark{'a', e.Obj, 0})
	case format.AtomicWrite:
		c.release(i, e, mark{'a', e.Obj, 0})
	case format.AtomicRMW:
		c.acquire(i, e, mark{'a', e.Obj, 0})
		c.release(i, e, mark{'a', e.Obj, 0})
	case format.Go:
		c.release(i, e, mark{'g', e.Obj, 0})
	case format.End:
		c.release(i, e, mark{'e', trace.Addr(e.G), 0})
	case format.Join:
		c.acquire(i, e, mark{'e', e.Obj, 0})
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		c.channel(i, e)
	}
}

func (c *chain) channel(i int64, e *trace.Event) {
	switch {
	case e.Kind == format.ChanClose:
		c.release(i, e, mark{'c', e.Obj, 0})
	case e.Kind == format.ChanSend:
		n := c.sends[e.Obj]
		c.sends[e.Obj]++
		c.sender[e.Obj] = e.G
		if e.Aux > 0 {
			c.acquire(i, e, mark{'<', e.Obj, n - int64(e.Aux)})
		}
		c.release(i, e, mark{'>', e.Obj, n})
	case e.Flags&format.FlagClosed != 0:
		c.acquire(i, e, mark{'c', e.Obj, 0})
	default:
		n := c.recvs[e.Obj]
		c.recvs[e.Obj]++
		c.acquire(i, e, mark{'>', e.Obj, n})
		c.release(i, e, mark{'<', e.Obj, n})
		if s := c.sender[e.Obj]; e.Aux == 0 && c.reached[e.G] != nil && c.reached[s] == nil {
			c.reached[s] = c.released[mark{'<', e.Obj, n}] // the send completes with the receive
		}
	}
}

func (c *chain) release(i int64, e *trace.Event, m mark) {
	if at := c.reached[e.G]; at != nil {
		c.released[m] = &hop{index: i, event: *e, back: at}
	}
}

func (c *chain) acquire(i int64, e *trace.Event, m mark) {
	if rel := c.released[m]; rel != nil && c.reached[e.G] == nil {
		c.reached[e.G] = &hop{index: i, event: *e, acquire: true, back: rel}
	}
}

// hidden turns a finished chain into edges, and says which of them the order breaks.
func (l *Locator) hidden(c *chain, order []int64) Hidden {
	var h Hidden
	h.Ordered = c.end != nil
	for at := c.end; at != nil && at.back != nil; {
		if !at.acquire { // an unbuffered send that a receive completed: one event is both ends
			at = at.back
			continue
		}
		rel := at.back
		h.Edges = append(h.Edges, Edge{
			From: l.step(rel.index, &rel.event), To: l.step(at.index, &at.event),
			Broken: breaks(order, rel.index, at.index),
		})
		at = rel.back
	}
	slices.Reverse(h.Edges)
	return h
}

// breaks reports whether in order the acquire does not follow the release.
func breaks(order []int64, release, acquire int64) bool {
	if len(order) == 0 {
		return false
	}
	r, a := slices.Index(order, release), slices.Index(order, acquire)
	return a < 0 || r < 0 || a < r
}
