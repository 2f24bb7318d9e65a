// Command crosscheck measures the engine against other judges of the same question.
//
//	go -C bench run ./crosscheck SUBCOMMAND [flags]
//
// Its subcommands are
//
//	explorer  against exhaustive exploration
//	smt       against an SMT solver
package main

import (
	"github.com/presage-race/presage/bench/crosscheck/explorer"
	"github.com/presage-race/presage/bench/crosscheck/smt"
	"github.com/presage-race/presage/bench/internal/command"
)

func main() {
	command.Main("crosscheck", "the engine against other judges of the same question",
		command.Sub{Name: "explorer", Short: "against exhaustive exploration", Main: explorer.Main},
		command.Sub{Name: "smt", Short: "against an SMT solver", Main: smt.Main},
	)
}
