package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// TestLastLine has cases on each side of (CM1) and (CM2): the last line, and the exit code.
func TestLastLine(t *testing.T) {
	searched := findings{level: levelPath, summary: report.Summary{Traces: 1, Events: 9, Goroutines: 2}}
	with := func(change func(a *findings)) findings {
		a := searched
		change(&a)
		return a
	}
	warned := func(codes ...string) findings {
		a := searched
		for _, code := range codes {
			a.warn(report.Warning{Code: code, Count: 2, Text: "2 of " + code})
		}
		return a
	}
	found := warned("solver-unknown")
	found.set.Add(report.Race{ID: "1", Tier: report.Observed, A: report.Access{Position: report.Position{File: "a.go", Line: 1}}})
	const whole = "presage: no races found; 9 events, 2 goroutines, analysed in 0.0s"
	for _, c := range []struct {
		name string
		a    findings
		code int
		last string // of a search in part behind what was not searched, from the line before
	}{
		{"whole", searched, exitNone, whole},
		{"replays", warned("replay-budget", "not-replayed", "no-race-detector"), exitNone, whole},
		{"a value", warned("hidden-writes", "unexplained-read"), exitNone, whole},
		{"asked for", warned("left-out", "missing-methods"), exitNone, whole},
		{"a level", with(func(a *findings) { a.level = levelHB }), exitNone, "presage: no races found at level hb; 9 events"},
		{"static lens", warned("static-bound"), exitNone, whole},
		{"functions", warned("not-instrumented"), exitNone, "2 functions left as written\nsearched only in part, without finding a race; 9 events"},
		{"budget", warned("solver-unknown", "prediction-stopped"), exitNone, "2 pairs of accesses undecided (-budget), 2 events not searched for predicted races (-effort)\nin part, without finding a race; 9"},
		{"below path", with(func(a *findings) {
			a.level = levelHB
			a.warn(report.Warning{Code: "not-instrumented", Count: 1, Text: "f"})
		}), exitNone, "1 function left as written\nsearched only in part, without finding a race at level hb; 9"},
		{"a code without an entry", warned("new-code"), exitNone, "new-code (2)\nin part, without finding a race; 9"},
		{"many", warned("not-instrumented", "compiler", "outside-lost", "pairs-apart", "candidates-untried", "not-walked"), exitNone, "too far apart in the run (-window), and 2 more\nsearched only in part, without finding a race; 9"},
		{"races", found, exitRaces, "2 pairs of accesses undecided (-budget)\n1 race found: 1 observed, 0 predicted; 9 events, 2 goroutines, analysed in 0.0s; searched only in part"},
		{"cut", warned("recording-stopped"), exitFailed, "the recording of 2 processes was cut\nin part, without finding a race; 9"},
		{"damaged", warned("trace-damaged"), exitFailed, "2 traces could not be read to the end\nin part, without finding a race; 9"},
		{"interrupted", with(func(a *findings) { a.analysed = 9; a.left(); a.interrupted(nil) }), exitFailed, "1 trace not analysed to the end\nin part, without finding a race; 9"},
		{"interrupted", with(func(a *findings) { a.left(); a.interrupted(nil) }), exitFailed, "presage: nothing was searched: the analysis was interrupted; 9"},
		{"nothing recorded", with(func(a *findings) { a.summary = report.Summary{} }), exitFailed, "presage: nothing was searched: nothing was recorded; 0 events"},
		{"no test", with(func(a *findings) { a.program.tests = true }), exitFailed, "presage: nothing was searched: no test ran; 9"},
		{"a test", with(func(a *findings) { a.program.tests, a.program.tested = true, true }), exitNone, whole},
		{"level none", with(func(a *findings) { a.level = levelNone }), exitNone, "presage: nothing was searched: -level none only records (presage analyze searches what was recorded); 9"},
		{"level none, nothing recorded", with(func(a *findings) { a.level, a.summary = levelNone, report.Summary{} }), exitFailed, "nothing was searched: nothing was recorded; 0"},
		{"program", with(func(a *findings) { a.program.exitCode = 1 }), exitFailed, whole},
		{"online", with(func(a *findings) { a.summary = report.Summary{OnTheFly: &report.OnTheFly{Processes: 1}} }), exitNone, "presage: nothing found; 0 accesses in one process"},
		{"online, a gap", with(func(a *findings) {
			a.summary = report.Summary{OnTheFly: &report.OnTheFly{Processes: 1}}
			a.warn(report.Warning{Code: "online-c", Count: 1, Text: "1 call"})
		}), exitNone, "1 call into C not watched\npresage: searched only in part, without finding anything; 0 accesses"},
		{"online, nothing", with(func(a *findings) { a.summary = report.Summary{OnTheFly: &report.OnTheFly{}} }), exitFailed, "presage: nothing was searched: nothing was recorded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := c.a
			if code := a.finish("", nil); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			var out bytes.Buffer
			o := output{config: func() *report.Config { return &report.Config{Level: a.level} }, found: &a}
			if err := o.send(report.NewText(&out, report.TextOptions{})); err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(out.String(), "\n")
			lines = lines[:len(lines)-1]
			gaps, last, part := strings.Cut(c.last, "\n")
			if !part {
				last = gaps
			} else if before := lines[max(len(lines)-2, 0)]; !strings.HasPrefix(before, "presage: not searched: ") || !strings.Contains(before, gaps) {
				t.Errorf("%q before the last line, want %q in it", before, gaps)
			}
			if got := lines[len(lines)-1]; !strings.Contains(got, last) {
				t.Errorf("last line %q, want %q in it", got, last)
			}
			if says := strings.Contains(out.String(), "no races found"); says != strings.Contains(c.last, "no races found") {
				t.Errorf("no races found: %v\n%s", says, &out)
			}
		})
	}
}

