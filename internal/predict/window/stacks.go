package window

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// calls are the calls of code that was not instrumented that a goroutine is in, while the trace is
// read.
type calls struct {
	open  []uint64 // of each, the depth of the function that calls
	depth uint64   // of the innermost function that is traced; 0: there is none

	entered []entered  // functions that it is in, the innermost last
	from    trace.Site // the call from which it has returned, as its last event; 0: none
}

// entered is a function that a goroutine is in.
type entered struct {
	depth uint64
	call  trace.Site // 0: not known
}

// stacks are the calls that goroutines are in, while the trace is read.
type stacks struct {
	calls []calls     // by GoID
	meta  *trace.Meta // names the functions of opaque calls; it may be nil
}

// call follows the calls of a goroutine.
func (b *stacks) call(e *trace.Event) {
	for int(e.G) >= len(b.calls) {
		b.calls = append(b.calls, calls{})
	}
	c := &b.calls[e.G]
	c.from = 0
	switch e.Kind {
	case format.OpaqueBegin:
		c.open = append(c.open, c.depth)
	case format.OpaqueEnd:
		if n := len(c.open); n > 0 {
			c.open = c.open[:n-1]
		}
	case format.Enter:
		c.leave(e.Aux)
		c.depth = e.Aux
		c.entered = append(c.entered, entered{e.Aux, trace.Site(e.Val)})
	case format.Exit:
		n := len(c.entered)
		for n > 0 && c.entered[n-1].depth > e.Aux { // a panic has left them
			n--
		}
		if n > 0 && c.entered[n-1].depth == e.Aux {
			c.from = c.entered[n-1].call
		}
		c.leave(e.Aux)
		c.depth = max(1, e.Aux) - 1
	}
}

// leave drops the functions of depth d and more, which are gone, and the calls that they have made.
func (c *calls) leave(d uint64) {
	for n := len(c.entered); n > 0 && c.entered[n-1].depth >= d; n-- {
		c.entered = c.entered[:n-1]
	}
	for n := len(c.open); n > 0 && c.open[n-1] >= d; n-- {
		c.open = c.open[:n-1]
	}
}

// returned has the call from which a goroutine has returned, if that was its last event.
func (b *stacks) returned(g trace.GoID) trace.Site {
	if int(g) < len(b.calls) {
		return b.calls[g].from
	}
	return 0
}

// inside reports whether goroutine g runs outside code now: in a call, called back from nowhere, or
// before it has come to traced code.
func (b *stacks) inside(g trace.GoID) bool {
	c := &b.calls[g]
	n := len(c.open)
	return c.depth == 0 || n > 0 && c.open[n-1] == c.depth
}

// showsOutside reports whether outside code of the goroutine may have run right before an event: it
// is an end of a call, or comes where a call without a bracket ends or calls back.
func (b *stacks) showsOutside(e *trace.Event) bool {
	switch e.Kind {
	case format.OpaqueBegin, format.OpaqueEnd:
		return true
	case format.Enter:
		return e.Val == 0
	case format.Exit:
		return e.Flags&format.FlagTyped == 0 && b.site(e.Site).Defers
	}
	return e.Flags&format.FlagOpaque != 0
}

// apart reports whether the outside code that an event shows touches no memory of the program: an
// end of such a call, or the first Enter of a goroutine whose go statement enters that function at
// once.
func (b *stacks) apart(e *trace.Event) bool {
	switch e.Kind {
	case format.OpaqueBegin, format.OpaqueEnd:
		return b.site(e.Site).Apart
	case format.Enter:
		m := b.meta
		return m != nil && e.Aux == 1 && int(e.G) < len(m.Goroutines) && b.site(m.Goroutines[e.G].Site).Apart
	}
	return false
}

// unknownSite is a site of which nothing is known.
var unknownSite = trace.SiteInfo{Defers: true}

func (b *stacks) site(s trace.Site) *trace.SiteInfo {
	if m := b.meta; m != nil && int(s) < len(m.Sites) {
		return &m.Sites[s]
	}
	return &unknownSite
}

// outsideRuns says when outside code may have run, up to a moment.
type outsideRuns struct {
	tick uint32                // how often it was seen
	last map[trace.GoID]uint32 // tick after the goroutine's last time
	// and after the last time that it may have touched memory of the program
	near uint32
}

func (o *outsideRuns) step(g trace.GoID, apart bool) {
	o.tick++
	if o.last[g] = o.tick; !apart {
		o.near = o.tick
	}
}
