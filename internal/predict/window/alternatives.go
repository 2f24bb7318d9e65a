package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// alternatives is the pass that explores forks. It appends the records of alternatives to those of
// the buffer.
type alternatives struct {
	*layout
	list []path
}

// path is an alternative with its records.
type path struct {
	alt   *flow.Alternative
	fork  *fork
	first int // record of its first step

	// the words that it takes to be its goroutine's own, by address / 8
	alone map[uint64]bool
}

// Bounds of what is explored in one window.
const (
	maxForks = 256 // forks
	maxAlike = 4   // forks of one goroutine at one source line
	maxSame  = 32  // forks at one source line
	maxPaths = 512 // alternatives
	maxLine  = 64  // alternatives of forks at one source line
	maxCells = 16  // values that a word is known to have
	maxInner = 8   // of these, those from which others are computed

	maxLong   = 12 // forks with long alternatives
	maxLongAt = 2  // of these: at one source line
	maxLongOf = 2  // long alternatives of one fork

	maxOutcome = 64 // records after a fork among which those of its operation are

	// rounds of exploration: what one alternative does is seen by the alternatives of the next
	maxRounds = 3
)

// explore finds the forks whose choice depends on what other goroutines write, explores them, and
// appends the records of the alternatives. Alternatives of several goroutines may be taken
// together. So forks that depend on what alternatives of other goroutines do are explored again, in
// rounds.
func (m *alternatives) explore() {
	// there are no rules for alternatives next to excluded calls
	if !m.b.opt.Paths || m.b.excode.active() {
		return
	}
	off := newOffPath()
	var list []*fork
	seen := make(map[flow.Fork]bool)
	for range maxRounds {
		list = m.forks(list, seen, off)
		again := false
		paths, line := 0, map[trace.Site]int{} // alternatives so far, and by source line
		for _, f := range list {
			if f.stale(off) && (f.around != nil || paths < maxPaths && line[f.Site()] < maxLine) {
				f.explore(m.layout, off, m.mayBeLong(f, list))
				again = true
			}
			paths += len(f.found)
			line[f.Site()] += len(f.found)
		}
		if !again {
			break
		}
		off = touched(list)
	}
	// direct choices first: what is searched of a window is bounded
	slices.SortStableFunc(list, func(a, b *fork) int { return cmp.Compare(truth(a.indirect), truth(b.indirect)) })
	for _, f := range list {
		m.b.count.Executed += int64(f.executed)
		if f.around == nil || len(m.list) >= maxPaths {
			m.b.count.Unexplored++
			continue
		}
		if f.bounded {
			m.b.count.Bounded++
		}
		for _, alt := range f.found {
			m.b.end(alt.End)
			if len(alt.Steps) > 0 {
				m.append(path{alt: alt, fork: f, alone: f.around.alone})
			}
		}
	}
}

// mayBeLong reports whether a fork may have long alternatives.
func (m *alternatives) mayBeLong(f *fork, list []*fork) bool {
	all, here := 0, 0
	for _, x := range list {
		if x.around == nil || x.around.longs == 0 || x == f {
			continue
		}
		if all++; x.Site() == f.Site() {
			here++
		}
	}
	return all < maxLong && here < maxLongAt
}

func (b *state) end(reason string) {
	if b.count.Ends == nil {
		b.count.Ends = make(map[string]int64)
	}
	b.count.Ends[reason]++
}

// append adds the records of an alternative after those of the buffer.
func (m *alternatives) append(w path) {
	w.first = len(m.recs)
	m.list = append(m.list, w)
	for k := range w.alt.Steps {
		s := &w.alt.Steps[k]
		m.recs = append(m.recs, record{
			Record: built.Record{Event: s.Event, Index: flow.AlternativeBase + int64(k), Needs: s.Flow.Needs, From: s.Flow.From, Value: s.Flow.Value},
			guards: s.Flow.Guards, walked: true, alt: int32(len(m.list)), entry: s.Flow.Entry,
		})
		m.gatherRecord(len(m.recs) - 1)
		if o := m.recs[len(m.recs)-1].obj; o >= 0 {
			m.objs[o].keep = true
		}
		for _, c := range s.Cases {
			m.caseOf(len(m.recs)-1, c)
		}
	}
}

// stepOf returns the step of an alternative that a record is of.
func (m *alternatives) stepOf(r *record) *flow.Step {
	return &m.list[r.alt-1].alt.Steps[r.Index-flow.AlternativeBase]
}

// started returns the goroutines with alternatives that a timer starts which r has started.
func (m *alternatives) started(r *record) (list []trace.GoID) {
	if r.Event.Kind != format.ReleaseMerge {
		return nil
	}
	for k := range m.list {
		f := m.list[k].fork
		if t, ok := f.Timer(); ok && t.Armed == r.Index && !slices.Contains(list, f.g) {
			list = append(list, f.g)
		}
	}
	return list
}

// caseOf returns the channel of a case that record i does not choose.
func (m *alternatives) caseOf(i int, c flow.StepCase) *synch {
	r := record{
		Record: built.Record{Event: trace.Event{Kind: format.SelectCase, Flags: format.FlagNoValue, G: m.recs[i].Event.G, Obj: trace.Addr(c.Chan), Aux: c.Capacity}},
		alt:    m.recs[i].alt,
	}
	o := &m.objs[m.object(objKey{chanClass, r.Event.Obj})]
	m.noteOperation(o, i, &r)
	return o
}

