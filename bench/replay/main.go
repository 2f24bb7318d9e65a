// Command replay measures whether replays confirm races.
//
//	go -C bench run ./replay SUBCOMMAND [flags]
//
// Its subcommands are
//
//	tests     races of tests, by default those of the examples
//	programs  races of commands
//	known     known races of public modules
//	fixed     schedules kept before a fix and replayed after it
//	alone     confirmed races of tests, shown without presage
//	plain     known races of public modules, as plain Go tests
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/replay/confirm"
)

func main() {
	command.Main("replay", "whether replays confirm races",
		command.Sub{Name: "tests", Short: "races of tests, by default those of the examples", Main: confirm.Tests},
		command.Sub{Name: "programs", Short: "races of commands", Main: confirm.Programs},
		command.Sub{Name: "known", Short: "known races of public modules", Main: confirm.Known},
		command.Sub{Name: "fixed", Short: "schedules kept before a fix and replayed after it", Main: confirm.Fixed},
		command.Sub{Name: "plain", Short: "known races of public modules, as plain Go tests", Main: confirm.Plain},
		command.Sub{Name: "alone", Short: "confirmed races of tests, shown without presage", Main: confirm.Alone},
	)
}
