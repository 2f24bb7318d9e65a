package tracetest

import (
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Profile has the parameters of Generate.
type Profile struct {
	Name      string
	Semantics model.Semantics
	Threads   int     // at most
	Events    int     // in the window, at most
	Before    int     // before the window, at most: they make its initial state
	Locations int     // at most
	Channels  int     // at most
	Values    int     // memory and elements: 0..Values-1
	Guard     float64 // how often a thread takes a lock before an access
	Deps      float64 // how often an event needs an earlier read
	Where     float64 // how often the address of an access depends on one
	Strict    float64 // how often a read is strict (needed semantics only)
	Edges     float64 // how often a window has hard edges
	Variant   bool    // the recorded order need not be a reordering
	Weights   [numOps]int
}

// op is an operation of a thread of a generated program.
type op int

const (
	opRead op = iota
	opWrite
	opAtomicRead
	opAtomicWrite
	opRMW
	opPin
	opLock
	opRLock
	opTry
	opTryRead
	opUnlock
	opAdd
	opDone
	opWaitGroup
	opOnce
	opOnceEnd
	opWait
	opSignal
	opBroadcast
	opSend
	opRecv
	opClose
	opLen
	opSelect
	opPoll // select with default
	opGo
	opJoin
	opEnd
	numOps
)

// Generate runs a small random program under a random scheduler of the model, and returns the run
// as a window. Its events have the values of the run, so the recorded order is a reordering by
// construction. A variant is made from such a window.
func Generate(r *rand.Rand, p Profile) *model.Window {
	g := newRun(r, p)
	events, before := 4+r.IntN(p.Events-3), r.IntN(p.Before+1)
	for tries := 0; tries < 60*(events+before); tries++ {
		if g.cut < 0 && len(g.events) >= before && !g.promised() {
			g.startWindow()
		}
		if g.cut >= 0 && len(g.events)-g.cut >= events && !g.promised() {
			break
		}
		g.turn(model.Thread(r.IntN(len(g.threads))))
	}
	for tries := 0; g.promised() && tries < 100; tries++ {
		for t := range g.threads {
			if len(g.threads[t].todo) > 0 && g.threads[t].todo[0].op == opRecv {
				g.turn(model.Thread(t))
			}
		}
	}
	return g.finish()
}

// run is an execution of the model in progress.
type run struct {
	r       *rand.Rand
	p       Profile
	events  []model.Event
	threads []thread
	objs    []concrete
	first   [numGroups + 1]model.Obj // where each group of objects starts
	fresh   uint64                   // last unique value (strict semantics)

	cut  int // the window's first event, or -1
	init []model.ObjState
}

// The groups of objects.
const (
	memory = iota
	locks
	waitGroups
	onces
	conds
	channels
	numGroups
)

// thread is a thread of the run.
type thread struct {
	live, ended bool
	reads       []int32
	holds       []hold
	running     []model.Obj // Onces whose function it runs
	todo        []todo      // what it must do next
}

type hold struct {
	lock   model.Obj
	shared bool
}

// todo is an operation that a thread has to do next.
type todo struct {
	op   op
	obj  model.Obj
	hold hold
	send int32 // opRecv: the non-blocking send it belongs to
}

// concrete is an object with its state in the run.
type concrete struct {
	model.ObjState
	full    bool  // unbuffered channel
	send    int32 // unbuffered: the send in the slot, -1 if before the window
	partner bool  // unbuffered: the slot is reserved
}

func newRun(r *rand.Rand, p Profile) *run {
	g := &run{r: r, p: p, cut: -1, threads: make([]thread, 2+r.IntN(p.Threads-1))}
	count := [numGroups]int{memory: 1 + r.IntN(p.Locations), locks: 1 + r.IntN(2), waitGroups: 1, onces: 1, conds: 1, channels: 1 + r.IntN(p.Channels)}
	for k, n := range count {
		g.first[k+1] = g.first[k] + model.Obj(n)
	}
	g.objs = make([]concrete, g.first[numGroups])
	for o := g.first[channels]; o < g.first[numGroups]; o++ {
		g.objs[o].Cap = int32(r.IntN(3))
	}
	for o := range g.first[locks] {
		g.objs[o].Val = g.value()
	}
	for t := range g.threads {
		g.threads[t].live = t == 0 || p.Weights[opGo] == 0 || r.IntN(3) == 0
	}
	return g
}

// value is a value to write.
func (g *run) value() uint64 {
	if g.p.Semantics == model.StrictReads {
		g.fresh++
		return g.fresh
	}
	return uint64(g.r.IntN(g.p.Values))
}

func (g *run) chance(p float64) bool { return g.r.Float64() < p }

func (g *run) pick(group int) model.Obj {
	return g.first[group] + model.Obj(g.r.IntN(int(g.first[group+1]-g.first[group])))
}

// promised reports whether a non-blocking send waits for the event of its receiver.
func (g *run) promised() bool {
	return slices.ContainsFunc(g.objs, func(c concrete) bool { return c.partner })
}

// blocked reports whether t waits in a slot.
func (g *run) blocked(t model.Thread) bool {
	return slices.ContainsFunc(g.objs, func(c concrete) bool { return c.full && c.SlotOf == t })
}

// turn executes some operation of thread t, if it can.
func (g *run) turn(t model.Thread) {
	th := &g.threads[t]
	if !th.live || th.ended || g.blocked(t) {
		return
	}
	if len(th.todo) > 0 {
		if g.doTodo(t, th.todo[0]) {
			th.todo = th.todo[1:]
		}
		return
	}
	total := 0
	for _, n := range g.p.Weights {
		total += n
	}
	n := g.r.IntN(total)
	for o, weight := range g.p.Weights {
		if n -= weight; n < 0 {
			g.do(t, op(o))
			return
		}
	}
}

func (g *run) doTodo(t model.Thread, d todo) bool {
	switch d.op {
	case opUnlock:
		g.unlock(t, d.hold)
		return true
	case opLock:
		return g.lock(t, d.hold, 0)
	case opWait:
		return g.wake(t, d.obj)
	case opRecv:
		g.events[d.send].Partner = g.emit(t, model.Event{Kind: format.ChanRecv, Obj: d.obj, Val: g.empty(d.obj)})
		if g.chance(0.4) {
			g.events[d.send].Partner = model.Anyone
		}
		g.objs[d.obj].partner = false
		return true
	}
	panic("tracetest: todo")
}

// emit appends an event of t and gives it dependencies.
func (g *run) emit(t model.Thread, e model.Event) int32 {
	i := int32(len(g.events))
	th := &g.threads[t]
	e.Thread = t
	if e.Partner == 0 {
		e.Partner = -1
	}
	if g.p.Semantics != model.StrictReads && len(th.reads) > 0 {
		if g.chance(g.p.Deps) || e.Kind == model.Pin {
			e.Deps = append(e.Deps, th.reads[g.r.IntN(len(th.reads))])
		}
		if e.Kind.IsAccess() && g.chance(g.p.Where) {
			e.Where = append(e.Where, th.reads[g.r.IntN(len(th.reads))])
		}
		switch e.Kind {
		case format.Write, format.AtomicWrite, format.AtomicRMW, format.ChanSend:
			if g.chance(g.p.Deps) {
				e.ValDeps = append(e.ValDeps, th.reads[g.r.IntN(len(th.reads))])
			}
		}
	}
	if isRead(&e) {
		e.Strict = g.p.Semantics < model.NeededReads || g.chance(g.p.Strict)
		th.reads = append(th.reads, i)
	}
	g.events = append(g.events, e)
	return i
}

// startWindow makes the present state the start of the window.
func (g *run) startWindow() {
	g.cut = len(g.events)
	for o := range g.objs {
		c := &g.objs[o]
		c.send = -1
		in := c.ObjState
		in.Queue, in.Waiters = slices.Clone(in.Queue), slices.Clone(in.Waiters)
		g.init = append(g.init, in)
	}
}

// finish makes the window.
func (g *run) finish() *model.Window {
	if g.cut < 0 {
		g.cut = len(g.events)
	}
	w := &model.Window{Semantics: g.p.Semantics, Init: g.init}
	for t := range g.threads {
		w.Threads = append(w.Threads, trace.GoID(t+1))
	}
	cut := int32(g.cut)
	move := func(deps []int32) []int32 {
		var moved []int32
		for _, d := range deps {
			if d >= cut {
				moved = append(moved, d-cut)
			}
		}
		return moved
	}
	for i, e := range g.events[g.cut:] {
		e.Index, e.Site = int64(i), trace.Site(i+1)
		e.Deps, e.Where, e.ValDeps = move(e.Deps), move(e.Where), move(e.ValDeps)
		if e.Partner >= 0 {
			e.Partner -= cut
		}
		w.Events = append(w.Events, e)
	}
	if g.chance(g.p.Edges) {
		for range 1 + g.r.IntN(2) {
			i, j := g.r.IntN(len(w.Events)+1), g.r.IntN(len(w.Events)+1)
			if g.p.Variant && i > j && i < len(w.Events) && g.chance(0.5) {
				// it would be against the recorded order
				w.Edges = append(w.Edges, model.Edge{From: int32(i), To: int32(j), Weak: (i+j)%3 == 0})
			}
			if i < j && j < len(w.Events) && w.Events[i].Thread != w.Events[j].Thread {
				w.Edges = append(w.Edges, model.Edge{From: int32(i), To: int32(j), Weak: (i+j)%3 == 0})
			}
		}
	}
	if g.p.Variant {
		vary(g.r, w)
	}
	if g.p.Semantics == model.EvaluatedReads {
		addTerms(g.r, w)
	}
	if g.p.Variant {
		flip(g.r, w)
	}
	if g.chance(g.p.Edges) {
		g.orders(w)
	}
	return w
}

// orders makes conditional orders.
func (g *run) orders(w *model.Window) {
	n := len(w.Events)
	if n < 3 {
		return
	}
	for range 1 + g.r.IntN(4) {
		i, j, k := g.r.IntN(n), g.r.IntN(n), g.r.IntN(n)
		if i < j {
			w.Orders = append(w.Orders, model.Conditional{If: int32([]int{i, j, k, k}[g.r.IntN(4)]), From: int32(i), To: int32(j)})
		}
	}
}
