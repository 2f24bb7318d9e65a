package engine

import (
	"math/rand"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// profile says what random windows are made of: event kinds with weights.
type profile struct {
	name    string
	kinds   []format.Kind
	threads int
	events  int
	deps    bool // reads are not strict; events need some of them
}

var memoryKinds = []format.Kind{format.Read, format.Write, format.Read, format.Write}

func with(base []format.Kind, more ...format.Kind) []format.Kind {
	return append(append([]format.Kind{}, base...), more...)
}

var profiles = []profile{
	{name: "mutex", kinds: with(memoryKinds, format.Lock, format.Unlock, format.Go, format.Join), threads: 3, events: 12},
	{name: "values", kinds: with(memoryKinds, format.AtomicRMW, format.AtomicWrite, format.AtomicRead, model.Pin), threads: 3, events: 9, deps: true},
	{name: "rwmutex", kinds: with(memoryKinds, format.Lock, format.Unlock, format.Lock, format.Unlock, format.TryFail), threads: 3, events: 11},
	{name: "waitgroup", kinds: with(memoryKinds, format.WGAdd, format.WGWait, format.Go), threads: 3, events: 11},
	{name: "once", kinds: with(memoryKinds, format.OnceBegin, format.OnceEnd, format.OncePass, format.Lock, format.Unlock), threads: 3, events: 11},
	{name: "cond", kinds: with(memoryKinds, format.CondWait, format.CondWake, format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast), threads: 3, events: 11},
	{name: "channel", kinds: with(memoryKinds, format.ChanSend, format.ChanRecv, format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen), threads: 3, events: 11, deps: true},
	{name: "select", kinds: with(memoryKinds, format.ChanSend, format.ChanRecv, format.ChanSend, format.ChanRecv, format.ChanClose, format.SelectDefault), threads: 3, events: 11},
	{name: "all", kinds: with(memoryKinds, format.Lock, format.Unlock, format.TryFail, format.WGAdd, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.ChanSend, format.ChanRecv, format.ChanClose, format.SelectDefault, format.Go, format.Join,
		format.AtomicRMW, format.AtomicRead, model.Pin), threads: 4, events: 11, deps: true},
}

// perClass is the number of objects of each class in a random window, with
// consecutive numbers.
const perClass = 2

var classBase = map[format.Kind]model.Obj{
	format.Read: 0, format.Write: 0, format.AtomicRead: 0, format.AtomicWrite: 0, format.AtomicRMW: 0,
	format.Lock: perClass, format.Unlock: perClass, format.TryFail: perClass,
	format.WGAdd: 2 * perClass, format.WGWait: 2 * perClass,
	format.OnceBegin: 3 * perClass, format.OnceEnd: 3 * perClass, format.OncePass: 3 * perClass,
	format.CondWait: 4 * perClass, format.CondWake: 4 * perClass, format.CondSignal: 4 * perClass, format.CondBroadcast: 4 * perClass,
	format.ChanSend: 5 * perClass, format.ChanRecv: 5 * perClass, format.ChanClose: 5 * perClass, format.ChanLen: 5 * perClass,
}

// randomWindow proposes events until enough of them are enabled where they stand.
func randomWindow(r *rand.Rand, pr profile) *model.Window {
	w := &model.Window{Semantics: model.NeededReads, Threads: make([]trace.GoID, pr.threads), Init: make([]model.ObjState, 6*perClass)}
	randomInit(r, w)
	for tries := 0; len(w.Events) < pr.events && tries < 40*pr.events; tries++ {
		e := randomEvent(r, w, pr)
		w.Events = append(w.Events, e)
		edges := len(w.Edges)
		if n := len(w.Events); n > 2 && r.Intn(12) == 0 {
			w.Edges = append(w.Edges, model.Edge{From: int32(r.Intn(n - 1)), To: int32(n - 1)})
		}
		if tracetest.Validate(w) != nil {
			w.Events, w.Edges = w.Events[:len(w.Events)-1], w.Edges[:edges]
		}
	}
	for k := 5 * perClass; k < len(w.Init); k++ {
		if !usesChannel(w, model.Obj(k)) {
			w.Init[k] = model.ObjState{Cap: 1}
		}
	}
	assignPartners(r, w)
	return w
}

// A channel that no event uses blocks no thread in the explorer.
func usesChannel(w *model.Window, o model.Obj) bool {
	for i := range w.Events {
		if e := &w.Events[i]; e.Obj == o && e.Kind >= format.ChanSend && e.Kind <= format.ChanLen {
			return true
		}
	}
	return false
}

func randomInit(r *rand.Rand, w *model.Window) {
	for k := model.Obj(0); k < perClass; k++ {
		w.Init[k].Val = uint64(r.Intn(2))
		w.Init[perClass+k].Writer = r.Intn(6) == 0
		if !w.Init[perClass+k].Writer {
			w.Init[perClass+k].Readers = int32(max(0, r.Intn(6)-3))
		}
		w.Init[2*perClass+k].Counter = int64(max(0, r.Intn(6)-3))
		w.Init[3*perClass+k].Once = model.OnceState(max(0, r.Intn(6)-3))
		if r.Intn(3) == 0 {
			w.Init[4*perClass+k].Waiters = []model.Waiter{{Thread: model.Thread(k), Notified: r.Intn(2) == 0}}
		}
		c := &w.Init[5*perClass+k]
		c.Cap = int32(r.Intn(3))
		if c.Cap > 0 && r.Intn(3) == 0 {
			c.Queue = []uint64{uint64(r.Intn(2))}
		}
		if c.Cap == 0 && r.Intn(5) == 0 {
			c.Queue, c.SlotOf = []uint64{uint64(r.Intn(2))}, model.Thread(k)
		}
		c.Closed = r.Intn(10) == 0 && (c.Cap > 0 || c.Queue == nil)
	}
}

func randomEvent(r *rand.Rand, w *model.Window, pr profile) model.Event {
	e := model.Event{Kind: pr.kinds[r.Intn(len(pr.kinds))], Thread: model.Thread(r.Intn(pr.threads)), Partner: -1}
	base, onObject := classBase[e.Kind]
	if onObject {
		e.Obj = base + model.Obj(r.Intn(perClass))
	}
	e.Val, e.Aux = uint64(r.Intn(2)), uint64(r.Intn(2))
	switch e.Kind {
	case format.Lock, format.Unlock, format.TryFail:
		if (pr.name == "rwmutex" || pr.name == "all") && r.Intn(2) == 0 {
			e.Flags = format.FlagRead
		}
	case format.WGAdd:
		e.Val = uint64(int64(r.Intn(4) - 2))
	case format.Go, format.Join:
		e.Obj = model.Obj(r.Intn(pr.threads))
		if e.Kind == format.Go && used(w, model.Thread(e.Obj)) || e.Obj == model.Obj(e.Thread) {
			e.Kind = model.Pin
		}
	case format.ChanRecv:
		if r.Intn(4) == 0 {
			e.Flags = format.FlagClosed
		}
		fallthrough
	case format.ChanSend:
		if r.Intn(5) == 0 {
			e.Flags |= format.FlagNonBlocking
		}
		if pr.name != "channel" && r.Intn(3) == 0 && w.Init[e.Obj].Cap == 0 {
			e.Cases = randomCases(r)
		}
	case format.SelectDefault:
		e.Cases = randomCases(r)
	}
	isRead := e.Kind == format.Read || e.Kind == format.AtomicRead || e.Kind == format.AtomicRMW || e.Kind == format.ChanRecv || e.Kind == format.ChanLen
	e.Strict = isRead && (!pr.deps || r.Intn(4) == 0)
	if pr.deps {
		e.Deps = randomDeps(r, w, e.Thread)
		if e.Kind == format.Write || e.Kind == format.ChanSend || e.Kind == format.AtomicRMW {
			e.ValDeps = randomDeps(r, w, e.Thread)
		}
	}
	return e
}

func used(w *model.Window, t model.Thread) bool {
	for i := range w.Events {
		if e := &w.Events[i]; e.Thread == t || e.Kind == format.Go && e.Obj == model.Obj(t) {
			return true
		}
	}
	return false
}

func randomCases(r *rand.Rand) []model.Case {
	var cs []model.Case
	for range 1 + r.Intn(2) {
		cs = append(cs, model.Case{Chan: 5*perClass + model.Obj(r.Intn(perClass)), Send: r.Intn(2) == 0})
	}
	return cs
}

func randomDeps(r *rand.Rand, w *model.Window, t model.Thread) []int32 {
	var deps []int32
	for i := range w.Events {
		e := &w.Events[i]
		isRead := e.Kind == format.Read || e.Kind == format.AtomicRead || e.Kind == format.AtomicRMW || e.Kind == format.ChanRecv || e.Kind == format.ChanLen
		if isRead && e.Thread == t && r.Intn(3) == 0 {
			deps = append(deps, int32(i))
		}
	}
	return deps
}

// assignPartners turns sends on unbuffered channels into non-blocking ones where
// the recorded order allows that.
func assignPartners(r *rand.Rand, w *model.Window) {
	for i := range w.Events {
		e := &w.Events[i]
		if e.Kind != format.ChanSend || w.Init[e.Obj].Cap > 0 || r.Intn(2) == 0 {
			continue
		}
		for j := i + 1; j < len(w.Events); j++ {
			f := &w.Events[j]
			if f.Kind == format.ChanRecv && f.Obj == e.Obj && f.Flags&format.FlagClosed == 0 && f.Thread != e.Thread {
				old := *e
				e.Flags, e.Partner = e.Flags|format.FlagNonBlocking, int32(j)
				if tracetest.Validate(w) != nil {
					*e = old
				}
				break
			}
		}
	}
}
