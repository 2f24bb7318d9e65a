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

	// For find, which is used for reads with terms only.
	sorted []int32 // the indices of writes, by write
	found  int32   // the last index that it found
}

// reads are the literals about intactness. They, and their clauses, are made when they are first
// needed.
type reads struct {
	sat     *sat
	static  *static
	objects *objects

	needLit   []lit // of a read: it must be intact
	wholeLit  []lit // of a write or send: its value must be intact
	sources   []*sources
	swaps     map[int32]*sources
	swapLit   map[int32]lit
	racingLit []lit // of an event: it is one of the pair
}

func newReads(s *sat, st *static, ob *objects) *reads {
	n := int(st.n)
	u := &reads{
		sat: s, static: st, objects: ob,
		needLit: make([]lit, n), wholeLit: make([]lit, n), sources: make([]*sources, n),
		swaps: map[int32]*sources{}, swapLit: map[int32]lit{}, racingLit: make([]lit, n),
	}
	for i := range n {
		u.needLit[i], u.wholeLit[i], u.racingLit[i] = noLit, noLit, noLit
	}
	return u
}

// need is the literal "the read r is intact". A strict read is intact whenever it
// is executed.
func (u *reads) need(r int32) lit {
	if u.needLit[r] == noLit {
		if u.static.w.Events[r].Strict {
			u.needLit[r] = u.sat.in(r)
		} else {
			u.needLit[r] = u.sat.newVar(-1, -1)
		}
	}
	return u.needLit[r]
}

// racing is the literal "x is one of the pair".
func (u *reads) racing(x int32) lit {
	if u.racingLit[x] == noLit {
		u.racingLit[x] = u.sat.newVar(-1, -1)
	}
	return u.racingLit[x]
}

// happens returns the clause so far: "x does not happen", as an executed event or as
// one of the racing pair.
func (u *reads) happens(x int32, p model.Pair) []lit {
	if x == p.A || x == p.B {
		return []lit{u.racing(x).not()}
	}
	return []lit{u.sat.out(x)}
}

// swapping is the literal "x is one of the pair and must find its value".
func (u *reads) swapping(x int32) lit {
	l, ok := u.swapLit[x]
	if !ok {
		l = u.sat.newVar(-1, -1)
		u.swapLit[x] = l
	}
	return l
}

// whole is the literal "the value that x writes or sends is intact".
func (u *reads) whole(x int32) lit {
	if u.wholeLit[x] != noLit {
		return u.wholeLit[x]
	}
	e := &u.static.w.Events[x]
	var deps []int32
	for _, r := range e.ValDeps {
		if !u.static.w.Events[r].Strict {
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
		l = u.need(deps[0])
	default:
		l = u.sat.newVar(-1, -1)
		for _, r := range deps {
			u.sat.emit(l.not(), u.need(r))
		}
	}
	u.wholeLit[x] = l
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
func (u *reads) sourcesOf(r int32) *sources {
	if u.sources[r] == nil {
		u.sources[r] = u.newSources(r, r, u.need(r))
	}
	return u.sources[r]
}

// swapSources are the sources of the value that the racing read-modify-write x must
// find at the cursor.
func (u *reads) swapSources(x int32) *sources {
	if u.swaps[x] == nil {
		u.swaps[x] = u.newSources(x, u.sat.order.cursor, u.swapping(x))
	}
	return u.swaps[x]
}

// newSources emits, for the read r that stands at the node at: if need, then r sees
// one of its candidates, which is whole and before it.
func (u *reads) newSources(r, at int32, need lit) *sources {
	src := &sources{at: at, writes: u.candidates(r)}
	all := []lit{need.not()}
	for _, w := range src.writes {
		l := need
		if len(src.writes) > 1 {
			l = u.sat.newVar(-1, -1)
			all = append(all, l)
		}
		src.lits = append(src.lits, l)
		if w >= 0 {
			o := u.sat.before(w, at)
			u.sat.vars.needs[l] = o
			u.sat.emit(l.not(), o)
			u.sat.emit(l.not(), u.whole(w))
		}
	}
	if len(src.writes) != 1 {
		u.sat.emit(all...)
	}
	return src
}

// candidates are the writes of r's value that can be the last before r.
func (u *reads) candidates(r int32) []int32 {
	e := &u.static.w.Events[r]
	o := &u.objects.objs[e.Obj]
	last := u.objects.lastMust(r)
	var c []int32
	if o.init.Val == e.Val && !o.init.Unknown && len(last) == 0 {
		c = append(c, -1)
	}
	for _, q := range o.ops[roleWrite] {
		for _, w := range q {
			if written(&u.static.w.Events[w]) == e.Val && w != r && !u.static.must(r, w) && !u.objects.hidden(w, last) {
				c = append(c, w)
			}
		}
	}
	return c
}

// explainRead explains why the needed read r did not see its value: w0 was the last
// write. It returns the literals to decide on.
func (u *reads) explainRead(r, w0 int32) []lit {
	return u.explainSources(r, u.sourcesOf(r), w0)
}

// explainSwap does the same for a racing read-modify-write.
func (u *reads) explainSwap(x, w0 int32) []lit {
	return u.explainSources(x, u.swapSources(x), w0)
}

func (u *reads) explainSources(r int32, src *sources, w0 int32) []lit {
	for i, l := range src.lits {
		if u.sat.holds(l) {
			return u.explainInterference(r, src, src.writes[i], w0, l)
		}
	}
	return u.preferNear(r, src)
}

// explainInterference: r should see w, and w0 stands between them.
func (u *reads) explainInterference(r int32, src *sources, w, w0 int32, chosen lit) []lit {
	switch {
	case w >= 0 && u.sat.order.pos[w] > u.sat.order.pos[src.at]:
		return []lit{u.sat.before(w, src.at)} // not propagated yet
	case w0 < 0 || w0 == w:
		return []lit{u.whole(w)}
	}
	c := []lit{chosen.not(), u.sat.before(src.at, w0)}
	if w >= 0 {
		c = append(c, u.sat.before(w0, w))
	}
	if written(&u.static.w.Events[w0]) == u.static.w.Events[r].Val {
		c = append(c, u.whole(w0))
	}
	u.sat.emit(c...)
	return c[1:]
}

// preferNear orders the choices of a source: not executing r first, then writes by
// their distance before r in the recorded order, then the others.
func (u *reads) preferNear(r int32, src *sources) []lit {
	type near struct {
		l    lit
		cost int32
	}
	var cs []near
	for i, w := range src.writes {
		d := u.static.place[r]
		if w >= 0 {
			d -= u.static.place[w]
		}
		if d < 0 {
			d *= -4
		}
		if w >= 0 && u.sat.order.pos[w] > u.sat.order.pos[src.at] {
			d += 1 << 14
		}
		cs = append(cs, near{src.lits[i], d})
	}
	slices.SortStableFunc(cs, func(a, b near) int { return int(a.cost - b.cost) })
	var out []lit
	if src.at == r {
		out = append(out, u.sat.out(r))
	}
	for _, c := range cs {
		out = append(out, c.l)
	}
	return out
}
