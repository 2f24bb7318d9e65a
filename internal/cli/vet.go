package cli

import (
	"context"
	"fmt"
	"go/token"
	"hash/fnv"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"presage/internal/relay"
	"presage/internal/relay/load"
	"presage/internal/relay/tier"
	"presage/internal/report"
)

type vetOptions struct {
	json, tests, quiet bool
	tier, dir          string
	tags               string
}

func newVet(env *Env) *cobra.Command {
	o := vetOptions{}
	cmd := &cobra.Command{Use: "vet [packages]", Short: "Warn of accesses that may race in some run, without running anything",
		RunE: func(cmd *cobra.Command, args []string) error { return vet(cmd.Context(), env, o, args) }}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "the warnings as JSON, one object a line, in the schema of the report (docs/report.md)")
	f.StringVar(&o.tier, "tier", string(tier.Likely), "likely, possible, unlikely or all: how much must speak for a warning")
	f.BoolVar(&o.tests, "tests", true, "with the packages' tests")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no summary")
	f.StringVarP(&o.dir, "C", "C", "", "change to this directory first")
	f.StringVar(&o.tags, "tags", "", "build tags, as for the go command")
	return cmd
}

// vet runs the static lens and prints its warnings, as go vet prints its own.
func vet(ctx context.Context, env *Env, o vetOptions, patterns []string) error {
	if o.tier == "all" {
		o.tier = string(tier.Unlikely)
	}
	if !slices.Contains([]tier.Tier{tier.Likely, tier.Possible, tier.Unlikely}, tier.Tier(o.tier)) {
		return usagef("flag --tier: %q is none of likely, possible, unlikely, all", o.tier)
	}
	begin := time.Now()
	cfg := relay.Config{Config: load.Config{Dir: o.dir, Patterns: patterns, Tests: o.tests}}
	if o.tags != "" {
		cfg.Tags = strings.FieldsFunc(o.tags, func(r rune) bool { return r == ',' || r == ' ' })
	}
	res, err := relay.Run(ctx, cfg)
	if err != nil {
		return err
	}
	var shown []*relay.Warning
	for _, w := range res.Warnings {
		if tier.Shows(tier.Tier(o.tier), w.Tier) {
			shown = append(shown, w)
		}
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	if o.json {
		err = vetJSON(env, o, res, shown, begin)
	} else {
		vetText(env, o, res, shown, dir, begin)
	}
	switch {
	case err != nil:
		return err
	case len(shown) > 0:
		return &exitError{code: exitRaces}
	case len(res.Errors) > 0:
		return &exitError{code: exitFailed}
	}
	return nil
}

func vetText(env *Env, o vetOptions, res *relay.Result, shown []*relay.Warning, dir string, begin time.Time) {
	for _, e := range res.Errors {
		fmt.Fprintf(env.Stderr, "presage: %s\n", e)
	}
	for _, w := range shown {
		sides := res.Sides(w)
		a, b := sides[0], sides[1]
		fmt.Fprintf(env.Stdout, "%v: %s of %s may race with %s at %v%s\n", relay.Relative(a.Pos, dir), a.Kind, a.Expr, b.Kind, relay.Relative(b.Pos, dir), reasons(w))
		for _, s := range sides {
			fmt.Fprintf(env.Stdout, "\t%s\n", sideText(s, dir))
		}
		if w.Others > 0 {
			fmt.Fprintf(env.Stdout, "\tand %d more pairs with this write\n", w.Others)
		}
	}
	if o.quiet {
		return
	}
	s := res.Stats
	fmt.Fprintf(env.Stderr, "presage: warnings: %d, and %d of lower tiers; %d packages, %d functions, %d lines in %.1fs\n",
		len(shown), len(res.Warnings)-len(shown), s.Packages, s.Functions, s.Lines, time.Since(begin).Seconds())
	if s.Holes+s.Cuts.Total() > 0 {
		fmt.Fprintf(env.Stderr, "presage: not covered: %d calls through interfaces and function values, %d accesses beyond the bounds of summaries\n", s.Holes, s.Cuts.Total())
	}
}

func reasons(w *relay.Warning) string {
	if len(w.Codes) == 0 {
		return ""
	}
	return " (" + string(w.Tier) + ": " + strings.Join(w.Codes, ", ") + ")"
}

// sideText is one access: path, goroutine, locks, calls.
func sideText(s relay.Side, dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s in %s", s.Kind, s.Frame, s.Func)
	switch {
	case s.Root != "":
		fmt.Fprintf(&b, ", in the goroutine of %s", s.Root)
	case s.Thread == 0:
		b.WriteString(", in the goroutine that starts the other")
	case s.Many:
		fmt.Fprintf(&b, ", in goroutines started at %v", relay.Relative(s.Started, dir))
	default:
		fmt.Fprintf(&b, ", in the goroutine started at %v", relay.Relative(s.Started, dir))
	}
	if len(s.Locks) == 0 {
		b.WriteString(", holding no lock")
	} else {
		var names []string
		for _, l := range s.Locks {
			name := l.Name
			if l.Mode == "rlock" {
				name += " (read)"
			}
			names = append(names, name)
		}
		b.WriteString(", holding " + strings.Join(names, ", "))
	}
	for _, c := range s.Calls {
		fmt.Fprintf(&b, "\n\t\tcalled by %s at %v", c.Func, relay.Relative(c.Pos, dir))
	}
	return b.String()
}

func vetJSON(env *Env, o vetOptions, res *relay.Result, shown []*relay.Warning, begin time.Time) error {
	h := report.NewJSON(env.Stdout)
	if err := h.Config(&report.Config{Protocol: report.ProtocolVersion, Tool: "presage", Version: version(), GoVersion: runtime.Version(), Command: append([]string{"presage"}, env.Args...), Dir: o.dir, Level: "static"}); err != nil {
		return err
	}
	for _, e := range res.Errors {
		if err := h.Warning(&report.Warning{Code: "load", Count: 1, Text: e.String()}); err != nil {
			return err
		}
	}
	for _, w := range shown {
		sides := res.Sides(w)
		r := &report.Race{Tier: report.Static, Object: w.Object(), Count: 1 + w.Others, Reasons: w.Codes, Likelihood: string(w.Tier), A: staticAccess(sides[0]), B: staticAccess(sides[1])}
		hash := fnv.New64a()
		for _, s := range sides {
			fmt.Fprintln(hash, s.Func, s.Kind, s.Expr)
		}
		r.ID = fmt.Sprintf("%016x", hash.Sum64())
		if err := h.Race(r); err != nil {
			return err
		}
	}
	code := exitNone
	if len(shown) > 0 {
		code = exitRaces
	}
	return h.Summary(&report.Summary{Warnings: len(shown), Seconds: time.Since(begin).Seconds(), ExitCode: code, Functions: res.Stats.Functions})
}

func staticAccess(s relay.Side) report.Access {
	pos := func(p token.Position) report.Position {
		return report.Position{File: p.Filename, Line: p.Line, Col: p.Column}
	}
	a := report.Access{Position: pos(s.Pos), Kind: s.Kind, Expr: s.Expr, Func: s.Func, Goroutine: report.Goroutine{ID: s.Thread}}
	a.Stack = append(a.Stack, report.Frame{Func: s.Func, Position: a.Position})
	for _, c := range s.Calls {
		a.Stack = append(a.Stack, report.Frame{Func: c.Func, Position: pos(c.Pos)})
	}
	if s.Started.IsValid() {
		a.Goroutine.Created = []report.Frame{{Position: pos(s.Started)}}
	}
	for _, l := range s.Locks {
		a.Locks = append(a.Locks, report.Lock{Name: l.Name, Mode: l.Mode})
	}
	return a
}
