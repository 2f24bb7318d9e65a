package witness

import (
	"fmt"
	"slices"
	"sort"
)

// A callSet is the gaps that are in the same calls, which can act on the same. (CW3) is checked for
// call sets instead of gaps: there are as many sets as calls, but as many gaps as events.
type callSet struct {
	calls []int
	all   []int  // its gaps, in the order of the trace
	near  []int  // sets that share with it
	acts  []bool // by event: the calls can act on it

	gaps  []int // its gaps of which the witness has run a part
	on    []int // executed events that its calls can act on
	least []int // by on: when the witness begins with the first of this event and those after it
	ends  []int // by gaps: the same, of the events that end them
}

// makeSets finds the call sets of the gaps.
func (c *crossing) makeSets() {
	by := map[string]int{}
	c.setOf = make([]int, len(c.gaps))
	c.actors = make([][]int, len(c.m.Events))
	for k := range c.gaps {
		name := fmt.Sprint(c.gaps[k].calls)
		i, ok := by[name]
		if !ok {
			i = len(c.sets)
			by[name] = i
			c.sets = append(c.sets, callSet{calls: c.gaps[k].calls, acts: make([]bool, len(c.m.Events))})
		}
		c.setOf[k] = i
		c.sets[i].all = append(c.sets[i].all, k)
	}
	reached := map[int][]int{} // by call
	for i := range c.sets {
		x := &c.sets[i]
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
		for j := range c.sets[:i+1] {
			if c.common(c.gaps[x.all[0]], c.gaps[c.sets[j].all[0]]) {
				x.near = append(x.near, j)
				if j != i {
					c.sets[j].near = append(c.sets[j].near, i)
				}
			}
		}
	}
}

// reached lists the events that call k can act on and that are not part of a gap.
func (c *crossing) reached(k int) (list []int) {
	for e := range c.m.Events {
		if !c.own[e] && reaches(&c.m.Calls[k], &c.m.Events[e]) {
			list = append(list, e)
		}
	}
	return list
}

// prepare fills in what order looks up. It is called after runGaps.
func (c *crossing) prepare() {
	c.begins = map[int][]int{}
	for i := range c.sets {
		x := &c.sets[i]
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

// least are the minima of the suffixes of a list.
func least(n int, of func(int) int) []int {
	list := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		if list[i] = of(i); i < n-1 {
			list[i] = min(list[i], list[i+1])
		}
	}
	return list
}

// endBegan is when the witness begins with the event that ends gap k.
func (c *crossing) endBegan(k int) int {
	if b := c.gaps[k].b; b <= c.last && c.began[b] >= 0 {
		return c.began[b]
	}
	return absent
}

// order checks (CW3) for event e.
func (c *crossing) order(e int) error {
	// by call set: e may influence its gaps that are open after this event; -1: none
	influenced := c.influenced
	for i := range influenced {
		influenced[i] = -1
	}
	list := c.list[:0]
	influence := func(i, since int) {
		x := &c.sets[i]
		n := sort.Search(len(x.gaps), func(n int) bool { return c.gaps[x.gaps[n]].until > since })
		if n == len(x.gaps) {
			return
		}
		if since = max(since, c.gaps[x.gaps[n]].a); influenced[i] < 0 || since < influenced[i] {
			influenced[i] = since
			list = append(list, i)
		}
	}
	begun := c.begins[e]
	for _, k := range begun { // of their sets, e may influence only these gaps
		for _, j := range c.sets[c.setOf[k]].near {
			influence(j, e)
		}
	}
	if c.acted[e] || !onlyReads(&c.m.Events[e]) {
		for _, i := range c.actors[e] {
			influence(i, e)
		}
	}
	for n := 0; n < len(list); n++ {
		for _, j := range c.sets[list[n]].near {
			influence(j, influenced[list[n]])
		}
	}
	c.list = list
	for i, since := range influenced {
		if since < 0 {
			continue
		}
		x := &c.sets[i]
		n := sort.Search(len(x.gaps), func(n int) bool { return c.gaps[x.gaps[n]].until > since })
		if x.ends[n] <= c.ended[e] || c.actsFirst(x, since) <= c.ended[e] {
			return c.early(e, x, since, x.gaps[n:])
		}
	}
	for _, k := range begun {
		if x := &c.sets[c.setOf[k]]; c.endBegan(k) <= c.ended[e] || c.actsFirst(x, e) <= c.ended[e] {
			return c.early(e, x, e, []int{k})
		}
	}
	return nil
}

// actsFirst is when the witness begins with the first event after since that a call set acts on.
func (c *crossing) actsFirst(x *callSet, since int) int {
	if n := sort.SearchInts(x.on, since+1); n < len(x.on) {
		return x.least[n]
	}
	return absent
}

// early is the violation of (CW3) by an event that is not after e.
func (c *crossing) early(e int, x *callSet, since int, gaps []int) error {
	for f := since + 1; f <= c.last; f++ {
		if c.began[f] < 0 || c.ended[e] < c.began[f] {
			continue
		}
		if x.acts[f] && !c.idle(f) || slices.ContainsFunc(gaps, func(k int) bool { return c.gaps[k].b == f }) {
			return &Violation{Rule: "CW3", Event: max(0, c.event[f]), Kind: c.m.Events[f].Kind, Reason: fmt.Sprintf("excluded code may order it after event %d %s of the trace, which the witness does not", c.m.Index[e], c.m.Events[e].Kind)}
		}
	}
	panic("witness: an event is out of order, but none is found")
}
