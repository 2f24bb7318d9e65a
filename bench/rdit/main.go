// Rdit hides parts of small random executions as missing methods (package barrier) and holds what is said to race of the rest against
// exhaustive exploration of the whole.
//
//	go run ./bench/rdit               # 20,000 programs
//	go run ./bench/rdit -n 200000 -seed 7
//	go run ./bench/rdit -go 1000      # Go programs of package progtest, executed under every schedule
//
// It ends with status 1 if RDIT or the simple barrier (Caveat 0) say of a pair that it races which does not. That the third, which does not
// mind what is missing, has false ones is the point.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"presage/internal/analyse"
	"presage/internal/barrier"
	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/trace/raw"
	"presage/internal/trace/tracetest"
	"presage/internal/window"
)

func main() {
	n := flag.Int("n", 20_000, "programs")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	programs := flag.Int("go", 0, "Go programs, instead")
	flag.Parse()
	start := time.Now()
	var c counts
	if *programs > 0 {
		c = goPrograms(*programs, *seed)
	} else {
		c = executions(*n, *seed)
	}
	c.print(time.Since(start))
	if c.wrong() {
		os.Exit(1)
	}
}

// executions judges n executions of package tracetest.
func executions(n int, seed uint64) (c counts) {
	ps := slices.DeleteFunc(tracetest.Profiles(), func(p tracetest.Profile) bool {
		return p.Semantics == window.EvaluatedReads // terms come from the program, not from its trace
	})
	for k := uint64(0); c.programs < n; k++ {
		p := ps[k%uint64(len(ps))]
		p.Before = 0
		r := rand.New(rand.NewPCG(seed, k))
		w := tracetest.Generate(r, p)
		w.Edges = nil
		c.judge(r, w)
	}
	return c
}

// print writes the counts.
func (c *counts) print(took time.Duration) {
	fmt.Printf("%d programs, %d calls of missing methods, %d of %d events missing, %d races of which both accesses are left, %.0f s\n",
		c.programs, c.calls, c.gone, c.events, c.races, took.Seconds())
	for m, name := range []string{"RDIT", "a barrier for each (Caveat 0)", "not minded"} {
		fmt.Printf("%-30s %7d found (%4.1f %%), %6d false\n", name, c.found[m], 100*float64(c.found[m])/float64(max(1, c.races)), c.false[m])
	}
}

// wrong says whether there was a false race, or a witness that a checker refused.
func (c *counts) wrong() bool {
	return c.false[barrier.Reachable]+c.false[barrier.Everything]+c.rejected > 0
}

type counts struct {
	programs, calls, gone, events, races, rejected int
	found, false                                   [3]int // by barrier.Mode
}

// judge counts what is found in one program, if it can be judged: its memory is zero at the start, and its states are not too many.
func (c *counts) judge(r *rand.Rand, w *window.Window) {
	for i := range w.Init {
		w.Init[i].Val = 0
	}
	if tracetest.Validate(w) != nil || !explained(w) {
		return
	}
	races, complete := tracetest.Explore(w, 300_000)
	if !complete {
		return
	}
	all, flows := tracetest.Trace(w)
	h := tracetest.Hide(r, all, flows)
	left := map[trace.Site]bool{}
	for i := range h.Events {
		left[h.Events[i].Site] = true
	}
	want := map[[2]trace.Site]bool{}
	for p := range races {
		if a, b := trace.Site(p.A+1), trace.Site(p.B+1); left[a] && left[b] {
			want[[2]trace.Site{a, b}] = true
		}
	}
	c.programs++
	c.calls, c.gone, c.events, c.races = c.calls+h.Calls, c.gone+h.Gone, c.events+len(all), c.races+len(want)
	c.compare(h, nil, walker(h.Flows), want, want)
}

// compare analyses what is left: really are the pairs that race in any execution, want those of them that are counted.
func (c *counts) compare(h tracetest.Hidden, meta *trace.Meta, walk window.Walker, really, want map[[2]trace.Site]bool) {
	for m := barrier.Reachable; m <= barrier.Ignore; m++ {
		res, err := analyse.Run(context.Background(), &source{events: h.Events, meta: meta}, meta, analyse.Options{Walker: walk, Missing: m})
		if err != nil {
			fmt.Fprintln(os.Stderr, "rdit:", err)
			os.Exit(2)
		}
		for _, x := range res.Races {
			q := [2]trace.Site{min(x.A.Site, x.B.Site), max(x.A.Site, x.B.Site)}
			if want[q] {
				c.found[m]++
			}
			if really[q] {
				continue
			}
			if c.false[m]++; m != barrier.Ignore {
				fmt.Printf("false: sites %d and %d, by %v, of\n%s", x.A.Site, x.B.Site, x.Order, raw.Text(h.Events, nil))
			}
		}
		for _, err := range res.Rejected {
			c.rejected++
			fmt.Printf("rejected: %v\n%s", err, raw.Text(h.Events, nil))
		}
	}
}

// explained says whether every read of a window returns what the last write wrote.
func explained(w *window.Window) bool {
	val := make(map[window.Obj]uint64)
	for i := range w.Events {
		e := &w.Events[i]
		switch e.Kind {
		case format.Read, format.AtomicRead, format.AtomicRMW:
			if e.Val != val[e.Obj] {
				return false
			}
		}
		switch e.Kind {
		case format.Write, format.AtomicWrite:
			val[e.Obj] = e.Val
		case format.AtomicRMW:
			val[e.Obj] = e.Aux
		}
	}
	return true
}

// source is a trace in memory.
type source struct {
	events []trace.Event
	meta   *trace.Meta
}

func (s *source) Meta() *trace.Meta { return s.meta }

func (s *source) Next(e *trace.Event) error {
	if len(s.events) == 0 {
		return io.EOF
	}
	*e, s.events = s.events[0], s.events[1:]
	if e.Kind == format.SelectDefault {
		e.Obj = 0
	}
	return nil
}

// walker says what is known of each event.
type walker []window.Flow

func (w walker) Step(i int64, _ *trace.Event) window.Flow { return w[i] }
