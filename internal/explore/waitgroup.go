package explore

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// The order of two WaitGroup.Add does not matter, unless the counter could go below zero in another
// order: then one of them panics. If a run shows that, all begins once more, with Adds whose order
// matters.

// underflows reports whether the counter of a WaitGroup is below zero, or could be in another
// order. It could not if each decrement has increments of its own that come before it in any case:
// in every order, the counter is at least the increments left. That is looked for with the latest
// increments first, so the answer may be true without need.
func (x *execution) underflows(clocks []clock) bool {
	type increment struct{ op, left int }
	increments := map[trace.Addr][]increment{}
	for i := range x.ops {
		o := &x.ops[i]
		if o.kind != format.WGAdd {
			continue
		}
		list := increments[o.obj]
		if o.delta >= 0 {
			increments[o.obj] = append(list, increment{i, o.delta})
			continue
		}
		for len(list) > 0 && list[len(list)-1].left == 0 {
			list = list[:len(list)-1]
		}
		increments[o.obj] = list
		need := -o.delta
		for k := len(list) - 1; k >= 0 && need > 0; k-- {
			p := &x.ops[list[k].op]
			if list[k].left == 0 || p.g != o.g && clocks[i][x.threads[p.g].slot] <= int32(p.nth) {
				continue
			}
			n := min(need, list[k].left)
			list[k].left -= n
			need -= n
		}
		if need > 0 {
			return true
		}
	}
	return false
}

// takesTurns says that the order of Adds matters.
func (x *execution) takesTurns() {
	for i := range x.ops {
		o := &x.ops[i]
		o.inTurn = o.kind == format.WGAdd
	}
}
