package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// Groups (B1). Which open pairs meet is found when one begins, and holds until one of the two ends:
// a D is what it is. What meets directly or through others is found when it is asked for and a pair
// has begun or ended since.

// open is what is known of the gaps that are open.
type open struct {
	changes int // pairs that have begun or ended
	asked   question
	answer  groups
}

// question is what groups were asked for, and after how many changes.
type question struct {
	g       trace.GoID
	x       Touch
	p       *Pair
	changes int
}

// groups are the crowds of open gaps that an event has to do with.
type groups struct {
	own []*crowd // those with gaps that it begins, ends or cuts
	hit []*crowd // the others, with gaps that hit it
}

// openPair is a pair, and the open pairs of other goroutines that it meets.
type openPair struct {
	p    *Pair
	c    *gap
	near []*openPair
	ends int // the number of the last of its gaps that have ended, +1; 0: none
}

// crowd is the gaps that meet each other, directly or through others: a group.
type crowd struct {
	gaps []*gap
	in   bool // of what is asked for
}

// opened has c be in p as well.
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
	o.scatter()
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
	o.scatter()
}

func (o *Order) scatter() {
	o.open.changes++
	for _, c := range o.gaps {
		c.crowd = nil
	}
}

// crowdOf returns the crowd of c.
func (c *gap) crowdOf() *crowd {
	if c.crowd != nil {
		return c.crowd
	}
	c.crowd = &crowd{gaps: []*gap{c}}
	for k := 0; k < len(c.crowd.gaps); k++ {
		for _, x := range c.crowd.gaps[k].pairs {
			for _, y := range x.near {
				if y.c.crowd == nil {
					y.c.crowd = c.crowd
					c.crowd.gaps = append(c.crowd.gaps, y.c)
				}
			}
		}
	}
	return c.crowd
}

// groups returns the crowds that an event of g on x has to do with, the begin of p if that is not
// nil. What an event shows of g's own missing code, or of what meets that, it does not show of a
// crowd that only hits it.
func (o *Order) groups(g trace.GoID, x Touch, p *Pair) groups {
	if len(o.gaps) == 0 {
		return groups{}
	}
	q := question{g, x, p, o.open.changes}
	if o.open.asked == q { // Before and After ask for the same
		return o.open.answer
	}
	in := groups{own: o.crowds(func(c *gap) bool { return c.g == g || p != nil && c.meets(&p.D) })}
	in.hit = o.crowds(func(c *gap) bool { return c.hits(x) })
	for _, s := range slices.Concat(in.own, in.hit) {
		s.in = false
	}
	o.open.asked, o.open.answer = q, in
	return in
}

// crowds returns the crowds, but those that are in already, with a gap that of is true of.
func (o *Order) crowds(of func(*gap) bool) (list []*crowd) {
	for _, c := range o.gaps {
		if s := c.crowdOf(); !s.in && of(c) {
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

// Hit says whether an open gap hits x.
func (o *Order) Hit(x Touch) bool {
	return slices.ContainsFunc(o.gaps, func(c *gap) bool { return c.hits(x) })
}
