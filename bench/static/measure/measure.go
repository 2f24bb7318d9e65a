// Package measure measures the static analysis of the packages of one module: its time, its
// memory, and how many warnings each piece of evidence takes out.
//
//	go -C bench run ./static measure [-C directory] [-list likely] [-store directory [-share]]
//		[-cpuprofile file] packages
package measure

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

// Main measures one analysis.
func Main(args []string) int {
	flags := command.Flags("static measure", "[-C directory] [-list tier] [-store directory [-share]] [-cpuprofile file] [-p n] packages")
	dir := flags.String("C", ".", "directory of the module")
	list := flags.String("list", "", "print the warnings of this tier and better")
	store := flags.String("store", "", "directory of summaries")
	share := flags.Bool("share", false, "with -store: summarise only, beside other processes")
	profile := flags.String("cpuprofile", "", "write a CPU profile to this file, and a heap profile beside it")
	workers := flags.Int("p", 0, "packages at a time")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	if flags.NArg() == 0 {
		return command.Usage(flags)
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		command.Check(err)
		defer f.Close()
		command.Check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	begin := time.Now()
	res, err := static.Run(context.Background(), static.Config{
		Config: load.Config{Dir: *dir, Patterns: flags.Args(), Workers: *workers}, Progress: progress(*profile), Store: *store, Share: *share,
	})
	command.Check(err)
	printStats(res)
	cpu, peak := session.Usage()
	fmt.Printf("wall %.1f s, of processors %.1f s, memory at most %d MB\n", time.Since(begin).Seconds(), cpu, peak)
	figures.Print("all", command.Figure{Value: cpu, Unit: "cpu-s"}, command.Count(peak, "peak-MB"), command.Count(len(res.Warnings), "warnings"))
	if *list != "" {
		printWarnings(res, tier.Tier(*list))
	}
	return 0
}

// progress prints how far the analysis is, and writes a heap profile at its end, if there is a
// profile.
func progress(profile string) func(done, total int, pkg string) {
	return func(done, total int, pkg string) {
		if done%200 == 0 || done == total {
			cpu, peak := session.Usage()
			fmt.Fprintf(os.Stderr, "%d of %d packages, of processors %.0f s, memory at most %d MB, %s\n", done, total, cpu, peak, pkg)
		}
		if done == total && profile != "" {
			if f, err := os.Create(profile + ".heap"); err == nil {
				_ = pprof.WriteHeapProfile(f)
				f.Close()
			}
		}
	}
}

// printStats prints how many pairs of accesses each step has left.
func printStats(res *static.Result) {
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
}

// printWarnings prints the warnings of a tier and better.
func printWarnings(res *static.Result, least tier.Tier) {
	for i, w := range res.Warnings {
		if tier.Shows(least, w.Tier) {
			fmt.Printf("%d %v %s %s, %v %s %s, %s %v %s\n", i, res.Position(w.A.Pos), w.A.Kind, w.A.At.Place(res.Names(w.A.Func)), res.Position(w.B.Pos), w.B.Kind, w.B.At.Place(res.Names(w.B.Func)), w.Tier, w.Codes, static.Short(w.Frame.Key))
		}
	}
}
