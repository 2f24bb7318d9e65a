// Package cost measures the detector of presage -online beside -race. Small programs, and the
// benchmarks of two modules, run as they are, under -race, and with the detector inside, in turn.
// The output has the CPU time and the peak memory of each, the slowdowns, and their geometric
// means.
//
//	go -C bench run ./online cost [-n runs] [-run regexp] [-filter tree|none] [-compilers]
//		[-dir scratch]
//
// CPU time is user and system time; the median of the runs counts. A module's benchmarks are run a
// fixed number of times each, so that the work is the same; the times of its packages are added.
// Programs churn, alive (a million goroutines) and heap (a gigabyte of live heap) are for growth.
// The first two have no -race column, because -race ends a program of more than 8128 living
// goroutines.
//
// With -compilers, there is a build with Go's own compiler as well, in the same turns.
package cost

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/inside"
	"github.com/presage-race/presage/bench/internal/session"
)

// grow are the programs that are looked at for growth, and not compared.
var grow = map[string]bool{"churn": true, "alive": true, "heap": true}

// Main measures the programs that match.
func Main(args []string) int {
	flags := command.Flags("online cost", "[-n runs] [-run regexp] [-filter tree|none] [-compilers] [-dir scratch]")
	n := flags.Int("n", 10, "runs of each")
	run := flags.String("run", "sort|matrix|mapmutex|pipeline|atomics|http|zap|golang-lru", "programs that match this expression")
	filter := flags.String("filter", "tree", "filter of the detector: tree or none")
	compilers := flags.Bool("compilers", false, "measure with Go's own compiler as well")
	dir := command.Dir(flags)
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx := context.Background()
	b, err := inside.New(ctx, *dir)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(b.Dir)
	}
	modes := []string{inside.Plain, inside.Race, inside.Online}
	if *compilers {
		modes = append(modes, inside.OnlinePlain)
	}
	fmt.Printf("%-10s %10s %10s %10s %8s %8s %8s %10s %10s %10s %8s\n", "", "plain s", "race s", "online s", "race x", "online x", "ratio", "plain MB", "race MB", "online MB", "ratio")
	var times, memory, own []float64
	for _, s := range subjects {
		p := s.name
		if !regexp.MustCompile(*run).MatchString(p) {
			continue
		}
		runs, err := measure(ctx, b, &s, modes, *n, *filter == "tree")
		command.Check(err)
		t, r := make([]float64, len(runs)), make([]float64, len(runs))
		for i := range runs {
			t[i] = inside.Median(runs[i], func(r *inside.Run) float64 { return r.CPU })
			r[i] = inside.Median(runs[i], func(r *inside.Run) float64 { return r.MB })
		}
		ratio, rss := t[2]/t[1], r[2]/r[1]
		fmt.Printf("%-10s %10.2f %10.2f %10.2f %8.1f %8.1f %8.2f %10.0f %10.0f %10.0f %8.2f\n", p, t[0], t[1], t[2], t[1]/t[0], t[2]/t[0], ratio, r[0], r[1], r[2], rss)
		figures.Print(p, command.Figure{Value: t[0], Unit: "plain-cpu-s"}, command.Figure{Value: t[1], Unit: "race-cpu-s"}, command.Figure{Value: t[2], Unit: "online-cpu-s"},
			command.Figure{Value: r[0], Unit: "plain-peak-MB"}, command.Figure{Value: r[1], Unit: "race-peak-MB"}, command.Figure{Value: r[2], Unit: "online-peak-MB"})
		if *compilers {
			fmt.Printf("%-10s %10s %10s %10.2f %8s %8.1f %8.2f %10s %10s %10.0f %8.2f\n", "", "", "Go's own", t[3], "", t[3]/t[0], t[3]/t[1], "", "", r[3], r[3]/r[1])
			own = append(own, t[3]/t[1])
		}
		if !grow[p] {
			times, memory = append(times, ratio), append(memory, rss)
		}
	}
	if len(times) > 0 {
		fmt.Printf("geometric mean of online to race: time %.2f, peak memory %.2f\n", session.Geomean(times), session.Geomean(memory))
	}
	if len(own) > 0 {
		fmt.Printf("with Go's own compiler: time %.2f\n", session.Geomean(own))
	}
	return 0
}

// measure runs a subject in each build, in turn.
func measure(ctx context.Context, b *inside.Builder, s *subject, modes []string, n int, tree bool) ([][]*inside.Run, error) {
	runs := make([][]*inside.Run, len(modes))
	left := func(m string) bool { return m == inside.Race && (s.name == "churn" || s.name == "alive") }
	programs, err := build(ctx, b, s, slices.DeleteFunc(slices.Clone(modes), left))
	if err != nil {
		return runs, err
	}
	for range n {
		for i, m := range modes {
			if left(m) {
				continue
			}
			r, err := once(ctx, b, programs, m, tree)
			if err != nil {
				return runs, err
			}
			runs[i] = append(runs[i], r)
		}
	}
	return runs, nil
}
