package window

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Hard edges (MO4). They keep the recorded order of operations that the model does not know: those
// that conflict on one hidden object, and those on an object that excluded code reaches.

// mode is how an operation conflicts with others on its object.
type mode uint8

const (
	shared    mode = iota // with all but shared ones: RLock, RUnlock, an atomic read, Acquire
	merging               // with all but merging ones, unless an Acquire follows
	exclusive             // with all
	modes
)

func modeOf(e *trace.Event) mode {
	switch e.Kind {
	case format.Lock, format.Unlock, format.TryFail:
		if e.Flags&format.FlagRead != 0 {
			return shared
		}
	case format.Acquire:
		return shared
	case format.ReleaseMerge:
		if e.Flags&format.FlagTimer != 0 {
			return exclusive
		}
		return merging
	case format.Observe:
		if e.Flags&format.FlagRead != 0 {
			return shared
		}
		return merging
	}
	return exclusive
}

// origin is the kind of code that an operation belongs to.
type origin uint8

const (
	ofTraced origin = iota
	ofOutside
	origins
)

// ordersWith reports whether an operation of origin x keeps its order with one of origin y.
func (x origin) ordersWith(y origin) bool { return x != ofTraced || y != ofTraced }

func (m *graph) originOf(r *record) origin {
	if r.obj >= 0 && m.objs[r.obj].key.class == hiddenClass || m.hidden(r) {
		return ofOutside
	}
	return ofTraced
}

// latest is what one thread last did to an object, by mode and origin.
type latest struct {
	t    model.Thread
	last [modes][origins]int32
}

// ordering is what the threads last did to one object.
type ordering []latest

// keep adds the edges that keep event n of t in order with the earlier operations on
// its object. apart says that merging operations conflict too.
func (m *graph) keep(o *ordering, t *thread, n int32, c mode, by origin, apart bool) {
	own := -1
	for k := range *o {
		l := &(*o)[k]
		if l.t == t.id {
			own = k
			continue
		}
		from := int32(-1)
		for d := range modes {
			if c == shared && d == shared || c == merging && d == merging && !apart {
				continue
			}
			for x, last := range l.last[d] {
				if by.ordersWith(origin(x)) {
					from = max(from, last)
				}
			}
		}
		m.edge(from, n)
	}
	if own < 0 {
		l := latest{t: t.id}
		for d := range modes {
			l.last[d] = [origins]int32{-1, -1}
		}
		*o = append(*o, l)
		own = len(*o) - 1
	}
	(*o)[own].last[c][by] = n
}

// orderedSync keeps event n, of record i, in order with the operations on its object.
func (m *graph) orderedSync(o *synch, t *thread, n int32, i int, e *trace.Event) {
	if o.key.class == hiddenClass || o.opaque {
		from := len(m.w.Edges)
		m.keep(&o.order, t, n, modeOf(e), m.originOf(&m.recs[i]), i < o.acquire)
		if o.free(e) {
			m.loosen(from, built.LooseOutside)
		}
	}
}

// edge adds a hard edge between events of different threads, unless it follows from others.
func (m *graph) edge(from, to int32) {
	if from < 0 || from >= to || m.w.Events[from].Thread == m.w.Events[to].Thread {
		return
	}
	if k := len(m.w.Edges); k > 0 && m.w.Edges[k-1] == (model.Edge{From: from, To: to}) {
		return
	}
	if m.follow(from, to) {
		m.w.Edges = append(m.w.Edges, model.Edge{From: from, To: to})
	}
}

// weakEdge adds a hard edge that does not apply to an access of the race.
func (m *graph) weakEdge(from, to int32) {
	if from >= 0 && from < to && m.w.Events[from].Thread != m.w.Events[to].Thread {
		m.w.Edges = append(m.w.Edges, model.Edge{From: from, To: to, Weak: true})
	}
}

// afterAll puts event n after everything that happened.
func (m *graph) afterAll(t *thread, n int32) {
	if m.b.excode.active() {
		m.afterLast(t, n)
		return
	}
	for _, u := range m.order {
		if u != t {
			m.edge(u.last, n)
		}
	}
}

// firstHeap is where the heap begins; in front of it are the program's variables.
const firstHeap = 0x4000000000

// free reports whether an operation of outside code could come earlier than it did. It does not
// wait for another goroutine, or it would then find something else, as with a sync.Pool and with
// files (WI5).
func (o *synch) free(e *trace.Event) bool {
	if o.pool || o.key.class == hiddenClass && o.key.addr < firstHeap {
		return true
	}
	switch e.Kind {
	case format.Release, format.ReleaseMerge, format.Unlock, format.TryFail, format.WGAdd, format.CondSignal, format.CondBroadcast, format.ChanClose, format.ChanLen:
		return true
	}
	return false
}

// loosen notes the reason for the edges from number k on.
func (m *graph) loosen(k int, why built.Looseness) {
	for _, e := range m.w.Edges[k:] {
		m.loose[e] = why
	}
}
