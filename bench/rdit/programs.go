package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"presage/internal/analyse"
	"presage/internal/program/progtest"
	"presage/internal/trace"
	"presage/internal/window"
)

// maxStates bounds the exploration of one program.
const maxStates = 200_000

// goPrograms hides parts of recorded runs of random Go programs. What is reported has to be a race of the program under some schedule. What could be found is
// what maximal causality finds in the whole trace, as in the thesis (5.2.1).
func goPrograms(n int, seed uint64) (c counts) {
	loader := progtest.NewLoader()
	for k := seed * 1_000_003; c.programs < n; k++ {
		p, err := loader.Load(progtest.Generate(k, progtest.Knobs{}))
		if err != nil {
			fmt.Fprintln(os.Stderr, "rdit:", err)
			os.Exit(2)
		}
		races := p.Explore(maxStates)
		run, err := p.Record(k)
		if err != nil || !races.Exhausted {
			continue
		}
		c.judgeRun(rand.New(rand.NewPCG(k, 3)), run, races)
	}
	return c
}

func (c *counts) judgeRun(r *rand.Rand, run *progtest.Run, races *progtest.Races) {
	really, all := map[[2]trace.Site]bool{}, map[[2]trace.Site]bool{}
	for _, q := range races.Pairs {
		really[[2]trace.Site{q.A, q.B}] = true
	}
	h := hide(r, run.Events, make([]window.Flow, len(run.Events)))
	res, err := analyse.Run(context.Background(), run.Source(), run.Meta, analyse.Options{Level: analyse.Causal})
	if err != nil {
		fmt.Fprintln(os.Stderr, "rdit:", err)
		os.Exit(2)
	}
	for _, x := range res.Races {
		all[[2]trace.Site{min(x.A.Site, x.B.Site), max(x.A.Site, x.B.Site)}] = true
	}
	want := h.Left(all)
	c.add(h, len(run.Events), len(want))
	c.compare(h, run.Meta, nil, really, want)
}
