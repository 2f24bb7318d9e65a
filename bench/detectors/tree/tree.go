// Package tree judges the filter TREE. On random traces, and on runs of random programs, each of
// the three engines has to report the same pairs of sites with the filter as without it.
//
//	go -C bench run ./detectors tree [-loops n] [-windows n] [-programs n] [-seed s]
//
// Loops are package tracetest's traces of goroutines that run loops. Windows are those of its
// random executions of all primitives, with few sites, given out at random. Programs are package
// progtest's, with one recorded run each.
//
// It prints the accesses dropped, the pairs reported, and the traces on which pairs differ. For
// comparison it prints the same for the rules of the thesis as they are written; and for span
// redundancy the racing locations, which is what that promises.
//
// The exit code is 1 if a difference is found where there must be none.
package tree

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/detect"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Main judges the filter on traces of each kind.
func Main(args []string) int {
	flags := command.Flags("detectors tree", "[-loops n] [-windows n] [-programs n] [-seed s]")
	nLoops := flags.Int("loops", 150_000, "traces of loops")
	nWindows := flags.Int("windows", 50_000, "random windows")
	nPrograms := flags.Int("programs", 3000, "random programs")
	seed := flags.Uint64("seed", 1, "seed")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	b := newBench()
	for n := range *nLoops {
		b.trace("loops", uint64(n), tracetest.Loops(*seed, uint64(n)))
	}
	for n := range *nWindows {
		b.trace("windows", uint64(n), window(*seed, uint64(n)))
	}
	loader := progtest.NewLoader()
	for n := range *nPrograms {
		if events := program(loader, *seed, uint64(n)); events != nil {
			b.trace("programs", uint64(n), events)
		} else {
			b.limits++
		}
	}
	b.print()
	for _, kind := range []string{"loops", "windows", "programs"} {
		figures.Print(kind, command.Count(b.traces[kind], "traces"))
	}
	figures.Print("all", command.Count(b.events, "events"), command.Count(b.bad, "differences"))
	return command.Code(b.bad == 0)
}

// window is a random execution of package tracetest, several times as long as its own, with few
// sites, and memory that is allocated anew.
func window(seed, n uint64) []trace.Event {
	events, _ := tracetest.Trace(tracetest.ScaledWindow(seed, n, 4).Window)
	r := rand.New(rand.NewPCG(seed, n^0x5eed))
	for i := range events {
		e := &events[i]
		if e.Kind.IsAccess() {
			e.Site = trace.Site(1 + int(e.Kind) + 8*r.IntN(2))
			if r.IntN(8) == 0 {
				e.Size = 1 << r.IntN(3)
			}
		}
		if e.Kind == format.Block { // what else a trace may hold
			*e = trace.Event{G: e.G, Obj: tracetest.Address(0, 0), Val: 8, Kind: []format.Kind{
				format.Alloc, format.Acquire, format.Release, format.ReleaseMerge, format.Acquire}[r.IntN(5)]}
			if e.Kind == format.Acquire && r.IntN(4) == 0 {
				e.Obj = 0
			}
		}
	}
	return events
}

// program is a recorded run of a random program, or nil if it exceeds a limit.
func program(l *progtest.Loader, seed, n uint64) []trace.Event {
	p, err := l.Load(progtest.Generate(seed*1_000_000+n, progtest.Knobs{}))
	if err != nil {
		command.Check(fmt.Errorf("program %d: %w", n, err))
	}
	run, err := p.Record(n)
	if err != nil {
		return nil
	}
	return run.Events
}

// what is compared with the engine alone.
type mode int

const (
	filtered mode = iota
	small         // filtered, with room for few histories
	written       // the rules of the thesis
	span          // span redundancy
	modes
)

// tally is the counts of one kind of trace and one engine.
type tally struct {
	pairs           int
	dropped, access [modes]int64
	two, returned   int64      // of filtered: dropped by two goroutines; contexts given back
	differ          [modes]int // traces
	lost, more      [modes]int // pairs
}

type bench struct {
	begun   time.Time
	tallies map[string]*[3]tally
	traces  map[string]int
	events  int64
	racy    int
	limits  int
	bad     int
}

func newBench() *bench {
	return &bench{begun: time.Now(), tallies: map[string]*[3]tally{}, traces: map[string]int{}}
}

// trace judges one trace.
func (b *bench) trace(kind string, n uint64, events []trace.Event) {
	if b.tallies[kind] == nil {
		b.tallies[kind] = new([3]tally)
	}
	b.traces[kind]++
	b.events += int64(len(events))
	b.spans(kind, n, events)
	for _, engine := range []detect.Engine{detect.FastTrack, detect.Lockset, detect.Hybrid} {
		t := &b.tallies[kind][engine]
		plain := run(events, detect.Options{Engine: engine, NoFilter: true})
		t.pairs += len(plain.pairs)
		for m := range modes {
			opt := detect.Options{Engine: engine}
			switch m {
			case small:
				opt.Filter.Contexts, opt.Filter.Sites = 4, 3
			case written:
				opt.AsWritten = true
			case span:
				if engine != detect.FastTrack {
					continue
				}
				opt.Filter.Span = true
			}
			got := run(events, opt)
			t.dropped[m] += got.dropped
			t.access[m] += got.accesses
			if m == filtered {
				t.two, t.returned = t.two+got.two, t.returned+got.returned
			}
			lost, more := missing(plain.pairs, got.pairs), missing(got.pairs, plain.pairs)
			t.lost[m], t.more[m] = t.lost[m]+lost, t.more[m]+more
			if lost+more > 0 {
				t.differ[m]++
			}
			if m <= small && lost+more > 0 {
				b.complain("%s %d, %v: %d pairs lost, %d more with the filter (mode %d)", kind, n, engine, lost, more, m)
			}
		}
	}
}

func (b *bench) complain(format string, args ...any) {
	if b.bad++; b.bad <= 20 {
		fmt.Printf(format+"\n", args...)
	}
}

func missing(a, b map[[2]trace.Site]bool) (n int) {
	for p := range a {
		if !b[p] {
			n++
		}
	}
	return n
}
