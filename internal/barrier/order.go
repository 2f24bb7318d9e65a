package barrier

import (
	"slices"

	"presage/internal/trace"
)

// Order computes the precedences of B1 to B3, event by event, in trace order. Numbers of events are the caller's: for
// each event it asks Before, and says with After which number the event has got, and no two events of the trace are in the other order by number.
type Order struct {
	gaps []*gap
	past []*past
}

// gap is the open gap of a goroutine.
type gap struct {
	g     trace.GoID
	pairs []*Pair
	last  int32 // the last event of its group; -1: none
}

// past is what a goroutine did.
type past struct {
	g       trace.GoID
	touches []touched
	ended   []ended
	all     Set // of ended
}

type touched struct {
	x Touch
	n int32
}

type ended struct {
	p *Pair
	n int32
}

// Open takes a pair that was open before the first event.
func (o *Order) Open(p *Pair) { o.enter(p) }

func (o *Order) enter(p *Pair) *gap {
	g := o.gapOf(p.G)
	if g == nil {
		g = &gap{g: p.G, last: -1}
		o.gaps = append(o.gaps, g)
	}
	g.pairs = append(g.pairs, p)
	return g
}

func (o *Order) gapOf(g trace.GoID) *gap {
	for _, x := range o.gaps {
		if x.g == g {
			return x
		}
	}
	return nil
}

func (o *Order) pastOf(g trace.GoID) *past {
	for _, x := range o.past {
		if x.g == g {
			return x
		}
	}
	x := &past{g: g, all: Union()}
	o.past = append(o.past, x)
	return x
}

// Inside says whether g is in a missing method.
func (o *Order) Inside(g trace.GoID) bool { return o.gapOf(g) != nil }

// Before returns the events that must come before an event of g that acts on x; p is the pair that it begins, or nil.
func (o *Order) Before(g trace.GoID, x Touch, p *Pair) []int32 {
	var out []int32
	add := func(n int32) {
		if n >= 0 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for _, c := range o.group(g, x, p) { // (B1)
		add(c.last)
	}
	for _, q := range o.past {
		if q.g == g {
			continue
		}
		if p != nil {
			add(q.lastHit(&p.D)) // (B2)
			add(q.lastMet(&p.D))
		}
		add(q.lastEnd(x, -1)) // (B3)
	}
	return out
}

// After says that an event for which Before was asked has number n; it ends the pair ends, if that is not nil.
func (o *Order) After(g trace.GoID, x Touch, begins, ends *Pair, n int32) {
	group := o.group(g, x, begins)
	if begins != nil {
		o.enter(begins).last = n
	}
	if ends != nil {
		o.leave(ends, n)
	}
	for _, c := range group {
		c.last = n
	}
	if x.kind != touchesNothing {
		q := o.pastOf(g)
		q.touches = append(q.touches, touched{x, n})
	}
}

// Ended says that goroutine g has ended with event n, for which After was called: so have the methods that it is in.
func (o *Order) Ended(g trace.GoID, n int32) {
	for c := o.gapOf(g); c != nil; c = o.gapOf(g) {
		o.leave(c.pairs[len(c.pairs)-1], n)
	}
}

// leave ends a pair.
func (o *Order) leave(p *Pair, n int32) {
	c := o.gapOf(p.G)
	if c == nil {
		return
	}
	if c.pairs = c.pairs[:len(c.pairs)-1]; len(c.pairs) == 0 {
		o.gaps = slices.DeleteFunc(o.gaps, func(x *gap) bool { return x == c })
	}
	q := o.pastOf(p.G)
	q.ended = append(q.ended, ended{p, n})
	q.all.Add(&p.D)
}

// group returns the open gaps that an event of g on x begins, ends or is hit by, and all that meet them.
func (o *Order) group(g trace.GoID, x Touch, p *Pair) []*gap {
	if len(o.gaps) == 0 {
		return nil
	}
	var in []*gap
	var rest []*gap
	for _, c := range o.gaps {
		if c.g == g || c.hits(x) || p != nil && c.meets(&p.D) {
			in = append(in, c)
		} else {
			rest = append(rest, c)
		}
	}
	for k := 0; k < len(in); k++ {
		rest = slices.DeleteFunc(rest, func(c *gap) bool {
			met := slices.ContainsFunc(in[k].pairs, func(p *Pair) bool { return c.meets(&p.D) })
			if met {
				in = append(in, c)
			}
			return met
		})
	}
	return in
}

func (c *gap) hits(x Touch) bool {
	return slices.ContainsFunc(c.pairs, func(p *Pair) bool { return p.D.Hits(x) })
}

func (c *gap) meets(d *Set) bool {
	return slices.ContainsFunc(c.pairs, func(p *Pair) bool { return p.D.Meets(d) })
}

func (q *past) lastHit(d *Set) int32 {
	for k := len(q.touches) - 1; k >= 0; k-- {
		if d.Hits(q.touches[k].x) {
			return q.touches[k].n
		}
	}
	return -1
}

func (q *past) lastMet(d *Set) int32 {
	if !q.all.Meets(d) {
		return -1
	}
	for k := len(q.ended) - 1; k >= 0; k-- {
		if q.ended[k].p.D.Meets(d) {
			return q.ended[k].n
		}
	}
	return -1
}

// lastEnd returns the last end, after trace event since, of a pair that hits x.
func (q *past) lastEnd(x Touch, since int64) int32 {
	if !q.all.Hits(x) {
		return -1
	}
	for k := len(q.ended) - 1; k >= 0 && q.ended[k].p.End > since; k-- {
		if q.ended[k].p.D.Hits(x) {
			return q.ended[k].n
		}
	}
	return -1
}

// Wrote says whether missing code may have written to x since trace event since, and after which events that is (B6).
func (o *Order) Wrote(x Touch, since int64) (after []int32, may bool) {
	for _, c := range o.gaps {
		if c.hits(x) {
			may = true
			if c.last >= 0 {
				after = append(after, c.last)
			}
		}
	}
	for _, q := range o.past {
		if n := q.lastEnd(x, since); n >= 0 {
			after, may = append(after, n), true
		}
	}
	return after, may
}

// Hit says whether an open gap hits x.
func (o *Order) Hit(x Touch) bool {
	return slices.ContainsFunc(o.gaps, func(c *gap) bool { return c.hits(x) })
}
