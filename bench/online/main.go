// Command online measures the detector of presage -online, beside -race.
//
//	go -C bench run ./online SUBCOMMAND [flags]
//
// Its subcommands are
//
//	cost    CPU time and memory of programs and benchmarks
//	soak    memory over minutes
//	filter  the effect of -filter tree: the table and the figures of the thesis
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/online/cost"
	"github.com/presage-race/presage/bench/online/filter"
	"github.com/presage-race/presage/bench/online/soak"
)

func main() {
	command.Main("online", "the detector of presage -online, beside -race",
		command.Sub{Name: "cost", Short: "CPU time and memory of programs and benchmarks", Main: cost.Main},
		command.Sub{Name: "soak", Short: "memory over minutes", Main: soak.Main},
		command.Sub{Name: "filter", Short: "the effect of -filter tree: the table and the figures of the thesis", Main: filter.Main},
	)
}
