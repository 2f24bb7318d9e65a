package replay

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
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
	f := k.fitTo(p, cfg.Root, k.fileOf(ctx, cfg))
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
	if out.Outcome, err = f.tries(ctx, prog, s, out); err != nil {
		return nil, err
	}
	return out, nil
}

// attempt is a way to try a kept schedule.
type attempt struct {
	bare bool // the two accesses alone
	variant
}

// tries runs the program under the schedule as it was kept; under the two accesses alone, for which
// everything else may have changed; and, unless these two say that it is no longer feasible, with
// the second access first, and with the order of conflicting steps.
func (f *fit) tries(ctx context.Context, p *Program, s *schedule, o *KeptOutcome) (*Outcome, error) {
	bin, err := p.binary(ctx, f.kept.Package)
	if err != nil {
		return nil, err
	}
	r := Race{ID: f.kept.ID, Meta: p.cfg.Meta}
	r.A, r.B = f.lines()
	out := &Outcome{ID: f.kept.ID, Steps: len(f.kept.steps), Judge: ByGates}
	if p.race {
		out.Judge = ByDetector
	}
	p.cfg.Progress("replaying " + f.kept.ID)
	limit := p.cfg.Limit.Nanoseconds()
	if s.isOutside() && !p.race {
		return out, errNoHooks
	}
	infeasible := 0
	meetings := map[bool][]crossing{}
	for _, a := range []attempt{{false, variant{limit: limit}}, {true, variant{limit: limit, level: strict}}, {false, variant{limit: limit, swap: true}}, {false, variant{limit: limit, level: strict}}} {
		under := s
		if a.bare {
			under = f.bare(s)
		}
		if _, ok := meetings[a.bare]; !ok {
			if meetings[a.bare], err = p.look(ctx, under, r, bin, f.kept.Package, out); err != nil {
				return out, err
			}
		}
		under.meetAt(meetings[a.bare], 0)
		t, err := p.try(ctx, under, r, a.variant, bin, f.kept.Package)
		if err != nil {
			return out, err
		}
		out.Tries = append(out.Tries, *t)
		if t.Confirmed {
			out.Confirmed, out.found = true, &Reproduction{p, f.kept.Package, t.as}
			o.Verdict, o.Reason = Confirmed, ""
			return out, nil
		}
		if o.judge(f, under, t) == NoLongerFeasible {
			infeasible++
		}
		if infeasible == 2 || t.Dump != "" {
			break
		}
	}
	if n := len(f.dropped); n > 0 {
		_, g := f.kept.gate(f.kept.steps[f.dropped[0]-1].gate)
		o.Reason += plural.Text(n, "; {{n}} step{{|s}} {{was|were}} left out, because what {{it passes|they pass}} is gone, the first of them ") + fmt.Sprintf("step %d (%s)", f.dropped[0], g.text)
	}
	return out, nil
}

// judge takes a try into the verdict: that of the first one, if none says that the schedule is no
// longer feasible.
func (o *KeptOutcome) judge(f *fit, s *schedule, t *Try) Verdict {
	j := judgement{f, s, t.end}
	v, why := j.verdict()
	switch {
	case t.Dump != "":
		v, why = NotConfirmed, t.Why
	case f.same: // then no change has fixed it
		v = NotConfirmed
	}
	if o.Verdict == "" || o.Verdict != NoLongerFeasible && (v == NoLongerFeasible || t.Dump != "") {
		o.Verdict, o.Reason = v, why
	}
	return v
}

// fileOf finds the files of outside code, by the packages of their functions.
func (k *Kept) fileOf(ctx context.Context, cfg KeptConfig) func(*outsidePlace) string {
	return func(at *outsidePlace) string {
		args := append([]string{"list", "-find", "-f", "{{.Dir}}"}, k.Build...)
		cmd := exec.CommandContext(ctx, "go", append(args, at.pkg())...)
		cmd.Dir = filepath.Join(cfg.Root, filepath.FromSlash(k.Dir))
		dir, err := cmd.Output()
		if err != nil {
			return ""
		}
		return filepath.Join(strings.TrimSpace(string(dir)), path.Base(at.file))
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
		if full := disk.GoFailed(ctx, bad.Text); full != nil {
			return nil, fmt.Errorf("loading the program of the schedule: %w", full)
		}
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
