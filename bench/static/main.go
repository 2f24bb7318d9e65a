// Command static measures presage vet, the static lens.
//
//	go -C bench run ./static SUBCOMMAND [flags]
//
// Its subcommands are
//
//	racetests  the tests of Go's own race detector
//	known      known races of public modules, before and after their fix
//	measure    time, memory and evidence of the analysis of one module
//	scale      programs of millions of lines: first run, edits, shards
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/static/known"
	"github.com/presage-race/presage/bench/static/measure"
	"github.com/presage-race/presage/bench/static/racetests"
	"github.com/presage-race/presage/bench/static/scale"
)

func main() {
	command.Main("static", "presage vet, the static lens",
		command.Sub{Name: "racetests", Short: "the tests of Go's own race detector", Main: racetests.Main},
		command.Sub{Name: "known", Short: "known races of public modules, before and after their fix", Main: known.Main},
		command.Sub{Name: "measure", Short: "time, memory and evidence of the analysis of one module", Main: measure.Main},
		command.Sub{Name: "scale", Short: "programs of millions of lines: first run, edits, shards", Main: scale.Main},
	)
}
