package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// word is a value in memory or in a channel; what is not known equals nothing.
type word struct {
	val   uint64
	known bool
}

// values is rule (MO11): what reads see where terms are evaluated. Then no read is needed
// as such; a guard that fails, or a read that must be intact and is not, is
// explained by its *slice*, the reads it rests on, each with the write it sees.
type values struct {
	seen    []word     // of each executed read and send
	from    []int32    // of each executed read: the write or send it sees, -1: the initial value
	sources []*sources // of a read: the literals "it sees this write"
	memos   map[*model.Term]*memo
	slice   []int32 // scratch: reads of the slice
	inSlice []bool
	terms   expr.Evaluator
	roots   []lit   // scratch: of repair
	visited []int32 // of a read: the repair that visited it
	repairs int32

	regular []int8 // of each event: isRegular, 0: not asked yet

	choices []choice // of a read: the source that the search has chosen for it
}

// What from may be besides an event.
const (
	nowhere     = -2 // the value does not depend on the order
	unexplained = -3 // the object has had a violation before
)

func newValues(w *model.Window) *values {
	n := len(w.Events)
	return &values{
		seen: make([]word, n), from: make([]int32, n), sources: make([]*sources, n), inSlice: make([]bool, n),
		regular: make([]int8, n), visited: make([]int32, n), memos: map[*model.Term]*memo{},
		choices: make([]choice, n),
	}
}

// isRegular reports whether the guards of x hold where their reads are intact: in a recorded
// window they do, in a variant they need not.
func (s *Solver) isRegular(x int32) bool {
	u := s.values
	if u.regular[x] == 0 {
		u.regular[x] = 1
		for _, g := range s.w.Events[x].Guards {
			v, ok := u.terms.Eval(g.Term.Expr, func(r int64) (uint64, bool) { return s.w.Names.Plain(s.w.Events[r].Val), true })
			if !ok || v != g.Want {
				u.regular[x] = -1
			}
		}
	}
	return u.regular[x] > 0
}

// hasTerms reports whether anything in the window is evaluated.
func hasTerms(w *model.Window) bool {
	return slices.ContainsFunc(w.Events, func(e model.Event) bool { return len(e.Guards) > 0 || e.Value != nil })
}

// isConstant reports that the write or send e always leaves the same value.
func isConstant(e *model.Event) bool {
	return len(e.ValDeps) == 0 && e.Value == nil && e.Kind != format.AtomicRMW
}

// produced is the value that e leaves: as recorded, if all it is computed from is; else
// what its term amounts to (MO11).
func (s *Solver) produced(e *model.Event, recorded uint64, asRecorded bool) word {
	switch {
	case asRecorded && s.allIntact(e.ValDeps):
		return word{recorded, true}
	case e.Value == nil:
		return word{}
	}
	if e.Value.Copies() {
		return s.values.seen[e.Value.Reads()[0]]
	}
	v := s.evaluate(e.Value)
	return word{v.val, v.known && !s.w.Names.Ambiguous(v.val)}
}

// sent is the element that the executed send y has left.
func (s *Solver) sent(y int32, e *model.Event) word {
	if s.values != nil {
		return s.values.seen[y]
	}
	return word{e.Val, s.allIntact(e.ValDeps)}
}

// memo is what a term amounted to last. One order that the search tries differs from the next in
// few places.
type memo struct {
	seen []word // by read
	word word
}

// maxForgotten is the size up to which terms are evaluated again each time.
const maxForgotten = 24

// evaluate computes a term from the plain words that its reads see.
func (s *Solver) evaluate(t *model.Term) word {
	if t.Expr.Size() <= maxForgotten {
		return s.compute(t)
	}
	m, same := s.values.memos[t]
	if !same {
		m = &memo{seen: make([]word, len(t.Reads()))}
		s.values.memos[t] = m
	}
	for i, r := range t.Reads() {
		if now := s.values.seen[r]; now != m.seen[i] {
			m.seen[i], same = now, false
		}
	}
	if !same {
		m.word = s.compute(t)
	}
	return m.word
}

func (s *Solver) compute(t *model.Term) word {
	v, ok := s.values.terms.Eval(t.Expr, func(r int64) (uint64, bool) {
		seen := &s.values.seen[r]
		w, ok := s.w.Names.Sees(seen.val, s.w.Events[r].Val)
		return w, ok && seen.known
	})
	return word{v, ok}
}

// guardHolds judges guard number k of x.
func (s *Solver) guardHolds(x int32, k int) bool {
	g := &s.w.Events[x].Guards[k]
	if s.allIntact(g.Term.Reads()) && s.isRegular(x) {
		return true
	}
	v := s.evaluate(g.Term)
	return v.known && v.val == g.Want
}

