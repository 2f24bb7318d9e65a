// Command suites measures outcomes of test suites of real modules, and the cost of recording and
// analysis.
//
//	go -C bench run ./suites SUBCOMMAND [flags]
//
// Its subcommands are
//
//	pipeline  where a user's time goes: each stage of presage test on twelve suites
//	modules   tests with and without presage: outcomes, functions, mismatches
//	goroot    the programs of $GOROOT/test with and without presage
//	overhead  CPU time, wall time and memory of recording, beside the plain program and -race
//	firsthour what a new user waits for: the first result in three modules
//	stages    CPU time and memory of each stage over one large trace
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/suites/firsthour"
	"github.com/presage-race/presage/bench/suites/goroot"
	"github.com/presage-race/presage/bench/suites/modules"
	"github.com/presage-race/presage/bench/suites/overhead"
	"github.com/presage-race/presage/bench/suites/pipeline"
	"github.com/presage-race/presage/bench/suites/stages"
)

func main() {
	command.Main("suites", "outcomes of test suites of real modules, and the cost of recording and analysis",
		command.Sub{Name: "pipeline", Short: "where a user's time goes: each stage of presage test on twelve suites", Main: pipeline.Main},
		command.Sub{Name: "modules", Short: "tests with and without presage: outcomes, functions, mismatches", Main: modules.Main},
		command.Sub{Name: "goroot", Short: "the programs of $GOROOT/test with and without presage", Main: goroot.Main},
		command.Sub{Name: "overhead", Short: "CPU time, wall time and memory of recording, beside the plain program and -race", Main: overhead.Main},
		command.Sub{Name: "firsthour", Short: "what a new user waits for: the first result in three modules", Main: firsthour.Main},
		command.Sub{Name: "stages", Short: "CPU time and memory of each stage over one large trace", Main: stages.Main},
	)
}
