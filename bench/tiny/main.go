// Tiny judges the pipeline by an oracle that shares no code with it: package progtest generates
// random tiny programs, executes each under every schedule, and so knows its races. One recorded
// run of the program is analysed, and what is reported must be among them.
//
//	go run ./bench/tiny [-n programs] [-seed s] [-runs r] [-states n] [-v]
//
// It prints for every level the pairs of positions reported and how many of them are no race
// (false); and the recall: of the true races of several classes, how many are reported. The classes
// say how far from the recorded run a race is: package progtest, ExploreFrom. A false race is
// shrunk and printed with the seeds that show it. The exit status is 1 if there is one, or if walk
// and trace differ somewhere.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/presage-race/presage/internal/oracle/progtest"
)

func main() {
	n := flag.Int("n", 1000, "programs")
	seed := flag.Uint64("seed", 0, "seed of the first")
	runs := flag.Int("runs", 1, "recorded runs of a program")
	states := flag.Int("states", 50_000, "states of an exploration, at most")
	verbose := flag.Bool("v", false, "print the races that were not found")
	flag.Parse()
	b := &bench{ctx: context.Background(), loader: progtest.NewLoader(), states: *states, runs: *runs, verbose: *verbose, ends: map[string]int64{}}
	start := time.Now()
	for i := range *n {
		b.program(*seed + uint64(i))
	}
	b.print(os.Stdout, time.Since(start))
	if b.failed() {
		os.Exit(1)
	}
}

// classes are sets of true races, by what a prediction from the recorded run has to change.
var classes = [...]string{
	"all",
	"at most one goroutine off its recorded path, at a branch",
	"both accesses in the recorded run, by position",
	"on the recorded path: values alone differ",
}

const (
	every = iota
	oneBranch
	occur
	onPath
)

// bench is the counts of a session.
type bench struct {
	ctx     context.Context
	loader  *progtest.Loader
	states  int
	runs    int
	verbose bool

	programs   int
	open       int               // not exhausted
	limits     int               // runs given up
	total      int               // states
	pairs      int               // true races
	classes    [len(classes)]int // of them, by class
	found      [len(classes)][len(levels)]int
	reported   [len(levels)]int
	false      [len(levels)]int
	unjudged   int // reported of programs that are not exhausted, and not among the races known
	differ     int // mismatches of the walk
	rejected   int64
	unknown    int64
	events     int
	base       int
	forks      int64
	unexplored int64
	ways       int64
	ends       map[string]int64
	explore    time.Duration
	load       time.Duration
	recording  time.Duration
	analysis   time.Duration
}

// program judges the program of one seed.
func (b *bench) program(seed uint64) {
	src := progtest.Generate(seed, progtest.Knobs{})
	t := time.Now()
	p, err := b.loader.Load(src)
	b.load += time.Since(t)
	if err != nil {
		fmt.Fprintf(os.Stderr, "tiny: program %d: %v\n%s", seed, err, src)
		os.Exit(1)
	}
	b.programs++
	for r := range uint64(b.runs) {
		b.run(p, seed, seed*16+r)
	}
}

// run judges one recorded run.
func (b *bench) run(p *progtest.Program, seed, runSeed uint64) {
	t := time.Now()
	run, err := p.Record(runSeed)
	b.recording += time.Since(t)
	if err != nil {
		b.limits++
		return
	}
	b.events += len(run.Events)
	t = time.Now()
	truth := p.ExploreFrom(run, b.states)
	b.explore += time.Since(t)
	b.total += truth.States
	if !truth.Exhausted {
		b.open++
	}
	b.pairs += len(truth.Pairs)
	t = time.Now()
	f, err := analyseRun(b.ctx, p, run)
	b.analysis += time.Since(t)
	if err != nil {
		fmt.Fprintf(os.Stderr, "tiny: program %d, run %d: %v\n", seed, runSeed, err)
		os.Exit(1)
	}
	b.rejected += f.rejected
	for _, err := range f.why {
		fmt.Printf("witness rejected: program %d, run %d: %v\n", seed, runSeed, err)
	}
	b.base += f.base
	b.forks, b.unexplored, b.ways = b.forks+f.counts.Build.Forks, b.unexplored+f.counts.Build.Unexplored, b.ways+f.counts.Ways
	for why, n := range f.counts.Build.Ends {
		b.ends[why] += n
	}
	b.unknown += f.unknown
	if len(f.mismatches) > 0 {
		b.differ++
		fmt.Printf("walk and trace differ: program %d, run %d: %v\n%s\n", seed, runSeed, f.mismatches[0], p.Source)
	}
	known := b.recall(p, run, truth, f, seed, runSeed)
	for l := range levels {
		for q := range f.pairs[l] {
			switch {
			case known[q]:
				b.reported[l]++
			case !truth.Exhausted:
				b.unjudged++
			default:
				b.reported[l]++
				b.false[l]++
				b.falseRace(p, q, levels[l].name, seed, runSeed)
			}
		}
	}
}

// recall counts the true races by their distance from the run, and those found.
func (b *bench) recall(p *progtest.Program, run *progtest.Run, truth *progtest.Races, f *found, seed, runSeed uint64) (known map[progtest.Pair]bool) {
	occurs := run.Accesses()
	known = map[progtest.Pair]bool{}
	for i, q := range truth.Pairs {
		known[q] = true
		var in [len(classes)]bool
		in[every] = true
		in[oneBranch] = truth.Off[i] <= 1
		in[onPath] = truth.Off[i] == 0 && occurs[q.A] && occurs[q.B]
		in[occur] = occurs[q.A] && occurs[q.B]
		for c := range classes {
			if !in[c] {
				continue
			}
			b.classes[c]++
			for l := range levels {
				if f.pairs[l][q] {
					b.found[c][l]++
				}
			}
		}
		if b.verbose && in[oneBranch] && !f.pairs[len(levels)-1][q] {
			fmt.Printf("not found: program %d, run %d: %s\n", seed, runSeed, p.Describe(q))
		}
	}
	return known
}

// falseRace shrinks the program that shows a false race.
func (b *bench) falseRace(p *progtest.Program, q progtest.Pair, level string, seed, runSeed uint64) {
	fmt.Printf("FALSE (%s): program %d, run %d: %s\n", level, seed, runSeed, p.Describe(q))
	if b.false[path] > 5 {
		return
	}
	var last string
	src := b.loader.Shrink(p.Source, func(src string) bool {
		p, err := b.loader.Load(src)
		if err != nil {
			return false
		}
		truth := p.Explore(b.states)
		if !truth.Exhausted {
			return false
		}
		for r := range uint64(24) {
			run, err := p.Record(r)
			if err != nil {
				return false
			}
			f, err := analyseRun(b.ctx, p, run)
			if err != nil {
				return false
			}
			for q := range f.pairs[path] {
				if !truth.Has(q) {
					last = fmt.Sprintf("run %d: %s", r, p.Describe(q))
					return true
				}
			}
		}
		return false
	})
	fmt.Printf("shrunk, %s:\n%s\n", last, src)
}

func (b *bench) failed() bool {
	n := b.differ
	for _, f := range b.false {
		n += f
	}
	return n > 0 || b.rejected > 0
}
