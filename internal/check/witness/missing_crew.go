package witness

import (
	"fmt"
	"slices"
	"sort"
)

// A crew is the gaps in the same calls: what their methods can act on is the same. What (Y1) says
// of each gap is found for crews, with what the first one of a crew knows; there are as many as
// calls, and of gaps as many as events.
type crew struct {
	calls []int
	all   []int  // its gaps, in the order of the trace
	near  []int  // crews that have something in common with it
	acts  []bool // by event

	gaps  []int // those that the witness has run a part of
	on    []int // events of the witness that its methods can act on, but idle ones
	least []int // by on: when the witness begins with the first of these and those after it
	ends  []int // by gaps: likewise, of the events that end them
}

// makeCrews finds the crews. It needs the gaps.
func (c *crossing) makeCrews() {
	by := map[string]int{}
	c.crewOf = make([]int, len(c.gaps))
	c.actors = make([][]int, len(c.m.Events))
	for k := range c.gaps {
		name := fmt.Sprint(c.gaps[k].calls)
		i, ok := by[name]
		if !ok {
			i = len(c.crews)
			by[name] = i
			c.crews = append(c.crews, crew{calls: c.gaps[k].calls, acts: make([]bool, len(c.m.Events))})
		}
		c.crewOf[k] = i
		c.crews[i].all = append(c.crews[i].all, k)
	}
	reached := map[int][]int{} // by call
	for i := range c.crews {
		x := &c.crews[i]
		for _, k := range x.calls {
			if _, ok := reached[k]; !ok {
				reached[k] = c.reached(k)
			}
			for _, e := range reached[k] {
				if !x.acts[e] {
					x.acts[e] = true
					c.actors[e] = append(c.actors[e], i)
				}
			}
		}
		for j := range c.crews[:i+1] {
			if c.common(c.gaps[x.all[0]], c.gaps[c.crews[j].all[0]]) {
				x.near = append(x.near, j)
				if j != i {
					c.crews[j].near = append(c.crews[j].near, i)
				}
			}
		}
	}
}

// reached lists the events that call k can act on what they act on, and that are not part of a gap.
func (c *crossing) reached(k int) (list []int) {
	for e := range c.m.Events {
		if !c.own[e] && reaches(&c.m.Calls[k], &c.m.Events[e]) {
			list = append(list, e)
		}
	}
	return list
}

// prepare notes for each crew what after looks for. It needs to know how far gaps have run.
func (c *crossing) prepare() {
	c.begins = map[int][]int{}
	for i := range c.crews {
		x := &c.crews[i]
		for _, k := range x.all {
			if g := &c.gaps[k]; g.until > g.a {
				x.gaps = append(x.gaps, k)
				c.begins[g.a] = append(c.begins[g.a], k)
			}
		}
		for f := range c.last + 1 {
			if x.acts[f] && c.began[f] >= 0 && !c.idle(f) {
				x.on = append(x.on, f)
			}
		}
		x.least = least(len(x.on), func(n int) int { return c.began[x.on[n]] })
		x.ends = least(len(x.gaps), func(n int) int { return c.endBegan(x.gaps[n]) })
	}
}

// least are the minima of the ends of a list.
func least(n int, of func(int) int) []int {
	list := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		if list[i] = of(i); i < n-1 {
			list[i] = min(list[i], list[i+1])
		}
	}
	return list
}

// endBegan is when the witness begins with the event that ends gap k; after all else if it does
// not.
func (c *crossing) endBegan(k int) int {
	if b := c.gaps[k].b; b <= c.last && c.began[b] >= 0 {
		return c.began[b]
	}
	return c.after0()
}

func (c *crossing) after0() int { return int(^uint(0) >> 1) }

// after checks (Y1) for what may know of e.
func (c *crossing) after(e int) error {
	// by crew: since which event its gaps that have not been over by then know; -1: they do not
	know := c.know
	for i := range know {
		know[i] = -1
	}
	list := c.list[:0]
	learn := func(i, since int) {
		x := &c.crews[i]
		n := sort.Search(len(x.gaps), func(n int) bool { return c.gaps[x.gaps[n]].until > since })
		if n == len(x.gaps) {
			return
		}
		if since = max(since, c.gaps[x.gaps[n]].a); know[i] < 0 || since < know[i] {
			know[i] = since
			list = append(list, i)
		}
	}
	begun := c.begins[e]
	for _, k := range begun { // these alone of their crews
		for _, j := range c.crews[c.crewOf[k]].near {
			learn(j, e)
		}
	}
	if c.acted[e] || !onlyReads(&c.m.Events[e]) {
		for _, i := range c.actors[e] {
			learn(i, e)
		}
	}
	for n := 0; n < len(list); n++ {
		for _, j := range c.crews[list[n]].near {
			learn(j, know[list[n]])
		}
	}
	c.list = list
	for i, since := range know {
		if since < 0 {
			continue
		}
		x := &c.crews[i]
		n := sort.Search(len(x.gaps), func(n int) bool { return c.gaps[x.gaps[n]].until > since })
		if x.ends[n] <= c.ended[e] || c.actsFirst(x, since) <= c.ended[e] {
			return c.early(e, x, since, x.gaps[n:])
		}
	}
	for _, k := range begun {
		if x := &c.crews[c.crewOf[k]]; c.endBegan(k) <= c.ended[e] || c.actsFirst(x, e) <= c.ended[e] {
			return c.early(e, x, e, []int{k})
		}
	}
	return nil
}

// actsFirst is when the witness begins with the first event behind since that a crew acts on.
func (c *crossing) actsFirst(x *crew, since int) int {
	if n := sort.SearchInts(x.on, since+1); n < len(x.on) {
		return x.least[n]
	}
	return c.after0()
}

// early is the violation of (Y1) by an event that comes before e.
func (c *crossing) early(e int, x *crew, since int, gaps []int) error {
	for f := since + 1; f <= c.last; f++ {
		if c.began[f] < 0 || c.ended[e] < c.began[f] {
			continue
		}
		if x.acts[f] && !c.idle(f) || slices.ContainsFunc(gaps, func(k int) bool { return c.gaps[k].b == f }) {
			return &Violation{Rule: "Y1", Event: max(0, c.event[f]), Kind: c.m.Events[f].Kind, Reason: fmt.Sprintf("a missing method may have it come after event %d %s of the trace, which it does not", c.m.Index[e], c.m.Events[e].Kind)}
		}
	}
	panic("witness: an event comes too early, and there is none")
}
