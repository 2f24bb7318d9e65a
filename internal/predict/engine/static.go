package engine

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// static is the order that every reordering of a window keeps: an event of a
// reordering has its static predecessors before it.
//
// Threads that cannot overlap share a chain: the events of a chain are totally
// ordered by static, and clocks have one entry per chain.
type static struct {
	w       *model.Window
	n       int32     // events
	threads [][]int32 // events of each thread
	// all events in an order that extends the static one; the recorded order, where that does
	line   []int32
	place  []int32 // of each event in line
	prev   []int32 // previous event of the thread, or -1
	next   []int32
	pre    [][]int32 // other static predecessors
	post   [][]int32
	weak   [][]int32 // by event: the sources of its weak edges; nil: there are none
	chains [][]int32
	chain  []int32   // of each event
	idx    []int32   // of each event in its chain
	width  int32     // number of chains
	clocks [][]int32 // by event: how many events of each other chain stand before it
	never  []bool    // event is in no reordering
	forced bool      // an edge was added since the last linearize
}

func newStatic(w *model.Window) *static {
	n := len(w.Events)
	st := &static{
		w: w, n: int32(n),
		threads: make([][]int32, len(w.Threads)),
		prev:    make([]int32, n), next: make([]int32, n),
		pre: make([][]int32, n), post: make([][]int32, n),
		chain: make([]int32, n), idx: make([]int32, n),
		never: make([]bool, n),
	}
	for i := range w.Events {
		t := w.Events[i].Thread
		x := int32(i)
		st.prev[x], st.next[x] = -1, -1
		st.never[x] = w.Events[i].Never // (MO7)
		if l := st.threads[t]; len(l) > 0 {
			st.prev[x] = l[len(l)-1]
			st.next[st.prev[x]] = x
		}
		st.threads[t] = append(st.threads[t], x)
	}
	st.addThreadEdges()
	last := make(lastEdges, len(w.Threads))
	for _, e := range w.Edges { // (MO4)
		if !e.Weak {
			if !last.implies(w, e) {
				st.edge(e.From, e.To)
			}
			continue
		}
		if st.weak == nil {
			st.weak = make([][]int32, n)
		}
		st.weak[e.To] = append(st.weak[e.To], e.From)
		if y := st.next[e.To]; y >= 0 {
			st.edge(e.From, y)
		}
	}
	st.linearize()
	return st
}

// lastEdges are the last hard edges between threads, by the thread that they lead to and the thread
// that they come from.
type lastEdges [][]model.Edge

// implies reports whether e follows from the last edge between its threads by program order. Each
// of many calls in a row comes after the same last events of other threads. If not, e becomes the
// last edge.
func (l lastEdges) implies(w *model.Window, e model.Edge) bool {
	from, to := w.Events[e.From].Thread, w.Events[e.To].Thread
	if l[to] == nil {
		l[to] = make([]model.Edge, len(w.Threads))
	}
	x := &l[to][from]
	if x.To > 0 && x.From >= e.From && x.To <= e.To {
		return true
	}
	*x = e
	return false
}

// edge adds a static edge: x stands before y in every reordering with y. Until the next
// linearize it may close a cycle.
func (st *static) edge(x, y int32) {
	st.forced = true
	if x == y {
		st.never[y] = true
		return
	}
	st.post[x] = append(st.post[x], y)
	st.pre[y] = append(st.pre[y], x)
}

// linearize computes line. In a recorded window that is the recorded order. In a variant
// (docs/theory/model.md, "The recorded order") a Join, a hard edge or a forced order may contradict
// it. Events on cycles and after them are in no reordering. They come last, and the edges between
// them that contradict line are removed, so that pre and post have no cycle.
func (st *static) linearize() {
	st.forced = false
	st.line, st.place = st.line[:0], filled(st.n, -1)
	if st.isRecorded() {
		for x := range st.n {
			st.put(x)
		}
		return
	}
	left := make([]int32, st.n) // static predecessors that are not in line yet
	var ready firsts
	for x := range st.n {
		left[x] = int32(len(st.pre[x]))
		if st.prev[x] >= 0 {
			left[x]++
		}
		if left[x] == 0 {
			ready = append(ready, x) // ascending is a heap
		}
	}
	done := func(x int32) {
		if x < 0 {
			return
		}
		if left[x]--; left[x] == 0 {
			heap.Push(&ready, x)
		}
	}
	for len(ready) > 0 {
		x := heap.Pop(&ready).(int32)
		st.put(x)
		done(st.next[x])
		for _, y := range st.post[x] {
			done(y)
		}
	}
	if len(st.line) < int(st.n) {
		st.cutCycles()
	}
}

// isRecorded reports that no edge contradicts the recorded order.
func (st *static) isRecorded() bool {
	for x, pre := range st.pre {
		if len(pre) > 0 && slices.Max(pre) > int32(x) {
			return false
		}
	}
	return true
}

func (st *static) put(x int32) {
	st.place[x] = int32(len(st.line))
	st.line = append(st.line, x)
}

