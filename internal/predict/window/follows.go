package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// Known order: what comes before an event in any case, by program order (MO1), by a go statement of
// the window (MO2) and by hard edges that are not weak (MO4). Excluded code requires an edge for
// each pair of accesses that may conflict. Most of these follow from others, for example where a
// goroutine has ended before the next is started. An edge that follows from known order is not
// made.

// follows is known order: of each thread, what comes before its last event.
type follows struct {
	places int         // how many threads have one
	of     []*followed // by Thread
	all    int32       // the last event that was put after everything
}

// followed is the known order before the events of one thread. The thread of an unknown writer has
// no place in now.
type followed struct {
	at   int     // place in now of others; -1: none
	now  []int32 // by place: the last event that comes before, +1
	past []moment
}

// moment is what comes before event n of a thread, and before its later ones up to the next moment.
type moment struct {
	n   int32
	now []int32
}

// thread returns what comes before the last event of thread t.
func (f *follows) thread(m *graph, t model.Thread) *followed {
	for int(t) >= len(f.of) {
		f.of = append(f.of, nil)
	}
	x := f.of[t]
	if x == nil {
		x = &followed{at: -1}
		if m.w.Threads[t] > 0 {
			x.at = f.places
			f.places++
		}
		f.of[t] = x
	}
	return x
}

// until returns what comes before event n of a thread, or less.
func (x *followed) until(n int32) []int32 {
	k, found := slices.BinarySearchFunc(x.past, n, func(p moment, n int32) int { return int(p.n) - int(n) })
	if found {
		k++
	}
	if k == 0 {
		return nil
	}
	return x.past[k-1].now
}

func (x *followed) has(at int, n int32) bool { return at >= 0 && at < len(x.now) && n < x.now[at] }

// after puts event n of x, and all later ones, after event e of y.
func (x *followed) after(n int32, y *followed, e int32) {
	if y.at >= 0 && x.has(y.at, e) { // and so all that is before e
		return
	}
	now := slices.Clone(x.now)
	for i, k := range y.until(e) {
		now = raise(now, i, k)
	}
	if y.at >= 0 {
		now = raise(now, y.at, e+1)
	}
	x.now = now
	if k := len(x.past); k > 0 && x.past[k-1].n >= n { // later events than n are known already
		x.past[k-1].now = now
		return
	}
	x.past = append(x.past, moment{n, now})
}

func raise(now []int32, i int, k int32) []int32 {
	for len(now) <= i {
		now = append(now, 0)
	}
	now[i] = max(now[i], k)
	return now
}

// follow takes a hard edge. It reports whether the edge does not follow from known order.
func (m *graph) follow(from, to int32) (fresh bool) {
	if !m.b.excode.active() {
		return true
	}
	y, x := m.follows.thread(m, m.w.Events[from].Thread), m.follows.thread(m, m.w.Events[to].Thread)
	if y.at >= 0 && x.has(y.at, from) {
		// what comes before from is not known
		return len(x.past) == 0 || x.past[len(x.past)-1].n > to
	}
	x.after(to, y, from)
	return true
}

// afterLast puts event n of t after everything that happened: after the last event of each thread,
// without those that come before one of these. One of them is the event that was put after
// everything the last time; all events up to then come before it.
func (m *graph) afterLast(t *thread, n int32) {
	x := m.follows.thread(m, m.w.Events[n].Thread)
	var list []*thread
	for _, u := range m.order {
		if u != t && u.last >= m.follows.all && !x.has(m.follows.thread(m, u.id).at, u.last) {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(u, v *thread) int { return int(v.last) - int(u.last) })
	for _, u := range list {
		if !x.has(m.follows.thread(m, u.id).at, u.last) {
			m.edge(u.last, n)
		}
	}
	m.follows.all = n
}

// followGo takes a Go of the window: n starts u.
func (m *graph) followGo(n int32, u model.Thread) {
	if m.b.excode.active() {
		m.follows.thread(m, u).after(n, m.follows.thread(m, m.w.Events[n].Thread), n)
	}
}

// known is what comes before the next event of thread t (excluded.Known).
type known struct {
	m *graph
	t model.Thread
	x *followed
}

func (m *graph) known(t *thread) *known {
	k := &known{m: m, t: -1}
	if t.id >= 0 {
		k.t, k.x = t.id, m.follows.thread(m, t.id)
	}
	return k
}

// Past reports whether an event of goroutine g after its event n, or any if n is -1, comes before.
func (k *known) Past(g trace.GoID, n int32) bool {
	u := k.m.threads[g]
	if u == nil || u.id < 0 || k.t < 0 {
		return false
	}
	return u.id == k.t || k.x.has(k.m.follows.thread(k.m, u.id).at, n+1)
}

// Before reports whether event n comes before.
func (k *known) Before(n int32) bool {
	if k.t < 0 || n < 0 {
		return n < 0
	}
	t := k.m.w.Events[n].Thread
	return t == k.t || k.x.has(k.m.follows.thread(k.m, t).at, n)
}
