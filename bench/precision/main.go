// Command precision measures whether presage reports false races.
//
//	go -C bench run ./precision SUBCOMMAND [flags]
//
// Its subcommands are
//
//	protected  programs that outside code protects, and their racing twins
//	tiny       random tiny programs, executed under every schedule
//	quiet      race-free tests that use the standard library from many goroutines
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/precision/protected"
	"github.com/presage-race/presage/bench/precision/quiet"
	"github.com/presage-race/presage/bench/precision/tiny"
)

func main() {
	command.Main("precision", "whether presage reports false races",
		command.Sub{Name: "protected", Short: "programs that outside code protects, and their racing twins", Main: protected.Main},
		command.Sub{Name: "tiny", Short: "random tiny programs, executed under every schedule", Main: tiny.Main},
		command.Sub{Name: "quiet", Short: "race-free tests that use the standard library from many goroutines", Main: quiet.Main},
	)
}
