package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Edge is an order between two events of a trace, by number.
type Edge struct{ From, To int64 }

// Edges returns the orders of a whole trace (EX1 to EX3) between different goroutines, if all of it
// is executed. It leaves out those that follow from others and from program order.
func Edges(events []trace.Event, mode Mode) ([]Edge, error) {
	pairs, o := Pairs{Mode: mode}, &Order{}
	of := make([]*Pair, len(events))
	for i := range events {
		p, err := pairs.Step(int64(i), &events[i])
		if err != nil {
			return nil, err
		}
		of[i] = p
	}
	var out []Edge
	before := make([][]int32, len(events)) // direct predecessors, with program order
	last := map[trace.GoID]int32{}
	for i := range events {
		e, p := &events[i], of[i]
		if e.Kind == format.Reach || e.Kind == format.ReachGo || e.Kind == format.ReachSet {
			continue
		}
		var begins, ends *Pair
		if begins = p; p != nil && p.Begin != int64(i) {
			begins, ends = nil, p
		}
		x := TouchOf(e)
		st := Step{G: e.G, Index: int64(i), X: x, Begins: begins, Ends: ends, Reads: x.kind == touchesMemory && !e.Kind.IsWrite(), Demands: x.kind != touchesNothing}
		own, ok := last[e.G]
		if ok {
			before[i] = append(before[i], own)
		}
		kept := o.Before(&st)
		list := slices.Concat(kept.Edges, kept.Weak)
		for _, c := range kept.Orders {
			list = append(list, c.From) // the condition is executed, and To is this event
		}
		before[i] = append(before[i], list...)
		for _, n := range list {
			if x := (Edge{int64(n), int64(i)}); events[n].G != e.G && !slices.Contains(out, x) && !follows(before, n, int32(i)) {
				out = append(out, x)
			}
		}
		if o.Inside(e.G) || p != nil || st.X.kind != touchesNothing {
			o.After(&st, Extent{int32(i), int32(i)})
		}
		if e.Kind == format.End {
			o.Ended(e.G)
		}
		last[e.G] = int32(i)
	}
	return out, nil
}

// follows reports whether n comes before i without the direct edge.
func follows(before [][]int32, n, i int32) bool {
	seen := map[int32]bool{}
	var up func(k int32) bool
	up = func(k int32) bool {
		for _, b := range before[k] {
			if b == n && k != i {
				return true
			}
			if b > n && !seen[b] {
				seen[b] = true
				if up(b) {
					return true
				}
			}
		}
		return false
	}
	return up(i)
}
