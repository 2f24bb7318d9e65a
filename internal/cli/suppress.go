package cli

import (
	"context"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/suppress"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// suppressFlags say which races are only counted and named, as -baseline and -new of vet do for
// warnings.
type suppressFlags struct {
	baseline, since string
	write           bool
	ignore          patterns
}

// register adds the flags to a command.
func (s *suppressFlags) register(f *pflag.FlagSet) {
	f.Var((*given)(&s.baseline), "baseline", "only count races that are in this file")
	f.BoolVar(&s.write, "write-baseline", false, "write the file of -baseline anew")
	f.Var((*given)(&s.since), "new", "only count races of functions that have not changed since this git revision")
	f.Var(&s.ignore, "ignore", "only count races with an access in a file or function, or on a variable, that this regular expression matches")
}

// patterns are regular expressions, one for each time that a flag is given.
type patterns []*regexp.Regexp

// Set implements pflag.Value.
func (p *patterns) Set(value string) error {
	re, err := regexp.Compile(value)
	switch {
	case err != nil:
		return usagef("flag -ignore: %v", err)
	case re.MatchString(""):
		return usagef("flag -ignore: %q matches everything", value)
	}
	*p = append(*p, re)
	return nil
}

// String implements pflag.Value.
func (p *patterns) String() string {
	var list []string
	for _, re := range *p {
		list = append(list, re.String())
	}
	return strings.Join(list, " ")
}

// Type implements pflag.Value.
func (p *patterns) Type() string { return "regexp" }

// given is the value of a flag that must not be empty.
type given string

// Set implements pflag.Value.
func (g *given) Set(value string) error {
	if *g = given(value); value == "" {
		return fmt.Errorf("it is empty")
	}
	return nil
}

// String implements pflag.Value.
func (g *given) String() string { return string(*g) }

// Type implements pflag.Value.
func (g *given) Type() string { return "string" }

func (s *suppressFlags) check() error {
	switch {
	case s.write && s.baseline == "":
		return usagef("flag -write-baseline needs -baseline file")
	case s.write && s.since != "":
		return usagef("flag -write-baseline: a baseline has all races, not only those of -new")
	}
	return nil
}

// sieve reads what the flags name, before anything runs.
func (s *suppressFlags) sieve(ctx context.Context, dir string) (*suppress.Sieve, error) {
	return suppress.New(ctx, suppress.Options{Dir: dir, Baseline: s.baseline, Write: s.write, Since: s.since, Ignore: s.ignore})
}

// sayWritten says what was written into the baseline.
func (s *suppressFlags) sayWritten(env *Env, res *suppress.Result) {
	if s.write {
		kept := ""
		if res.Retained > 0 {
			kept = fmt.Sprintf(", %d of them from before, of packages that were not run whole", res.Retained)
		}
		visible.Fprintf(env.Stderr, "presage: %s written to %s%s\n", plural.Text(res.Written, "{{n}} {{entry|entries}}"), s.baseline, kept)
	}
}

// suppressing is the stage that finds the races that are only counted and named.
type suppressing struct {
	// Inputs.
	env   *Env
	flags suppressFlags
	sieve *suppress.Sieve // nil: no race is suppressed
	lens  *lens
	plan  func(context.Context) (*plan.Plan, error)
	tests bool // the command has run all tests of its packages
	// Inputs, changed: the suppressed races and their counts are added.
	found *findings
}

// run takes races and candidates through the sieve. Those that it suppresses stay in the set, so
// that no other race gets their IDs.
func (s *suppressing) run(ctx context.Context) {
	if s.sieve == nil {
		return
	}
	f := s.found
	if s.lens == nil {
		s.sieve.Comments(f.program.files, nil)
	} else {
		s.sieve.Comments(f.program.files, s.lens.v.ignored)
	}
	if s.tests && f.level == levelPath && f.program.exitCode == 0 && !f.failed && f.coverage().Searched == report.Whole {
		f.summary.Whole = f.program.packages
	}
	all := f.set.Races()
	candidates := map[*report.Race]*report.Candidate{}
	for _, c := range f.set.Candidates() {
		r := c.AsRace()
		candidates[r] = c
		all = append(all, r)
	}
	res, err := s.sieve.Sift(all, nil, f.summary.Whole)
	if err != nil {
		f.failed = true
		f.warn(report.Warning{Code: "baseline", Count: 1, Text: err.Error()})
	} else {
		s.flags.sayWritten(s.env, &res)
	}
	f.suppressed, f.summary.Suppressed = res.Suppressed, res.Counts
	for _, m := range res.Suppressed {
		f.hide(m.Race, candidates[m.Race])
	}
	for _, text := range s.sieve.Problems() {
		f.failed = true
		f.warn(report.Warning{Code: "ignore", Count: 1, Text: fromHere(text)})
	}
	s.unused(ctx)
}

// unused adds a warning for each comment that has silenced no race and no warning of the static
// lens. It is said only if the lens has run, all tests of the packages were run and searched, and
// the code at the comment was executed.
func (s *suppressing) unused(ctx context.Context) {
	if s.lens == nil || s.lens.broken || len(s.found.summary.Whole) == 0 || s.plan == nil {
		return
	}
	p, err := s.plan(ctx)
	if err != nil {
		return // the lens has said so
	}
	for _, d := range s.lens.v.ignored.Unused() {
		if s.lens.executedLine(p, s.found.summary.Whole, token.Position{Filename: d.Pos.Filename, Line: d.Line()}) {
			s.found.warn(report.Warning{Code: "unused-ignore", Count: 1,
				Text: fromHere(fmt.Sprintf("%v: this //presage:ignore silences neither a race of this run nor a warning of presage vet", d.Pos))})
		}
	}
}

// executedLine reports whether all accesses of a line were executed, in one of the packages.
func (s *lens) executedLine(p *plan.Plan, packages []string, at token.Position) bool {
	some := false
	for _, u := range p.Units {
		file := u.Pkg.Fset.Position(u.Node.Pos()).Filename
		if file != at.Filename || !slices.Contains(packages, strings.TrimSuffix(u.Pkg.PkgPath, "_test")) {
			continue
		}
		for _, f := range u.Funcs {
			for i, b := range f.SSA.Blocks {
				for j := range b.Instrs {
					site := f.Blocks[i].Instrs[j].Site
					if site == 0 || int(p.Sites[site].Line) != at.Line {
						continue
					}
					some = true
					if s.seen.executed(&instruction{f, &f.Blocks[i], b, j}, true) != executed {
						return false
					}
				}
			}
		}
	}
	return some
}

// allTests reports whether flags of go test leave out no test.
func allTests(flags, args []string) bool {
	return len(args) == 0 && !slices.ContainsFunc(flags, func(f string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		return slices.Contains([]string{"run", "skip", "short", "list", "failfast"}, strings.TrimPrefix(name, "test."))
	})
}

// sifted returns a Handler that passes a report on to h through a sieve.
func (s *suppressFlags) sifted(ctx context.Context, h report.Handler) (*suppress.Handler, error) {
	sieve, err := s.sieve(ctx, "")
	return &suppress.Handler{Handler: h, Sieve: sieve}, err
}