// fork is a fork of the window.
type fork struct {
	flow.Fork
	rec    int // the record that it comes before
	g      trace.GoID
	number int // in its window, in no particular order

	indirect bool // the choice depends on others by way of the goroutine's own memory alone

	around   *surroundings // of the last exploration; nil: there was none
	found    []*flow.Alternative
	bounded  bool // found is not all
	executed int  // instructions of all explorations
}

// explore explores a fork.
func (f *fork) explore(m *layout, off *offPath, long bool) {
	f.around = &surroundings{m: m, g: f.g, fork: f.rec, came: m.came(f), site: f.Site(), number: f.number, off: off, long: long, alone: map[uint64]bool{}, looked: map[uint64]bool{}, open: map[uint64]bool{}}
	f.found, f.bounded = f.Explore(f.around)
	f.bounded = f.bounded || f.around.cut
	for _, alt := range f.found {
		f.executed += alt.Executed
	}
}

// stale reports whether another exploration of the fork may have other results, given what the
// alternatives of other goroutines do.
func (f *fork) stale(off *offPath) bool {
	if f.around == nil {
		return true
	}
	for w := range f.around.alone {
		if off.others(w, f.g) {
			return true
		}
	}
	for w := range f.around.looked {
		if off.others(w, f.g) && !f.around.off.others(w, f.g) {
			return true
		}
	}
	for ch := range f.around.open {
		if off.othersClose(ch, f.g) {
			return true
		}
	}
	return false
}

// forks chooses the forks to explore, in addition to those of list: of one goroutine at one source
// line, the last ones. seen has those that it has chosen or left before.
func (m *alternatives) forks(list []*fork, seen map[flow.Fork]bool, off *offPath) []*fork {
	type place struct {
		g trace.GoID
		s trace.Site
	}
	alike, same := make(map[place]int), make(map[trace.Site]int)
	for _, f := range list {
		alike[place{f.g, f.Site()}]++
		same[f.Site()]++
	}
	add := func(f flow.Fork, rec int, g trace.GoID) {
		list = append(list, &fork{Fork: f, rec: rec, g: g, number: len(list)})
	}
	for _, f := range m.b.rest {
		if seen[f] {
			continue
		}
		seen[f] = true
		if m.b.count.Forks++; len(list) >= maxForks {
			m.b.count.Unexplored++
			continue
		}
		add(f, m.onPath, f.Goroutine())
	}
	open := m.b.opened(off.others)
	choose := func(i int, indirect bool) {
		r := &m.recs[i]
		for k := len(r.forks) - 1; k >= 0; k-- {
			f := r.forks[k]
			g := f.Goroutine()
			direct := f.Outcome() || f.Ended() || slices.ContainsFunc(f.Reads(), func(x int64) bool { return m.contested(g, x, off) })
			if seen[f] || direct == indirect || f.Outcome() && !m.meets(i, off) || indirect && !slices.ContainsFunc(f.Reads(), open.read) {
				continue
			}
			seen[f] = true
			m.b.count.Forks++
			p := place{g, f.Site()}
			if alike[p]++; alike[p] > maxAlike || same[p.s] >= maxSame || len(list) >= maxForks {
				m.b.count.Unexplored++
				continue
			}
			same[p.s]++
			add(f, i, g)
			list[len(list)-1].indirect = indirect
		}
	}
	for _, indirect := range []bool{false, true} {
		for i := m.onPath - 1; i >= 0; i-- {
			choose(i, indirect)
		}
	}
	slices.SortStableFunc(list, func(a, b *fork) int { return cmp.Compare(a.rec, b.rec) })
	return list
}

// meets reports whether several goroutines operate on the object of the operation whose records
// begin with record i, also on alternatives. A sync.Pool may have lost an item that only one
// goroutine uses.
func (m *alternatives) meets(i int, off *offPath) bool {
	if r := &m.recs[i]; looksUp(&r.Event) {
		return m.b.foreign(r.Event.G, uint64(r.Event.Obj), 8) || off.others(uint64(r.Event.Obj)>>3, r.Event.G)
	}
	switch r := &m.recs[m.b.operation(i)]; {
	case format.IsPoolWord(r.Event.Obj):
		return true
	case r.Event.Kind == format.ReleaseMerge && r.Event.Flags&format.FlagTimer != 0: // it may fire
		return true
	case r.Event.Kind == format.SelectCase: // or on that of another case
		return true
	case r.mem >= 0:
		return m.b.foreign(r.Event.G, uint64(r.Event.Obj), int64(r.Event.Size)) || off.others(uint64(r.Event.Obj)>>3, r.Event.G)
	case r.obj >= 0:
		return m.objs[r.obj].many || off.operates(r.Event.Obj, r.Event.G)
	}
	return true
}

// looksUp reports whether an event is a read of a map.
func looksUp(e *trace.Event) bool {
	return e.Kind == format.Read && e.Size == 8 && e.Flags&(format.FlagNoValue|format.FlagOpaque) == format.FlagNoValue
}

// contested reports whether a read of g may see what another goroutine does in the window, also on
// an alternative.
func (m *alternatives) contested(g trace.GoID, x int64, off *offPath) bool {
	if m.b.contested(g, x) {
		return true
	}
	i := m.b.recordOf(x)
	return i >= 0 && m.recs[i].Event.Kind.IsAccess() && off.others(uint64(m.recs[i].Event.Obj)>>3, g)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
