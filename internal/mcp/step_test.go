package mcp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/report"
)

// TestWindow: which of n steps the arguments select.
func TestWindow(t *testing.T) {
	for _, x := range []struct {
		in          stepIn
		n           int
		first, last int // 0: an error
	}{
		{stepIn{}, 7, 1, 7}, {stepIn{}, 500, 481, 500}, {stepIn{Step: 1}, 500, 1, 6}, {stepIn{Step: 250}, 500, 245, 255}, {stepIn{Step: 500}, 500, 495, 500},
		{stepIn{From: 3, To: 5}, 500, 3, 5}, {stepIn{From: 3}, 7, 3, 7}, {stepIn{To: 5}, 7, 1, 5}, {stepIn{From: 1, To: 500}, 500, 1, 100}, {stepIn{To: 400}, 500, 301, 400},
		{stepIn{From: 490, To: 900}, 500, 490, 500}, {stepIn{From: 400}, 500, 400, 499},
		{stepIn{Step: 501}, 500, 0, 0}, {stepIn{From: 501}, 500, 0, 0}, {stepIn{Step: -1}, 500, 0, 0}, {stepIn{To: -1}, 500, 0, 0}, {stepIn{Step: 1, From: 1}, 500, 0, 0}, {stepIn{From: 5, To: 3}, 500, 0, 0},
	} {
		first, last, err := x.in.window(x.n)
		if (err != nil) != (x.first == 0) || first != x.first || last != x.last {
			t.Errorf("%+v of %d: %d to %d, %v; want %d to %d", x.in, x.n, first, last, err, x.first, x.last)
		}
	}
}

// TestStep: a step has what the page shows of it: who does what at which line, the value of a read,
// the locks.
func TestStep(t *testing.T) {
	r := raceOf("abc", "x", 4)
	r.Witness.Omitted = 3
	from := report.Step{Goroutine: 5, Position: report.Position{File: "/src/w.go", Line: 7}, Source: "x = 0"}
	r.Witness.Reads = []report.Sight{{Step: r.Witness.Steps[1], Value: "0", Recorded: "5", Fork: true, From: &from}}
	plain := raceOf("fed", "y", 0)
	plain.Tier, plain.Witness = report.Observed, nil
	s := connect(t, &stored{races: []*report.Race{r, plain}}, nil)
	var out stepsOut
	text, isError := answer(t, s, "step_race", `{"id":"abc","from":2,"to":4}`, &out)
	want := stepsOut{
		ID: "abc", Total: 4, Omitted: 3, Before: 1, Schedule: "A schedule of 4 events that exposes the race. Every read that a branch or an address depends on sees its recorded value.",
		Steps: []step{
			{Step: 2, Goroutine: 5, Who: "goroutine 5 (x)", Does: "writes x", At: "/src/x.go:10:1", Func: "x", Source: "2x", Sees: "0 instead of 5", Writer: "goroutine 5 (x) at /src/w.go:7: x = 0", Fork: true, Held: []string{"x"}, Event: 101},
			{Step: 3, Goroutine: 4, Who: "goroutine 4 (x)", Does: "writes x", At: "/src/x.go:10:1", Func: "x", Source: "3x", Held: []string{"x"}, Access: "a", Event: 4},
			{Step: 4, Goroutine: 5, Who: "goroutine 5 (x)", Does: "writes x", At: "/src/x.go:10:1", Func: "x", Source: "4x", Held: []string{"x"}, Access: "b", Event: 5},
		},
	}
	if d := cmp.Diff(want, out); d != "" || isError {
		t.Error(text, d)
	}
	wants(t, text, "3 earlier steps are left out of the report.\nsteps 2 to 4 of 4:\n\n2. goroutine 5 (x) writes x at /src/x.go:10:1; leaves its recorded path here; holds x; sees 0 instead of 5; written by goroutine 5 (x) at /src/w.go:7: x = 0\n      2x\n")
	text, _ = answer(t, s, "step_race", `{"id":"fed"}`, &out)
	wants(t, text, "race fed: The two accesses, as they came in the recorded run.\nsteps 1 to 2 of 2:")
}

// TestSteps: all steps of a long schedule can be had, in pages.
func TestSteps(t *testing.T) {
	s := connect(t, &stored{races: []*report.Race{raceOf("abc", "x", 450)}}, nil)
	got := 0
	for from := 1; from <= 450; {
		var out stepsOut
		text, isError := answer(t, s, "step_race", fmt.Sprintf(`{"id":"abc","from":%d}`, from), &out)
		if isError || len(out.Steps) == 0 || out.Before != from-1 || out.Before+len(out.Steps)+out.Behind != 450 {
			t.Fatalf("from %d: %+v: %s", from, out, text)
		}
		for _, x := range out.Steps {
			if got++; x.Step != got || x.Source != fmt.Sprint(got, "x") {
				t.Fatalf("step %d: %+v", got, x)
			}
		}
		from += len(out.Steps)
	}
}
