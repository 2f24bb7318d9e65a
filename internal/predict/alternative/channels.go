package alternative

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// channels are a path's knowledge of channels.
type channels struct{ p *path }

func channelsOf(p *path) channels { return channels{p} }

// setChannel sets the object of an event to the channel ch, and Aux to its capacity. It returns the
// reason if the operation is not modelled.
func (c channels) setChannel(e *trace.Event, ch Value) (why string) {
	addr, ok := ch.Concrete.Bits()
	e.Obj = trace.Addr(addr)
	n, sized := c.capacity(addr)
	switch {
	case !ok || ch.symbolic():
		return "unknown-address"
	case addr == 0:
		return "nil-channel"
	case addr >= freshMemory:
		return "new-object"
	case !c.p.memory.settled(addr) || !c.p.x.around.Object(e):
		return "opaque-object"
	case !sized:
		return "unknown-capacity"
	}
	e.Aux = n
	return ""
}

// capacity returns the capacity of a channel: operations on it have shown it, or the walk has seen
// how it was made.
func (c channels) capacity(ch uint64) (n uint64, ok bool) {
	p := c.p
	if n, ok = p.x.around.Capacity(ch); ok || !p.x.around.Settled(ch) {
		return n, ok
	}
	return p.x.fork.Facts.CapacityAt(ch, p.x.around.Until())
}

// closes reports whether any goroutine closes a channel.
func (c channels) closes(ch uint64) bool {
	return c.p.x.around.Closes(ch) || c.p.events.closes(ch)
}

// elementFlags returns the flags of an operation on a channel with elements of a size. Of elements
// that are empty or larger than a word, values are not known (FlagNoValue).
func elementFlags(size int64) format.Flags {
	if size > 0 && size <= 8 {
		return 0
	}
	return format.FlagNoValue
}

// element returns an element of size bytes that a step has received.
func element(step, size int64) Value {
	switch {
	case size == 0:
		return zero(0)
	case size > 8:
		return Value{}
	}
	return readValue(step, size)
}

// sent returns the Flow of a send of v, and its word. ok is false if the value is not known but has
// to be.
func (m *memory) sent(v Value, flags format.Flags) (f flow.Flow, word uint64, ok bool) {
	if flags&format.FlagNoValue != 0 {
		return flow.Flow{}, 0, true
	}
	return m.write(v)
}

// send is a send statement.
func (o operation) send(x *ssa.Send) bool {
	size, ok := o.p.frame.fixed(x.X.Type())
	if !ok {
		return o.p.stop(openType)
	}
	e := trace.Event{Kind: format.ChanSend, Flags: elementFlags(size)}
	if why := channelsOf(o.p).setChannel(&e, o.p.value(&o.in.Args[0])); why != "" {
		return o.p.stop(why)
	}
	f, word, ok := o.p.memory.sent(o.p.value(&o.in.Args[1]), e.Flags)
	if !ok {
		return o.p.stop("unknown-value")
	}
	e.Val = word
	o.p.emit(o.in, e, f)
	return o.done()
}

// receive executes a receive expression (AL3): it receives a value, or the zero value of a closed
// channel.
func (o operation) receive(x *ssa.UnOp) bool {
	if o.waits(x, o.p.value(&o.in.Args[0])) {
		return true
	}
	c, ok := plan.Core(x.X.Type()).(*types.Chan)
	if !ok || plan.Open(c.Elem()) {
		return o.p.stop(openType)
	}
	size := o.p.frame.Code.Sizes.Sizeof(c.Elem())
	e := trace.Event{Kind: format.ChanRecv, Flags: elementFlags(size)}
	ch := o.p.value(&o.in.Args[0])
	switch own, ok := channelsOf(o.p).ofContext(ch); {
	case own.closed:
		o.set(o.p, x, zero(size), 0)
		return true
	case ok && own.done == 0:
		return o.p.stop("blocks")
	case ok:
		ch = known(own.done)
	}
	if why := channelsOf(o.p).setChannel(&e, ch); why != "" {
		return o.p.stop(why)
	}
	choices := []func(*path){func(q *path) {
		o.set(q, x, element(q.emit(o.in, e, flow.Flow{}), size), 1)
	}}
	if channelsOf(o.p).closes(uint64(e.Obj)) {
		choices = append(choices, func(q *path) {
			c := e
			c.Flags = format.FlagClosed
			q.emit(o.in, c, flow.Flow{})
			o.set(q, x, zero(size), 0)
		})
	}
	return o.p.split(choices)
}

// lengths is how many of the elements that a channel may have are tried (AL3).
const lengths = 4

// length is len of a channel (AL3): the path is split into the numbers of elements that it may
// have, the smallest ones and the capacity.
func (o operation) length() bool {
	e := trace.Event{Kind: format.ChanLen}
	switch why := channelsOf(o.p).setChannel(&e, o.p.value(&o.in.Args[1])); {
	case why == "nil-channel":
		return o.p.next(o.in, known(0))
	case why != "":
		return o.p.stop(why)
	}
	var choices []func(*path)
	for n := range min(e.Aux, lengths) + 1 {
		if n == lengths {
			n = e.Aux
		}
		choices = append(choices, func(q *path) {
			l := e
			l.Val = n
			q.emit(o.in, l, flow.Flow{})
			q.next(o.in, known(n))
		})
	}
	return o.p.split(choices)
}

// capacity is cap of a channel that walked code has made, or of none.
func (o operation) capacity() bool {
	ch := o.p.value(&o.in.Args[1])
	addr, ok := ch.Concrete.Bits()
	if !ok || ch.symbolic() {
		return o.p.stop("unknown-address")
	}
	if addr == 0 {
		return o.p.next(o.in, known(0))
	}
	n, ok := o.p.x.fork.Facts.CapacityAt(addr, o.p.x.around.Until())
	if !ok || !o.p.x.around.Settled(addr) {
		return o.p.stop("unknown-capacity")
	}
	return o.p.next(o.in, known(n))
}
