package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

var (
	keep  = flag.String("store", "", "with -module: directory of summaries")
	share = flag.Bool("share", false, "with -module and -store: summarise only, beside other processes")
)

// scale measures the analysis of a module: time, memory, and what each piece of evidence takes out.
func scale(dir string, patterns []string, profile string, workers int) {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	begin := time.Now()
	progress := func(done, total int, pkg string) {
		if done%200 == 0 || done == total {
			var use syscall.Rusage
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &use)
			fmt.Fprintf(os.Stderr, "%d of %d packages, of processors %.0f s, memory at most %d MB, %s\n", done, total, seconds(use.Utime)+seconds(use.Stime), use.Maxrss>>10, pkg)
		}
		if done == total && profile != "" {
			if f, err := os.Create(profile + ".heap"); err == nil {
				_ = pprof.WriteHeapProfile(f)
				f.Close()
			}
		}
	}
	res, err := static.Run(context.Background(), static.Config{Config: load.Config{Dir: dir, Patterns: patterns, Workers: workers}, Progress: progress, Store: *keep, Share: *share})
	if err != nil {
		log.Fatal(err)
	}
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		log.Fatal(err)
	}
	byTier, byCode := map[tier.Tier]int{}, map[string]int{}
	for _, w := range res.Warnings {
		byTier[w.Tier]++
		for _, c := range w.Codes {
			byCode[c]++
		}
	}
	s := res.Stats
	fmt.Printf("packages %d, functions %d, lines %d, errors %d\n", s.Packages, s.Functions, s.Lines, len(res.Errors))
	fmt.Printf("directory of summaries: %+v\n", s.Store)
	fmt.Printf("accesses %d, goroutines %d, holes %d, beyond bounds %d\n", s.Accesses, s.Spawns, s.Holes, s.Cuts.Total())
	for b, n := range s.Cuts {
		if n > 0 {
			fmt.Printf("  %s: %d\n", summary.Bound(b).Text(), n)
		}
	}
	p := s.Pairs
	fmt.Printf("in one frame: pairs %d, locks %d, ordered %d, other memory %d, atomic %d\n", p.Pairs, p.Locks, p.Ordered, p.Instances, p.Atomic)
	fmt.Printf("over roots: %+v\n", s.Link)
	fmt.Printf("warnings %d: likely %d, possible %d, unlikely %d\n", len(res.Warnings), byTier[tier.Likely], byTier[tier.Possible], byTier[tier.Unlikely])
	for _, r := range tier.Reasons {
		if byCode[r.Code] > 0 {
			fmt.Printf("  %-18s %d\n", r.Code, byCode[r.Code])
		}
	}
	fmt.Printf("wall %.1f s, of processors %.1f s, memory at most %d MB\n", time.Since(begin).Seconds(), seconds(use.Utime)+seconds(use.Stime), use.Maxrss>>10)
	for i, w := range res.Warnings {
		if *list != "" && tier.Shows(tier.Tier(*list), w.Tier) {
			fmt.Printf("%d %v %s %s, %v %s %s, %s %v %s\n", i, res.Position(w.A.Pos), w.A.Kind, w.A.At.Place(res.Names(w.A.Func)), res.Position(w.B.Pos), w.B.Kind, w.B.At.Place(res.Names(w.B.Func)), w.Tier, w.Codes, static.Short(w.Frame.Key))
		}
	}
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
