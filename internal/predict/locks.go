package predict

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// locksets are the sets of locks that are held at the events of a window.
type locksets struct {
	at     []int32 // by event: number of its set
	sets   [][]hold
	number map[string]int32
	memo   map[[2]int32]bool
}

type hold struct {
	obj  model.Obj
	read bool
}

func newLocksets(n int) *locksets {
	return &locksets{at: make([]int32, n), sets: [][]hold{nil}, number: map[string]int32{"": 0}, memo: make(map[[2]int32]bool)}
}

// computeLocksets computes the sets. A lock that a thread unlocks without holding it protects
// nothing and is left out (PR4). A lock that is held at the start is held by the thread that first
// unlocks it.
func computeLocksets(w *model.Window) *locksets {
	l := newLocksets(len(w.Events))
	held, lent := holders(w)
	now := make([]int32, len(w.Threads))
	for t := range held {
		held[t] = slices.DeleteFunc(held[t], func(h hold) bool { return lent[h.obj] })
		now[t] = l.intern(held[t])
	}
	for i := range w.Events {
		e := &w.Events[i]
		h := hold{e.Obj, e.Flags&format.FlagRead != 0}
		switch {
		case e.Kind == format.Lock && !lent[e.Obj]:
			held[e.Thread] = append(held[e.Thread], h)
			now[e.Thread] = l.intern(held[e.Thread])
		case e.Kind == format.Unlock:
			if k := slices.Index(held[e.Thread], h); k >= 0 {
				held[e.Thread] = slices.Delete(held[e.Thread], k, k+1)
				now[e.Thread] = l.intern(held[e.Thread])
			}
		}
		l.at[i] = now[e.Thread]
	}
	return l
}

// holders returns, by thread, the locks that were held at the start, and the locks that some thread
// unlocks without holding them.
func holders(w *model.Window) (start [][]hold, lent map[model.Obj]bool) {
	type key struct {
		t model.Thread
		h hold
	}
	start, lent = make([][]hold, len(w.Threads)), make(map[model.Obj]bool)
	depth, open := make(map[key]int), make(map[hold]int32)
	for i := range w.Events {
		e := &w.Events[i]
		h := hold{e.Obj, e.Flags&format.FlagRead != 0}
		k := key{e.Thread, h}
		switch {
		case e.Kind == format.Lock:
			depth[k]++
		case e.Kind != format.Unlock:
		case depth[k] > 0:
			depth[k]--
		case open[h] < heldAtStart(w, h):
			open[h]++
			start[e.Thread] = append(start[e.Thread], h)
		default:
			lent[e.Obj] = true
		}
	}
	return start, lent
}

func heldAtStart(w *model.Window, h hold) int32 {
	s := &w.Init[h.obj]
	if h.read {
		return s.Readers
	}
	return int32(bit(s.Writer))
}

func (l *locksets) intern(held []hold) int32 {
	sorted := slices.Clone(held)
	slices.SortFunc(sorted, func(a, b hold) int { return 2*int(a.obj-b.obj) + bit(a.read) - bit(b.read) })
	key := make([]byte, 0, 5*len(sorted))
	for _, h := range sorted {
		key = append(key, byte(h.obj), byte(h.obj>>8), byte(h.obj>>16), byte(h.obj>>24), byte(bit(h.read)))
	}
	n, ok := l.number[string(key)]
	if !ok {
		n = int32(len(l.sets))
		l.sets = append(l.sets, sorted)
		l.number[string(key)] = n
	}
	return n
}

// shared returns a lock because of which common is true.
func (l *locksets) shared(a, b int32) (model.Obj, bool) {
	for _, h := range l.sets[a] {
		if slices.ContainsFunc(l.sets[b], func(g hold) bool { return g.obj == h.obj && !(g.read && h.read) }) {
			return h.obj, true
		}
	}
	return 0, false
}

// common reports whether two sets share a lock that one of the two holds exclusively.
func (l *locksets) common(a, b int32) bool {
	if a == 0 || b == 0 {
		return false
	}
	if a > b {
		a, b = b, a
	}
	c, ok := l.memo[[2]int32{a, b}]
	if !ok {
		for _, h := range l.sets[a] {
			c = c || slices.ContainsFunc(l.sets[b], func(g hold) bool { return g.obj == h.obj && !(g.read && h.read) })
		}
		l.memo[[2]int32{a, b}] = c
	}
	return c
}