// cutCycles appends the events on and after cycles, chain by chain, and drops edges that contradict
// line.
func (st *static) cutCycles() {
	var rest []int32
	for x := range st.n {
		if st.place[x] < 0 {
			st.never[x] = true
			rest = append(rest, x)
		}
	}
	slices.SortStableFunc(rest, func(x, y int32) int { // no chains yet: all zero
		return cmp.Or(cmp.Compare(st.chain[x], st.chain[y]), cmp.Compare(st.idx[x], st.idx[y]))
	})
	for _, x := range rest {
		st.put(x)
	}
	for x := range st.n {
		st.pre[x] = slices.DeleteFunc(st.pre[x], func(p int32) bool { return st.place[p] > st.place[x] })
		st.post[x] = slices.DeleteFunc(st.post[x], func(p int32) bool { return st.place[p] < st.place[x] })
	}
}

// firsts is a heap of events: the first in the recorded order is on top.
type firsts []int32

func (f firsts) Len() int           { return len(f) }
func (f firsts) Less(i, j int) bool { return f[i] < f[j] }
func (f firsts) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *firsts) Push(x any)        { *f = append(*f, x.(int32)) }
func (f *firsts) Pop() any {
	x := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return x
}

// addThreadEdges adds (MO2) and (MO3).
func (st *static) addThreadEdges() {
	for i := range st.w.Events {
		e := &st.w.Events[i]
		switch e.Kind {
		case format.Go:
			if l := st.threads[e.Obj]; len(l) > 0 {
				st.edge(int32(i), l[0])
			}
		case format.Join:
			if l := st.threads[e.Obj]; len(l) > 0 {
				st.edge(l[len(l)-1], int32(i))
			}
		}
	}
}

// assignChains puts every thread on the first chain whose events all come before it.
func (st *static) assignChains() {
	now := make([][]int32, len(st.threads)) // clock of each thread
	saved := map[int32][]int32{}            // clocks of events with successors in other threads
	var length []int32                      // of each chain, with the events to come
	for _, x := range st.line {
		t := st.w.Events[x].Thread
		for _, p := range st.pre[x] {
			now[t] = joinClock(now[t], saved[p])
		}
		if st.prev[x] < 0 {
			k := int32(0)
			for int(k) < len(length) && (int(k) >= len(now[t]) || now[t][k] != length[k]) {
				k++
			}
			if int(k) == len(length) {
				length = append(length, 0)
				st.chains = append(st.chains, nil)
			}
			st.chain[x] = k
			length[k] += int32(len(st.threads[t]))
		} else {
			st.chain[x] = st.chain[st.prev[x]]
		}
		k := st.chain[x]
		st.idx[x] = int32(len(st.chains[k]))
		st.chains[k] = append(st.chains[k], x)
		for int(k) >= len(now[t]) {
			now[t] = append(now[t], 0)
		}
		now[t][k] = st.idx[x] + 1
		if len(st.post[x]) > 0 {
			saved[x] = append([]int32(nil), now[t]...)
		}
	}
	st.width = int32(len(st.chains))
}

func joinClock(a, b []int32) []int32 {
	for len(a) < len(b) {
		a = append(a, 0)
	}
	for k, v := range b {
		a[k] = max(a[k], v)
	}
	return a
}

// computeClocks fills clocks and spreads never along the edges. A clock ends with its
// last positive entry, and events share the clock of their predecessor where they
// can: with thousands of threads most clocks are short or shared.
func (st *static) computeClocks() {
	if st.forced {
		st.linearize()
	}
	st.clocks = make([][]int32, st.n)
	for _, x := range st.line {
		if p := st.prev[x]; p >= 0 {
			st.clocks[x] = st.clocks[p]
			st.never[x] = st.never[x] || st.never[p]
		}
		if len(st.pre[x]) == 0 {
			continue
		}
		clock := slices.Clone(st.clocks[x])
		for _, p := range st.pre[x] {
			clock = joinClock(clock, st.clocks[p])
			if c := st.chain[p]; c != st.chain[x] {
				for int32(len(clock)) <= c {
					clock = append(clock, 0)
				}
				clock[c] = max(clock[c], st.idx[p]+1)
			}
			st.never[x] = st.never[x] || st.never[p]
		}
		st.clocks[x] = clock
	}
}

// count is the number of events of chain c that stand before x.
func (st *static) count(x, c int32) int32 {
	if c == st.chain[x] {
		return st.idx[x]
	}
	if clock := st.clocks[x]; int(c) < len(clock) {
		return clock[c]
	}
	return 0
}

// must reports that x stands before y in every reordering with y.
func (st *static) must(x, y int32) bool {
	return x != y && st.count(y, st.chain[x]) > st.idx[x]
}

// from is the index in chain c where x and the events that must follow it start.
func (st *static) from(x, c int32) int32 {
	if c == st.chain[x] {
		return st.idx[x]
	}
	return st.staticFollowing(x, c)
}

// staticFollowing is the index in chain c where the events start that must follow x;
// it is the chain's length if there is none.
func (st *static) staticFollowing(x, c int32) int32 {
	lo, hi := int32(0), int32(len(st.chains[c]))
	cx, ix := st.chain[x], st.idx[x]
	for lo < hi {
		m := (lo + hi) / 2
		if st.count(st.chains[c][m], cx) > ix {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return lo
}
