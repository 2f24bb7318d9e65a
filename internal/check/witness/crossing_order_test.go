package witness

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestCallSets compares (CW3) by call sets with (CW3) gap by gap.
func TestCallSets(t *testing.T) {
	refused, influencing := 0, 0
	for seed := range uint64(3000) {
		c := randomCrossing(rand.New(rand.NewPCG(seed, 1)))
		slow := slices.Clone(c.gaps)
		c.makeSets()
		c.runTogether()
		(&crossing{m: c.m, gaps: slow}).runSlowly()
		if fmt.Sprint(slow) != fmt.Sprint(c.gaps) {
			t.Fatalf("seed %d: gaps have run\n%v, want\n%v", seed, c.gaps, slow)
		}
		c.prepare()
		c.influenced = make([]int, len(c.sets))
		for e := range c.last + 1 {
			n, want := c.slowly(e)
			if got := c.order(e) != nil; got != want {
				t.Fatalf("seed %d, event %d: refused %t, want %t", seed, e, got, want)
			}
			if n++; want {
				refused++
			} else if n > 1 {
				influencing++
			}
		}
	}
	if refused < 1000 || influencing < 1000 {
		t.Errorf("%d events are refused, and %d that influence a gap are not: too few", refused, influencing)
	}
}

// randomCrossing is a witness of a few goroutines with calls that nest, of which each reaches a few
// bytes.
func randomCrossing(r *rand.Rand) *crossing {
	n := 6 + r.IntN(14)
	c := &crossing{m: &model.ExcludedTrace{}, last: n - 1 - r.IntN(3)}
	now := map[trace.GoID]*gap{}
	for e := range n {
		g := trace.GoID(1 + r.IntN(3))
		kind := []format.Kind{format.Read, format.Write, format.Write, format.Enter}[r.IntN(4)]
		c.m.Events = append(c.m.Events, trace.Event{Kind: kind, G: g, Obj: trace.Addr(8 * (1 + r.IntN(5))), Size: 8})
		c.m.Index = append(c.m.Index, int64(e))
		c.event = append(c.event, int32(e))
		began := r.IntN(n)
		if r.IntN(4) == 0 {
			began = -1
		}
		ended := began
		if began < 0 || r.IntN(8) == 0 {
			ended = never
		}
		c.began, c.ended, c.acted = append(c.began, began), append(c.ended, ended), append(c.acted, r.IntN(5) > 0)
		x := now[g]
		if x == nil {
			x = &gap{a: -1}
			now[g] = x
		}
		c.cut(r, x, e)
		switch x.a = e; r.IntN(3) {
		case 0:
			x.calls = append(x.calls, len(c.m.Calls))
			call := model.ExcludedCall{G: g, Begin: int64(e), End: -1, Seen: true, All: r.IntN(12) == 0}
			for range r.IntN(3) {
				at := uint64(8 * (1 + r.IntN(5)))
				call.Memory = append(call.Memory, [2]uint64{at, at + 8})
			}
			slices.SortFunc(call.Memory, func(x, y [2]uint64) int { return cmp.Compare(x[0], y[0]) })
			c.m.Calls = append(c.m.Calls, call)
		case 1:
			x.calls = x.calls[:max(0, len(x.calls)-1)]
		}
	}
	for g := trace.GoID(1); g <= 3; g++ {
		if x := now[g]; x != nil {
			c.cut(r, x, n)
		}
	}
	return c
}

// cut ends a gap at an event; some part of it may have run.
func (c *crossing) cut(r *rand.Rand, x *gap, b int) {
	if len(x.calls) == 0 {
		return
	}
	until := []int{x.a, b, x.a + r.IntN(b-x.a+1)}[r.IntN(3)]
	if b == len(c.m.Events) {
		until = min(until, b-1)
	}
	c.gaps = append(c.gaps, gap{x.a, b, until, slices.Clone(x.calls)})
}

// runSlowly is runTogether.
func (c *crossing) runSlowly() {
	for again := true; again; {
		again = false
		for k := range c.gaps {
			for j := range c.gaps {
				g, h := &c.gaps[k], &c.gaps[j]
				if to := min(g.until, h.b); g.until > g.a && to > max(h.a, h.until) && c.common(*g, *h) {
					h.until, again = to, true
				}
			}
		}
	}
}

// slowly is order, gap by gap. It also returns how many gaps e may influence.
func (c *crossing) slowly(e int) (gaps int, refused bool) {
	influenced := make([]int, len(c.gaps)) // since which event; -1: not
	var list []int
	influence := func(k, since int) {
		if since = max(since, c.gaps[k].a); since < c.gaps[k].until && (influenced[k] < 0 || since < influenced[k]) {
			influenced[k] = since
			list = append(list, k)
		}
	}
	for k := range influenced {
		influenced[k] = -1
	}
	unnoticed := !c.acted[e] && onlyReads(&c.m.Events[e])
	for k, g := range c.gaps {
		if g.a == e || !unnoticed && c.acts(g, e) {
			influence(k, e)
		}
	}
	for n := 0; n < len(list); n++ {
		for k := range c.gaps {
			if k != list[n] && c.common(c.gaps[k], c.gaps[list[n]]) {
				influence(k, influenced[list[n]])
			}
		}
	}
	for k, since := range influenced {
		if since < 0 {
			continue
		}
		gaps++
		for f := since + 1; f <= c.last; f++ {
			if f == e || c.began[f] < 0 || f != c.gaps[k].b && (c.idle(f) || !c.acts(c.gaps[k], f)) {
				continue
			}
			refused = refused || c.ended[e] >= c.began[f]
		}
	}
	return gaps, refused
}
