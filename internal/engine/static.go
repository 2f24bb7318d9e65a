package engine

import (
	"slices"

	"presage/internal/trace/format"
	"presage/internal/window"
)

// static is the order that every reordering of a window keeps: an event of a
// reordering has its static predecessors before it.
//
// Threads that cannot overlap share a chain: the events of a chain are totally
// ordered by static, and clocks have one entry per chain.
type static struct {
	w       *window.Window
	n       int32     // events
	threads [][]int32 // events of each thread
	prev    []int32   // previous event of the thread, or -1
	next    []int32
	pre     [][]int32 // other static predecessors
	post    [][]int32
	chains  [][]int32
	chain   []int32   // of each event
	idx     []int32   // of each event in its chain
	width   int32     // number of chains
	clocks  [][]int32 // by event: how many events of each other chain stand before it
	never   []bool    // event is in no reordering
}

func newStatic(w *window.Window) *static {
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
		if l := st.threads[t]; len(l) > 0 {
			st.prev[x] = l[len(l)-1]
			st.next[st.prev[x]] = x
		}
		st.threads[t] = append(st.threads[t], x)
	}
	st.addThreadEdges()
	for _, e := range w.Edges { // (M4)
		st.edge(e.From, e.To)
	}
	return st
}

// edge adds a static edge. Edges against the trace order say that y cannot follow
// what it requires in the recorded order either: then y is never executed.
func (st *static) edge(x, y int32) {
	if x >= y {
		st.never[y] = true
		return
	}
	st.post[x] = append(st.post[x], y)
	st.pre[y] = append(st.pre[y], x)
}

// addThreadEdges adds (M2) and (M3).
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

// assignChains puts every thread on the first chain whose events all stand before it.
func (st *static) assignChains() {
	now := make([][]int32, len(st.threads)) // clock of each thread
	saved := map[int32][]int32{}            // clocks of events with successors in other threads
	var length []int32                      // of each chain, with the events to come
	for i := range st.w.Events {
		x := int32(i)
		t := st.w.Events[i].Thread
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
	st.clocks = make([][]int32, st.n)
	for x := range st.n {
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
