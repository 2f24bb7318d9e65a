// Package rdit hides parts of small random executions as excluded calls (package excluded). It
// compares the races that detectors report of the rest with exhaustive exploration of the whole.
//
//	go -C bench run ./excluded rdit               # 20,000 programs
//	go -C bench run ./excluded rdit -n 200000 -seed 7
//	go -C bench run ./excluded rdit -seen         # excluded calls hide accesses alone
//	go -C bench run ./excluded rdit -outside      # the same, flagged as outside code
//	go -C bench run ./excluded rdit -go 1000      # Go programs, under every schedule
//
// RDIT is compared with detectors that see the same trace: Algorithms 5 and 6 as the thesis writes
// them (AsWritten of package excluded), and three that ignore what is missing. These are maximal
// causality, happens-before, and the weak-causally-precedes relation. That relation (package wcp)
// contains causally-precedes.
//
// The exit code is 1 if RDIT or the simple barrier (Caveat 0) reports a pair that does not race,
// or if a checker refuses a witness. False reports of the others are expected, and counted.
package rdit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/oracle/wcp"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

// Main judges random executions, or Go programs.
func Main(args []string) int {
	flags := command.Flags("excluded rdit", "[-n programs | -go programs] [-seed s] [-seen | -outside]")
	n := flags.Int("n", 20_000, "programs")
	seed := flags.Uint64("seed", 1, "seed of the random numbers")
	seen := flags.Bool("seen", false, "leave the synchronisation of excluded calls in the trace")
	outside := flags.Bool("outside", false, "leave it, flagged as that of code outside, as the recorder does")
	programs := flags.Int("go", 0, "judge this many Go programs instead")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	start := time.Now()
	c := &counts{left: nothing}
	switch {
	case *outside:
		c.left = flagged
	case *seen:
		c.left = synchronisation
	}
	if *programs > 0 {
		c.goPrograms(*programs, *seed)
	} else {
		c.executions(*n, *seed)
	}
	c.print(time.Since(start))
	for m, name := range detectors {
		figures.Print(name, command.Count(c.found[m], "found"), command.Count(c.false[m], "false"), command.Count(c.races, "races"))
	}
	return command.Code(!c.wrong())
}

// executions judges n executions of package tracetest.
func (c *counts) executions(n int, seed uint64) {
	for k := 0; c.programs < n; k++ {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		x, ok := tracetest.NewExecution(r, k)
		if !ok {
			continue
		}
		h := c.left.hide(r, x.Events, x.Flows)
		want := h.Left(x.Races)
		c.add(h, len(x.Events), len(want))
		c.compare(h, nil, tracetest.Walker(h.Flows), want, want)
	}
}

// left is what the trace has of excluded calls, besides their calls.
type left int

const (
	nothing         left = iota
	synchronisation      // -seen
	flagged              // -outside: synchronisation, flagged as that of code outside
)

func (l left) hide(r *rand.Rand, events []trace.Event, flows []flow.Flow) tracetest.Hidden {
	switch l {
	case flagged:
		return tracetest.HideOutside(r, events, flows)
	case synchronisation:
		return tracetest.HideAccesses(r, events, flows)
	}
	return tracetest.Hide(r, events, flows)
}

// add counts a program.
func (c *counts) add(h tracetest.Hidden, events, races int) {
	c.programs++
	c.calls, c.gone, c.events, c.races = c.calls+h.Calls, c.gone+h.Gone, c.events+events, c.races+races
}

// print writes the counts.
func (c *counts) print(took time.Duration) {
	fmt.Printf("%d programs, %d excluded calls, %d of %d events missing, %d races of which both accesses are left, %.0f s\n",
		c.programs, c.calls, c.gone, c.events, c.races, took.Seconds())
	for m, name := range detectors {
		fmt.Printf("%-34s %7d found (%4.1f %%), %6d false\n", name, c.found[m], 100*float64(c.found[m])/float64(max(1, c.races)), c.false[m])
	}
}

