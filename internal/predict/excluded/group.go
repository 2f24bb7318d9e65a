package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// Groups (EX1). A D does not change, so whether two open pairs meet is computed once, when the
// second begins. The groups are computed when they are needed and a pair has begun or ended since.

// open is a cache of the last result of concerns.
type open struct {
	changes int // pairs that have begun or ended
	asked   question
	answer  concerned
}

// question is the arguments of concerns, and the number of changes before the call.
type question struct {
	g       trace.GoID
	x       Touch
	p       *Pair
	changes int
}

// concerned are the groups of open gaps that an event concerns.
type concerned struct {
	own []*group // groups with a gap that the event begins, ends or cuts
	hit []*group // other groups with a gap that hits the event
}

// openPair is an open pair, and the open pairs of other goroutines that it meets.
type openPair struct {
	p    *Pair
	c    *gap
	near []*openPair
	ends int // the number of its last gap that has ended, +1; 0: none
}

// group is a set of open gaps that meet each other, directly or through others.
type group struct {
	gaps []*gap
	in   bool // concerns has found it
}

// opened adds the pair p to the gap c.
func (o *Order) opened(c *gap, p *Pair) {
	x := &openPair{p: p, c: c}
	for _, d := range o.gaps {
		if d == c {
			continue
		}
		for _, y := range d.pairs {
			if y.p.D.Meets(&p.D) {
				x.near, y.near = append(x.near, y), append(y.near, x)
			}
		}
	}
	c.pairs = append(c.pairs, x)
	o.dropGroups()
}

// closed ends the innermost pair of c.
func (o *Order) closed(c *gap) {
	last := len(c.pairs) - 1
	x := c.pairs[last]
	c.pairs = c.pairs[:last]
	for _, y := range x.near {
		k := slices.Index(y.near, x)
		y.near = slices.Delete(y.near, k, k+1)
	}
	o.dropGroups()
}

func (o *Order) dropGroups() {
	o.open.changes++
	for _, c := range o.gaps {
		c.group = nil
	}
}

// groupOf returns the group of c, and computes it if necessary.
func (c *gap) groupOf() *group {
	if c.group != nil {
		return c.group
	}
	c.group = &group{gaps: []*gap{c}}
	for k := 0; k < len(c.group.gaps); k++ {
		for _, x := range c.group.gaps[k].pairs {
			for _, y := range x.near {
				if y.c.group == nil {
					y.c.group = c.group
					c.group.gaps = append(c.group.gaps, y.c)
				}
			}
		}
	}
	return c.group
}

// concerns returns the groups that an event of g on x concerns. The event begins p if p is not nil.
// What the event shows of its own excluded call, or of a call that meets it, it does not show of a
// group that only hits it.
func (o *Order) concerns(g trace.GoID, x Touch, p *Pair) concerned {
	if len(o.gaps) == 0 {
		return concerned{}
	}
	q := question{g, x, p, o.open.changes}
	if o.open.asked == q { // Before and After are called with the same event
		return o.open.answer
	}
	in := concerned{own: o.groupsWith(func(c *gap) bool { return c.g == g || p != nil && c.meets(&p.D) })}
	in.hit = o.groupsWith(func(c *gap) bool { return c.hits(x) })
	for _, s := range slices.Concat(in.own, in.hit) {
		s.in = false
	}
	o.open.asked, o.open.answer = q, in
	return in
}

// groupsWith returns the groups with a gap for which of holds, without those that were found
// before.
func (o *Order) groupsWith(of func(*gap) bool) (list []*group) {
	for _, c := range o.gaps {
		if s := c.groupOf(); !s.in && of(c) {
			s.in = true
			list = append(list, s)
		}
	}
	return list
}

func (c *gap) hits(x Touch) bool {
	return slices.ContainsFunc(c.pairs, func(y *openPair) bool { return y.p.D.Hits(x) })
}

func (c *gap) meets(d *Set) bool {
	return slices.ContainsFunc(c.pairs, func(y *openPair) bool { return y.p.D.Meets(d) })
}

// Hit reports whether an open gap hits x.
func (o *Order) Hit(x Touch) bool {
	return slices.ContainsFunc(o.gaps, func(c *gap) bool { return c.hits(x) })
}
