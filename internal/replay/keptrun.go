package replay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"presage/internal/plan"
	"presage/internal/trace"
)

// KeptConfig says how to replay a kept schedule.
type KeptConfig struct {
	Root     string // directory of the main module
	Cache    string
	ToolID   string
	Limit    time.Duration
	Timeout  time.Duration
	Progress func(text string)
}

// KeptOutcome is what became of a kept schedule.
type KeptOutcome struct {
	*Outcome
	Verdict Verdict  `json:"verdict"`
	Reason  string   `json:"reason,omitempty"`  // it is not confirmed
	Changed []string `json:"changed,omitempty"` // source files that are not as they were
	Dropped int      `json:"dropped,omitempty"` // steps that have no place in the program any more
}

// ReplayKept finds a kept schedule in the program as it is, and runs that under it.
func ReplayKept(ctx context.Context, cfg KeptConfig, k *Kept) (*KeptOutcome, error) {
	p, err := k.load(ctx, cfg)
	if err != nil {
		return nil, err
	}
	f := k.fitTo(p, cfg.Root)
	out := &KeptOutcome{Outcome: &Outcome{ID: k.ID, Steps: len(k.steps)}, Changed: f.changed}
	var ok bool
	if out.Verdict, out.Reason, ok = f.gone(); !ok {
		return out, nil
	}
	s, err := f.schedule()
	if err != nil {
		out.Verdict, out.Reason = NoLongerFits, err.Error()
		return out, nil
	}
	out.Dropped = len(f.dropped)
	prog, err := Prepare(ctx, k.config(cfg, p))
	if err != nil {
		return nil, err
	}
	r := Race{ID: k.ID, Meta: prog.cfg.Meta}
	r.A, r.B = f.lines()
	if out.Outcome, err = prog.replay(ctx, s, r, k.Package); err != nil {
		return nil, err
	}
	out.judge(f, s)
	return out, nil
}

// judge makes of the outcome of the tries a verdict.
func (o *KeptOutcome) judge(f *fit, s *schedule) {
	if o.Confirmed {
		o.Verdict = Confirmed
		return
	}
	for i := range o.Tries {
		t := &o.Tries[i]
		if t.Dump != "" {
			o.Verdict, o.Reason = NotConfirmed, t.Why
			return
		}
		j := judgement{f, s, t.end}
		if v, why := j.verdict(); i == 0 || o.Verdict != NoLongerFeasible && v == NoLongerFeasible {
			o.Verdict, o.Reason = v, why
		}
	}
	if len(f.changed) == 0 && len(f.dropped) == 0 && o.Verdict == NoLongerFits {
		o.Verdict = NotConfirmed
	}
	if n := len(f.dropped); n > 0 {
		_, g := f.kept.gate(f.kept.steps[f.dropped[0]-1].gate)
		o.Reason += fmt.Sprintf("; %d steps were left out, because what they pass is gone, first step %d, %s", n, f.dropped[0], g.text)
	}
}

// load plans the packages that the schedule goes through, as they are now.
func (k *Kept) load(ctx context.Context, cfg KeptConfig) (*plan.Plan, error) {
	c := plan.Config{Dir: filepath.Join(cfg.Root, filepath.FromSlash(k.Dir)), BuildFlags: k.Build, Tests: k.Test}
	var packages []string
	if k.Test {
		packages, c.Tested = append(packages, k.Package), []string{k.Package}
	}
	for _, f := range k.funcs {
		packages = append(packages, strings.TrimSuffix(f.pkg, "_test"))
	}
	slices.Sort(packages)
	c.Patterns = slices.Compact(packages)
	prog, err := plan.Load(ctx, c)
	var bad *plan.BuildError
	switch {
	case errors.As(err, &bad):
		return nil, fmt.Errorf("the program does not compile:\n%s", strings.TrimRight(bad.Text, "\n"))
	case err != nil:
		return nil, fmt.Errorf("loading the program of the schedule: %w", err)
	}
	opaque := map[string]string{}
	for _, name := range k.opaque {
		opaque[name] = "the compiler did not take it when the schedule was kept"
	}
	return plan.New(prog, opaque), nil
}

// config is that of the program as it is now.
func (k *Kept) config(cfg KeptConfig, p *plan.Plan) Config {
	dir := filepath.Join(cfg.Root, filepath.FromSlash(k.Dir))
	m := &trace.Meta{Source: "presage", Dir: dir, BuildFlags: k.Build, Packages: p.Packages, Files: p.Files, Funcs: p.Funcs, Sites: p.Sites}
	if k.Test {
		m.Tested = []string{k.Package}
	}
	return Config{
		Meta: m, Plan: p, Test: k.Test, Flags: k.Flags, Packages: []string{k.Package}, Args: k.Args,
		Cache: cfg.Cache, ToolID: cfg.ToolID, Limit: cfg.Limit, Timeout: cfg.Timeout, Progress: cfg.Progress,
	}
}
