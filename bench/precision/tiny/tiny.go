// Package tiny judges the pipeline by an oracle that shares no code with it. Package progtest
// generates random tiny programs and executes each under every schedule, so their races are known.
// One recorded run of a program is analysed, and the reported races must be among the known ones.
//
//	go -C bench run ./precision tiny [-n programs] [-seed s] [-runs r] [-states n] [-v]
//
// For each level it prints the pairs of source lines reported, and how many of them are no race
// (false). It also prints the recall: how many true races of several classes are reported. The
// classes say how far from the recorded run a race is (ExploreFrom of package progtest), and at
// which operations goroutines leave their recorded paths. A race may count at several operations. A
// false race is shrunk and printed with the seeds that show it.
//
// The exit code is 1 if there is a false race, if walk and trace differ somewhere, or if a path off
// the recorded run ends at an error of presage (broken).
package tiny

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/alternative"
)

// Main judges n programs.
func Main(args []string) int {
	flags := command.Flags("precision tiny", "[-n programs] [-seed s] [-runs r] [-states n] [-v]")
	n := flags.Int("n", 1000, "programs")
	seed := flags.Uint64("seed", 0, "seed of the first program")
	runs := flags.Int("runs", 1, "recorded runs of a program")
	states := flags.Int("states", 50_000, "most states of an exploration")
	verbose := flags.Bool("v", false, "print the races that were not found")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	b := &bench{ctx: context.Background(), loader: progtest.NewLoader(), states: *states, runs: *runs, verbose: *verbose, ends: map[string]int64{}}
	start := time.Now()
	for i := range *n {
		b.program(*seed + uint64(i))
	}
	b.print(os.Stdout, time.Since(start))
	b.differ += int(b.ends[alternative.Broken])
	b.figures(figures)
	return command.Code(!b.failed())
}

// classes are sets of true races, by what a prediction from the recorded run has to change.
var classes = [...]string{
	"all",
	"at most one goroutine off its recorded path, at a branch",
	"both accesses in the recorded run, by position",
	"on the recorded path: values alone differ",
	"one goroutine off its recorded path",
	"two goroutines off their recorded paths",
	"three or more goroutines off their recorded paths",
	"a goroutine goes on after the end of its recording",
}

const (
	every = iota
	oneBranch
	occur
	onPath
	one
	two
	three
	beyond
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
	outcomes   [progtest.Outcomes]int // races, by where goroutines leave their recorded paths
	foundAt    [progtest.Outcomes]int // of them, at level path
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
		command.Check(fmt.Errorf("program %d: %w\n%s", seed, err, src))
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
		command.Check(fmt.Errorf("program %d, run %d: %w", seed, runSeed, err))
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
		in[one], in[two] = truth.Off[i] == 1, truth.Off[i] == 2
		in[three] = truth.Off[i] > 2 && truth.Off[i] < progtest.Beyond
		in[beyond] = truth.Off[i] >= progtest.Beyond
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
		for o := range progtest.Outcomes {
			if truth.Left[i]&(1<<o) != 0 {
				b.outcomes[o]++
				if f.pairs[path][q] {
					b.foundAt[o]++
				}
			}
		}
		if b.verbose && !f.pairs[len(levels)-1][q] {
			fmt.Printf("not found: program %d, run %d, distance %d at %s: %s; ends %v\n", seed, runSeed, truth.Off[i], truth.Left[i], p.Describe(q), f.counts.Build.Ends)
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
