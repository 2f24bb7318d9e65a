package wcp

import "slices"

// clock is times, by goroutine.
type clock []uint32

func (c clock) at(slot int) uint32 {
	if slot >= len(c) {
		return 0
	}
	return c[slot]
}

func (c clock) with(slot int, n uint32) clock {
	for slot >= len(c) {
		c = append(c, 0)
	}
	c[slot] = max(c[slot], n)
	return c
}

// join returns the maximum of c and d, in c's memory where it fits.
func (c clock) join(d clock) clock {
	for len(c) < len(d) {
		c = append(c, 0)
	}
	for i, n := range d {
		c[i] = max(c[i], n)
	}
	return c
}

// clocks is the clocks H, M and P.
type clocks struct{ h, m, p clock }

func (c *clocks) join(d *clocks) { c.h, c.m, c.p = c.h.join(d.h), c.m.join(d.m), c.p.join(d.p) }

func (c *clocks) clone() clocks {
	return clocks{slices.Clone(c.h), slices.Clone(c.m), slices.Clone(c.p)}
}
