package smt

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/smt"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
)

// check is a session: a table with a row for every source of windows.
type check struct {
	process *smt.Process
	solver  string
	rows    []*counts
	now     *counts // the last row
	err     error
}

type counts struct {
	name     string
	windows  int
	queries  int
	engine   [3]int // answers by verdict
	smt      [3]int
	why      map[string]int // unknown to the solver
	differ   int
	rejected int
	choices  int           // witnesses with a choice of alternatives, not judged
	refuted  int           // by both
	asking   time.Duration // the solver
}

func (c *check) begin(name string) {
	c.now = &counts{name: name, why: map[string]int{}}
	c.rows = append(c.rows, c.now)
}

func (c *check) fail(err error) { c.err = errors.Join(c.err, err) }

// failure says why the session failed.
func (c *check) failure() string {
	differ, rejected := 0, 0
	for _, r := range c.rows {
		differ, rejected = differ+r.differ, rejected+r.rejected
	}
	switch {
	case c.err != nil:
		return c.err.Error()
	case differ > 0:
		return "disagreements"
	case rejected > 0:
		return "rejected witnesses"
	}
	return ""
}

// window compares the answers for all pairs of a window.
func (c *check) window(w *model.Window, what string) {
	both := c.prepare(w, what)
	for _, p := range tracetest.Candidates(w) {
		both.Solve(p)
	}
}

// both are the two solvers of one window; it answers as the engine does.
type both struct {
	*check
	w      *model.Window
	what   string
	engine *engine.Solver
	smt    *smt.Solver
	causal *both // of the causal window; made when it is asked for
}

func (c *check) prepare(w *model.Window, what string) *both {
	c.now.windows++
	return &both{check: c, w: w, what: what, engine: engine.New(w, engine.Options{}), smt: smt.New(w, c.process, smt.Options{})}
}

// Solve compares the answers for a pair. The analysis does not ask about a causal window what the
// window itself refutes, so that is asked here, and must be refuted too.
func (b *both) Solve(p model.Pair) engine.Result {
	mine := b.compare(p)
	if mine.Verdict == engine.NoRace && b.err == nil && onPath(b.w) {
		if b.causal == nil {
			b.causal = b.prepare(b.w.Causal(), b.what+", causal")
		}
		if lower := b.causal.compare(p); lower.Verdict == engine.Race {
			b.now.differ++
			b.show(p, "the engine refutes it, and not in the causal window")
		}
	}
	return mine
}

// onPath reports whether a window has a causal one: its branches go as they went.
func onPath(w *model.Window) bool {
	for i := range w.Events {
		for _, g := range w.Events[i].Guards {
			if was, ok := g.Term.Expr.Recorded(); !ok || was != g.Want {
				return false
			}
		}
	}
	return w.Semantics == model.EvaluatedReads
}

// compare compares the answers for a pair of one window.
func (b *both) compare(p model.Pair) engine.Result {
	mine := b.engine.Solve(p)
	if b.err != nil {
		return mine
	}
	start := time.Now()
	theirs, err := b.smt.Solve(p)
	b.now.asking += time.Since(start)
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", b.what, err))
		return mine
	}
	b.now.queries++
	b.now.engine[mine.Verdict]++
	b.now.smt[theirs.Verdict]++
	if theirs.Verdict == smt.Unknown {
		b.now.why[theirs.Why]++
	}
	if mine.Verdict == engine.NoRace && theirs.Verdict == smt.NoRace {
		b.now.refuted++
	}
	if mine.Verdict != engine.Unknown && theirs.Verdict != smt.Unknown && (mine.Verdict == engine.Race) != (theirs.Verdict == smt.Race) {
		b.now.differ++
		b.show(p, fmt.Sprintf("the engine says %s, the solver %s", mine.Verdict, theirs.Verdict))
	}
	if mine.Verdict == engine.Race {
		b.witness(p, "engine", mine.Order)
	}
	if theirs.Verdict == smt.Race {
		b.witness(p, "solver", theirs.Order)
	}
	return mine
}

func (b *both) witness(p model.Pair, judge string, order []int32) {
	if chooses(b.w) { // what is judged is the window with the alternatives that the order takes
		b.now.choices++
		return
	}
	err := witness.Check(b.w, p, order)
	if err != nil && !witness.IsPart(err) { // neither solver knows rule A
		b.now.rejected++
		b.show(p, fmt.Sprintf("the witness %v of the %s is rejected: %v", order, judge, err))
	}
}

// chooses reports whether a window has a choice of alternatives (built.Choice): these are threads
// of their own, whose terms are over reads of the goroutine that may leave its path.
func chooses(w *model.Window) bool {
	for i := range w.Events {
		e := &w.Events[i]
		for _, g := range e.Guards {
			if slices.ContainsFunc(g.Term.Reads(), func(r int32) bool { return w.Events[r].Thread != e.Thread }) {
				return true
			}
		}
	}
	return false
}

func (b *both) show(p model.Pair, text string) {
	fmt.Printf("# %s, pair %d %d: %s\n%s\n", b.what, p.A, p.B, text, tracetest.Format(b.w))
}

// add makes r a row of c as well.
func (c *counts) add(r *counts) {
	if c == r {
		return
	}
	c.windows, c.queries, c.asking = c.windows+r.windows, c.queries+r.queries, c.asking+r.asking
	c.differ, c.rejected, c.refuted = c.differ+r.differ, c.rejected+r.rejected, c.refuted+r.refuted
	c.choices += r.choices
	for v := range c.smt {
		c.engine[v] += r.engine[v]
		c.smt[v] += r.smt[v]
	}
	for why, n := range r.why {
		c.why[why] += n
	}
}

// print writes the table.
func (c *check) print(w io.Writer, wall time.Duration) {
	total := &counts{name: "all", why: map[string]int{}}
	fmt.Fprintf(w, "%-9s %7s %7s  %-8s %6s %6s %7s  %-8s %6s %6s %7s  %8s %8s  %s\n", "", "windows", "queries",
		"engine:", "sat", "unsat", "unknown", c.solver+":", "sat", "unsat", "unknown", "disagree", "rejected", "time of "+c.solver)
	for _, r := range append(c.rows, total) {
		fmt.Fprintf(w, "%-9s %7d %7d  %-8s %6d %6d %7d  %-8s %6d %6d %7d  %8d %8d  %v\n", r.name, r.windows, r.queries,
			"", r.engine[engine.Race], r.engine[engine.NoRace], r.engine[engine.Unknown],
			"", r.smt[smt.Race], r.smt[smt.NoRace], r.smt[smt.Unknown], r.differ, r.rejected, r.asking.Round(time.Millisecond))
		total.add(r)
	}
	for _, why := range slices.Sorted(maps.Keys(total.why)) {
		fmt.Fprintf(w, "unknown to %s: %d %s\n", c.solver, total.why[why], why)
	}
	fmt.Fprintf(w, "not judged: %d witnesses in windows with a choice of alternatives\n", total.choices)
	fmt.Fprintf(w, "disagreements %d in %d queries, %d of them unsatisfiable to both, in %v\n", total.differ, total.queries, total.refuted, wall.Round(time.Second))
}
