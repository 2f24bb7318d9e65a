// Command online runs small programs, and the benchmarks of two modules, as they are, under -race
// and under the detector of presage -online, in turn, and prints the CPU time and the peak memory
// of each, the slowdowns, and their geometric means.
//
//	go run ./bench/online [-n runs] [-run regexp] [-filter tree|none] [-compilers] [-dir scratch]
//	go run ./bench/online -soak 5m [-dir scratch]
//
// CPU time is that of user and system; the median of the runs counts. A module's benchmarks are run
// a fixed number of times each, so that the work is the same; the times of its packages are added.
// Programs churn, crowd (a million goroutines) and heap (a gigabyte of live heap) are for growth:
// the first two have no -race column, which ends a program of more than 8128 living goroutines.
//
// With -compilers, there is a build with Go's own compiler as well, in the same turns.
//
// With -soak, program soak makes and drops goroutines, maps, channels and buffers for that long,
// with the detector inside, and its memory is sampled: it must not grow. The exit code is 1 if it
// does.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"regexp"
	"slices"

	"github.com/presage-race/presage/bench/inside"
)

// grow are the programs that are looked at for growth, and not compared.
var grow = map[string]bool{"churn": true, "crowd": true, "heap": true}

// modes are the builds of a program.
var modes = []string{inside.Plain, inside.Race, inside.Online}

func main() {
	log.SetFlags(0)
	log.SetPrefix("online: ")
	n := flag.Int("n", 10, "runs of each")
	run := flag.String("run", "sort|matrix|mapmutex|pipeline|atomics|http|zap|golang-lru", "programs")
	filter := flag.String("filter", "tree", "in front of the detector: tree or none")
	compilers := flag.Bool("compilers", false, "with Go's own compiler as well")
	length := flag.Duration("soak", 0, "run program soak for so long, and nothing else")
	dir := flag.String("dir", "", "scratch directory")
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
	if *length > 0 {
		if err := soak(ctx, b, *length, *filter == "tree"); err != nil {
			log.Fatal(err)
		}
		return
	}
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
		runs, err := measure(ctx, b, &s, *n, *filter == "tree")
		if err != nil {
			log.Fatal(err)
		}
		t, r := make([]float64, len(runs)), make([]float64, len(runs))
		for i := range runs {
			t[i] = inside.Median(runs[i], func(r *inside.Run) float64 { return r.CPU })
			r[i] = inside.Median(runs[i], func(r *inside.Run) float64 { return r.MB })
		}
		ratio, rss := t[2]/t[1], r[2]/r[1]
		fmt.Printf("%-10s %10.2f %10.2f %10.2f %8.1f %8.1f %8.2f %10.0f %10.0f %10.0f %8.2f\n", p, t[0], t[1], t[2], t[1]/t[0], t[2]/t[0], ratio, r[0], r[1], r[2], rss)
		if *compilers {
			fmt.Printf("%-10s %10s %10s %10.2f %8s %8.1f %8.2f %10s %10s %10.0f %8.2f\n", "", "", "Go's own", t[3], "", t[3]/t[0], t[3]/t[1], "", "", r[3], r[3]/r[1])
			own = append(own, t[3]/t[1])
		}
		if !grow[p] {
			times, memory = append(times, ratio), append(memory, rss)
		}
	}
	if len(times) > 0 {
		fmt.Printf("geometric mean of online to race: time %.2f, peak memory %.2f\n", mean(times), mean(memory))
	}
	if len(own) > 0 {
		fmt.Printf("with Go's own compiler: time %.2f\n", mean(own))
	}
}

// measure runs a subject in each way, in turn.
func measure(ctx context.Context, b *inside.Builder, s *subject, n int, tree bool) ([][]*inside.Run, error) {
	runs := make([][]*inside.Run, len(modes))
	left := func(m string) bool { return m == inside.Race && (s.name == "churn" || s.name == "crowd") }
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

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
