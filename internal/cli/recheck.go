package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// check has the witness of a race checked again: the report may have been altered.
func (r *replayer) check(ctx context.Context, race *report.Race, name string, meta *trace.Meta) error {
	if race.Proof() == report.Replayed { // its schedule is no witness
		return nil
	}
	w := race.Witness
	s := predict.Saved{From: w.From, Semantics: w.Semantics, Events: w.Events, Recorded: w.Semantics == report.RecordedRun}
	for _, e := range w.Order {
		if e < 0 { // a step of a path (number)
			e = predict.AlternativeBase - 1 - e
		}
		s.Order = append(s.Order, e)
	}
	if err := accesses(race, meta, opener(name)); err != nil {
		return err
	}
	opt := predict.Options{Window: r.kept.config.Window}
	if !s.Recorded {
		p, err := r.plan(ctx, meta)
		if err != nil {
			return err
		}
		var walker *walk.Walker
		opt.Level, walker = walkerAt(r.kept.config.Level, p)
		walker.Read(meta)
		opt.Walker = walker
	}
	for _, p := range pathsToReplay(race) {
		saved := &predict.Path{Before: p.Before}
		for _, e := range p.Steps {
			saved.Steps = append(saved.Steps, predict.PathStep{Site: e.Site, Kind: e.Kind})
		}
		s.Paths = append(s.Paths, saved)
	}
	return predict.Recheck(ctx, opener(name), meta, opt, s)
}

// plan is that of the recorded program.
func (r *replayer) plan(ctx context.Context, meta *trace.Meta) (*plan.Plan, error) {
	key := programKey(meta)
	if r.plans[key] == nil {
		p, err := walk.Load(ctx, meta)
		if err != nil {
			return nil, err
		}
		r.plans[key] = p
	}
	return r.plans[key], nil
}

// walkerAt is what walks a trace for a level of analysis.
func walkerAt(level string, p *plan.Plan) (predict.Level, *walk.Walker) {
	switch level {
	case levelValue:
		return predict.Value, walk.NewSymbolic(p)
	case levelPath:
		return predict.Paths, walk.NewBranching(p)
	}
	return predict.Causal, walk.New(p)
}

// accesses returns an error if the two accesses of a race are not at its source lines.
func accesses(race *report.Race, meta *trace.Meta, open func() (trace.Source, io.Closer, error)) error {
	n := len(race.Witness.Order)
	if n < 2 {
		return errors.New("it has no accesses")
	}
	for _, a := range []*report.Access{&race.A, &race.B} {
		if !slices.Contains(race.Witness.Order[n-2:], a.Event) {
			return fmt.Errorf("it does not end in event %d, the access of %s", a.Event, a.Position)
		}
		site, err := siteOf(race, a.Event, open)
		if err != nil {
			return err
		}
		if int(site) >= len(meta.Sites) || site == 0 || meta.Sites[site].File < 0 || int(meta.Sites[site].File) >= len(meta.Files) {
			continue // in code that was not instrumented: the report has the line of the call
		}
		at := report.Position{File: meta.Files[meta.Sites[site].File].Name, Line: int(meta.Sites[site].Line)}
		if at.File != a.File || at.Line != a.Line {
			return fmt.Errorf("event %d is at %v, not at %v", a.Event, at, a.Position)
		}
	}
	return nil
}

// siteOf is the site of an event, or of a step of the race's paths.
func siteOf(race *report.Race, event int64, open func() (trace.Source, io.Closer, error)) (trace.Site, error) {
	if event < 0 {
		if s := race.Step(event); s != nil {
			return trace.Site(s.Site), nil
		}
		return 0, fmt.Errorf("the race's paths have no step %d", event)
	}
	src, c, err := open()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	var e trace.Event
	for i := int64(0); i <= event; i++ {
		if err := src.Next(&e); err != nil {
			return 0, fmt.Errorf("the trace has no event %d: %w", event, err)
		}
	}
	return e.Site, nil
}
