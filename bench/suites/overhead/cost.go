package overhead

import (
	"fmt"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// A cost is what a run of a program took, or how many times what another one took.
type cost struct {
	cpu, wall float64 // seconds
	peak      float64 // memory, in MB
}

func (c cost) over(d cost) cost { return cost{c.cpu / d.cpu, c.wall / d.wall, c.peak / d.peak} }

// samples are costs of several rounds or subjects.
type samples struct{ cpu, wall, peak []float64 }

func (s *samples) add(c cost) {
	s.cpu, s.wall, s.peak = append(s.cpu, c.cpu), append(s.wall, c.wall), append(s.peak, c.peak)
}

func (s *samples) median() cost {
	return cost{session.Median(s.cpu), session.Median(s.wall), session.Median(s.peak)}
}

// mean returns geometric means.
func (s *samples) mean() cost {
	return cost{session.Geomean(s.cpu), session.Geomean(s.wall), session.Geomean(s.peak)}
}

// A result is what the rounds of a subject in one build took.
type result struct {
	costs, times, raceTimes samples   // as it is, and in times of the plain program and of -race
	rates                   []float64 // MB of raw records a second
	raw, records, events    int64     // of the first run, which is not measured
	traceBytes              int64
}

// figures are the medians of a build, beside the plain program and -race.
func (r *result) figures() []command.Figure {
	c, x, y := r.costs.median(), r.times.median(), r.raceTimes.median()
	return []command.Figure{{Value: c.cpu, Unit: "cpu-s"}, {Value: x.cpu, Unit: "cpu/plain"}, {Value: y.cpu, Unit: "cpu/race"},
		{Value: c.wall, Unit: "wall-s"}, {Value: y.wall, Unit: "wall/race"}, {Value: c.peak, Unit: "peak-MB"}, {Value: y.peak, Unit: "peak/race"}, command.Count(r.records, "records"), command.Count(r.events, "events")}
}

func (r *result) print(subject string, b build) {
	c, x, y := r.costs.median(), r.times.median(), r.raceTimes.median()
	fmt.Printf("%-12s %-7s %9.3f %8.2f %7.2f %9.3f %8.2f %7.2f %9.1f %8.2f %7.2f", subject, b.name,
		c.cpu, x.cpu, y.cpu, c.wall, x.wall, y.wall, c.peak, x.peak, y.peak)
	if b.recorded {
		fmt.Printf(" %7d %7.0f %11d %11d %6.2f", r.raw>>20, session.Median(r.rates), r.records, r.events,
			float64(r.traceBytes)/float64(r.events))
	}
	fmt.Println()
}
