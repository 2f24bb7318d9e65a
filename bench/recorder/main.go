// Command recorder measures whether recordings are complete.
//
//	go -C bench run ./recorder SUBCOMMAND [flags]
//
// Its subcommands are
//
//	kill9     a recorded program, killed at any moment: nothing announced is lost
//	keptruns  presage commands at once, and killed: kept runs stay apart and whole
//	audit     reads of outside code against their recorded writers
//	thinned   the thinned recording of outside code against the full one
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/recorder/audit"
	"github.com/presage-race/presage/bench/recorder/keptruns"
	"github.com/presage-race/presage/bench/recorder/kill9"
	"github.com/presage-race/presage/bench/recorder/thinned"
)

func main() {
	command.Main("recorder", "whether recordings are complete",
		command.Sub{Name: "kill9", Short: "a recorded program, killed at any moment: nothing announced is lost", Main: kill9.Main},
		command.Sub{Name: "keptruns", Short: "presage commands at once, and killed: kept runs stay apart and whole", Main: keptruns.Main},
		command.Sub{Name: "audit", Short: "reads of outside code against their recorded writers", Main: audit.Main},
		command.Sub{Name: "thinned", Short: "the thinned recording of outside code against the full one", Main: thinned.Main},
		command.Sub{Name: "kill9-run", Main: kill9.Run},
	)
}
