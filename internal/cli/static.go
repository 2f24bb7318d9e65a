package cli

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/tier"
	"github.com/presage-race/presage/internal/trace"
)

// staticValue is the tier that -static names; "" is off.
func staticValue(value string, inline bool) (string, error) {
	switch {
	case !inline:
		return string(tier.Likely), nil
	case value == "off":
		return "", nil
	}
	o := vetOptions{tier: value}
	if o.check() != nil {
		return "", usagef("flag -static: %q is none of likely, possible, unlikely, all, off", value)
	}
	return o.tier, nil
}

// lens holds the warnings of the static lens beside a recorded run. A nil one has none.
type lens struct {
	v         *vetting
	kept      map[*static.Warning]bool // not silenced
	shown     []*report.StaticWarning  // marked
	seen      sites
	files     int64                  // that were read
	unwitness map[[2]trace.Site]bool // pairs that nothing orders, without a witness
	broken    bool                   // the recording is not whole
	counts    report.Marks
}

// newLens runs the static lens on the packages that were recorded. It runs after the program, so
// that it takes no processor time from the tests. If it fails, a warning says so, and the result is
// nil.
func newLens(ctx context.Context, env *Env, g *goArgs, test bool, rec *record.Result, p *progress, found *findings) *lens {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	v := &vetting{vetOptions: vetOptions{tier: g.static, tests: test, dir: g.dir}, env: env, begun: time.Now(), patterns: g.packages, progress: p,
		buildFlags: rec.BuildFlags}
	var err error
	v.res, v.ignored, err = v.analyse(ctx, g.dir, g.packages, "static analysis of packages")
	v.progress.end()
	if err != nil {
		found.failed = true
		found.warn(report.Warning{Code: "static-failed", Count: 1, Text: fmt.Sprintf("static analysis failed, so that there are no warnings to mark: %v", err)})
		return nil
	}
	s := &lens{v: v, kept: v.choose(), unwitness: map[[2]trace.Site]bool{}, broken: rec.Missing != "", counts: report.Marks{Tier: v.tier, Ignored: v.counts.Ignored}}
	messages, _ := v.messages()
	for _, m := range messages {
		if m.Code == "ignore" || m.Code == "unused-ignore" {
			continue // the comments are for races, too: see suppressing
		}
		found.warn(report.Warning{Code: "static-" + m.Code, Count: m.Count, Text: "static analysis: " + m.Text})
	}
	return s
}

// notes is src, which notes what was executed.
func (s *lens) notes(src trace.Source) trace.Source {
	if s == nil {
		return src
	}
	s.files++
	return &noting{src, &s.seen, s.files}
}

// rest notes the events that an analysis did not read because prediction had stopped.
func (s *lens) rest(ctx context.Context, src trace.Source) {
	if s == nil {
		return
	}
	var e trace.Event
	for i := 0; src.Next(&e) == nil; i++ {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return
		}
	}
}

// unordered keeps the pairs of the recorded run that prediction has no witness for.
func (s *lens) unordered(res *predict.Result) {
	if s == nil {
		return
	}
	for _, r := range res.Unwitnessed {
		s.unwitness[[2]trace.Site{r.A.Site, r.B.Site}] = true
	}
}

// warnings are those of the report, marked.
func (s *lens) warnings() []*report.StaticWarning {
	if s == nil {
		return nil
	}
	return s.shown
}

// marking is the stage that marks the warnings of the static lens.
type marking struct {
	// Inputs.
	lens     *lens // nil: nothing is marked
	plan     func(context.Context) (*plan.Plan, error)
	progress *progress
	// Inputs, changed: pairs that were to be replayed go, and the counts of the marks are added.
	found *findings
}

// run compares every warning with the recorded run.
func (m *marking) run(ctx context.Context) {
	m.progress.stages.Begin(stageReport)
	m.found.dropToRun()
	s := m.lens
	if s == nil {
		return
	}
	s.broken = s.broken || m.found.failed || m.found.lossy()
	var p *plan.Plan
	at := map[token.Position][]instruction{}
	if m.plan != nil {
		var err error
		if p, err = m.plan(ctx); err != nil {
			m.found.warn(report.Warning{Code: "static-not-compared", Count: 1, Text: fmt.Sprintf("the warnings of static analysis are not compared with the run: %v", err)})
		}
	}
	if p != nil {
		at = instructionsAt(p, s.wanted())
	}
	s.compare(p, at, m.found.set.Races())
	m.found.summary.Static = &s.counts
}

