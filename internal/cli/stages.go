package cli

import (
	"math"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/report"
)

// Stages of the command, as the report names them (docs/report.md).
const (
	stageLoad          = "load"
	stageInstrument    = "instrument"
	stageCompile       = "compile"
	stageCount         = "count"
	stageTest          = "test"
	stageBuild         = "build"
	stageProgram       = "program"
	stageMerge         = "merge"
	stagePlan          = "plan"
	stageAnalyse       = "analyse"
	stageConfirm       = "confirm"
	stageLocate        = "locate"
	stageReplayPrepare = "replay-prepare"
	stageReplayBuild   = "replay-build"
	stageReplayRun     = "replay-run"
	stageReport        = "report"
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
	{"running the program", stageProgram},
	{"ordering the events", stageMerge},
	{"building for the replay", stageReplayBuild},
	{"looking where the accesses of ", stageReplayRun},
	{"replaying ", stageReplayRun},
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
