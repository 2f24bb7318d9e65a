// Command filter measures what -filter tree does to presage -online: Table 5.1 and the
// microbenchmarks of Rajagopalan's thesis, anew.
//
//	go run ./bench/filter [-n runs] [-limit time] [-only regexp] [-dir scratch] table
//	go run ./bench/filter [-n runs] [-dir scratch] [-plots dir] figures
//
// Each program is built once, with the detector inside, and run with -filter none and -filter tree
// in turn. Medians count; time is that of the processor, user and system. On a machine that others
// use too, "chrt -r 5" in front gives the programs both processors to themselves.
//
// The table has bench/recipe's programs, an http server under load, and the tests and benchmarks of
// modules from the module proxy. Programs that end at once run their main function often,
// benchmarks are run a fixed number of times, and tests that wait for seconds are left out. A row
// has n runs of each, or as many as fit into the limit, and more of what is short; how many that
// were is in it. The figures are 5.2 (a) to (i), of the program of Figure 5.1, and the same of that
// of Figure 5.3: time, peak memory and the accesses skipped, by goroutines, iterations and locks.
//
// # Columns
//
//	accesses   plain accesses that hooks were called for, without the filter
//	none %     of these, those that FastTrack's rules of the same epoch drop by themselves
//	tree %     those that the rules of the same context drop
//	locks %    of the operations that take a lock, those whose context was given back (T7)
//	MB         peak memory with the filter, less that without
//	speed-up   (none − tree) / none, in percent
//	95 %       the interval of the median of tree / none, pair by pair (session.Interval)
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"regexp"
	"time"

	"github.com/presage-race/presage/bench/inside"
	"github.com/presage-race/presage/bench/session"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("filter: ")
	n := flag.Int("n", 10, "runs of each")
	limit := flag.Duration("limit", 3*time.Minute, "wall time of a row of the table")
	only := flag.String("only", "", "rows of the table")
	dir := flag.String("dir", "", "scratch directory")
	plots := flag.String("plots", "docs/theory", "directory for the plots")
	flag.Parse()
	if *dir == "" {
		d, err := os.MkdirTemp("", "presage-bench-")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(d)
		*dir = d
	}
	ctx := context.Background()
	b, err := inside.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	switch flag.Arg(0) {
	case "table":
		t := &table{Builder: b, modules: &session.Session{Dir: b.Dir}, n: *n, limit: *limit, only: regexp.MustCompile(*only)}
		err = t.run(ctx)
	case "figures":
		err = figures(ctx, b, *n, *plots)
	default:
		flag.Usage()
		os.Exit(1)
	}
	if err != nil {
		log.Fatal(err)
	}
}
