package engine

import (
	"cmp"
	"slices"
)

// readFrom are the literals "the read r sees the write w", in a window with terms (MO11). Where a
// few hundred accesses act on one word, each of its reads has as many of them. So neither agrees,
// at each event of an execution, nor sees, for each read of a slice, searches the list.
type readFrom struct {
	sat     *sat
	static  *static
	objects *objects

	sources []*sources // of a read: its literals
	choices []choice   // of a read: the source that the search has chosen for it
	run     int32      // of the machine, for choices
}

func newReadFrom(s *sat, st *static, ob *objects) *readFrom {
	return &readFrom{sat: s, static: st, objects: ob, sources: make([]*sources, st.n), choices: make([]choice, st.n)}
}

// choice is the source that the search has chosen for a read, in execution number run.
type choice struct {
	run int32
	// the index of the source in the writes and lits of sources; -1: none is chosen, but some are
	// excluded
	index int32
}

// possibleSources returns the literals of r. The first call emits their clauses: an executed read
// sees one write, which is before it. That no other write is between them is emitted when an order
// has one (explainSource).
func (f *readFrom) possibleSources(r int32) *sources {
	if src := f.sources[r]; src != nil {
		return src
	}
	src := &sources{at: r, writes: f.possibleWrites(r)}
	f.sources[r] = src
	src.sort()
	if len(src.writes) == 1 {
		src.lits = []lit{litTrue}
		return src
	}
	all := []lit{f.sat.out(r)}
	for i, w := range src.writes {
		l := f.sat.newSource(r, int32(i))
		src.lits, all = append(src.lits, l), append(all, l)
		if w >= 0 {
			f.sat.vars.needs[l] = f.sat.before(w, r)
			f.sat.emit(l.not(), f.sat.before(w, r))
		}
	}
	f.sat.emit(all...)
	return src
}

// possibleWrites are the writes that can be the last before r.
func (f *readFrom) possibleWrites(r int32) []int32 {
	o := &f.objects.objs[f.static.w.Events[r].Obj]
	var c []int32
	last := f.objects.lastMust(r)
	if len(last) == 0 {
		c = append(c, -1)
	}
	for _, q := range o.ops[roleWrite] {
		for _, w := range q {
			if w != r && !f.static.must(r, w) && !f.objects.hidden(w, last) {
				c = append(c, w)
			}
		}
	}
	return c
}

// sort makes find work.
func (src *sources) sort() {
	src.sorted = make([]int32, len(src.writes))
	for i := range src.sorted {
		src.sorted[i] = int32(i)
	}
	slices.SortFunc(src.sorted, func(a, b int32) int { return cmp.Compare(src.writes[a], src.writes[b]) })
}

// find returns the index of a write, -1 if it is no source. It is O(1) for the write that it found
// last.
func (src *sources) find(w int32) int32 {
	if len(src.writes) > 0 && src.writes[src.found] == w {
		return src.found
	}
	k, ok := slices.BinarySearchFunc(src.sorted, w, func(i, w int32) int { return cmp.Compare(src.writes[i], w) })
	if !ok {
		return -1
	}
	src.found = src.sorted[k]
	return src.found
}

// sees is the literal "the read r sees the write w" (-1: the initial value).
func (f *readFrom) sees(r, w int32) lit {
	src := f.possibleSources(r)
	i := src.find(w)
	if i < 0 {
		panic("engine: a read sees a write that it cannot see")
	}
	return src.lits[i]
}

// findChoices collects the choices of the search, for execution number run, which begins.
func (f *readFrom) findChoices(run int32) {
	f.run = run
	for _, l := range f.sat.trail {
		if r, i, ok := f.sat.vars.source(l); ok {
			switch c := &f.choices[r]; {
			case l&1 == 0:
				*c = choice{f.run, i}
			case c.run != f.run:
				*c = choice{f.run, -1}
			}
		}
	}
}

// chosen returns the index of the source that the search has chosen for r; -1 if it has none, and
// whether it has excluded some.
func (f *readFrom) chosen(r int32, src *sources) (index int32, excluded bool) {
	c := f.choices[r]
	switch {
	case len(src.writes) == 1:
		return 0, false
	case c.run == f.run:
		return c.index, true
	}
	return -1, false
}

// agrees reports whether the search allows the executed read r to see the write w0: it has chosen
// w0, or it has chosen none and has not excluded w0.
func (f *readFrom) agrees(r, w0 int32) bool {
	src := f.sources[r]
	if src == nil {
		return true
	}
	i, excluded := f.chosen(r, src)
	switch {
	case i >= 0:
		return src.writes[i] == w0
	case !excluded:
		return true
	}
	k := src.find(w0)
	return k < 0 || !f.sat.holds(src.lits[k].not())
}
