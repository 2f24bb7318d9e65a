// Package smt has an SMT solver (package internal/oracle/smt) answer the engine's queries, and
// compares the answers: is the pair a race of the window? Package witness checks every witness of
// either side. The windows are
//
//	random    those of crosscheck explorer: every primitive, every semantics of reads
//	variants  variants of such windows, whose recorded order is no reordering (path relaxation)
//	programs  those of the analysis of a recorded run of a random program (package progtest)
//	outside   the same, of a thinned run of a random program with outside code (package outsidetest)
//
//	go -C bench run ./crosscheck smt [-n queries] [-seed s] [-solver z3] [-limit 10s] [-scale 1]
//
// It prints the answers and the disagreements. The exit code is 1 if there is a disagreement, a
// witness that is rejected, or a failure of the solver. It is 2 if there is no solver.
package smt

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/oracle/smt"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/oracle/tracetest/outsidetest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/walk"
)

// Main compares at least n queries, a share of them from each source.
func Main(args []string) int {
	flags := command.Flags("crosscheck smt", "[-n queries] [-seed s] [-solver z3] [-limit 10s] [-scale 1]")
	n := flags.Int("n", 5000, "compare at least this many pairs; a fifth of them do not race")
	seed := flags.Uint64("seed", 1, "seed of the generators")
	solver := flags.String("solver", "z3", "z3 or cvc5, found on PATH")
	limit := flags.Duration("limit", smt.DefaultLimit, "time for a query")
	scale := flags.Int("scale", 1, "factor for the number of events in a random window")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	p, err := smt.Find(*solver, *limit)
	command.Check(err)
	c := &check{process: p, solver: *solver}
	start := time.Now()
	sources := []struct {
		name  string
		share int // of the pairs, in percent
		next  func(c *check, i uint64)
	}{
		{"random", 50, func(c *check, i uint64) {
			r := tracetest.ScaledWindow(*seed, i, *scale)
			c.window(r.Window, fmt.Sprintf("random window %d of seed %d, %s", i, *seed, r.Profile))
		}},
		{"variants", 15, func(c *check, i uint64) {
			r := tracetest.RandomVariant(*seed, i, *scale)
			c.window(r.Window, fmt.Sprintf("variant %d of seed %d, %s", i, *seed, r.Profile))
		}},
		{"programs", 25, programs(*seed)},
		{"outside", 10, outside(*seed)},
	}
	for _, s := range sources {
		c.begin(s.name)
		want := (*n*s.share + 99) / 100
		for i := uint64(0); (c.now.queries < want || 5*c.now.refuted < want) && c.failure() == ""; i++ {
			s.next(c, i)
		}
	}
	p.Close()
	c.print(os.Stdout, time.Since(start))
	for _, r := range c.rows {
		figures.Print(r.name, command.Count(r.queries, "queries"), command.Count(r.refuted, "refuted"), command.Count(r.differ, "disagreements"), command.Count(r.rejected, "rejected"))
	}
	why := c.failure()
	if why != "" {
		log.Print(why)
	}
	return command.Code(why == "")
}

// outside analyses a run of a random program with outside code, as the recorder writes it down.
func outside(seed uint64) func(c *check, i uint64) {
	return func(c *check, i uint64) {
		r := rand.New(rand.NewPCG(seed, i))
		run := outsidetest.Generate(r).Record(r, outsidetest.Walk{Guards: i%2 == 0}).Thin(r, outsidetest.Thinning{})
		opt := predict.Options{
			Walker: tracetest.Walker(run.Flows), EveryPair: true,
			Solver: func(w *model.Window) predict.Solver { return c.prepare(w, fmt.Sprintf("outside program %d", i)) },
		}
		if _, err := predict.Run(context.Background(), &tracetest.Source{Events: run.Events}, nil, opt); err != nil {
			c.fail(fmt.Errorf("outside program %d: %w", i, err))
		}
	}
}

// programs analyses a recorded run of a random program, at the highest level.
func programs(seed uint64) func(c *check, i uint64) {
	loader := progtest.NewLoader()
	return func(c *check, i uint64) {
		i += seed * 1_000_000
		p, err := loader.Load(progtest.Generate(i, progtest.Knobs{}))
		if err != nil {
			c.fail(fmt.Errorf("program %d: %w", i, err))
			return
		}
		run, err := p.Record(i)
		if err != nil {
			return // the run was given up: it is too long
		}
		walker := walk.NewBranching(p.Plan)
		walker.Read(run.Meta)
		opt := predict.Options{
			Level: predict.Paths, Walker: walker, EveryPair: true,
			Solver: func(w *model.Window) predict.Solver { return c.prepare(w, fmt.Sprintf("program %d", i)) },
		}
		if _, err := predict.Run(context.Background(), run.Source(), run.Meta, opt); err != nil {
			c.fail(fmt.Errorf("program %d: %w", i, err))
		}
	}
}
