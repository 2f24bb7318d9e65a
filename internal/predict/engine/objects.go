package engine

import (
	"slices"
	"sort"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// role is the part an operation plays for the state of its object. The numbers are
// used by objects of different classes, as an object has one class only.
type role int8

const (
	noRole role = -1

	roleWrite role = 0 // memory

	roleLock    role = 0
	roleUnlock  role = 1
	roleRLock   role = 2
	roleRUnlock role = 3

	rolePlus  role = 0 // WaitGroup
	roleMinus role = 1

	roleBegin role = 0 // Once
	roleEnd   role = 1

	roleCondWait role = 0
	roleNotify   role = 1

	roleSend  role = 0
	roleRecv  role = 1
	roleClose role = 2
)

func roleOf(e *model.Event) role {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Write, format.AtomicWrite, format.AtomicRMW:
		return roleWrite
	case format.Lock:
		if read {
			return roleRLock
		}
		return roleLock
	case format.Unlock:
		if read {
			return roleRUnlock
		}
		return roleUnlock
	case format.WGAdd:
		if int64(e.Val) < 0 {
			return roleMinus
		}
		return rolePlus
	case format.OnceBegin:
		return roleBegin
	case format.OnceEnd:
		return roleEnd
	case format.CondWait:
		return roleCondWait
	case format.CondSignal, format.CondBroadcast:
		return roleNotify
	case format.ChanSend:
		return roleSend
	case format.ChanRecv:
		if e.Flags&format.FlagClosed != 0 {
			return noRole
		}
		return roleRecv
	case format.ChanClose:
		return roleClose
	case format.Read, format.AtomicRead, format.TryFail, format.WGWait, format.OncePass, format.CondWake,
		format.ChanLen, format.SelectDefault, format.Go, format.Start, format.End, format.Join, model.Pin:
		return noRole
	}
	panic("engine: event kind " + e.Kind.String() + " in a window")
}

// seqs are operations, one list per chain that has any, each in chain order.
type seqs [][]int32

// object is what does not change about an object of the window.
type object struct {
	init *model.ObjState
	ops  [4]seqs

	// disciplined: every thread releases what it acquired, or what the window's
	// initial state lets somebody release; then critical sections exclude each other.
	disciplined bool
	inherited   [2][]int32 // releases without an acquire, writer and reader mode
}

// objects are the operations of a window by object.
type objects struct {
	static  *static
	objs    []object
	release []int32 // of a Lock: its Unlock by the same thread, or -1
	waited  []int32 // of a CondWake: its CondWait, or -1
	// of any event: the unbuffered send its thread comes from, -1, or initialSlot - channel
	blocker []int32
	joins   []int32 // of a Join: the same for the end of the thread it waits for (MO3)
}

// initialSlot marks a thread that starts the window in a send: it is blocked on the
// slot of channel initialSlot - blocker.
const initialSlot = -2

func newObjects(st *static) *objects {
	w := st.w
	ob := &objects{
		static: st, objs: make([]object, len(w.Init)),
		release: filled(st.n, -1), waited: filled(st.n, -1), blocker: filled(st.n, -1), joins: filled(st.n, -1),
	}
	for i := range w.Init {
		ob.objs[i].init = &w.Init[i]
	}
	for _, x := range st.line {
		e := &w.Events[x]
		if r := roleOf(e); r != noRole {
			o := &ob.objs[e.Obj]
			o.ops[r] = addTo(o.ops[r], st, x)
		}
	}
	ob.matchLocks(st)
	ob.matchWaits(st)
	ob.findBlockers(st)
	return ob
}

