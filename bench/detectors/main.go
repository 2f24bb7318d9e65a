// Command detectors measures the detectors of one pass, and how the analysis of a trace grows.
//
//	go -C bench run ./detectors SUBCOMMAND [flags]
//
// Its subcommands are
//
//	tree      the filter TREE: equal reports with and without it
//	growth    time and memory by events, goroutines and locks
//	gentrace  writes a synthetic trace
package main

import (
	"github.com/presage-race/presage/bench/detectors/gentrace"
	"github.com/presage-race/presage/bench/detectors/growth"
	"github.com/presage-race/presage/bench/detectors/tree"
	"github.com/presage-race/presage/bench/internal/command"
)

func main() {
	command.Main("detectors", "the detectors of one pass, and how the analysis of a trace grows",
		command.Sub{Name: "tree", Short: "the filter TREE: equal reports with and without it", Main: tree.Main},
		command.Sub{Name: "growth", Short: "time and memory by events, goroutines and locks", Main: growth.Main},
		command.Sub{Name: "gentrace", Short: "writes a synthetic trace", Main: gentrace.Main},
	)
}
