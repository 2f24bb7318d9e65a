package window

import (
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
	fork  int // record
	from  flow.Fork
	first int // record of its first step
}

// Bounds of what is explored in one window.
const (
	maxForks = 256 // forks
	maxAlike = 4   // forks of one goroutine at one source line
	maxSame  = 32  // forks at one source line
	maxPaths = 512 // alternatives
	maxCells = 8   // values that a word is known to have
)

// explore finds the forks whose choice depends on what other goroutines write, explores them, and
// appends the records of the alternatives.
func (m *alternatives) explore() {
	// there are no rules for alternatives next to excluded calls
	if !m.b.opt.Paths || m.b.excode.active() {
		return
	}
	forks := m.forks()
	for _, f := range forks {
		if len(m.list) >= maxPaths {
			m.b.count.Unexplored++
			continue
		}
		s := &surroundings{m: m.layout, g: m.recs[f.rec].Event.G, fork: f.rec, gos: 1 << 30}
		for _, alt := range f.Explore(s) {
			m.b.end(alt.End)
			m.b.count.Executed += int64(alt.Executed)
			if len(alt.Steps) > 0 {
				m.append(path{alt: alt, fork: f.rec, from: f.Fork})
			}
		}
	}
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
			guards: s.Flow.Guards, walked: true, alt: int32(len(m.list)),
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

// forkAt is a fork with the record that it comes before.
type forkAt struct {
	flow.Fork
	rec int
}

// forks chooses the forks to explore: of one goroutine at one source line, the last ones.
func (m *alternatives) forks() []forkAt {
	var list []forkAt
	type place struct {
		g trace.GoID
		s trace.Site
	}
	alike, same := make(map[place]int), make(map[trace.Site]int)
	for i := m.onPath - 1; i >= 0; i-- {
		r := &m.recs[i]
		for k := len(r.forks) - 1; k >= 0; k-- {
			f := r.forks[k]
			if !slices.ContainsFunc(f.Reads(), func(x int64) bool { return m.b.contested(r.Event.G, x) }) {
				continue
			}
			m.b.count.Forks++
			p := place{r.Event.G, f.Site()}
			if alike[p]++; alike[p] > maxAlike || same[p.s] >= maxSame || len(list) >= maxForks {
				m.b.count.Unexplored++
				continue
			}
			same[p.s]++
			list = append(list, forkAt{f, i})
		}
	}
	slices.Reverse(list)
	return list
}
