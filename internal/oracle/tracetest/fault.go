package tracetest

import (
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Fault is a misreading of the model. A predictor with the fault gets another window than the one
// that its answers are compared with. Events keep their indexes. Apply changes w, and reports
// whether there was anything to change.
type Fault struct {
	Name  string
	Apply func(r *rand.Rand, w *model.Window) bool
}

// Applies reports whether the fault changes w and leaves the recorded order a
// reordering, if it is one.
func (f Fault) Applies(w *model.Window, seed uint64) bool {
	_, ok := f.apply(w, seed)
	return ok
}

// Under returns the predictor with the fault, where the fault applies.
func (f Fault) Under(predict Predictor, seed uint64) Predictor {
	return func(w *model.Window) func(model.Pair) Answer {
		if c, ok := f.apply(w, seed); ok {
			return predict(c)
		}
		return predict(w)
	}
}

func (f Fault) apply(w *model.Window, seed uint64) (*model.Window, bool) {
	c := Clone(w)
	ok := f.Apply(rand.New(rand.NewPCG(seed, 1)), c) && validator(w)(c) == nil
	return c, ok
}

// Faults lists the misreadings that a comparison has to notice.
func Faults() []Fault {
	return slices.Concat(orderFaults(), needFaults(), termFaults(), valueFaults(), syncFaults(), channelFaults(), startFaults())
}

// orderFaults are misreadings of what orders threads and events.
func orderFaults() []Fault {
	return []Fault{
		{"MO2: a thread may run before it is started", dropKind(format.Go)},
		{"MO3: join does not wait", dropKind(format.Join)},
		{"MO4: no hard edges", func(_ *rand.Rand, w *model.Window) bool {
			n := len(w.Edges)
			w.Edges = nil
			return n > 0
		}},
		{"MO4: there are no weak edges", func(_ *rand.Rand, w *model.Window) bool {
			n := len(w.Edges)
			w.Edges = slices.DeleteFunc(w.Edges, func(e model.Edge) bool { return e.Weak })
			return len(w.Edges) < n
		}},
		{"MO4: weak edges are hard", func(_ *rand.Rand, w *model.Window) (some bool) {
			for k := range w.Edges {
				some = some || w.Edges[k].Weak
				w.Edges[k].Weak = false
			}
			return some
		}},
		{"MO9: no conditional orders", func(_ *rand.Rand, w *model.Window) bool {
			n := len(w.Orders)
			w.Orders = nil
			return n > 0
		}},
		{"MO9: conditional orders always hold", func(_ *rand.Rand, w *model.Window) bool {
			for _, c := range w.Orders {
				w.Edges = append(w.Edges, model.Edge{From: c.From, To: c.To})
			}
			return len(w.Orders) > 0
		}},
		{"MO4: an edge against the recorded order forbids", func(_ *rand.Rand, w *model.Window) bool {
			n := len(w.Edges)
			for _, e := range w.Edges {
				if e.From > e.To {
					w.Edges = append(w.Edges, model.Edge{From: e.To, To: e.From, Weak: e.Weak})
				}
			}
			return len(w.Edges) > n
		}},
		{"MO3: a join recorded before its thread's end waits for the events before it only", earlyJoins},
	}
}

// needFaults are misreadings of what events need, and of events that may only race.
func needFaults() []Fault {
	return []Fault{
		{"MO6: events need no reads", all(func(e *model.Event) bool { n := len(e.Deps); e.Deps = nil; return n > 0 })},
		{"MO6: strict reads are free", all(func(e *model.Event) bool { s := e.Strict; e.Strict = false; return s })},
		{"MO6: every read is strict", all(func(e *model.Event) bool { s := !e.Strict && isRead(e); e.Strict = e.Strict || s; return s })},
		{"MO7: events marked never are executed", all(func(e *model.Event) bool { n := e.Never; e.Never = false; return n })},
		{"MO8: events marked last are executed", all(func(e *model.Event) bool { l := e.Last; e.Last = false; return l })},
		{"MO8: events marked last do not race", all(func(e *model.Event) bool { l := e.Last; e.Never = e.Never || l; return l })},
		{"MO10: an access has one address", all(func(e *model.Event) bool {
			n := len(e.Where)
			e.Deps, e.Where = append(e.Deps, e.Where...), nil
			return n > 0
		})},
		{"MO10: an access races at any address", all(func(e *model.Event) bool { n := len(e.Where); e.Where = nil; return n > 0 })},
	}
}

// termFaults are misreadings of guards and terms (V).
func termFaults() []Fault {
	return []Fault{
		{"values: written values depend on nothing", all(func(e *model.Event) bool { n := len(e.ValDeps); e.ValDeps = nil; return n > 0 })},
		{"V: guards always hold", all(func(e *model.Event) bool { n := len(e.Guards); e.Guards = nil; return n > 0 })},
		{"V: guards need recorded values", all(func(e *model.Event) bool {
			n := len(e.Guards)
			for _, g := range e.Guards {
				e.Deps = append(e.Deps, g.Term.Reads()...)
			}
			e.Guards = nil
			return n > 0
		})},
		{"V: guards hold with recorded values", func(_ *rand.Rand, w *model.Window) bool {
			changed := false
			for i := range w.Events {
				for k := range w.Events[i].Guards {
					g := &w.Events[i].Guards[k]
					if v, ok := recordedValue(w, g.Term); ok && v != g.Want {
						g.Want, changed = v, true
					}
				}
			}
			return changed
		}},
		{"V: values that differ are unknown", all(func(e *model.Event) bool {
			t := e.Value
			e.Value = nil
			return t != nil
		})},
		{"V: values are as recorded", all(func(e *model.Event) bool {
			n := len(e.ValDeps)
			e.ValDeps, e.Value = nil, nil
			return n > 0
		})},
	}
}

// valueFaults are misreadings of values in memory.
func valueFaults() []Fault {
	return []Fault{
		{"values: all written values are equal", all(func(e *model.Event) bool {
			if e.Kind != format.Write || e.Val == 1 {
				return false
			}
			e.Val = 1
			return true
		})},
		{"values: every write has its own value", unique},
		{"values: the initial value differs", initial(func(s *model.ObjState) bool { s.Val += 7; return true })},
		{"values: an atomic update is a write", all(func(e *model.Event) bool {
			if e.Kind != format.AtomicRMW {
				return false
			}
			e.Kind, e.Val, e.Aux, e.Deps = format.AtomicWrite, e.Aux, 0, nil
			return true
		})},
	}
}

// syncFaults are misreadings of locks, WaitGroups, Onces and Conds.
func syncFaults() []Fault {
	return []Fault{
		{"L: locks do not exclude", all(func(e *model.Event) bool {
			return (e.Kind == format.Lock || e.Kind == format.Unlock || e.Kind == format.TryFail) && drop(e)
		})},
		{"L: exclusive locks are shared", all(func(e *model.Event) bool {
			if e.Kind != format.Lock && e.Kind != format.Unlock && e.Kind != format.TryFail || e.Flags&format.FlagRead != 0 {
				return false
			}
			e.Flags |= format.FlagRead
			return true
		})},
		{"L: shared locks are exclusive", all(func(e *model.Event) bool {
			shared := (e.Kind == format.Lock || e.Kind == format.Unlock) && e.Flags&format.FlagRead != 0
			if shared {
				e.Flags &^= format.FlagRead
			}
			return shared
		})},
		{"L: TryLock may fail at any time", dropKind(format.TryFail)},
		{"W: Wait does not wait", dropKind(format.WGWait)},
		{"W: Done may come before Add", initial(func(s *model.ObjState) bool { s.Counter += 2; return true }, format.WGAdd, format.WGWait)},
		{"O: Do does not wait for the function", dropKind(format.OncePass)},
		{"N: waiters wake without a notification", dropKind(format.CondWake)},
		{"N: Signal is Broadcast", all(func(e *model.Event) bool {
			signal := e.Kind == format.CondSignal
			if signal {
				e.Kind = format.CondBroadcast
			}
			return signal
		})},
	}
}

// channelFaults are misreadings of channels, selects and pins.
func channelFaults() []Fault {
	return []Fault{
		{"C: a send finds room", initial(func(s *model.ObjState) bool { ok := s.Cap > 0; s.Cap += 2; return ok }, format.ChanSend)},
		{"C: a receive does not wait", all(func(e *model.Event) bool {
			return e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0 && drop(e)
		})},
		{"C: a receive from a closed channel does not wait for the close", all(func(e *model.Event) bool {
			return e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0 && drop(e)
		})},
		{"C: a closed channel can be sent to", dropKind(format.ChanClose)},
		{"U: an unbuffered channel is one of capacity 1", func(_ *rand.Rand, w *model.Window) bool {
			changed := false
			for o, c := range classes(w) {
				if c == classSlot {
					w.Init[o].Cap = 1
					changed = true
				}
			}
			return changed
		}},
		{"U: a non-blocking send blocks", all(func(e *model.Event) bool {
			nb := e.Kind == format.ChanSend && e.Flags&format.FlagNonBlocking != 0
			e.Flags &^= format.FlagNonBlocking
			if nb {
				e.Partner = -1
			}
			return nb
		})},
		{"U: every select could have waited", all(func(e *model.Event) bool {
			if e.Kind == format.SelectDefault || len(e.Cases) == 0 {
				return false
			}
			e.Cases = nil
			return true
		})},
		{"S: default is always possible", dropKind(format.SelectDefault)},
		{"S: len always returns its recorded value", dropKind(format.ChanLen)},
		{"P: branches need no reads", dropKind(model.Pin)},
	}
}

// startFaults are misreadings of the initial state.
func startFaults() []Fault {
	return []Fault{
		{"start: locks are free", initial(func(s *model.ObjState) bool {
			held := s.Writer || s.Readers > 0
			s.Writer, s.Readers = false, 0
			return held
		})},
		{"start: channels are empty", initial(func(s *model.ObjState) bool {
			n := len(s.Queue)
			s.Queue = nil
			return n > 0
		})},
		{"start: waiters are notified", initial(func(s *model.ObjState) bool {
			changed := false
			for k := range s.Waiters {
				changed = changed || !s.Waiters[k].Notified
				s.Waiters[k].Notified = true
			}
			return changed
		})},
	}
}

// all applies a change to every event.
func all(f func(*model.Event) bool) func(*rand.Rand, *model.Window) bool {
	return func(_ *rand.Rand, w *model.Window) bool {
		changed := false
		for i := range w.Events {
			if f(&w.Events[i]) {
				changed = true
			}
		}
		forget(w)
		return changed
	}
}

// earlyJoins replaces each Join that is recorded before an event of the joined thread by a hard
// edge from the thread's last event before it.
func earlyJoins(_ *rand.Rand, w *model.Window) bool {
	changed := false
	for i := range w.Events {
		e := &w.Events[i]
		if e.Kind != format.Join {
			continue
		}
		last, late := -1, false
		for j := range w.Events {
			if w.Events[j].Thread == model.Thread(e.Obj) {
				if late = j > i; !late {
					last = j
				}
			}
		}
		if late {
			if drop(e); last >= 0 {
				w.Edges = append(w.Edges, model.Edge{From: int32(last), To: int32(i)})
			}
			changed = true
		}
	}
	return changed
}

// drop makes an event do nothing. If it was a read, forget must follow.
func drop(e *model.Event) bool {
	e.Kind, e.Deps, e.Where, e.Cases = model.Pin, nil, nil, nil
	return true
}

// dropKind drops one random event of the kind.
func dropKind(kind format.Kind) func(*rand.Rand, *model.Window) bool {
	return func(r *rand.Rand, w *model.Window) bool {
		var found []int
		for i := range w.Events {
			if w.Events[i].Kind == kind {
				found = append(found, i)
			}
		}
		if len(found) == 0 {
			return false
		}
		drop(&w.Events[found[r.IntN(len(found))]])
		forget(w)
		return true
	}
}

// forget removes dependencies on events that are no longer reads.
func forget(w *model.Window) {
	keep := func(list []int32) []int32 {
		var kept []int32
		for _, d := range list {
			if isRead(&w.Events[d]) {
				kept = append(kept, d)
			}
		}
		return kept
	}
	for i := range w.Events {
		e := &w.Events[i]
		e.Deps, e.Where, e.ValDeps = keep(e.Deps), keep(e.Where), keep(e.ValDeps)
		e.Guards = slices.DeleteFunc(e.Guards, func(g model.Guard) bool { return len(keep(g.Term.Reads())) < len(g.Term.Reads()) })
		if e.Value != nil && len(keep(e.Value.Reads())) < len(e.Value.Reads()) {
			e.Value = nil
		}
		if e.Partner >= 0 && w.Events[e.Partner].Kind != format.ChanRecv {
			e.Partner, e.Flags = -1, e.Flags&^format.FlagNonBlocking
		}
	}
}

// unique gives every write a value of its own, and reads the value they read.
func unique(_ *rand.Rand, w *model.Window) bool {
	now := make([]uint64, len(w.Init))
	for o := range w.Init {
		now[o] = w.Init[o].Val
	}
	changed := false
	for i := range w.Events {
		e := &w.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		if e.Kind.IsWrite() && e.Kind != format.AtomicRMW {
			e.Val = uint64(1000 + i)
			now[e.Obj] = e.Val
			changed = true
			continue
		}
		e.Val = now[e.Obj]
		if e.Kind == format.AtomicRMW {
			e.Aux = uint64(1000 + i)
			now[e.Obj] = e.Aux
			changed = true
		}
	}
	return changed
}

// initial changes the initial state of objects: of those that have an event of one of the kinds, or
// of all if no kinds are given.
func initial(f func(*model.ObjState) bool, kinds ...format.Kind) func(*rand.Rand, *model.Window) bool {
	return func(_ *rand.Rand, w *model.Window) bool {
		changed := false
		for o := range w.Init {
			used := len(kinds) == 0
			for i := range w.Events {
				for _, k := range kinds {
					used = used || w.Events[i].Kind == k && w.Events[i].Obj == model.Obj(o)
				}
			}
			if used && f(&w.Init[o]) {
				changed = true
			}
		}
		return changed
	}
}
