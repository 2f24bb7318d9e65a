package barrier

import (
	"slices"

	"presage/internal/trace"
)

// Groups (B1). Which open pairs meet is found when one begins, and holds until one of the two ends: a D is what it is. What meets directly or through others
// is found when it is asked for and a pair has begun or ended since.

// open is what is known of the gaps that are open.
type open struct {
	changes int // pairs that have begun or ended
	asked   question
	answer  []*gap
}

// question is what a group was asked for, and after how many changes.
type question struct {
	g       trace.GoID
	x       Touch
	p       *Pair
	changes int
}

// openPair is a pair, and the open pairs of other goroutines that it meets.
type openPair struct {
	p    *Pair
	c    *gap
	near []*openPair
}

// crowd is the gaps that meet each other, directly or through others.
type crowd struct{ in bool }

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
	c.crowd = &crowd{}
	for todo := []*gap{c}; len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, x := range d.pairs {
			for _, y := range x.near {
				if y.c.crowd == nil {
					y.c.crowd = c.crowd
					todo = append(todo, y.c)
				}
			}
		}
	}
	return c.crowd
}

// group returns the open gaps that an event of g on x begins, ends or is hit by, and all that meet them.
func (o *Order) group(g trace.GoID, x Touch, p *Pair) []*gap {
	if len(o.gaps) == 0 {
		return nil
	}
	q := question{g, x, p, o.open.changes}
	if o.open.asked == q { // Before and After ask for the same
		return o.open.answer
	}
	any := false
	for _, c := range o.gaps {
		if s := c.crowdOf(); !s.in && (c.g == g || c.hits(x) || p != nil && c.meets(&p.D)) {
			s.in, any = true, true
		}
	}
	var in []*gap
	if any {
		for _, c := range o.gaps {
			if c.crowd.in {
				in = append(in, c)
			}
		}
		for _, c := range in {
			c.crowd.in = false
		}
	}
	o.open.asked, o.open.answer = q, in
	return in
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
