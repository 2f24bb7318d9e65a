package predict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// A suppression finds the candidates of one window that have no witness only because of excluded
// calls. The engine decides a refuted pair again in the window without the orders that these calls
// keep. A race there may be false; tracing the calls' code would decide it.
type suppression struct {
	of     *built.Window
	by     map[model.Edge]trace.Addr // the orders that excluded calls keep
	solver *engine.Solver            // of the window without these
	out    [][]int32                 // hard edges of the window, by the event they come from
	next   []int32                   // of the event's thread
}

// maxSuppressed is the number of pairs of accesses at two sites that are decided again.
const maxSuppressed = 4

// suppressed decides whether a pair without a witness in b has one without excluded calls.
func (r *run) suppressed(b place, p model.Pair, s *pairState) {
	if s.keptBy >= 0 || s.triedLoose >= maxSuppressed || len(b.Kept) == 0 {
		return
	}
	s.triedLoose++
	w := b.lowest.window()
	x := &r.suppression
	if x.of != b.Window {
		*x = suppression{of: b.Window}
		x.by = make(map[model.Edge]trace.Addr)
		for _, k := range b.Kept {
			x.by[k.Edge] = k.Method
		}
		loose := without(w, func(e model.Edge) bool { _, kept := x.by[e]; return kept })
		x.solver = engine.New(loose, engine.Options{Conflicts: max(1, engine.DefaultConflicts/pathConflicts), Over: r.ends})
	}
	res := x.solver.Solve(p)
	r.spent.add(res.Visits(w))
	if res.Verdict == engine.Race {
		s.keptBy = int64(x.method(w, p))
	}
}

// without returns a window without the orders that excluded calls keep. What the beginning of a
// call reads depends on reads of other goroutines only by such an order (WI9).
func without(w *model.Window, kept func(model.Edge) bool) *model.Window {
	x := *w
	x.Orders = nil
	x.Edges = slices.DeleteFunc(slices.Clone(w.Edges), func(e model.Edge) bool { return kept(model.Edge{From: e.From, To: e.To}) })
	x.Events = slices.Clone(w.Events)
	for i := range x.Events {
		e := &x.Events[i]
		others := func(r int32) bool { return w.Events[r].Thread != e.Thread }
		if slices.ContainsFunc(e.Deps, others) {
			e.Deps = slices.DeleteFunc(slices.Clone(e.Deps), others)
		}
		if of := func(g model.Guard) bool { return slices.ContainsFunc(g.Term.Reads(), others) }; slices.ContainsFunc(e.Guards, of) {
			e.Guards = slices.DeleteFunc(slices.Clone(e.Guards), of)
		}
	}
	return &x
}

// method returns a callee whose excluded calls keep two accesses in order, 0 if there are several.
func (x *suppression) method(w *model.Window, p model.Pair) trace.Addr {
	if x.next == nil {
		x.connect(w)
	}
	for _, q := range []model.Pair{p, {A: p.B, B: p.A}} {
		from := map[int32]int32{q.A: -1}
		for todo := []int32{q.A}; len(todo) > 0; todo = todo[1:] {
			e := todo[0]
			for _, f := range append([]int32{x.next[e]}, x.out[e]...) {
				if _, seen := from[f]; f >= 0 && !seen {
					from[f] = e
					todo = append(todo, f)
				}
			}
		}
		for e, ok := q.B, true; ok && e >= 0; {
			d, known := from[e]
			if method := x.by[model.Edge{From: d, To: e}]; known && method != 0 {
				return method
			}
			e, ok = d, known
		}
	}
	return 0
}

func (x *suppression) connect(w *model.Window) {
	x.out, x.next = make([][]int32, len(w.Events)), make([]int32, len(w.Events))
	last := map[model.Thread]int32{}
	for i := range w.Events {
		x.next[i] = -1
		if e, ok := last[w.Events[i].Thread]; ok {
			x.next[e] = int32(i)
		}
		last[w.Events[i].Thread] = int32(i)
	}
	for _, e := range w.Orders {
		x.out[e.From] = append(x.out[e.From], e.To)
	}
	for _, e := range w.Edges {
		x.out[e.From] = append(x.out[e.From], e.To)
	}
}

// suppressedText prints how many pairs the calls of each package, or function, keep in order, the
// most first.
func suppressedText(meta *trace.Meta, n map[trace.Addr]int64) string {
	var list []string
	methods := slices.SortedFunc(maps.Keys(n), func(a, b trace.Addr) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	for _, m := range methods {
		if len(list) == 5 {
			list = append(list, "…")
			break
		}
		list = append(list, fmt.Sprintf("%d by %s", n[m], MethodName(meta, m)))
	}
	return strings.Join(list, ", ")
}

// MethodName returns the name of an excluded callee: its package, or its name in a converted trace;
// 0 stands for several.
func MethodName(meta *trace.Meta, m trace.Addr) string {
	switch {
	case m == 0:
		return "several of them"
	case meta != nil && int64(m) <= int64(len(meta.Missing)):
		return meta.Missing[m-1].Path
	case meta != nil:
		for _, o := range meta.Objects {
			if o.Addr == m {
				return o.Name
			}
		}
	}
	return fmt.Sprintf("%#x", uint64(m))
}
