package predict

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A class is the concurrency context of an access (PR3): accesses of one class do not differ in
// anything that another goroutine can wait for or that a lock can exclude.
type class struct {
	thread model.Thread
	sends  int32 // messages of the thread in the window, so far
	locks  int32
	obj    model.Obj
	site   trace.Site
	kind   format.Kind
}

// thinner finds the classes of a window's accesses.
type thinner struct {
	w     *model.Window
	locks *locksets
	sends []int32 // by event; nil: not counted yet
}

func (t *thinner) class(i int32) class {
	if t.sends == nil {
		t.sends = make([]int32, len(t.w.Events))
		now := make([]int32, len(t.w.Threads))
		for k := range t.w.Events {
			e := &t.w.Events[k]
			t.sends[k] = now[e.Thread]
			if sends(e) {
				now[e.Thread]++
			}
		}
	}
	e := &t.w.Events[i]
	return class{e.Thread, t.sends[i], t.locks.at[i], e.Obj, e.Site, e.Kind}
}

// sends reports whether an event can order later events of another thread after it. Operations on
// locks are not among them, since their order is open.
func sends(e *model.Event) bool {
	switch e.Kind {
	case format.WGAdd:
		return int64(e.Val) < 0
	case format.Go, format.OnceEnd, format.CondSignal, format.CondBroadcast, format.ChanSend, format.ChanRecv, format.ChanClose,
		format.AtomicWrite, format.AtomicRMW, format.Release, format.ReleaseMerge:
		return true
	}
	return false
}

// thin keeps the first pair of every two classes, and all pairs that hb found unordered, since each
// of these may make the race an observed one (PR3).
func (l *lister) thin(b *built.Window, t *thinner, c *candidate) {
	if len(c.pairs) < 2 {
		return
	}
	seen := make(map[[2]class]bool, len(c.pairs))
	kept := c.pairs[:0]
	for _, p := range c.pairs {
		k := [2]class{t.class(p.A), t.class(p.B)}
		if unordered := l.hbPairs.unordered(b, p); unordered || !seen[k] {
			seen[k] = seen[k] || !unordered
			kept = append(kept, p)
		}
	}
	l.counts.Thinned += int64(len(c.pairs) - len(kept))
	c.pairs = kept
}