// wrong says whether there was a false race, or a witness that a checker refused.
func (c *counts) wrong() bool {
	return c.false[excluded.Reachable]+c.false[excluded.Everything]+c.rejected > 0
}

type counts struct {
	left                                           left
	programs, calls, gone, events, races, rejected int
	// those of maximal causality by barrier.Mode
	found, false [len(detectors)]int
}

const (
	happensBefore = iota + int(excluded.Ignore) + 1
	weaklyPrecedes
	asWritten
)

var detectors = [...]string{
	excluded.Reachable: "RDIT", excluded.Everything: "a barrier for each (Caveat 0)", excluded.Ignore: "maximal causality, gaps ignored",
	happensBefore: "happens-before, gaps ignored", weaklyPrecedes: "WCP, gaps ignored",
	asWritten: "Algorithms 5 and 6 as written",
}

// compare analyses what is left: really are the pairs that race in any execution, want those of
// them that are counted.
func (c *counts) compare(h tracetest.Hidden, meta *trace.Meta, walk flow.Walker, really, want map[[2]trace.Site]bool) {
	for m := excluded.Reachable; m <= excluded.Ignore; m++ {
		res, err := predict.Run(context.Background(), source(h.Events, meta), meta, predict.Options{Walker: walk, Excluded: m})
		command.Check(err)
		for _, x := range res.Races {
			if !c.count(int(m), x.A.Site, x.B.Site, really, want) && m != excluded.Ignore {
				fmt.Printf("false: sites %d and %d, by %v, of\n%s", x.A.Site, x.B.Site, x.Order, raw.Text(h.Events, nil))
			}
		}
		for _, err := range res.Rejected {
			c.rejected++
			fmt.Printf("rejected: %v\n%s", err, raw.Text(h.Events, nil))
		}
	}
	c.written(h, meta, walk, really, want)
	d := wcp.New()
	for i := range h.Events {
		d.Step(&h.Events[i])
	}
	var seen [2]map[[2]trace.Site]bool // a pair of sites may be there in both orders
	seen[0], seen[1] = map[[2]trace.Site]bool{}, map[[2]trace.Site]bool{}
	for _, p := range d.Pairs() {
		for k, m := range []int{weaklyPrecedes, happensBefore} {
			q := [2]trace.Site{min(p.A, p.B), max(p.A, p.B)}
			if (k == 0 || p.HB) && !seen[k][q] {
				seen[k][q] = true
				c.count(m, p.A, p.B, really, want)
			}
		}
	}
}

// written counts what maximal causality finds that keeps the orders of Algorithms 5 and 6 as the
// thesis writes them.
func (c *counts) written(h tracetest.Hidden, meta *trace.Meta, walk flow.Walker, really, want map[[2]trace.Site]bool) {
	orders, err := excluded.AsWritten(h.Events)
	command.Check(err)
	var flows []flow.Flow
	if walk != nil {
		flows = h.Flows
	}
	events, flows := tracetest.Enforced(h.Events, flows, orders)
	if walk != nil {
		walk = tracetest.Walker(flows)
	}
	res, err := predict.Run(context.Background(), source(events, meta), meta, predict.Options{Walker: walk, Excluded: excluded.Ignore})
	command.Check(err)
	for _, x := range res.Races {
		c.count(asWritten, x.A.Site, x.B.Site, really, want)
	}
	c.rejected += len(res.Rejected)
}

// count counts a pair of sites that detector m reports, and says whether it races.
func (c *counts) count(m int, a, b trace.Site, really, want map[[2]trace.Site]bool) bool {
	q := [2]trace.Site{min(a, b), max(a, b)}
	if want[q] {
		c.found[m]++
	}
	if !really[q] {
		c.false[m]++
	}
	return really[q]
}

// source is a trace as it is read: a SelectDefault has no object there.
func source(events []trace.Event, meta *trace.Meta) *tracetest.Source {
	events = slices.Clone(events)
	for i := range events {
		if events[i].Kind == format.SelectDefault {
			events[i].Obj = 0
		}
	}
	return &tracetest.Source{Events: events, Tables: meta}
}
