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

// maxLast is how many operations of a goroutine on an object may be the first of a flip: the last
// one is enough where every order can be steered to. Within a few operations of the runtime and of
// sync/atomic no goroutine can wait.
const maxLast = 4

// flips returns the pairs that could change their order, the latest first, and the clock of each
// operation.
func (x *execution) flips() (list []flip, clocks []clock) {
	n := len(x.threads)
	now := make([]clock, n) // of each thread
	for i := range now {
		now[i] = make(clock, n)
	}
	type object struct {
		last    map[trace.GoID][]int // the last operations of each goroutine, at most maxLast
		release map[group]clock      // of all operations, by their group
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
		if o.kind == format.Observe {
			x.observes(o, own)
			own[t.slot] = o.nth + 1
			clocks[i] = slices.Clone(own)
			continue
		}
		b := objects[o.obj]
		if b == nil {
			b = &object{last: map[trace.GoID][]int{}, release: map[group]clock{}}
			objects[o.obj] = b
		}
		if ordering(o) && t.number != steer.Runtime {
			for g, ks := range b.last { // the list is sorted later
				for _, k := range ks {
					p := &x.ops[k]
					if g != o.g && own[x.threads[g].slot] <= p.nth && reversible(p, o) {
						list = append(list, flip{k, i})
					}
				}
			}
			ks := b.last[o.g]
			b.last[o.g] = append(ks[max(0, len(ks)-maxLast+1):len(ks):len(ks)], i)
		}
		in := groupOf(o)
		for k, c := range b.release { // the order does not matter
			if k != in || k == (group{}) {
				own.join(c)
			}
		}
		own[t.slot] = o.nth + 1
		if b.release[in] == nil {
			b.release[in] = make(clock, n)
		}
		b.release[in].join(own)
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

// observes notes whether another goroutine has changed a state that o observes, or observed one
// that o changes, and nothing keeps the two in order. own is what comes before o.
func (x *execution) observes(o *op, own clock) {
	if o.number == steer.Runtime || o.obj == format.StateGoroutines {
		return
	}
	if x.states == nil {
		x.states = map[stateUse]int{}
	}
	write := o.flags&format.FlagWrite != 0
	for u, nth := range x.states { // the order does not matter
		if u.state == o.obj && u.g != o.g && u.write != write && own[x.threads[u.g].slot] <= nth {
			x.unvaried = true
		}
	}
	x.states[stateUse{o.g, o.obj, write}] = o.nth
}

// stateUse is a goroutine's use of a state outside memory.
type stateUse struct {
	g     trace.GoID
	state trace.Addr
	write bool
}

// reversible reports whether q could come before p: p is not what lets q go on.
func reversible(p, q *op) bool {
	if !depend(p, q) {
		return false
	}
	tries := q.flags&(format.FlagTry|format.FlagNonBlocking) != 0 // it goes on in any case
	switch q.kind {
	case format.WGWait:
		return p.kind == format.WGAdd && p.adds // the counter is zero before
	case format.CondWake, format.OnceEnd:
		return false
	case format.Unlock:
		return p.kind == format.TryFail
	case format.ChanRecv:
		return tries || p.kind == format.ChanRecv || p.kind == format.SelectCase || p.kind == format.ChanLen
	case format.ChanSend:
		return tries || p.kind != format.ChanRecv // which has made room
	case format.Lock:
		return tries || p.kind != format.Unlock
	case format.TryFail:
		return p.kind != format.Unlock
	}
	return true
}

// depend reports whether the order of two operations on one object matters.
func depend(p, q *op) bool {
	k := groupOf(p)
	return k == group{} || k != groupOf(q)
}

// A group is of operations that have no order on one object; the zero one is of all others.
type group struct {
	kind format.Kind
	read bool // RLock and RUnlock
}

func groupOf(o *op) group {
	if o.timer {
		return group{}
	}
	switch o.kind {
	case format.AtomicRead, format.WGAdd, format.WGWait, format.OncePass, format.ChanLen, format.SelectCase,
		format.Acquire, format.ReleaseMerge:
		return group{kind: o.kind}
	case format.Lock, format.Unlock, format.TryFail:
		if o.flags&format.FlagRead != 0 {
			return group{read: true}
		}
	}
	return group{}
}

// reversed returns the operations of a schedule in which the second operation of a flip comes
// before the first: all before the first, then what does not depend on it up to the second, then
// the second. With back > 0, the goroutine of the first one stops so many operations earlier. ok is
// false if the second depends on these.
func (x *execution) reversed(f flip, clocks []clock, back int) (ops []int, ok bool) {
	first := &x.ops[f.first]
	nth, slot, at := first.nth-back, x.threads[first.g].slot, f.first
	for ; at > 0 && (x.ops[at].g != first.g || x.ops[at].nth > nth); at-- {
	}
	if back > 0 && (x.ops[at].g != first.g || x.ops[at].nth != nth || x.ops[at].kind == format.Go) {
		return nil, false
	}
	for i := range x.ops[:f.second] {
		switch {
		case i < at || clocks[i][slot] <= nth && x.ops[i].g != first.g:
			ops = append(ops, i)
		case x.ops[i].g == x.ops[f.second].g:
			return nil, false
		}
	}
	return append(ops, f.second), true
}

// schedule returns the schedule of some operations.
func (x *execution) schedule(ops []int) (parts []steer.Part) {
	for _, i := range ops {
		o := &x.ops[i]
		if x.threads[o.g].number == steer.Runtime { // nobody steers it
			continue
		}
		p := steer.Part{Goroutine: x.threads[o.g].number, Until: o.records}
		if n := len(parts); n > 0 && parts[n-1].Goroutine == p.Goroutine {
			parts[n-1] = p
		} else {
			parts = append(parts, p)
		}
	}
	return parts
}
