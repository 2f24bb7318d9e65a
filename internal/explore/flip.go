package explore

import (
	"slices"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A clock has, for each thread of an execution, how many of its operations come before.
type clock []int32

func (c clock) join(d clock) {
	for i := range d {
		c[i] = max(c[i], d[i])
	}
}

// A flip is a pair of operations on one object, by different goroutines, whose order could be the
// other one: the second does not depend on the first but by this order ("Dynamic partial-order
// reduction for model checking software", Flanagan and Godefroid, POPL 2005, section 3).
//
// The second may be one that has not been made (pending.go).
type flip struct{ first, second int } // of ops, and of those that are pending behind them

// maxLast is how many operations of a goroutine on an object, of one kind, may be the first of a
// flip: the last one is enough where every order can be steered to. Within a few operations of the
// runtime and of sync/atomic no goroutine can wait.
const maxLast = 4

// A maker is a goroutine that makes operations of one kind. Whether they are reversible does not
// differ.
type maker struct {
	g     trace.GoID
	kind  format.Kind
	flags format.Flags
	adds  bool
}

// An object has what was done to it, while flips are looked for.
type object struct {
	first   int             // operation on it
	last    map[maker][]int // at most maxLast
	release map[group]clock // of all operations, by their group
}

func newObject(first int) *object {
	return &object{first: first, last: map[maker][]int{}, release: map[group]clock{}}
}

// before joins to own what comes before an operation on b because they depend on each other.
func (b *object) before(o *op, own clock) {
	in := groupOf(o)
	for k, c := range b.release { // the order does not matter
		if k != in || k == (group{}) {
			own.join(c)
		}
	}
}

// after notes an operation on b; own is its clock.
func (b *object) after(o *op, own clock) {
	in := groupOf(o)
	if b.release[in] == nil {
		b.release[in] = make(clock, len(own))
	}
	b.release[in].join(own)
}

// flipsTo appends the flips whose second operation is number i. own is what comes before that.
func (x *execution) flipsTo(list []flip, i int, b *object, own clock) []flip {
	o := x.op(i)
	for m, ks := range b.last { // the list is sorted later
		for _, k := range ks {
			p := &x.ops[k]
			starts := o.timer && k == b.first // the timer that o is of
			if len(list) >= maxFlips {
				x.cut++
				continue
			}
			if m.g != o.g && own[x.threads[m.g].slot] <= int32(p.nth) && reversible(p, o) && !starts {
				list = append(list, flip{k, i})
			}
		}
	}
	return list
}

// flips returns the pairs that could change their order, and the clock of each operation. Those
// with the latest second operation come first, and of these the one with the earliest first
// operation: what depends on that comes later as well, so one run reverses the second with all of
// it.
func (x *execution) flips() (list []flip, clocks []clock) {
	n := len(x.threads)
	x.states, x.cut = nil, 0
	now := make([]clock, n) // of each thread
	for i := range now {
		now[i] = make(clock, n)
	}
	objects := map[trace.Addr]*object{}
	clocks = make([]clock, len(x.ops))
	for i := range x.ops {
		o := &x.ops[i]
		t := x.threads[o.g]
		own := now[t.slot]
		if o.kind == format.Go {
			own[t.slot] = int32(o.nth + 1)
			now[x.threads[trace.GoID(o.obj)].slot].join(own)
			clocks[i] = slices.Clone(own)
			continue
		}
		if o.kind == format.SelectDefault {
			own[t.slot] = int32(o.nth + 1)
			clocks[i] = slices.Clone(own)
			continue
		}
		if o.kind == format.Observe {
			x.observes(o, own)
			own[t.slot] = int32(o.nth + 1)
			clocks[i] = slices.Clone(own)
			continue
		}
		b := objects[o.obj]
		if b == nil {
			b = newObject(i)
			objects[o.obj] = b
		}
		if ordering(o) && t.number != steer.Runtime {
			list = x.flipsTo(list, i, b, own)
			m := maker{o.g, o.kind, o.flags, o.kind == format.WGAdd && o.delta > 0}
			ks := b.last[m]
			b.last[m] = append(ks[max(0, len(ks)-maxLast+1):len(ks):len(ks)], i)
		}
		b.before(o, own)
		if o.partner > 0 { // the two are one step
			p := &x.ops[o.partner]
			own.join(now[x.threads[p.g].slot])
			own[x.threads[p.g].slot] = int32(p.nth + 1)
		}
		own[t.slot] = int32(o.nth + 1)
		b.after(o, own)
		clocks[i] = slices.Clone(own)
	}
	for i := range x.pending {
		o := &x.pending[i]
		if b := objects[o.obj]; b != nil {
			list = x.flipsTo(list, len(x.ops)+i, b, now[x.threads[o.g].slot])
		}
	}
	slices.SortFunc(list, func(a, b flip) int {
		if a.second != b.second {
			return b.second - a.second
		}
		return a.first - b.first
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
		if u.state != o.obj || u.g == o.g || own[x.threads[u.g].slot] > int32(nth) {
			continue
		}
		if o.obj == steer.Clock {
			x.clocked = true
		} else if u.write != write {
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
		return p.kind == format.WGAdd && p.delta > 0 // the counter is zero before
	case format.CondWake, format.OnceEnd:
		return false
	case format.OncePass:
		return p.kind != format.OnceEnd
	case format.Unlock:
		return p.kind == format.TryFail
	case format.ChanRecv:
		return tries || q.waits || !hands(p, q)
	case format.ChanSend: // the receive may have made room
		return tries || q.waits || p.kind != format.ChanRecv || p.flags&format.FlagClosed == 0 && q.delta-p.delta < q.size
	case format.Lock:
		return tries || p.kind != format.Unlock
	case format.TryFail:
		return p.kind != format.Unlock
	}
	return true
}

// hands reports whether a receive needs an operation before it: the send of its element, or of one
// before that, or the close.
func hands(p, q *op) bool {
	switch p.kind {
	case format.ChanRecv, format.SelectCase, format.ChanLen:
		return false
	case format.ChanSend:
		return q.flags&format.FlagClosed != 0 || p.delta <= q.delta
	}
	return q.flags&format.FlagClosed != 0
}

// depend reports whether the order of two operations on one object matters.
func depend(p, q *op) bool {
	k := groupOf(p)
	return k == group{} || k != groupOf(q)
}

// A group is of operations that have no order on one object; the zero one is of all others.
type group struct {
	kind format.Kind
	read bool // RLock and RUnlock; a case that receives, where only a meeting makes it ready
}

func groupOf(o *op) group {
	if o.timer || o.inTurn {
		return group{}
	}
	switch o.kind {
	case format.SelectCase:
		return group{o.kind, o.meets && o.flags&format.FlagWrite == 0}
	case format.Read, format.AtomicRead, format.WGAdd, format.WGWait, format.OncePass,
		format.ChanLen, format.Acquire, format.ReleaseMerge:
		return group{kind: o.kind}
	case format.Lock, format.Unlock, format.TryFail:
		if o.flags&format.FlagRead != 0 {
			return group{read: true}
		}
	}
	return group{}
}

// past returns the operations that come before both operations of a flip in any case.
func (x *execution) past(f flip, clocks []clock) (ops []int) {
	limit := make(clock, len(x.threads))
	for _, o := range []*op{&x.ops[f.first], x.op(f.second)} {
		for i := min(o.entry, len(x.ops)) - 1; i >= 0; i-- {
			p := &x.ops[i]
			if p.g == o.g || p.kind == format.Go && trace.GoID(p.obj) == o.g {
				limit.join(clocks[i])
				break
			}
		}
	}
	for i := range x.ops[:min(f.second, len(x.ops))] {
		if o := &x.ops[i]; int32(o.nth) < limit[x.threads[o.g].slot] {
			ops = append(ops, i)
		}
	}
	return ops
}

// reversed returns the operations of a schedule in which the second operation of a flip comes
// before the first: all before the first, then what does not depend on it up to the second. With
// back > 0, the goroutine of the first one stops so many operations earlier. ok is
// false if the second depends on these.
func (x *execution) reversed(f flip, clocks []clock, back int) (ops []int, ok bool) {
	entry := x.ops[f.first].entry
	first := &x.ops[entry]
	nth, slot, at := first.nth-back, x.threads[first.g].slot, entry
	if back == maxBack {
		nth = x.callOf(entry)
	}
	for ; at > 0 && (x.ops[at].g != first.g || x.ops[at].nth > nth); at-- {
	}
	if back > 0 && (x.ops[at].g != first.g || x.ops[at].nth != nth || x.ops[at].kind == format.Go) {
		return nil, false
	}
	for i := range x.ops[:min(f.second, len(x.ops))] {
		switch {
		case x.ops[i].g == x.op(f.second).g && i >= x.op(f.second).entry: // of one select with it
		case i < at || clocks[i][slot] <= int32(nth) && x.ops[i].g != first.g:
			ops = append(ops, i)
		case x.ops[i].g == x.op(f.second).g:
			return nil, false
		}
	}
	return ops, true
}

// callOf returns which operation of its goroutine is the first of code outside, of those up to
// operation i without one of traced code in between.
func (x *execution) callOf(i int) (nth int) {
	nth = x.ops[i].nth
	for k := i - 1; k >= 0; k-- {
		if x.ops[k].g != x.ops[i].g {
			continue
		}
		if x.ops[k].site != 0 || x.ops[k].kind == format.Go {
			break
		}
		nth = x.ops[k].nth
	}
	return nth
}

// schedule returns the schedule of some operations. Of two goroutines that meet at a channel, one
// waits for the other: the sender, unless its operation does not wait.
func (x *execution) schedule(ops []int) (parts []steer.Part) {
	add := func(o *op, bits uint64) {
		if o.number == steer.Runtime { // nobody steers it
			return
		}
		p := steer.Part{Goroutine: o.number, Until: o.records | bits}
		if n := len(parts); n > 0 && parts[n-1].Goroutine == p.Goroutine {
			parts[n-1] = p
		} else {
			parts = append(parts, p)
		}
	}
	for _, i := range ops {
		o := &x.ops[i]
		switch {
		case o.partner == 0:
			add(o, 0)
		case o.flags&format.FlagNonBlocking != 0:
			add(&x.ops[o.partner], steer.OrWaits)
			add(o, 0)
		default:
			add(o, steer.OrWaits)
		}
	}
	return parts
}
