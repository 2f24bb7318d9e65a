// Command recall measures which known races presage finds.
//
//	go -C bench run ./recall SUBCOMMAND [flags]
//
// Its subcommands are
//
//	realraces  known races of public modules, before and after their fix
//	public     known races in dependencies that are not instrumented
//	recipe     the programs of RECIPE's paper, at each level
//	masked     the expected races of the examples, over several runs
//	kernels    small tests after published patterns, explored, beside -race
//	sctbench   programs of SCTBench, by runs to the first race or failure of each scheduler
//	locks      real test suites from which one lock was taken
//	mutants    mutants of real modules, beside -race
//	racetests  the tests of Go's own race detector
package main

import (
	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/recall/kernels"
	"github.com/presage-race/presage/bench/recall/locks"
	"github.com/presage-race/presage/bench/recall/masked"
	"github.com/presage-race/presage/bench/recall/mutants"
	"github.com/presage-race/presage/bench/recall/public"
	"github.com/presage-race/presage/bench/recall/racetests"
	"github.com/presage-race/presage/bench/recall/realraces"
	"github.com/presage-race/presage/bench/recall/recipe"
	"github.com/presage-race/presage/bench/recall/sctbench"
)

func main() {
	command.Main("recall", "which known races presage finds",
		command.Sub{Name: "realraces", Short: "known races of public modules, before and after their fix", Main: realraces.Main},
		command.Sub{Name: "public", Short: "known races in dependencies that are not instrumented", Main: public.Main},
		command.Sub{Name: "recipe", Short: "the programs of RECIPE's paper, at each level", Main: recipe.Main},
		command.Sub{Name: recipe.Level, Main: recipe.MainLevel},
		command.Sub{Name: "masked", Short: "the expected races of the examples, over several runs", Main: masked.Main},
		command.Sub{Name: "kernels", Short: "small tests after published patterns, explored, beside -race", Main: kernels.Main},
		command.Sub{Name: "sctbench", Short: "programs of SCTBench, by runs to the first race or failure of each scheduler", Main: sctbench.Main},
		command.Sub{Name: "locks", Short: "real test suites from which one lock was taken", Main: locks.Main},
		command.Sub{Name: "mutants", Short: "mutants of real modules, beside -race", Main: mutants.Main},
		command.Sub{Name: "racetests", Short: "the tests of Go's own race detector", Main: racetests.Main},
	)
}