// compare reports and marks the warnings. A pair that a race confirms is not hidden behind another
// one of its access: the two kinds are gathered apart.
func (s *lens) compare(p *plan.Plan, at map[token.Position][]instruction, races []*report.Race) {
	v := s.v
	sides := func(w *static.Warning) (of [2][]instruction) {
		for i, side := range v.res.Sides(w) {
			of[i] = narrowed(p, at[side.Pos], side.Expr)
		}
		return of
	}
	raced := map[string]*report.Race{} // by fingerprint of the pair
	warned := map[*report.Race]bool{}
	for _, w := range v.res.Pairs {
		if len(racesAt([2][]instruction{at[v.res.Position(w.A.Pos)], at[v.res.Position(w.B.Pos)]}, races)) == 0 {
			continue // to describe it costs more
		}
		for i, r := range racesAt(sides(w), races) {
			warned[r] = true
			if i == 0 && s.shows(w) {
				raced[w.ID] = r
			}
		}
	}
	s.counts.Unwarned = len(races) - len(warned)
	for _, confirmed := range []bool{true, false} {
		list := v.res.Report(func(w *static.Warning) bool { return s.shows(w) && (raced[w.ID] != nil) == confirmed })
		for _, w := range list {
			m := v.warning(w, len(s.shown)+1)
			s.judge(m, sides(w), raced[w.ID])
			s.shown = append(s.shown, m)
			s.counts.Add(m.Vet.Mark)
		}
	}
	s.counts.Lower = v.res.Count(func(w *static.Warning) bool { return s.kept[w] }) - v.res.Count(s.shows)
}

func (s *lens) shows(w *static.Warning) bool {
	return s.kept[w] && tier.Shows(tier.Tier(s.v.tier), w.Tier)
}

func (s *lens) wanted() map[token.Position]bool {
	wanted := map[token.Position]bool{}
	for _, w := range s.v.res.Pairs {
		wanted[s.v.res.Position(w.A.Pos)] = true
		wanted[s.v.res.Position(w.B.Pos)] = true
	}
	return wanted
}

// racesAt are the races that have their accesses at the two sides.
func racesAt(sides [2][]instruction, races []*report.Race) (found []*report.Race) {
	for _, r := range races {
		if r.Witness != nil && meet(sides, r.A.Site, r.B.Site) {
			found = append(found, r)
		}
	}
	return found
}

// judge gives a warning its mark. sides are the instructions that its two accesses are, r the race
// that confirms it, or nil.
func (s *lens) judge(w *report.StaticWarning, sides [2][]instruction, r *report.Race) {
	if r != nil {
		w.Vet.Mark, w.Vet.Race = report.MarkConfirmed, r.ID
		return
	}
	for pair := range s.unwitness {
		if meet(sides, pair[0], pair[1]) {
			w.Vet.Mark, w.Vet.Because = report.MarkUnwitnessed, "nothing orders the two in the recorded run, but no witness was found"
			return
		}
	}
	var of [2]reach
	for i := range sides {
		of[i] = s.seen.any(sides[i], !s.broken)
	}
	which := func(r reach) (string, bool) {
		for i, a := range []*report.Access{&w.A, &w.B} {
			if of[i] == r {
				return fmt.Sprintf("the %s at %s", a.Kind, short(a.Position)), true
			}
		}
		return "", false
	}
	v := &w.Vet
	if text, ok := which(missed); ok {
		v.Mark, v.Because = report.MarkNotReached, text+" was not executed"
	} else if text, ok := which(unknown); ok {
		v.Mark, v.Because = report.MarkNotRecorded, "whether "+text+" was executed cannot be told"
	} else {
		v.Mark = report.MarkExecuted
		v.Because = "in an order, or in different memory, as far as the run was searched"
		if !s.seen.apart(sides) {
			v.Because = "by one goroutine alone"
		}
	}
}

// meet reports whether the two sites are the two sides, in either order.
func meet(sides [2][]instruction, a, b trace.Site) bool {
	has := func(list []instruction, site trace.Site) bool {
		return slices.ContainsFunc(list, func(in instruction) bool { return in.plan().Site == site })
	}
	return has(sides[0], a) && has(sides[1], b) || has(sides[0], b) && has(sides[1], a)
}
