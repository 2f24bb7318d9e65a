package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// sources are the writes a needed read may see: exactly one of lits is chosen.
type sources struct {
	at     int32   // where the read stands: the read itself, or the cursor
	writes []int32 // -1: the initial value
	lits   []lit

	// What find needs, which is asked for sources of reads with terms only.
	sorted []int32 // the indices of writes, by write
	found  int32   // the last index that it found
}

// reads holds the literals about intactness.
type reads struct {
	needLit  []lit // of a read: it must be intact
	wholeLit []lit // of a write or send: its value must be intact
	sources  []*sources
	swaps    map[int32]*sources
	swapLit  map[int32]lit
}

func (r *reads) prepare(n int) {
	r.needLit, r.wholeLit, r.sources = make([]lit, n), make([]lit, n), make([]*sources, n)
	r.swaps, r.swapLit = map[int32]*sources{}, map[int32]lit{}
	for i := range n {
		r.needLit[i], r.wholeLit[i] = noLit, noLit
	}
}

// need is the literal "the read r is intact". A strict read is intact whenever it
// is executed.
func (s *Solver) need(r int32) lit {
	if s.needLit[r] == noLit {
		if s.w.Events[r].Strict {
			s.needLit[r] = s.in(r)
		} else {
			s.needLit[r] = s.newVar(-1, -1)
		}
	}
	return s.needLit[r]
}

// swapping is the literal "x is one of the pair and must find its value".
func (s *Solver) swapping(x int32) lit {
	l, ok := s.swapLit[x]
	if !ok {
		l = s.newVar(-1, -1)
		s.swapLit[x] = l
	}
	return l
}

// whole is the literal "the value that x writes or sends is intact".
func (s *Solver) whole(x int32) lit {
	if s.wholeLit[x] != noLit {
		return s.wholeLit[x]
	}
	e := &s.w.Events[x]
	var deps []int32
	for _, r := range e.ValDeps {
		if !s.w.Events[r].Strict {
			deps = append(deps, r)
		}
	}
	if e.Kind == format.AtomicRMW && !e.Strict {
		deps = append(deps, x)
	}
	l := litTrue
	switch len(deps) {
	case 0:
	case 1:
		l = s.need(deps[0])
	default:
		l = s.newVar(-1, -1)
		for _, r := range deps {
			s.emit(l.not(), s.need(r))
		}
	}
	s.wholeLit[x] = l
	return l
}

// written is the value that the write e leaves.
func written(e *model.Event) uint64 {
	if e.Kind == format.AtomicRMW {
		return e.Aux
	}
	return e.Val
}

// sourcesOf returns the sources of the needed read r, and emits their clauses when
// it is asked for the first time.
func (s *Solver) sourcesOf(r int32) *sources {
	if s.sources[r] == nil {
		s.sources[r] = s.newSources(r, r, s.need(r))
	}
	return s.sources[r]
}

// swapSources are the sources of the value that the racing read-modify-write x must
// find at the cursor.
func (s *Solver) swapSources(x int32) *sources {
	if s.swaps[x] == nil {
		s.swaps[x] = s.newSources(x, s.cursor, s.swapping(x))
	}
	return s.swaps[x]
}

// newSources emits, for the read r that stands at the node at: if need, then r sees
// one of its candidates, which is whole and before it.
func (s *Solver) newSources(r, at int32, need lit) *sources {
	src := &sources{at: at, writes: s.candidates(r)}
	all := []lit{need.not()}
	for _, w := range src.writes {
		l := need
		if len(src.writes) > 1 {
			l = s.newVar(-1, -1)
			all = append(all, l)
		}
		src.lits = append(src.lits, l)
		if w >= 0 {
			o := s.before(w, at)
			s.needs[l] = o
			s.emit(l.not(), o)
			s.emit(l.not(), s.whole(w))
		}
	}
	if len(src.writes) != 1 {
		s.emit(all...)
	}
	return src
}

// candidates are the writes of r's value that can be the last before r.
func (s *Solver) candidates(r int32) []int32 {
	e := &s.w.Events[r]
	o := &s.objs[e.Obj]
	last := s.lastMust(r)
	var c []int32
	if o.init.Val == e.Val && !o.init.Unknown && len(last) == 0 {
		c = append(c, -1)
	}
	for _, q := range o.ops[roleWrite] {
		for _, w := range q {
			if written(&s.w.Events[w]) == e.Val && w != r && !s.must(r, w) && !s.hidden(w, last) {
				c = append(c, w)
			}
		}
	}
	return c
}

// lastMust returns the last write of each chain that must stand before the read r.
func (s *Solver) lastMust(r int32) []int32 {
	var last []int32
	for _, q := range s.objs[s.w.Events[r].Obj].ops[roleWrite] {
		if k := s.countMust(q, r); k > 0 {
			last = append(last, q[k-1])
		}
	}
	return last
}

// countMust is the number of events of q that must stand before x.
func (s *Solver) countMust(q []int32, x int32) int {
	k, _ := slices.BinarySearchFunc(q, 0, func(y int32, _ int) int {
		if s.must(y, x) {
			return -1
		}
		return 1
	})
	return k
}

// hidden reports that a write of last always overwrites w.
func (s *Solver) hidden(w int32, last []int32) bool {
	for _, l := range last {
		if s.must(w, l) {
			return true
		}
	}
	return false
}

// explainRead explains why the needed read r did not see its value: w0 was the last
// write. It returns the literals to decide on.
func (s *Solver) explainRead(r, w0 int32) []lit {
	return s.explainSources(r, s.sourcesOf(r), w0)
}

// explainSwap does the same for a racing read-modify-write.
func (s *Solver) explainSwap(x, w0 int32) []lit {
	return s.explainSources(x, s.swapSources(x), w0)
}

func (s *Solver) explainSources(r int32, src *sources, w0 int32) []lit {
	for i, l := range src.lits {
		if s.holds(l) {
			return s.explainInterference(r, src, src.writes[i], w0, l)
		}
	}
	return s.preferNear(r, src)
}

// explainInterference: r should see w, and w0 stands between them.
func (s *Solver) explainInterference(r int32, src *sources, w, w0 int32, chosen lit) []lit {
	switch {
	case w >= 0 && s.pos[w] > s.pos[src.at]:
		return []lit{s.before(w, src.at)} // not propagated yet
	case w0 < 0 || w0 == w:
		return []lit{s.whole(w)}
	}
	c := []lit{chosen.not(), s.before(src.at, w0)}
	if w >= 0 {
		c = append(c, s.before(w0, w))
	}
	if written(&s.w.Events[w0]) == s.w.Events[r].Val {
		c = append(c, s.whole(w0))
	}
	s.emit(c...)
	return c[1:]
}

// preferNear orders the choices of a source: not executing r first, then writes by
// their distance before r in the recorded order, then the others.
func (s *Solver) preferNear(r int32, src *sources) []lit {
	type near struct {
		l    lit
		cost int32
	}
	var cs []near
	for i, w := range src.writes {
		d := s.place[r]
		if w >= 0 {
			d -= s.place[w]
		}
		if d < 0 {
			d *= -4
		}
		if w >= 0 && s.pos[w] > s.pos[src.at] {
			d += 1 << 14
		}
		cs = append(cs, near{src.lits[i], d})
	}
	slices.SortStableFunc(cs, func(a, b near) int { return int(a.cost - b.cost) })
	var out []lit
	if src.at == r {
		out = append(out, s.out(r))
	}
	for _, c := range cs {
		out = append(out, c.l)
	}
	return out
}