// explainValue explains a violation of (MO11) or (MO6) in a window with terms.
func (s *Solver) explainValue(v violation, p model.Pair) []lit {
	switch v.rule {
	case ruleSource:
		return s.explainSource(v.x, v.y)
	case ruleSwap:
		return s.explainLast(v.x, v.y)
	case ruleDep:
		return s.explainSlice(s.happens(v.x, p), v.y)
	case ruleGuard:
		t := s.w.Events[v.x].Guards[v.y].Term
		s.excludeSources(v.x, v.y, p)
		return s.repair(s.explainSlice(s.happens(v.x, p), t.Reads()...), t.Reads())
	}
	return s.explainSlice([]lit{s.out(v.x)}, v.x) // a strict read
}

// explainSlice: not all of these reads, and of the reads that what they see was
// computed from, see what they see in the candidate order.
func (s *Solver) explainSlice(c []lit, reads ...int32) []lit {
	if !s.collectSlice(reads) {
		return nil // its object has had a violation, which is explained
	}
	for _, r := range s.values.slice {
		c = s.elsewhere(c, r)
	}
	return s.because(c)
}

// collectSlice computes the slice of some reads. It is false if it is not known.
func (s *Solver) collectSlice(reads []int32) bool {
	u := s.values
	u.slice = u.slice[:0]
	push := func(list ...int32) {
		for _, r := range list {
			if !u.inSlice[r] {
				u.inSlice[r] = true
				u.slice = append(u.slice, r)
			}
		}
	}
	push(reads...)
	known := true
	for i := 0; i < len(u.slice); i++ {
		w := u.from[u.slice[i]]
		known = known && w != unexplained
		if w < 0 || isConstant(&s.w.Events[w]) {
			continue
		}
		e := &s.w.Events[w]
		push(e.ValDeps...)
		if e.Value != nil {
			push(e.Value.Reads()...)
		}
		if e.Kind == format.AtomicRMW {
			push(w)
		}
	}
	for _, r := range u.slice {
		u.inSlice[r] = false
	}
	return known
}

// elsewhere appends clause literals for "r sees another write or element".
func (s *Solver) elsewhere(c []lit, r int32) []lit {
	e := &s.w.Events[r]
	w := s.values.from[r]
	switch e.Kind {
	case format.ChanLen:
		if s.objs[e.Obj].init.Cap > 0 {
			c = s.sameSet(s.sameSet(c, e.Obj, roleSend, r), e.Obj, roleRecv, r)
		}
		return c
	case format.ChanRecv:
		if w == nowhere {
			return c
		}
		c = s.sameSet(c, e.Obj, roleRecv, r)
		if w >= 0 {
			c = s.sameSet(c, e.Obj, roleSend, w)
		}
		return c
	}
	if l := s.sees(r, w).not(); l != litFalse {
		c = append(c, l) // each read of a slice has literals of its own
	}
	return c
}

// explainLast: w0 is the last write before the cursor, where the racing
// read-modify-write x does not find its value.
func (s *Solver) explainLast(x, w0 int32) []lit {
	o := s.w.Events[x].Obj
	c := s.someEarlier([]lit{s.swapping(x).not()}, o, roleWrite, s.cursor)
	if w0 < 0 {
		return s.because(c)
	}
	c = s.someLater(append(c, s.out(w0)), o, roleWrite, w0)
	e := &s.w.Events[w0]
	reads := slices.Clone(e.ValDeps)
	if e.Value != nil {
		reads = append(reads, e.Value.Reads()...)
	}
	if e.Kind == format.AtomicRMW {
		reads = append(reads, w0)
	}
	return s.explainSlice(c, reads...)
}

// excludeSources emits, for a guard over one read, all sources under which it fails, where
// these are constants: better at once than one after the other.
func (s *Solver) excludeSources(x, k int32, p model.Pair) {
	g := &s.w.Events[x].Guards[k]
	reads := g.Term.Reads()
	if len(reads) != 1 || !s.w.Events[reads[0]].Kind.IsAccess() {
		return
	}
	src := s.possibleSources(reads[0])
	for i, w := range src.writes {
		in := &s.w.Init[s.w.Events[reads[0]].Obj]
		val := in.Val
		if w < 0 && in.Unknown {
			s.emit(append(s.happens(x, p), src.lits[i].not())...)
			continue
		}
		if w >= 0 {
			if !isConstant(&s.w.Events[w]) {
				continue
			}
			val = s.w.Events[w].Val
		}
		if v, ok := s.values.terms.Eval(g.Term.Expr, func(r int64) (uint64, bool) { return s.w.Names.Sees(val, s.w.Events[r].Val) }); !ok || v != g.Want {
			s.emit(append(s.happens(x, p), src.lits[i].not())...)
		}
	}
}
