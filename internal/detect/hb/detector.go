package hb

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/detect/fasttrack"
	"github.com/presage-race/presage/internal/trace"
)

// Detector finds the races of the recorded order. Use Step for each event in order.
type Detector struct {
	ft    *fasttrack.Detector
	races races
}

// New returns a detector that has seen nothing.
func New() *Detector {
	d := &Detector{}
	d.ft = fasttrack.New(true, d.races.add)
	return d
}

// Each has f called with the event numbers of every pair found racing.
func (d *Detector) Each(f func(a, b int64)) { d.races.each = f }

// Step takes the next event of the trace.
func (d *Detector) Step(index int64, e *trace.Event) { d.ft.Step(index, e) }

// End says that there are no more events. What is kept then is the races alone: the clocks and
// what is known of memory are larger than those of a whole analysis, where there are many locks or
// goroutines.
func (d *Detector) End() { d.ft, d.races.each = nil, nil }

// Races returns what was found, one race for each pair of sites, in the order in which
// the second accesses stand in the trace.
func (d *Detector) Races() []Race {
	out := slices.Clone(d.races.list)
	slices.SortStableFunc(out, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.B.Index, b.B.Index), cmp.Compare(a.A.Index, b.A.Index))
	})
	return out
}

// Total returns the number of dynamic pairs that were found racing, and how many of
// them belong to pairs of sites that are not in Races because there were too many.
func (d *Detector) Total() (pairs, cut int64) { return d.races.total, d.races.cut }
