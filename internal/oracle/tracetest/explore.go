package tracetest

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Races are the racing pairs of a window, with A < B, each with a witness.
type Races map[model.Pair][]int32

// Explore visits every state that a reordering of w can reach, and returns all
// pairs that race in one of them. It gives up, with complete false, after limit
// states (0: no limit).
//
// A state is what later events can observe of a reordering: the place of each thread in its events,
// the contents of the objects, and which reads are intact, as far as events not yet executed depend
// on them. Two reorderings that lead to the same state have the same futures, so each state is
// visited once.
func Explore(w *model.Window, limit int) (races Races, complete bool) {
	m := newMachine(w)
	races = Races{}
	complete = m.search(limit, func(v *visit) {
		for _, p := range m.racing(v.st) {
			if _, ok := races[p]; !ok {
				races[p] = v.order()
			}
		}
	}, func(*visit, int32, error) {})
	return races, complete
}

// Steps visits the same states. For each state and each thread's next event, it calls f with a
// reordering that leads to the state, the event, and the reason why the event is not allowed, if it
// is not.
func Steps(w *model.Window, limit int, f func(order []int32, next int32, err error)) (complete bool) {
	return newMachine(w).search(limit, func(*visit) {}, func(v *visit, i int32, err error) { f(v.order(), i, err) })
}

// visit is a state with the events that lead to it.
type visit struct {
	st    *state
	event int32
	from  *visit
}

func (v *visit) order() []int32 {
	var order []int32
	for ; v.from != nil; v = v.from {
		order = append(order, v.event)
	}
	slices.Reverse(order)
	return order
}

// search visits the states depth first. It calls at for each state, and try for each attempt to
// execute an event in it.
func (m *machine) search(limit int, at func(*visit), try func(*visit, int32, error)) (complete bool) {
	first := &visit{st: m.start(), event: -1}
	seen := map[string]bool{string(m.encode(nil, first.st)): true}
	stack := []*visit{first}
	var key []byte
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at(v)
		for t := range m.threads {
			i, ok := m.upcoming(v.st, model.Thread(t))
			if !ok {
				continue
			}
			st, err := m.after(v.st, i)
			try(v, i, err)
			if err != nil {
				continue
			}
			if key = m.encode(key[:0], st); seen[string(key)] {
				continue
			}
			if limit > 0 && len(seen) >= limit {
				return false
			}
			seen[string(key)] = true
			stack = append(stack, &visit{st, i, v})
		}
	}
	return true
}

// Replay executes order by the explorer's own rules and reports whether the pair races after it.
func Replay(w *model.Window, p model.Pair, order []int32) error {
	m := newMachine(w)
	st, err := m.run(order)
	if err != nil {
		return err
	}
	if p.A > p.B {
		p.A, p.B = p.B, p.A
	}
	for _, q := range m.racing(st) {
		if p == q {
			return nil
		}
	}
	return fmt.Errorf("%v does not race after the reordering", p)
}

// Validate reports whether a window is well formed, and its events in the recorded order are a
// reordering of it, as the model requires.
func Validate(w *model.Window) error {
	if err := WellFormed(w); err != nil {
		return err
	}
	for _, c := range w.Orders {
		if c.From >= c.To {
			return fmt.Errorf("conditional order %d→%d against the recorded order", c.From, c.To)
		}
	}
	for _, e := range w.Edges {
		if e.From >= e.To {
			return fmt.Errorf("hard edge %d→%d against the recorded order", e.From, e.To)
		}
	}
	for i := range w.Events {
		if p := w.Events[i].Partner; p >= 0 && int(p) <= i {
			return fmt.Errorf("event %d has partner %d, which is not later", i, p)
		}
	}
	_, err := newMachine(w).run(recorded(w))
	return err
}

// recorded is the recorded order, of each thread up to an event marked last (MO8).
func recorded(w *model.Window) []int32 {
	var order []int32
	ended := make(map[model.Thread]bool)
	for i := range w.Events {
		if t := w.Events[i].Thread; w.Events[i].Last || ended[t] {
			ended[t] = true
			continue
		}
		order = append(order, int32(i))
	}
	return order
}

// WellFormed checks what the model requires of every window, variants included, apart from its
// recorded order.
func WellFormed(w *model.Window) error {
	started := map[model.Obj]bool{}
	for i := range w.Events {
		e := &w.Events[i]
		for _, d := range slices.Concat(e.Deps, e.Where, e.ValDeps) {
			if d < 0 || int(d) >= i || w.Events[d].Thread != e.Thread || !isRead(&w.Events[d]) {
				return fmt.Errorf("event %d depends on %d, which is not an earlier read of its thread", i, d)
			}
		}
		for _, t := range terms(e) {
			if err := termFits(w, int32(i), t); err != nil {
				return err
			}
		}
		switch e.Kind {
		case format.Go:
			if started[e.Obj] || e.Obj == model.Obj(e.Thread) {
				return fmt.Errorf("event %d starts thread %d again", i, e.Obj)
			}
			started[e.Obj] = true
			if slices.ContainsFunc(w.Events[:i], func(f model.Event) bool { return model.Obj(f.Thread) == e.Obj }) {
				return fmt.Errorf("event %d starts thread %d, which has earlier events", i, e.Obj)
			}
		case format.ChanSend:
			if p := e.Partner; p >= 0 {
				if int(p) >= len(w.Events) || w.Events[p].Kind != format.ChanRecv ||
					w.Events[p].Obj != e.Obj || w.Events[p].Thread == e.Thread {
					return fmt.Errorf("event %d has partner %d, which is not a receive of another thread", i, p)
				}
			}
		}
	}
	for _, e := range w.Edges {
		if e.From < 0 || e.To < 0 || int(e.From) >= len(w.Events) || int(e.To) >= len(w.Events) {
			return fmt.Errorf("hard edge %d→%d has no events", e.From, e.To)
		}
	}
	for _, c := range w.Orders {
		for _, i := range []int32{c.If, c.From, c.To} {
			if i < 0 || int(i) >= len(w.Events) {
				return fmt.Errorf("conditional order %d→%d if %d has no events", c.From, c.To, c.If)
			}
		}
	}
	return nil
}

// Candidates lists the conflicting pairs of a window, with A < B.
func Candidates(w *model.Window) []model.Pair {
	var pairs []model.Pair
	for j := range w.Events {
		for i := range j {
			if conflict(&w.Events[i], &w.Events[j]) {
				pairs = append(pairs, model.Pair{A: int32(i), B: int32(j)})
			}
		}
	}
	return pairs
}

func conflict(e, f *model.Event) bool {
	return e.Kind.IsAccess() && f.Kind.IsAccess() && !e.IsText() && !f.IsText() && e.Thread != f.Thread && e.Obj == f.Obj &&
		(e.Kind.IsWrite() || f.Kind.IsWrite()) && !(e.Kind.IsAtomic() && f.Kind.IsAtomic())
}

func isRead(e *model.Event) bool {
	return e.Kind == format.Read || e.Kind == format.AtomicRead || e.Kind == format.AtomicRMW ||
		e.Kind == format.ChanRecv || e.Kind == format.ChanLen
}
