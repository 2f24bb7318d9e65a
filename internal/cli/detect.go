package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/presage-race/presage/internal/detect"
	"github.com/presage-race/presage/internal/detect/tree"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// onTheFly is what the flags say of a detector of one pass, in place of prediction.
type onTheFly struct {
	engine, filter  string
	contexts, sites int
	span            bool
}

var engines = map[string]detect.Engine{"fasttrack": detect.FastTrack, "lockset": detect.Lockset, "hybrid": detect.Hybrid}

const (
	filterTree = "tree"
	filterNone = "none"
)

// check returns an error for flags that are wrong, or that would have no effect.
func (o *onTheFly) check(level bool) error {
	_, known := engines[o.engine]
	switch {
	case o.engine == "" && (o.filter != "" || o.span || o.contexts != 0 || o.sites != 0):
		return usagef("flags --filter, --span, --contexts and --sites belong to --engine")
	case o.engine == "":
		return nil
	case !known:
		return usagef("flag --engine: %q is none of fasttrack, lockset, hybrid", o.engine)
	case level:
		return usagef("flags --level and --engine exclude each other: an engine of one pass has no levels")
	case o.filter != "" && o.filter != filterTree && o.filter != filterNone:
		return usagef("flag --filter: %q is neither tree nor none", o.filter)
	case o.filter == filterNone && (o.span || o.contexts != 0 || o.sites != 0):
		return usagef("flags --span, --contexts and --sites belong to --filter=tree")
	case o.contexts < 0 || o.sites < 0:
		return usagef("flags --contexts and --sites count: they are not negative")
	case o.span && engines[o.engine] != detect.FastTrack:
		return usagef("flag --span: only fasttrack needs no more than one race of a location")
	}
	return nil
}

func (o *onTheFly) options(meta *trace.Meta) detect.Options {
	return detect.Options{
		Engine: engines[o.engine], NoFilter: o.filter == filterNone, Joins: meta.Source != "presage",
		Filter: tree.Options{Contexts: o.contexts, Sites: o.sites, Span: o.span},
	}
}

// onePass takes one trace through a detector of one pass. Of a damaged trace, the part that can be
// read is analysed, and the error returned.
func (all *searches) onePass(ctx context.Context, name string) error {
	s, err := openTrace(name)
	if err != nil {
		all.found.failed = true
		return err
	}
	total := int64(0)
	if s.Trace != nil {
		total = s.Trace.Events()
	}
	res, readErr := detect.Run(ctx, s, all.fly.options(s.Meta()), func(n int64) {
		all.progress.step(report.Progress{Text: "analysing", Done: n, Total: total})
	})
	meta := s.Meta()
	if canceled(readErr) {
		readErr = nil
		all.found.left()
	}
	err = errors.Join(readErr, s.Close())
	if res == nil {
		all.found.failed = true
		return err
	}
	if err != nil {
		all.found.warnDamaged(err)
	}
	all.fly.count(all.found, meta, res)
	return errors.Join(err, all.found.locate(located{name: name, meta: meta, specs: pairSpecs(res), several: len(all.traces.files) > 1}))
}

// count adds the figures of one trace.
func (o *onTheFly) count(f *findings, meta *trace.Meta, res *detect.Result) {
	s := &f.summary
	s.Traces++
	s.Events += res.Events
	f.analysed += res.Events
	s.Goroutines += max(len(meta.Goroutines)-1, 0)
	f.describe(meta)
	if s.OnTheFly == nil {
		s.OnTheFly = &report.OnTheFly{Engine: o.engine, Filter: cmp.Or(o.filter, filterTree)}
	}
	for _, c := range res.Counts {
		s.OnTheFly.Add(c.Name, c.Count)
	}
	f.warnOfTrace(meta.Warnings)
	f.warnOfTrace(res.Warnings)
}

// pairSpecs are the pairs of a detector as the report's Locator wants them.
func pairSpecs(res *detect.Result) []report.Spec {
	var specs []report.Spec
	for _, p := range res.Pairs {
		s := report.Spec{A: p.A.Index, B: p.B.Index, Count: p.Count}
		if p.Race {
			s.Tier = report.Observed
		}
		specs = append(specs, s)
	}
	return specs
}
