package excluded

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Mode says what the excluded calls of a trace may do.
type Mode uint8

const (
	Reachable  Mode = iota // anything to what they can reach: RDIT
	Everything             // anything to everything (Caveat 0)
	Ignore                 // nothing: for comparison, since its races may be false
)

// Pair is a BarrierPair: an excluded call.
type Pair struct {
	G          trace.GoID
	Method     trace.Addr
	Site       trace.Site
	D          Set
	Begin, End int64 // events; End is -1 while it is open
}

// Pairs finds the BarrierPairs of a trace, and checks that they obey the format.
type Pairs struct {
	Mode    Mode
	Begun   int64 // pairs so far
	All     int64 // pairs so far with a D that is everything
	open    map[trace.GoID][]*Pair
	cut     bool
	listing *Pair // the pair whose D the trace is listing
	sets    map[trace.Addr]*Set
	set     *Set   // the named set that the trace is listing
	rest    uint64 // how many of its parts are still to come
	takes   bool   // it is made of another set, and the next part may remove something from that
	parts   []span // parts that it adds
	gone    []span // parts that it removes
}

// Step takes the next event of the trace, number i. It returns the pair of a MethodBegin or
// MethodEnd; else nil. The D of a pair is complete at the first event that lists no part of it.
func (p *Pairs) Step(i int64, e *trace.Event) (*Pair, error) {
	listing := p.listing
	switch e.Kind {
	case format.MethodBegin:
		if p.rest > 0 {
			return nil, fmt.Errorf("event %d: a set lacks its last parts (%d)", i, p.rest)
		}
		x := &Pair{G: e.G, Method: e.Obj, Site: e.Site, Begin: i, End: -1}
		x.D.All = e.Flags&format.FlagAll != 0 || p.Mode == Everything
		x.D.Seen = e.Flags&format.FlagSeen != 0 && p.Mode != Everything
		if p.open == nil {
			p.open = make(map[trace.GoID][]*Pair)
		}
		p.open[e.G] = append(p.open[e.G], x)
		p.Begun++
		if p.listing = x; x.D.All {
			p.All++
		}
		return x, nil
	case format.ReachSet:
		return nil, p.named(i, e)
	case format.Reach, format.ReachGo:
		if listing == nil || listing.G != e.G {
			return nil, fmt.Errorf("event %d: %s of goroutine %d does not follow its methodbegin", i, e.Kind, e.G)
		}
		gone := e.Kind == format.Reach && e.Flags&format.FlagGone != 0
		if p.takes = p.takes && p.rest > 0 && gone; gone && !p.takes {
			return nil, fmt.Errorf("event %d: it removes memory, and no set that was made of another is being listed", i)
		}
		was := listing.D.All
		if p.rest > 0 {
			p.part(e)
		} else {
			listing.D.AddReach(e)
		}
		if listing.D.All && !was {
			p.All++
			p.cut = true
		}
		return nil, nil
	}
	if p.listing = nil; p.rest > 0 {
		return nil, fmt.Errorf("event %d: a set lacks its last parts (%d)", i, p.rest)
	}
	switch e.Kind {
	case format.MethodEnd:
		return p.end(i, e)
	case format.End: // it never returns
		for _, x := range p.open[e.G] {
			x.End = i
		}
		delete(p.open, e.G)
	}
	return nil, nil
}

// Last returns the innermost excluded call that goroutine g is in, or nil.
func (p *Pairs) Last(g trace.GoID) *Pair {
	if n := len(p.open[g]); n > 0 {
		return p.open[g][n-1]
	}
	return nil
}

// Each calls f for each open excluded call, in no order.
func (p *Pairs) Each(f func(*Pair)) {
	for _, list := range p.open {
		for _, x := range list {
			f(x)
		}
	}
}

// Inside reports whether goroutine g is in an excluded call.
func (p *Pairs) Inside(g trace.GoID) bool { return len(p.open[g]) > 0 }

// Seen reports whether the trace has the operations on locks, channels and goroutines of all
// excluded calls that goroutine g is in (EX9).
func (p *Pairs) Seen(g trace.GoID) bool {
	return !slices.ContainsFunc(p.open[g], func(x *Pair) bool { return !x.D.Seen })
}

func (p *Pairs) end(i int64, e *trace.Event) (*Pair, error) {
	open := p.open[e.G]
	if len(open) == 0 {
		return nil, fmt.Errorf("event %d: methodend of goroutine %d, which is in no excluded call", i, e.G)
	}
	x := open[len(open)-1]
	if x.Method != e.Obj {
		return nil, fmt.Errorf("event %d: methodend of %#x, but goroutine %d is in %#x since event %d: BarrierPairs nest", i, uint64(e.Obj), e.G, uint64(x.Method), x.Begin)
	}
	x.End = i
	p.open[e.G] = open[:len(open)-1]
	return x, nil
}

// Cut reports whether the D of some pair was too large to list.
func (p *Pairs) Cut() bool { return p.cut }

// Any reports whether there was a BarrierPair.
func (p *Pairs) Any() bool { return p.Begun > 0 }

// Touch is what one event acts on.
type Touch struct {
	kind    touchKind
	g       trace.GoID
	addr, n uint64
}

type touchKind uint8

const (
	touchesNothing touchKind = iota
	touchesMemory
	touchesObject
	touchesGo
)

// Memory touches n bytes at addr.
func Memory(addr, n uint64) Touch { return Touch{kind: touchesMemory, addr: addr, n: n} }

// Object touches the lock, channel or other object at addr.
func Object(addr uint64) Touch { return Touch{kind: touchesObject, addr: addr, n: 1} }

// TouchOf returns what e acts on.
func TouchOf(e *trace.Event) Touch {
	if e.Outside() { // recorded for observed races only
		return Touch{}
	}
	switch k := e.Kind; {
	case k.IsAccess():
		if e.Flags&format.FlagStack != 0 {
			return Touch{}
		}
		n := uint64(e.Size)
		if n == 0 || n > word {
			n = word - uint64(e.Obj)&(word-1)
		}
		return Memory(uint64(e.Obj), n)
	case k >= format.Lock && k <= format.SelectCase || k >= format.Acquire && k <= format.ReleaseMerge:
		return Object(uint64(e.Obj))
	case k == format.Go:
		return Touch{kind: touchesGo, g: trace.GoID(e.Obj)}
	case k == format.Start || k == format.End:
		return Touch{kind: touchesGo, g: e.G}
	}
	return Touch{}
}
