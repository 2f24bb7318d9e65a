// Command excluded measures what excluding code costs, loses and gains.
//
//	go -C bench run ./excluded SUBCOMMAND [flags]
//
// Its subcommands are
//
//	cost     time and events of modules with packages excluded
//	leftout  races left when functions with synchronisation are excluded (Table 5.3 of the thesis)
//	reach    the cost of recording what excluded calls reach (Table 5.4)
//	rdit     random executions with missing pieces, against exhaustive exploration
package main

import (
	"github.com/presage-race/presage/bench/excluded/cost"
	"github.com/presage-race/presage/bench/excluded/leftout"
	"github.com/presage-race/presage/bench/excluded/rdit"
	"github.com/presage-race/presage/bench/excluded/reach"
	"github.com/presage-race/presage/bench/internal/command"
)

func main() {
	command.Main("excluded", "what excluding code costs, loses and gains",
		command.Sub{Name: "cost", Short: "time and events of modules with packages excluded", Main: cost.Main},
		command.Sub{Name: "leftout", Short: "races that are left when functions with synchronisation are missing (Table 5.3 of RDIT's thesis)", Main: leftout.Main},
		command.Sub{Name: "reach", Short: "the cost of recording what excluded calls reach (Table 5.4)", Main: reach.Main},
		command.Sub{Name: "rdit", Short: "random executions with missing pieces, against exhaustive exploration", Main: rdit.Main},
		command.Sub{Name: "reach-keep", Main: reach.Keep},
	)
}
