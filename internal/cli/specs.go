package cli

import (
	"slices"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// specsOf are the races of an analysis as the report's Locator wants them.
func specsOf(res *predict.Result) []report.Spec {
	var specs []report.Spec
	for _, r := range slices.Concat(res.Races, res.ToRun) {
		semantics := r.Semantics.String()
		if r.Recorded {
			semantics = report.RecordedRun
		}
		s := report.Spec{
			A: number(r.A.Index), B: number(r.B.Index), Tier: report.Tier(r.Tier.String()), Semantics: semantics, From: r.From, Events: r.Events, Count: r.Count,
		}
		for _, p := range r.Paths {
			s.Detours = append(s.Detours, detourOf(p))
		}
		for _, e := range r.Order {
			s.Order = append(s.Order, number(e))
		}
		for _, x := range r.Sights {
			s.Seen = append(s.Seen, report.Seen{
				Read: number(x.Read), Addr: x.Addr, Size: x.Size, Value: x.Value, Known: x.Known, Recorded: x.Recorded,
				Write: number(x.Write), Initial: x.Write < 0, Fork: x.Fork,
				Text: x.Text, RecordedText: x.RecordedText,
			})
		}
		specs = append(specs, s)
	}
	return specs
}

// number is an event's in a report: the steps of paths are −1, −2, …
func number(event int64) int64 {
	if event >= predict.AlternativeBase {
		return predict.AlternativeBase - 1 - event
	}
	return event
}

func detourOf(p *predict.Path) report.Detour {
	d := report.Detour{
		G: p.G, Before: p.Before, Ended: p.Ended, Other: p.Other, Site: p.Where.Site, Line: int(p.Where.Line), Col: int(p.Where.Col), Expr: p.Where.Expr, Shape: p.Where.Type,
		Base: p.Base, Was: p.Was, Is: p.Is,
	}
	if p.Timer != nil {
		d.Timer, d.By, d.Armed = true, p.Timer.By, p.Timer.Armed
	}
	for _, s := range p.Steps {
		step := report.DetourStep{Event: trace.Event{Kind: s.Kind, Flags: s.Flags, G: s.G, Site: s.Site, Obj: s.Obj, Size: s.Size}, Left: s.Left, Case: s.Case}
		for _, c := range s.Calls {
			step.Calls = append(step.Calls, report.Call{Func: c.Fn, Site: c.Site})
		}
		d.Steps = append(d.Steps, step)
	}
	return d
}

func hbSpecs(res *predict.Result) []report.Spec {
	var specs []report.Spec
	for _, r := range res.HB {
		specs = append(specs, report.Spec{A: r.A.Index, B: r.B.Index, Tier: report.Observed, Count: int(r.Count)})
	}
	return specs
}
