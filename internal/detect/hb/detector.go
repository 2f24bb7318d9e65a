package hb

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/detect/fasttrack"
	"github.com/presage-race/presage/internal/trace"
)

// Detector finds the races of the recorded order. Call Step for each event in order.
type Detector struct {
	ft    *fasttrack.Detector
	races races
}

// New returns a detector at the start of a trace.
func New() *Detector {
	d := &Detector{}
	d.ft = fasttrack.New(true, d.races.add)
	return d
}

// Each calls f with the event numbers of every pair that is found, as it is found.
func (d *Detector) Each(f func(a, b int64)) { d.races.each = f }

// Step takes the next event of the trace.
func (d *Detector) Step(index int64, e *trace.Event) { d.ft.Step(index, e) }

// End is called after the last event. It frees clocks and shadow memory, which are large in runs
// with many locks or goroutines.
func (d *Detector) End() { d.ft, d.races.each = nil, nil }

// Races returns one race for each pair of sites, in the order of the second accesses.
func (d *Detector) Races() []Race {
	out := slices.Clone(d.races.list)
	slices.SortStableFunc(out, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.B.Index, b.B.Index), cmp.Compare(a.A.Index, b.A.Index))
	})
	return out
}

// Total returns the number of pairs of accesses that were found, and how many of them are not in
// Races because there are too many pairs of sites.
func (d *Detector) Total() (pairs, cut int64) { return d.races.total, d.races.cut }
