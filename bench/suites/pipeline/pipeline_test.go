package pipeline

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// testRow is a run of presage of 20 s CPU time and 10 s wall time, in which two tests overlap.
func testRow() *row {
	measured := func(cpu, wall float64) *session.Measured {
		s := float64(time.Second)
		return &session.Measured{CPU: time.Duration(cpu * s), Wall: time.Duration(wall * s)}
	}
	return &row{
		name: "x", plain: &run{measured(1, 1), nil}, race: &run{measured(4, 5), nil},
		presage: &run{measured(20, 10), []session.Process{
			{CPU: 1, Wall: 2, Peak: 30, Raw: 10, Start: 101}, {CPU: 0.5, Wall: 2, Peak: 10, Raw: 5, Start: 100}, {CPU: 1, Wall: 1, Raw: 20, Start: 104},
		}},
		summary: &report.Summary{Events: 2e6, Races: 6, Observed: 1, Predicted: 5, ByValue: 2, ByPath: 1, Replayed: 1, Stages: []report.Stage{
			{Name: "load", Wall: 1, CPU: 1, Peak: 5 << 20}, {Name: "compile", Wall: 0.5, CPU: 0.5}, {Name: "test", Wall: 5, CPU: 4}, {Name: "analyse", Wall: 2, CPU: 8, Peak: 9 << 20},
			{Name: "walk", Of: "analyse", Wall: 1, CPU: 3}, {Name: "engine", Of: "analyse", Wall: 1, CPU: 3}, {Name: "replay-run", Wall: 1, CPU: 4}, {Name: "later", CPU: 1},
		}},
	}
}

// Columns add up to the whole, and the parts of the analysis to the analysis.
func TestColumns(t *testing.T) {
	r := testRow()
	if got, want := r.presage.tests(), (spent{2.5, 4}); got != want {
		t.Errorf("tests %v, want %v", got, want)
	}
	want := map[string]spent{"load": {1.5, 1.5}, "build": {1.5, 1}, "tests": {2.5, 4}, "analyse": {8, 2}, "rerun": {4, 1}, "rest": {2.5, 0.5}}
	sum := 0.0
	for _, c := range r.columns() {
		if c.total != want[c.name] {
			t.Errorf("%s: %v, want %v", c.name, c.total, want[c.name])
		}
		sum += c.total.cpu
	}
	if sum != 20 {
		t.Errorf("stages have %v s, not 20", sum)
	}
	sum = 0
	for _, c := range r.analysed() {
		sum += c.total.cpu
		if c.name == "gc" && c.total.cpu != 2 {
			t.Errorf("gc %v", c.total)
		}
	}
	if sum != 8 {
		t.Errorf("parts have %v s, not 8", sum)
	}
	if r.causal() != 1 || r.peak() != 9 || r.presage.peak() != 30 || r.presage.raw() != 20 {
		t.Errorf("causal %d, peaks %v and %v, raw %d", r.causal(), r.peak(), r.presage.peak(), r.presage.raw())
	}
}

// What did not end is said, and is in no mean.
func TestMeans(t *testing.T) {
	r, late := testRow(), testRow()
	late.name, late.stopped = "y", "analyse, mostly walk"
	late.presage.CPU = time.Hour
	got := means([]*row{r, late})
	got = strings.Join(strings.Fields(got), " ")
	for _, want := range []string{"presage CPU / race CPU mean 5.00 of 1, worst 5.00 (x)", "without replays mean 4.00 of 1", "million events mean 4.00 of 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if text := late.text(); !strings.Contains(text, "DID NOT END within the limit, in analyse, mostly walk") {
		t.Error(text)
	}
	late.summary = nil
	if text := late.text(); !strings.Contains(text, "memory tests 30") || !strings.Contains(text, "tests 2.5/4.0") {
		t.Error(text)
	}
	if late.benchmark() != nil {
		t.Error("a run that did not end is a benchmark")
	}
	if got := means(nil); !strings.Contains(got, "no suite") {
		t.Error(got)
	}
}

// A line of a benchmark has a name, the number of runs, and values with units.
func TestBenchmark(t *testing.T) {
	f := strings.Fields(command.Line("Pipeline/x", testRow().benchmark()...))
	if f[0] != "BenchmarkPipeline/x" || f[1] != "1" || len(f)%2 != 0 {
		t.Fatal(f)
	}
	units := map[string]string{}
	for i := 2; i < len(f); i += 2 {
		if units[f[i+1]] != "" {
			t.Errorf("unit %s twice", f[i+1])
		}
		units[f[i+1]] = f[i]
	}
	for unit, want := range map[string]string{"plain-cpu-s": "1", "race-cpu-s": "4", "presage-cpu-s": "20", "analyse-cpu-s": "8", "Mevents": "2", "cpu-s/Mevent": "4", "peak-MB": "9", "races": "6", "undecided": "0", "unexplored": "0"} {
		if units[unit] != want {
			t.Errorf("%s: %q, want %q", unit, units[unit], want)
		}
	}
}

// An interrupted analysis names the part that it spent most time in.
func TestInterruptedIn(t *testing.T) {
	out := &session.Outcome{Summary: *testRow().summary}
	if got := interruptedIn(out); got != "" {
		t.Errorf("%q without a warning", got)
	}
	out.Warnings = []*report.Warning{{Code: "interrupted"}}
	out.Summary.Stages[4].Wall = math.Inf(1)
	if got := interruptedIn(out); got != "analyse, mostly walk" {
		t.Errorf("%q", got)
	}
}
