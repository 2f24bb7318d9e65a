package excluded

import "github.com/presage-race/presage/internal/trace"

// Which returns a pair because of which an event of g that acts on x keeps an order, nil if none is
// open: one that g is in, or that hits x.
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
