package excluded

import "github.com/presage-race/presage/internal/trace"

// Which returns an open pair that may be the reason for an order of an event of g on x: one that g
// is in, or one that hits x. It returns nil if there is none.
func (o *Order) Which(g trace.GoID, x Touch) *Pair {
	for _, c := range o.gaps {
		if c.g == g {
			return c.pairs[len(c.pairs)-1].p
		}
	}
	for _, c := range o.gaps {
		for _, y := range c.pairs {
			if y.p.D.Hits(x) {
				return y.p
			}
		}
	}
	return nil
}
