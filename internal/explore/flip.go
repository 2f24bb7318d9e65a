package explore

import (
	"slices"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A clock has, for each thread of an execution, how many of its operations come before.
type clock []int

func (c clock) join(d clock) {
	for i := range d {
		c[i] = max(c[i], d[i])
	}
}

// A flip is a pair of operations on one object, by different goroutines, whose order could be the
// other one: the second does not depend on the first but by this order ("Dynamic partial-order
// reduction for model checking software", Flanagan and Godefroid, POPL 2005, section 3).
type flip struct{ first, second int } // of ops

// flips returns the pairs that could change their order, the latest first, and the clock of each
// operation.
func (x *execution) flips() (list []flip, clocks []clock) {
	n := len(x.threads)
	now := make([]clock, n) // of each thread
	for i := range now {
		now[i] = make(clock, n)
	}
	type object struct {
		last    map[trace.GoID]int // the last operation of each goroutine
		release clock              // of all operations
	}
	objects := map[trace.Addr]*object{}
	clocks = make([]clock, len(x.ops))
	for i := range x.ops {
		o := &x.ops[i]
		t := x.threads[o.g]
		own := now[t.slot]
		if o.kind == format.Go {
			own[t.slot] = o.nth + 1
			now[x.threads[trace.GoID(o.obj)].slot].join(own)
			clocks[i] = slices.Clone(own)
			continue
		}
		if o.kind == format.SelectDefault {
			own[t.slot] = o.nth + 1
			clocks[i] = slices.Clone(own)
			continue
		}
		b := objects[o.obj]
		if b == nil {
			b = &object{last: map[trace.GoID]int{}, release: make(clock, n)}
			objects[o.obj] = b
		}
		if ordering(o.kind) {
			for g, k := range b.last {
				p := &x.ops[k]
				if g == o.g || own[x.threads[g].slot] > p.nth || !reversible(p, o) {
					continue
				}
				list = append(list, flip{k, i})
			}
			b.last[o.g] = i
		}
		own.join(b.release)
		own[t.slot] = o.nth + 1
		b.release.join(own)
		clocks[i] = slices.Clone(own)
	}
	slices.SortFunc(list, func(a, b flip) int {
		if a.second != b.second {
			return b.second - a.second
		}
		return b.first - a.first
	})
	return list, clocks
}

// reversible reports whether q could come before p: p is not what lets q go on.
func reversible(p, q *op) bool {
	if !depend(p, q) {
		return false
	}
	switch q.kind {
	case format.WGWait, format.CondWake:
		return false
	case format.ChanRecv:
		return p.kind == format.ChanRecv || p.kind == format.SelectCase
	case format.ChanSend:
		return p.kind != format.ChanRecv // which has made room
	case format.OnceEnd:
		return false
	}
	return true
}

// depend reports whether the order of two operations on one object matters.
func depend(p, q *op) bool {
	if commutes(p.kind) && p.kind == q.kind {
		return false
	}
	const read = format.FlagRead
	if p.kind == format.Lock && q.kind == format.Lock && p.flags&q.flags&read != 0 {
		return false
	}
	return true
}

// reversed returns the operations of a schedule in which the second operation of a flip comes
// before the first: all before the first, then what does not depend on it up to the second, then
// the second.
func (x *execution) reversed(f flip, clocks []clock) (ops []int) {
	first := &x.ops[f.first]
	slot := x.threads[first.g].slot
	for i := range x.ops[:f.second] {
		if i < f.first || clocks[i][slot] <= first.nth && x.ops[i].g != first.g {
			ops = append(ops, i)
		}
	}
	return append(ops, f.second)
}

// schedule returns the schedule of some operations.
func (x *execution) schedule(ops []int) (parts []steer.Part) {
	for _, i := range ops {
		o := &x.ops[i]
		p := steer.Part{Goroutine: x.threads[o.g].number, Until: o.records}
		if n := len(parts); n > 0 && parts[n-1].Goroutine == p.Goroutine {
			parts[n-1] = p
		} else {
			parts = append(parts, p)
		}
	}
	return parts
}
