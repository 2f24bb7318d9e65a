package rdit

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
)

// maxStates bounds the exploration of one program.
const maxStates = 200_000

// goPrograms hides parts of recorded runs of random Go programs. What is reported has to be a race
// of the program under some schedule. What could be found is what maximal causality finds in the
// whole trace, as in the thesis (5.2.1).
func (c *counts) goPrograms(n int, seed uint64) {
	loader := progtest.NewLoader()
	for k := seed * 1_000_003; c.programs < n; k++ {
		p, err := loader.Load(progtest.Generate(k, progtest.Knobs{}))
		command.Check(err)
		races := p.Explore(maxStates)
		run, err := p.Record(k)
		if err != nil || !races.Exhausted {
			continue
		}
		c.judgeRun(rand.New(rand.NewPCG(k, 3)), p, run, races)
	}
}

func (c *counts) judgeRun(r *rand.Rand, p *progtest.Program, run *progtest.Run, races *progtest.Races) {
	really, all := map[[2]trace.Site]bool{}, map[[2]trace.Site]bool{}
	for _, q := range races.Pairs {
		really[[2]trace.Site{q.A, q.B}] = true
	}
	flows, walker := make([]flow.Flow, len(run.Events)), flow.Walker(nil)
	if c.left != nothing { // else what is read keeps its value
		flows = walked(p, run)
	}
	h := c.left.hide(r, run.Events, flows)
	if c.left != nothing {
		walker = tracetest.Walker(h.Flows)
	}
	res, err := predict.Run(context.Background(), run.Source(), run.Meta, predict.Options{Level: predict.Causal})
	command.Check(err)
	for _, x := range res.Races {
		all[[2]trace.Site{min(x.A.Site, x.B.Site), max(x.A.Site, x.B.Site)}] = true
	}
	want := h.Left(all)
	c.add(h, len(run.Events), len(want))
	c.compare(h, run.Meta, walker, really, want)
}

// walked is what a walk of the whole says of each event. The walker does not know what is missing:
// what missing code learns of what it has called back, the hiding says.
func walked(p *progtest.Program, run *progtest.Run) (flows []flow.Flow) {
	w := walk.New(p.Plan)
	w.Read(run.Meta)
	for i := range run.Events {
		f := w.Step(int64(i), &run.Events[i])
		f.Needs, f.From = slices.Clone(f.Needs), slices.Clone(f.From)
		flows = append(flows, f)
	}
	return flows
}
