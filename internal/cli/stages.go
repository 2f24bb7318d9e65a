package cli

import (
	"math"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/report"
)

// Stages of the command, as the report names them (docs/using/report.md).
const (
	// The packages are listed, vetted and instrumented; what was built before is looked up.
	stageLoad       = "load"
	stageInstrument = "instrument"
	stageCompile    = "compile"
	stageCount      = "count"   // tests that count allocations run without records
	stageTest       = "test"    // the go command builds and runs the tests
	stageBuild      = "build"   // of presage run, in place of test
	stageProgram    = "program" // likewise
	stageMerge      = "merge"   // the records of the processes become traces
	stagePlan       = "plan"    // the program is loaded again, for the walk of its traces
	// The parts of analyse are those of two threads: first-pass finds words with a race in the
	// recorded run; read and walk are of one thread; hb, windows, candidates, engine (pairs on the
	// recorded path) and ways (off it) of the other. Traces are searched side by side, so CPU time
	// of another stage that runs meanwhile is counted with both. What is analysed while the tests
	// run takes wall time of none, and CPU time of test and of the parts of analyse.
	stageAnalyse = "analyse"
	// Passes over the trace: for pairs without a witness, and for the source lines of races.
	stageConfirm       = "confirm"
	stageLocate        = "locate"
	stageReplayPrepare = "replay-prepare"
	// The program is built with gates. Its wall time is what was waited for after the analysis; the
	// part beside was built during other stages. Its CPU time is that of all builds.
	stageReplayBuild = "replay-build"
	stageReplayRun   = "replay-run" // the program runs under schedules, several at once
	stageReport      = "report"     // the rest
)

// stageTexts are the beginnings of progress texts with which packages record and replay begin a
// stage.
var stageTexts = []struct{ text, stage string }{
	{"looking at the packages", stageLoad},
	{"instrumenting for the replay", stageReplayBuild},
	{"instrumenting", stageInstrument},
	{"compiling", stageCompile},
	{"counting allocations", stageCount},
	{"building and running the tests", stageTest},
	{"building the program", stageBuild},
	{"building the tests", stageBuild},
	{"running the program", stageProgram},
	{"ordering the events", stageMerge},
	{"building for the replay", stageReplayBuild},
	{"looking where the accesses of ", stageReplayRun},
	{"replaying ", stageReplayRun},
	{"running candidates", stageReplayRun},
}

// stageOf returns the stage that a progress text begins, "" if it begins none.
func stageOf(text string) string {
	for _, s := range stageTexts {
		if strings.HasPrefix(text, s.text) {
			return s.stage
		}
	}
	return ""
}

// stagesOf returns stages as the report has them, in milliseconds.
func stagesOf(list *stage.List) []report.Stage {
	var out []report.Stage
	for _, s := range list.All() {
		out = append(out, report.Stage{Name: s.Name, Of: s.Of, Wall: seconds(s.Wall), CPU: seconds(s.CPU), Peak: s.Peak})
	}
	return out
}

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
