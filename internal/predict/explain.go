package predict

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// Reason is what keeps two accesses from racing. There may be further reasons.
type Reason uint8

const (
	Raced  Reason = iota // nothing
	Locked               // a lock that both hold (PR4)
	// a chain of events, each of which must come before the next (MO1 to MO4)
	Ordered
	Missing  // such a chain, with orders that excluded calls keep
	Together // such orders, but no chain of them alone
	Values   // the values that reads must return
	// locks, channels and other objects: they allow no order in which both accesses are next
	Operations
	Undecided // the engine's budget was spent
	Untried   // there is a witness, but these accesses were not tried (PR2, PR3)
	OnlyRun   // only a run can decide (Result.ToRun)
)

// Explanation is the reason of a pair of accesses at two sites.
type Explanation struct {
	A, B   Access // A is first in the trace
	Reason Reason
	Chain  []Link // from one access to the other, if there is one
	Lock   trace.Addr
}

// Link is a step of a chain: From comes before To in every execution that has To.
type Link struct {
	From, To int64 // event numbers in the trace
	By       LinkKind
	Calls    []model.ExcludedCall // of By MissingMethod: the calls that keep the order
	// the memory that both calls reach, or that one reaches and the other event accesses: its first
	// address and its end; zero: everything
	Part  [2]uint64
	Lives trace.GoID // if not 0: what they share is whether this goroutine lives
}

// LinkKind is what orders the events of a link.
type LinkKind uint8

const (
	ProgramOrder  LinkKind = iota // they are of one goroutine
	MustPrecede                   // the model
	MissingMethod                 // what excluded calls may do
)

// maxExplained is the number of pairs of accesses at two sites that are explained in a window.
const maxExplained = 8

// An explainer finds out why pairs of accesses do not race, for the pairs of sites of
// Options.Explain. It answers these questions, in this order. Do the accesses hold a lock in
// common? Does a chain of program order and hard edges lead from one to the other, without or with
// the orders that excluded calls keep? Does the engine find a race? Does it find one without these
// orders, or if reads may return anything?
type explainer struct {
	ask   func(a, b trace.Site) bool
	pairs pairTable
	spent *effort
	over  func() bool // ends a search
	found map[sitePair]Explanation
}

// window explains pairs of accesses of one window.
func (r *explainer) window(b *built.Window, w *model.Window) {
	var locks *locksets
	left := map[sitePair]int{}
	accesses := map[model.Obj][]int32{}
	for i := range w.Events {
		e := &w.Events[i]
		if !candidateAccess(w, i) || !r.ask(e.Site, 0) {
			continue
		}
		before := accesses[e.Obj]
		for k := len(before) - 1; k >= 0; k-- {
			f := &w.Events[before[k]]
			pair := pairOf(f.Site, e.Site)
			if f.Thread == e.Thread || !conflict(f.Kind, e.Kind) || !r.ask(f.Site, e.Site) || left[pair] == maxExplained {
				continue
			}
			left[pair]++
			if locks == nil {
				locks = computeLocksets(w)
			}
			x := r.pair(b, w, locks, model.Pair{A: before[k], B: int32(i)})
			if old, ok := r.found[pair]; !ok || x.Reason == Raced || old.Reason != Raced && old.Reason < x.Reason {
				r.found[pair] = x
			}
		}
		accesses[e.Obj] = append(before, int32(i))
	}
}

// pair explains two accesses.
func (r *explainer) pair(b *built.Window, w *model.Window, locks *locksets, p model.Pair) Explanation {
	x := Explanation{A: accessAt(w, p.A), B: accessAt(w, p.B)}
	if s := r.pairs[pairOf(x.A.Site, x.B.Site)]; s != nil && s.race != 0 {
		return x
	}
	if h, ok := locks.shared(locks.at[p.A], locks.at[p.B]); ok {
		x.Reason = Locked
		if places := b.Places; int(h) < len(places) {
			x.Lock = trace.Addr(places[h].Addr)
		}
		return x
	}
	c := newChains(b, w)
	for _, kept := range []bool{false, true} {
		if path := c.path(p, kept); path != nil {
			if x.Reason, x.Chain = Ordered, c.links(path); kept {
				x.Reason = Missing
			}
			return x
		}
	}
	solve := func(w *model.Window) engine.Verdict {
		res := engine.New(w, engine.Options{Over: r.over}).Solve(p)
		r.spent.add(res.Visits(w))
		return res.Verdict
	}
	switch v := solve(w); {
	case v == engine.Race:
		x.Reason = Untried
	case v == engine.Unknown:
		x.Reason = Undecided
	case len(c.by) > 0 && solve(c.loose()) == engine.Race:
		x.Reason = Together
	case solve(careless(w)) == engine.Race:
		x.Reason = Values
	default:
		x.Reason = Operations
	}
	return x
}

// list lists the explanations. A pair of sites that was found to race later has reason Raced.
func (r *explainer) list() (out []Explanation) {
	for p, x := range r.found {
		if s := r.pairs[p]; s != nil && s.race != 0 {
			x.Reason, x.Chain = Raced, nil
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(x, y Explanation) int {
		return cmp.Or(cmp.Compare(x.A.Index, y.A.Index), cmp.Compare(x.B.Index, y.B.Index))
	})
	return out
}

// careless returns a window in which reads may return anything.
func careless(w *model.Window) *model.Window {
	x := *w
	x.Events = slices.Clone(w.Events)
	for i := range x.Events {
		e := &x.Events[i]
		e.Strict, e.Deps, e.Where, e.ValDeps, e.Guards, e.Value = false, nil, nil, nil, nil, nil
	}
	return &x
}
