package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/explore"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/suppress"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

func newExplore(env *Env) *cobra.Command {
	return &cobra.Command{Use: "explore [go test flags] [packages]", Short: "Run tests under many schedules and predict from each run", DisableFlagParsing: true, ValidArgsFunction: completeGo,
		RunE: func(cmd *cobra.Command, args []string) error { return exploreTests(cmd.Context(), env, args) }}
}

// exploring is a call of presage explore.
type exploring struct {
	env      *Env
	args     *goArgs
	progress *progress
	runs     int
	races    int // of all packages
	tests    int // that were explored
	outcomes outcomes
	seed     uint64
	sieve    *suppress.Sieve
	report   *report.Joined // of all packages: the forms that are for programs
	base     steer.Kind     // if sample: what -base names
	sample   bool
	until    time.Time
	limit    time.Duration // of one run
}

// machine reports whether standard output is for a program to read.
func (x *exploring) machine() bool { return x.args.forms.forProgram(x.args.json) }

// explored is what the exploration of a test has come to.
type explored struct {
	test  string
	state *explore.State
	cpu   time.Duration
	err   error
}

// The defaults of -time and -runs, and what one run may take.
const (
	exploreTime  = 5 * time.Minute
	exploreRuns  = 1000 // of each test
	exploreLimit = 3 * time.Second
	// what replays of a package's races may take
	exploreReplays = 2 * time.Minute
)

func exploreTests(ctx context.Context, env *Env, argv []string) error {
	x := &exploring{env: env, runs: exploreRuns, seed: 1, limit: exploreLimit}
	argv, err := x.flags(argv)
	if err != nil {
		return err
	}
	if x.args, err = parseGo(argv, true); err != nil {
		return err
	}
	if x.args.help {
		return printHelp(env, "explore")
	}
	if err := errors.Join(x.args.explorable(), x.args.configure()); err != nil {
		return err
	}
	if err := errors.Join(x.args.suppress.check(), x.args.forms.places()); err != nil {
		return err
	}
	if x.sieve, err = x.args.suppress.sieve(ctx, x.args.dir); err != nil {
		return err
	}
	if len(x.args.args) > 0 {
		return usagef("explore passes no arguments to the tests")
	}
	x.progress = newProgress(env.Stderr, x.args.quiet)
	ctx, stop := x.interruptible(ctx)
	defer stop()
	c := recordConfig(x.env, x.args, true, nil, x.progress)
	packages, err := record.TestPackages(ctx, &c)
	if err != nil {
		return err
	}
	others, end := x.args.forms.others(env.Stdout, x.args.json)
	if x.machine() {
		others = report.Tee(x.args.forms.main(env.Stdout, x.args.json), others)
	}
	x.report = report.Join(others)
	worst := x.explorePackages(ctx, packages, argv)
	x.sayAll()
	errs := []error{x.report.Config(x.analysis(nil, argv, nil).config())} // of no package
	if exit := (*exitError)(nil); worst != nil && !errors.As(worst, &exit) {
		errs = append(errs, x.report.Summary(&report.Summary{ExitCode: exitFailed}))
	}
	if err := errors.Join(append(errs, x.report.End(), end())...); err != nil {
		return errors.Join(worst, fmt.Errorf("writing the report: %w", err))
	}
	if ctx.Err() != nil && worst == nil {
		worst = errInterrupted
	}
	return x.args.ended(env, x.races, worst)
}

