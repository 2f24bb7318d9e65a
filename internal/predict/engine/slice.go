package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// slicer makes clauses of violations that depend on values, in a window with terms. There, no read
// is needed as such. A guard that fails, or a read that must be intact and is not, is explained by
// its *slice*: the reads that it depends on, each with the write that it sees.
type slicer struct {
	static   *static
	objects  *objects
	sat      *sat
	reads    *reads
	machine  *machine
	values   *values
	from     *readFrom
	facts    *facts
	recorded []int32 // of a read: the write that it saw in the recorded order, or -1

	slice   []int32 // scratch: reads of the slice
	inSlice []bool
	roots   []lit   // scratch: of repair
	visited []int32 // of a read: the repair that visited it
	repairs int32
}

func newSlicer(m *machine, f *facts, recorded []int32) *slicer {
	n := m.static.n
	return &slicer{
		static: m.static, objects: m.objects, sat: m.reads.sat, reads: m.reads, machine: m, values: m.values, from: m.from,
		facts: f, recorded: recorded, inSlice: make([]bool, n), visited: make([]int32, n),
	}
}

// explainValue explains a violation of (MO11) or (MO6) in a window with terms.
func (sl *slicer) explainValue(v violation, p model.Pair) []lit {
	switch v.rule {
	case ruleSource:
		return sl.explainSource(v.x, v.y)
	case ruleSwap:
		return sl.explainLast(v.x, v.y)
	case ruleDep:
		return sl.explainSlice(sl.reads.happens(v.x, p), v.y)
	case ruleGuard:
		t := sl.static.w.Events[v.x].Guards[v.y].Term
		sl.excludeSources(v.x, v.y, p)
		return sl.repair(sl.explainSlice(sl.reads.happens(v.x, p), t.Reads()...), t.Reads())
	}
	return sl.explainSlice([]lit{sl.sat.out(v.x)}, v.x) // a strict read
}

// explainSlice: not all of these reads, and of the reads that what they see was
// computed from, see what they see in the candidate order.
func (sl *slicer) explainSlice(c []lit, reads ...int32) []lit {
	if !sl.collectSlice(reads) {
		return nil // its object has had a violation, which is explained
	}
	for _, r := range sl.slice {
		c = sl.elsewhere(c, r)
	}
	return sl.facts.because(c)
}

// collectSlice computes the slice of some reads. It is false if it is not known.
func (sl *slicer) collectSlice(reads []int32) bool {
	sl.slice = sl.slice[:0]
	push := func(list ...int32) {
		for _, r := range list {
			if !sl.inSlice[r] {
				sl.inSlice[r] = true
				sl.slice = append(sl.slice, r)
			}
		}
	}
	push(reads...)
	known := true
	for i := 0; i < len(sl.slice); i++ {
		w := sl.values.from[sl.slice[i]]
		known = known && w != unexplained
		if w < 0 || isConstant(&sl.static.w.Events[w]) {
			continue
		}
		e := &sl.static.w.Events[w]
		push(e.ValDeps...)
		if e.Value != nil {
			push(e.Value.Reads()...)
		}
		if e.Kind == format.AtomicRMW {
			push(w)
		}
	}
	for _, r := range sl.slice {
		sl.inSlice[r] = false
	}
	return known
}

// elsewhere appends clause literals for "r sees another write or element".
func (sl *slicer) elsewhere(c []lit, r int32) []lit {
	e := &sl.static.w.Events[r]
	w := sl.values.from[r]
	switch e.Kind {
	case format.ChanLen:
		if sl.objects.objs[e.Obj].init.Cap > 0 {
			c = sl.facts.sameSet(sl.facts.sameSet(c, e.Obj, roleSend, r), e.Obj, roleRecv, r)
		}
		return c
	case format.ChanRecv:
		if w == nowhere {
			return c
		}
		c = sl.facts.sameSet(c, e.Obj, roleRecv, r)
		if w >= 0 {
			c = sl.facts.sameSet(c, e.Obj, roleSend, w)
		}
		return c
	}
	if l := sl.from.sees(r, w).not(); l != litFalse {
		c = append(c, l) // each read of a slice has literals of its own
	}
	return c
}

// explainLast: w0 is the last write before the cursor, where the racing
// read-modify-write x does not find its value.
func (sl *slicer) explainLast(x, w0 int32) []lit {
	o := sl.static.w.Events[x].Obj
	c := sl.facts.someEarlier([]lit{sl.reads.swapping(x).not()}, o, roleWrite, sl.sat.order.cursor)
	if w0 < 0 {
		return sl.facts.because(c)
	}
	c = sl.facts.someLater(append(c, sl.sat.out(w0)), o, roleWrite, w0)
	e := &sl.static.w.Events[w0]
	reads := slices.Clone(e.ValDeps)
	if e.Value != nil {
		reads = append(reads, e.Value.Reads()...)
	}
	if e.Kind == format.AtomicRMW {
		reads = append(reads, w0)
	}
	return sl.explainSlice(c, reads...)
}

// excludeSources emits, for a guard over one read, all sources under which it fails, where
// these are constants: better at once than one after the other.
func (sl *slicer) excludeSources(x, k int32, p model.Pair) {
	g := &sl.static.w.Events[x].Guards[k]
	reads := g.Term.Reads()
	if len(reads) != 1 || !sl.static.w.Events[reads[0]].Kind.IsAccess() {
		return
	}
	src := sl.from.possibleSources(reads[0])
	for i, w := range src.writes {
		in := &sl.static.w.Init[sl.static.w.Events[reads[0]].Obj]
		val := in.Val
		if w < 0 && in.Unknown {
			sl.sat.emit(append(sl.reads.happens(x, p), src.lits[i].not())...)
			continue
		}
		if w >= 0 {
			if !isConstant(&sl.static.w.Events[w]) {
				continue
			}
			val = sl.static.w.Events[w].Val
		}
		if v, ok := sl.values.terms.Eval(g.Term.Expr, func(r int64) (uint64, bool) { return sl.static.w.Names.Sees(val, sl.static.w.Events[r].Val) }); !ok || v != g.Want {
			sl.sat.emit(append(sl.reads.happens(x, p), src.lits[i].not())...)
		}
	}
}

// explainSource: w0 is the last write before r, which should see another.
func (sl *slicer) explainSource(r, w0 int32) []lit {
	src := sl.from.sources[r]
	i, _ := sl.from.chosen(r, src)
	if i < 0 {
		return sl.reads.preferNear(r, src)
	}
	w := src.writes[i]
	if w0 < 0 || w >= 0 && sl.sat.order.pos[w] > sl.sat.order.pos[r] {
		return []lit{sl.sat.before(w, r)} // not propagated yet
	}
	c := []lit{src.lits[i].not(), sl.sat.before(r, w0)}
	if w >= 0 {
		c = append(c, sl.sat.before(w0, w))
	}
	sl.sat.emit(c...)
	return sl.facts.asRecorded(c[1:])
}
