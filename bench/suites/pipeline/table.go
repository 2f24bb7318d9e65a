package pipeline

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// head says what the lines of a suite are.
const head = `CPU and wall seconds of each run; memory at most in MB; MB of raw records and of traces; millions of events.
Races: observed, predicted, by value, by path, replayed; reports of -race. Pairs of accesses tried and undecided, pairs of lines settled of those that could race; branches unexplored. Gaps of the search, by code.
Stages of presage, and the parts of analyse on two threads side by side: CPU/wall seconds; gc is what is in no part.

`

// text returns the lines of a suite.
func (r *row) text() string {
	var b strings.Builder
	p, a, s := r.plain.spent(), r.race.spent(), r.presage.spent()
	fmt.Fprintf(&b, "%-12s plain %.1f/%.1f  race %.1f/%.1f  presage %.1f/%.1f (%.1fx of race/%.1fx)", r.name, p.cpu, p.wall, a.cpu, a.wall, s.cpu, s.wall, s.cpu/a.cpu, s.wall/a.wall)
	if r.stopped != "" {
		fmt.Fprintf(&b, "  DID NOT END within the limit, in %s", r.stopped)
	}
	b.WriteByte('\n')
	if r.summary == nil { // the tests alone are known
		t := r.presage.tests()
		fmt.Fprintf(&b, "%-12s memory tests %.0f (plain %.0f race %.0f)  disk raw %.0f  tests %.1f/%.1f\n", "", r.presage.peak(), r.plain.peak(), r.race.peak(), mb(r.presage.raw()), t.cpu, t.wall)
		return b.String()
	}
	fmt.Fprintf(&b, "%-12s memory presage %.0f tests %.0f (plain %.0f race %.0f)  disk raw %.0f trace %.0f  events %.2fM  analysis %.2f CPU-s/M\n", "",
		r.peak(), r.presage.peak(), r.plain.peak(), r.race.peak(), mb(r.presage.raw()), mb(r.traceBytes), r.millions(), r.analysis().cpu/max(1e-6, r.millions()))
	m := r.summary
	fmt.Fprintf(&b, "%-12s races %d+%d+%d+%d+%d (-race %d)  pairs %d undecided %d  settled %d of %d  unexplored %d\n", "",
		m.Observed, r.causal(), m.ByValue, m.ByPath, m.Replayed, r.detected, m.Candidates, m.Undecided, m.Settled, m.Promising, r.unexplored())
	if c := m.Coverage; c != nil && len(c.Gaps) > 0 {
		fmt.Fprintf(&b, "%-12s gaps:", "")
		for _, g := range c.Gaps {
			fmt.Fprintf(&b, " %s %d", g.Code, g.Count)
		}
		b.WriteByte('\n')
	}
	for _, list := range []struct {
		name string
		all  []column
	}{{"stages", r.columns()}, {"analyse", r.analysed()}} {
		fmt.Fprintf(&b, "%-12s %s:", "", list.name)
		for _, c := range list.all {
			fmt.Fprintf(&b, " %s %.1f/%.1f", c.name, c.total.cpu, c.total.wall)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func mb(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// measures are what means are taken of.
var measures = []struct {
	name string
	of   func(*row) float64
}{
	{"presage CPU / race CPU", func(r *row) float64 { return r.presage.spent().cpu / r.race.spent().cpu }},
	{"presage CPU / race CPU, without replays", func(r *row) float64 { return r.presage.spent().minus(r.replays()).cpu / r.race.spent().cpu }},
	{"presage wall / race wall", func(r *row) float64 { return r.presage.spent().wall / r.race.spent().wall }},
	{"presage wall / race wall, without replays", func(r *row) float64 { return r.presage.spent().minus(r.replays()).wall / r.race.spent().wall }},
	{"analysis CPU s / million events", func(r *row) float64 { return r.analysis().cpu / r.millions() }},
}

// means returns the geometric means of the suites that have ended, and the worst of each.
func means(rows []*row) string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, m := range measures {
		var all []float64
		worst, most := "", 0.0
		for _, r := range rows {
			if r.stopped != "" || r.summary == nil || r.summary.Events == 0 {
				continue
			}
			x := m.of(r)
			all = append(all, x)
			if x > most {
				worst, most = r.name, x
			}
		}
		if len(all) == 0 {
			return "no suite has ended\n"
		}
		fmt.Fprintf(&b, "%-42s mean %.2f of %d, worst %.2f (%s)\n", m.name, session.Geomean(all), len(all), most, worst)
	}
	return b.String()
}

// benchmark returns the figures of the suite; none if it did not end.
func (r *row) benchmark() (all []command.Figure) {
	if r.stopped != "" || r.summary == nil {
		return nil
	}
	unit := func(x float64, name string) { all = append(all, command.Figure{Value: x, Unit: name}) }
	for _, x := range []struct {
		name string
		spent
	}{{"plain", r.plain.spent()}, {"race", r.race.spent()}, {"presage", r.presage.spent()}, {"analysis", r.analysis()}} {
		unit(x.cpu, x.name+"-cpu-s")
		unit(x.wall, x.name+"-wall-s")
	}
	for _, c := range r.columns() {
		unit(c.total.cpu, c.name+"-cpu-s")
	}
	for _, c := range r.analysed() {
		unit(c.total.cpu, c.name+"-cpu-s")
	}
	m := r.summary
	unit(r.millions(), "Mevents")
	unit(r.analysis().cpu/max(1e-6, r.millions()), "cpu-s/Mevent")
	unit(r.peak(), "peak-MB")
	unit(r.presage.peak(), "tests-peak-MB")
	unit(mb(r.presage.raw()), "raw-MB")
	unit(mb(r.traceBytes), "trace-MB")
	unit(float64(m.Races), "races")
	unit(float64(m.Candidates), "pairs")
	unit(float64(m.Undecided), "undecided")
	unit(float64(m.Promising), "promising")
	unit(float64(m.Settled), "settled")
	unit(float64(r.unexplored()), "unexplored")
	return all
}
