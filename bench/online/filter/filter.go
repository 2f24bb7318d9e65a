// Package filter measures the effect of -filter tree on presage -online: Table 5.1 and the
// microbenchmarks of Rajagopalan's thesis, anew.
//
//	go -C bench run ./online filter [-n runs] [-limit time] [-only regexp] [-dir scratch] table
//	go -C bench run ./online filter [-n runs] [-dir scratch] [-plots dir] figures
//
// Each program is built once, with the detector inside, and run with -filter none and -filter tree
// in turn. Medians count; time is that of the processor, user and system. On a machine that others
// use too, "chrt -r 5" in front gives the programs both processors to themselves.
//
// The table has the programs of programs/recipe, an http server under load, and the tests and
// benchmarks of modules from the module proxy. Programs that end at once run their main function
// often, benchmarks are run a fixed number of times, and tests that wait for seconds are left
// out. A row has n runs of each, or as many as fit into the limit, and more of what is short;
// how many that were is in it. The figures are 5.2 (a) to (i), of the program of Figure 5.1, and
// the same of that of Figure 5.3: time, peak memory and the accesses skipped, by goroutines,
// iterations and locks.
//
// # Columns
//
//	accesses   plain accesses that hooks were called for, without the filter
//	none %     of these, those that FastTrack's rules of the same epoch drop by themselves
//	tree %     those that the rules of the same context drop
//	locks %    of the operations that take a lock, those whose context was given back
//	MB         peak memory with the filter, less that without
//	speed-up   (none − tree) / none, in percent
//	95 %       the interval of the median of tree / none, pair by pair (session.Interval)
package filter

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/inside"
	"github.com/presage-race/presage/bench/internal/session"
)

// Main measures the rows of the table, or the series of the figures.
func Main(args []string) int {
	flags := command.Flags("online filter", "[-n runs] [-limit time] [-only regexp] [-plots dir] [-dir scratch] table|figures")
	n := flags.Int("n", 10, "runs of each")
	limit := flags.Duration("limit", 3*time.Minute, "wall time of a row of the table")
	only := flags.String("only", "", "rows of the table that match this expression")
	dir := command.Dir(flags)
	plots := flags.String("plots", filepath.Join(session.Root, "docs/theory"), "directory for the plots")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	if what := flags.Arg(0); flags.NArg() != 1 || what != "table" && what != "figures" {
		return command.Usage(flags)
	}
	ctx := context.Background()
	b, err := inside.New(ctx, *dir)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(b.Dir)
	}
	if flags.Arg(0) == "figures" {
		command.Check(plotAll(ctx, b, *n, *plots))
		return 0
	}
	t := &table{Builder: b, modules: &session.Session{Dir: b.Dir}, n: *n, limit: *limit, only: regexp.MustCompile(*only), figures: figures}
	command.Check(t.run(ctx))
	return 0
}