func filled(n int32, v int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// addTo appends x, the last event so far, to the list of its chain.
func addTo(q seqs, st *static, x int32) seqs {
	for i := len(q) - 1; i >= 0; i-- {
		if st.chain[q[i][0]] == st.chain[x] {
			q[i] = append(q[i], x)
			return q
		}
	}
	return append(q, []int32{x})
}

// matchLocks pairs acquires and releases of each thread and judges discipline.
func (ob *objects) matchLocks(st *static) {
	type key struct {
		t    model.Thread
		o    model.Obj
		mode int
	}
	open := map[key][]int32{}
	for i := range ob.objs {
		ob.objs[i].disciplined = true
	}
	for i := range st.w.Events {
		e := &st.w.Events[i]
		k := key{e.Thread, e.Obj, 0}
		if e.Flags&format.FlagRead != 0 {
			k.mode = 1
		}
		switch e.Kind {
		case format.Lock:
			open[k] = append(open[k], int32(i))
		case format.Unlock:
			if l := open[k]; len(l) > 0 {
				ob.release[l[len(l)-1]] = int32(i)
				open[k] = l[:len(l)-1]
			} else {
				o := &ob.objs[e.Obj]
				o.inherited[k.mode] = append(o.inherited[k.mode], int32(i))
			}
		}
	}
	for i := range ob.objs {
		o := &ob.objs[i]
		writers := 0
		if o.init.Writer {
			writers = 1
		}
		o.disciplined = len(o.inherited[0]) <= writers && len(o.inherited[1]) <= int(o.init.Readers)
	}
}

func (ob *objects) matchWaits(st *static) {
	for _, th := range st.threads {
		last := map[model.Obj]int32{}
		for _, x := range th {
			e := &st.w.Events[x]
			switch e.Kind {
			case format.CondWait:
				last[e.Obj] = x
			case format.CondWake:
				if w, ok := last[e.Obj]; ok {
					ob.waited[x] = w
				}
			}
		}
	}
}

// findBlockers finds the sends whose thread can go on only after the slot is emptied (MO14).
func (ob *objects) findBlockers(st *static) {
	// the send or slot that each thread ends the window in
	final := filled(int32(len(st.threads)), -1)
	for i := range ob.objs {
		in := ob.objs[i].init
		if in.Cap == 0 && len(in.Queue) > 0 && int(in.SlotOf) < len(final) {
			final[in.SlotOf] = initialSlot - int32(i)
		}
	}
	for i := range st.w.Events {
		e := &st.w.Events[i]
		ob.blocker[i] = final[e.Thread]
		final[e.Thread] = -1
		if e.Kind == format.ChanSend && ob.objs[e.Obj].init.Cap == 0 {
			final[e.Thread] = int32(i)
		}
	}
	for i := range st.w.Events {
		if e := &st.w.Events[i]; e.Kind == format.Join {
			ob.joins[i] = final[e.Obj]
		}
	}
}

// countBefore is the number of operations of l that stand before position p.
func countBefore(l []int32, pos []int32, p int32) int {
	return sort.Search(len(l), func(k int) bool { return pos[l[k]] >= p })
}

// lastBefore returns the last operation of l that stands before position p, or -1.
func lastBefore(l []int32, pos []int32, p int32) int32 {
	if k := countBefore(l, pos, p); k > 0 {
		return l[k-1]
	}
	return -1
}

// firstAfter returns the first operation of l that stands after position p, or -1.
func firstAfter(l []int32, pos []int32, p int32) int32 {
	if k := countBefore(l, pos, p+1); k < len(l) {
		return l[k]
	}
	return -1
}

// lastMust returns the last write of each chain that must stand before the read r.
func (ob *objects) lastMust(r int32) []int32 {
	var last []int32
	for _, q := range ob.objs[ob.static.w.Events[r].Obj].ops[roleWrite] {
		if k := ob.countMust(q, r); k > 0 {
			last = append(last, q[k-1])
		}
	}
	return last
}

// countMust is the number of events of q that must stand before x.
func (ob *objects) countMust(q []int32, x int32) int {
	k, _ := slices.BinarySearchFunc(q, 0, func(y int32, _ int) int {
		if ob.static.must(y, x) {
			return -1
		}
		return 1
	})
	return k
}

// hidden reports that a write of last always overwrites w.
func (ob *objects) hidden(w int32, last []int32) bool {
	for _, l := range last {
		if ob.static.must(w, l) {
			return true
		}
	}
	return false
}
