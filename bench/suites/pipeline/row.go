package pipeline

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// run is one run of a suite, with its test processes.
type run struct {
	*session.Measured
	processes []session.Process
}

// peak returns the most memory of a test process, in MB.
func (r *run) peak() (mb float64) {
	for _, p := range r.processes {
		mb = max(mb, p.Peak)
	}
	return mb
}

// raw returns the bytes of raw records: the last process to end sees all.
func (r *run) raw() (n int64) {
	for _, p := range r.processes {
		n = max(n, p.Raw)
	}
	return n
}

// tests returns what the test processes took: CPU time, and the wall time in which at least one of
// them ran.
func (r *run) tests() (t spent) {
	list := slices.SortedFunc(slices.Values(r.processes), func(a, b session.Process) int { return cmp.Compare(a.Start, b.Start) })
	end := 0.0
	for _, p := range list {
		t.cpu += p.CPU
		from, to := max(p.Start, end), p.Start+p.Wall
		t.wall += max(0, to-from)
		end = max(end, to)
	}
	return t
}

// spent is CPU time and wall time, in seconds.
type spent struct{ cpu, wall float64 }

func (s spent) plus(o spent) spent { return spent{s.cpu + o.cpu, s.wall + o.wall} }

func (s spent) minus(o spent) spent { return spent{max(0, s.cpu-o.cpu), max(0, s.wall-o.wall)} }

// row is what was measured of a suite.
type row struct {
	name                 string
	plain, race, presage *run
	detected             int             // reports of Go's race detector
	summary              *report.Summary // nil: presage left no report
	stopped              string          // the stage in which the limit was over; "": the run ended
	traceBytes           int64
}

// spent returns what a whole run took.
func (r *run) spent() spent { return spent{r.CPU.Seconds(), r.Wall.Seconds()} }

// column is a stage, or a part of one, as the table has it.
type column struct {
	name  string
	total spent
}

// stages of presage by the columns they are in.
var stageColumns = []struct {
	column string
	stages []string
}{
	{"load", []string{"load", "instrument", "compile"}},
	{"merge", []string{"merge"}},
	{"plan", []string{"plan"}},
	{"analyse", []string{"analyse"}},
	{"locate", []string{"confirm", "locate"}},
	{"rebuild", []string{"replay-prepare", "replay-build"}},
	{"rerun", []string{"replay-run"}},
}

// parts of the analysis, as presage names them.
var parts = []string{"first-pass", "read", "walk", "hb", "windows", "candidates", "engine", "ways"}

// stage returns what the stages of one of the names took.
func (r *row) stage(names ...string) (t spent) {
	if r.summary == nil {
		return t
	}
	for _, s := range r.summary.Stages {
		if s.Of == "" && slices.Contains(names, s.Name) {
			t = t.plus(spent{s.CPU, s.Wall})
		}
	}
	return t
}

// part returns what a part of the analysis took.
func (r *row) part(name string) (t spent) {
	for _, s := range r.summary.Stages {
		if s.Of == "analyse" && s.Name == name {
			t = t.plus(spent{s.CPU, s.Wall})
		}
	}
	return t
}

// columns returns the stages of the run of presage; what is in none of them is the last one.
func (r *row) columns() []column {
	tests := r.presage.tests()
	all := []column{{"build", r.stage("test").minus(tests)}, {"tests", tests}}
	for _, c := range stageColumns {
		all = append(all, column{c.column, r.stage(c.stages...)})
	}
	all[0], all[1], all[2] = all[2], all[0], all[1] // load comes first
	rest := r.presage.spent()
	for _, c := range all {
		rest = rest.minus(c.total)
	}
	return append(all, column{"rest", rest})
}

// analysed returns the parts of the stage analyse; what is in none of them, garbage collection
// above all, is the last one and has CPU time alone.
func (r *row) analysed() []column {
	rest := r.stage("analyse").cpu
	var all []column
	for _, name := range parts {
		t := r.part(name)
		all = append(all, column{name, t})
		rest -= t.cpu
	}
	return append(all, column{"gc", spent{cpu: max(0, rest)}})
}

// analysis returns what all that happens to the traces took.
func (r *row) analysis() spent { return r.stage("plan", "analyse", "confirm", "locate") }

// replays returns what replays took.
func (r *row) replays() spent { return r.stage("replay-prepare", "replay-build", "replay-run") }

// peak returns the most memory of the presage process, in MB.
func (r *row) peak() (mb float64) {
	for _, s := range r.summary.Stages {
		mb = max(mb, float64(s.Peak)/(1<<20))
	}
	return mb
}

// millions returns the events of the traces, in millions.
func (r *row) millions() float64 { return float64(r.summary.Events) / 1e6 }

// causal returns the races of tier predicted alone.
func (r *row) causal() int {
	s := r.summary
	return s.Predicted - s.ByValue - s.ByPath - s.Replayed
}

// unexplored returns the branches off which nothing was looked at.
func (r *row) unexplored() int {
	if p := r.summary.Paths; p != nil {
		return p.Unexplored
	}
	return 0
}