// explorePackages explores the packages, one after the other.
func (x *exploring) explorePackages(ctx context.Context, packages []record.TestPackage, argv []string) error {
	code := exitNone
	total := x.args.time
	if total == 0 {
		total = exploreTime
	}
	x.until = time.Now().Add(total)
	for i, p := range packages {
		left := time.Until(x.until)
		err := x.explorePackage(ctx, p, argv, time.Now().Add(left/time.Duration(len(packages)-i)))
		exit := (*exitError)(nil)
		if err != nil && !errors.As(err, &exit) {
			if ctx.Err() != nil { // while the package was built
				err = errInterrupted
			}
			return err
		}
		if exit != nil {
			code = worse(code, exit.code)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if code != exitNone {
		return &exitError{code: code}
	}
	if x.tests == 0 && ctx.Err() == nil {
		return errors.New("nothing was searched: the packages have no test that matches")
	}
	return nil
}

// analysis is that of the traces of a package in which races were found. Its summary has what the
// exploration of the tests has come to.
func (x *exploring) analysis(s *record.Steered, argv []string, tests []report.Explored) *analysis {
	a := newAnalysis(x.env, x.args.options, x.progress)
	a.command = append([]string{"presage", "explore"}, argv...)
	if a.dir = x.args.dir; s != nil {
		a.kept, a.load.plan = s.Run, s.Plan
	}
	a.budget, a.memory = &budget{time.Now(), exploreReplays}, newMemory(x.args.memory)
	a.found.program, a.sieve = program{tests: true}, x.sieve
	a.found.summary.Explored = tests
	if a.to = x.report; !x.machine() {
		a.to = report.Tee(x.args.forms.main(x.env.Stdout, x.args.json), x.report)
	}
	return a
}

// explorePackage explores the tests of a package, one after the other, and reports their races.
func (x *exploring) explorePackage(ctx context.Context, p record.TestPackage, argv []string, until time.Time) error {
	g := *x.args
	pattern := "."
	g.flags, pattern = cutRun(g.flags)
	g.packages = []string{p.Path}
	s, err := record.Steer(ctx, recordConfig(x.env, &g, true, nil, x.progress), p.Dir)
	if err != nil {
		return err
	}
	defer s.Close()
	names, pl, err := listed(ctx, s, pattern)
	if err != nil {
		return errors.Join(err, s.Run.Drop())
	}
	var files []string
	var tests []report.Explored
	failed := 0
	for i, test := range names {
		left := time.Until(until)
		e := x.exploreTest(ctx, s, pl, test, time.Now().Add(left/time.Duration(len(names)-i)))
		x.tests++
		tests = append(tests, x.of(p.Path, e))
		x.say(&tests[len(tests)-1], e.state.Failed)
		if failed += len(e.state.Failed); e.err != nil && !canceled(e.err) {
			failed++
		}
		if files = append(files, e.state.Traces...); ctx.Err() != nil {
			break
		}
	}
	if len(names) == 0 && !x.machine() {
		visible.Fprintf(x.env.Stdout, "%s: no test matches (fuzz targets, benchmarks and examples are not explored)\n", p.Path)
	}
	a := x.analysis(s, argv, tests)
	if ctx.Err() != nil { // what was found is reported all the same
		ctx, a.options.confirm = context.WithoutCancel(ctx), 0
	}
	if len(files) > 0 {
		a.traces = traces{files: files, from: s.Run.Dir}
		a.found.failed = failed > 0
		err := a.run(ctx)
		x.races += a.found.summary.Races
		return err
	}
	code := exitNone
	if failed > 0 {
		code = exitFailed
	}
	a.found.summary.ExitCode = code
	if err := errors.Join(s.Run.Drop(), x.report.Config(a.config()), x.report.Summary(&a.found.summary)); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if code != exitNone {
		return &exitError{code: code}
	}
	return nil
}

// listed returns the tests of a package, and its plan.
func listed(ctx context.Context, s *record.Steered, pattern string) (names []string, pl *plan.Plan, err error) {
	if names, err = s.Tests(ctx, pattern); err == nil {
		pl, err = s.Plan(ctx)
	}
	return names, pl, err
}

// exploreTest explores one test, and removes the traces without a new race.
func (x *exploring) exploreTest(ctx context.Context, s *record.Steered, pl *plan.Plan, test string, until time.Time) *explored {
	e := &explored{test: test}
	var made []string // traces
	c := explore.Config{
		Seed: x.seed, Runs: x.runs, Until: until, Open: opened,
		Run: func(ctx context.Context, sched *steer.Schedule) (*record.SteeredRun, error) {
			r, err := s.Record(ctx, sched, x.limit, test)
			if r != nil {
				e.cpu += r.CPU
				made = append(made, r.Trace)
			}
			return r, err
		},
		Predict: func(ctx context.Context, name string, whole bool) ([]explore.Race, bool, error) {
			return racesOf(ctx, name, whole, pl)
		},
		Progress: func(st *explore.State) {
			x.progress.step(report.Progress{Text: visible.Sprintf("%s: %s, %s, %d to come, %s", test, plural.Of(st.Runs, "run"), plural.Of(st.Classes, "class"), st.Waiting, plural.Of(len(st.Races), "race"))})
		},
	}
	if x.sample {
		e.state, e.err = explore.Sample(ctx, c, x.base)
	} else {
		e.state, e.err = explore.Explore(ctx, c)
	}
	x.progress.end()
	for _, name := range made {
		if name != "" && !slices.Contains(e.state.Traces, name) {
			os.Remove(name)
		}
	}
	return e
}

func opened(name string) (trace.Source, io.Closer, error) { return opener(name)() }

// racesOf predicts the races of a trace, as its report has them. sure is false if there are pairs
// that the report has as candidates, because they are unordered.
func racesOf(ctx context.Context, name string, whole bool, p *plan.Plan) (races []explore.Race, sure bool, err error) {
	src, closer, err := opened(name)
	if err != nil {
		return nil, false, err
	}
	defer closer.Close()
	meta := src.Meta()
	level := predict.Causal
	if whole {
		level = predict.Paths
	}
	w := walk.NewBranching(p)
	w.Read(meta)
	res, err := predict.Run(ctx, src, meta, predict.Options{Walker: w, Level: level})
	if err == nil {
		err = predict.Confirm(opener(name), meta, res)
	}
	if err != nil {
		return nil, false, err
	}
	for _, r := range res.Races {
		x, y := meta.Position(r.A.Site), meta.Position(r.B.Site)
		races = append(races, explore.Race{Name: min(x, y) + " / " + max(x, y), Sites: [2]trace.Site{r.A.Site, r.B.Site}})
	}
	return races, len(res.Unwitnessed) == 0, nil
}
