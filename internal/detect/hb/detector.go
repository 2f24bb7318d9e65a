package hb

import (
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
