package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// derive adds the static edges that objects force by themselves:
//
//   - an inherited hold is released before the lock is acquired in a conflicting mode (MO13);
//   - the only OnceEnd precedes every OncePass (MO13);
//   - where one chain sends on a channel and one chain receives from it, the k-th
//     element orders the two operations, and a full channel orders receive and send (MO13, MO14);
//   - a WGWait that needs every decrement it can get has them all before it (MO13).
//
// The last rule uses clocks, so they are computed before it and after it.
func (st *static) derive(ob *objects) {
	for i := range ob.objs {
		o := &ob.objs[i]
		if o.disciplined {
			st.deriveInherited(o)
		}
	}
	for i := range st.w.Events {
		e := &st.w.Events[i]
		if e.Kind == format.OncePass {
			st.deriveOnce(int32(i), &ob.objs[e.Obj])
		}
	}
	for _, o := range channels(st.w) {
		st.deriveChannel(&ob.objs[o])
	}
	st.computeClocks()
	n := 0
	for i := range st.w.Events {
		if e := &st.w.Events[i]; e.Kind == format.WGWait {
			n += st.deriveWait(int32(i), &ob.objs[e.Obj])
		}
	}
	if n > 0 {
		st.computeClocks()
	}
}

func (st *static) deriveInherited(o *object) {
	held := [2]int{0, int(o.init.Readers)}
	if o.init.Writer {
		held[0] = 1
	}
	for mode, us := range o.inherited {
		if len(us) == 0 || len(us) < held[mode] {
			continue
		}
		acquires := o.ops[roleLock]
		if mode == 0 {
			acquires = append(acquires[:len(acquires):len(acquires)], o.ops[roleRLock]...)
		}
		for _, q := range acquires {
			for _, u := range us {
				st.edge(u, q[0]) // the rest of q follows
			}
		}
	}
}

func (st *static) deriveOnce(x int32, o *object) {
	if ends := o.ops[roleEnd]; o.init.Once != model.OnceDone && len(ends) == 1 && len(ends[0]) == 1 {
		st.edge(ends[0][0], x)
	}
}

// channels lists the channels of a window.
func channels(w *model.Window) []model.Obj {
	var l []model.Obj
	seen := make([]bool, len(w.Init))
	for i := range w.Events {
		if e := &w.Events[i]; e.Kind == format.ChanSend && !seen[e.Obj] {
			seen[e.Obj] = true
			l = append(l, e.Obj)
		}
	}
	return l
}

func (st *static) deriveChannel(o *object) {
	if len(o.ops[roleSend]) != 1 || len(o.ops[roleRecv]) != 1 {
		return
	}
	send, recv := o.ops[roleSend][0], o.ops[roleRecv][0]
	size, n := max(1, int(o.init.Cap)), len(o.init.Queue)
	for k, r := range recv { // takes element number k
		if k >= n && k-n < len(send) {
			st.edge(send[k-n], r)
		}
		if j := k + size - n; j >= 0 && j < len(send) { // element number k+size needs its place
			st.edge(r, send[j])
		}
	}
}

// deriveWait: at x the counter is zero. If it is so only when all decrements that can
// precede x do, and no increments but those that must, then they do.
func (st *static) deriveWait(x int32, o *object) (n int) {
	sum := o.init.Counter
	for _, q := range o.ops[rolePlus] {
		for _, y := range q {
			if st.must(y, x) {
				sum += int64(st.w.Events[y].Val)
			}
		}
	}
	var minus []int32
	for _, q := range o.ops[roleMinus] {
		for _, y := range q {
			if !st.must(x, y) {
				sum += int64(st.w.Events[y].Val)
				minus = append(minus, y)
			}
		}
	}
	if sum < 0 {
		return 0
	}
	for _, y := range minus {
		if !st.must(y, x) {
			st.edge(y, x)
			n++
		}
	}
	return n
}