// TestGapsOfSources holds the table of gaps against the warnings that the packages make.
func TestGapsOfSources(t *testing.T) {
	code := regexp.MustCompile(`(?:Code: |[wW]arn\(|\tadd\(|UnwitnessedCode = )"([a-z-]+)"|return "(instrument-[a-z]+)"`)
	seen := map[string]bool{}
	for _, dir := range []string{".", "../record", "../record/merge", "../predict", "../detect", "../trace/std"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range code.FindAllStringSubmatch(string(text), -1) {
				name := m[1] + m[2]
				seen[name] = true
				if _, ok := gaps[name]; !ok && !strings.HasSuffix(name, "-") {
					t.Errorf("%s: warning %s is not in the table of gaps", file, name)
				}
			}
		}
	}
	for name := range onlineLosses {
		seen["online-"+name] = true
		if _, ok := gaps["online-"+name]; !ok {
			t.Errorf("online-%s is not in the table of gaps", name)
		}
	}
	seen[record.HealedCode] = true
	for name, g := range gaps {
		if !seen[name] && !strings.HasPrefix(name, "online-") {
			t.Errorf("no package makes a warning %s", name)
		}
		if (g.effect == keeps) != (g.text == "") {
			t.Errorf("%s: effect and text do not fit", name)
		}
	}
}

// TestWarn: processes of one program have its warnings once, and their own add up.
func TestWarn(t *testing.T) {
	a := findings{}
	for range 2 {
		a.warn(report.Warning{Code: "not-instrumented", Count: 2, Text: "functions were left as written: f, g"})
		a.warn(report.Warning{Code: "solver-unknown", Count: 2, Text: "{{n}} candidate{{|s}}"})
	}
	a.putCounts()
	if len(a.warnings) != 2 || a.warnings[0].Count != 2 || a.warnings[1].Text != "4 candidates" {
		t.Errorf("%+v", a.warnings)
	}
}

func TestRanTests(t *testing.T) {
	for fn, want := range map[string]bool{"testing.(*T).Run.gowrap1": true, "testing.(*B).run1.func1": true, "testing.runExample.func1": true,
		"runtime.main": false, "example.com/testing.F": false, "": false} {
		if got := ranTests(&trace.Meta{Goroutines: []trace.Goroutine{{}, {Func: fn}}}); got != want {
			t.Errorf("%q: %v", fn, got)
		}
	}
}
