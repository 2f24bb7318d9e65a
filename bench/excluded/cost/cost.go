// Package cost measures the cost and the gain of excluding packages from the trace. It runs
// `presage test -exclude ...` on real modules with some sets of packages, beside a full run.
//
//	go -C bench run ./excluded cost [-rounds 3] [-dir scratch] [-level path] [module...]
//
// The selected tests do the same in every run. Left out are tests that do more on a fast machine
// (zap's TestGlobalsConcurrentUse does as much as fits into 100 ms), tests that draw random
// numbers, and tests that wait for a clock. The first four modules are those of docs/results.md;
// nothing was tuned with the others.
//
// Within every round each run is recorded, and its traces analysed, in turn with the others. The
// output has the medians of the rounds:
//
//   - CPU seconds (user and system) of the test processes and of the analysis;
//   - events without the lines of Ds, and these lines;
//   - calls of excluded code, how many of these reach everything, and the pairs that they
//     suppress;
//   - races;
//   - the time of tests and analysis together as a share of the full run's, round by round, beside
//     the share of the events that are left;
//   - microseconds for an event of both.
//
// A run is *in proportion* if the share of the time is at most the share of the events plus a
// tenth. A race that no full run has is printed: it has a witness, but may be false if a D lacks
// something. The exit code is 1 if there is one.
package cost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// slack is how much more of the time than of the events a run in proportion may have.
const slack = 0.1

// subject is a module, the tests that are run, and the packages that are excluded.
type subject struct {
	module, run string
	sets        []string
}

var subjects = []subject{
	{"github.com/sourcegraph/conc@v0.3.0", "./...", []string{"./panics ./internal/...", "./pool .", "./pool . ./panics ./internal/..."}},
	{"go.uber.org/zap@v1.27.1", "-run=^Test(Logger|Sugar|Level) -count=5 .", []string{"./internal/...", "./internal/... ./buffer", "./zapcore"}},
	{"github.com/hashicorp/golang-lru/v2@v2.0.7", "-skip=Random -count=20 . ./simplelru", []string{"./internal/...", "./simplelru", "./internal/... ./simplelru"}},
	{"github.com/stretchr/testify@v1.11.1", "-run=^(TestSuite|TestRun|TestSub|TestPassedReturns|Test_Mock_(On|Called|Test|Return|Assert)) -count=2 ./suite ./mock", []string{"./assert/...", "./assert/... ./require", "./mock"}},
	{"github.com/dgraph-io/ristretto@v0.2.0", "-run=^Test(Store|SampledLFU|TinyLFU|Policy(Add|Has|Del|Update|Cost)) -count=5 .", []string{"./z/..."}},
	{"github.com/prometheus/client_golang@v1.24.1", "-run=^Test(ResponseWriter|HandlerWith|HandlerError|Middleware|Label|Interface|Lint|Collect) -count=3 ./prometheus/promhttp ./prometheus/testutil/...", []string{"./prometheus/internal ./internal/...", "./prometheus/testutil/...", "./prometheus"}},
	{"github.com/jackc/puddle/v2@v2.2.2", "-run=^Test(PoolAcquire(Reuses|All)|PoolTry|PoolCreate|PoolReset|PoolStat|Resource) -count=20 .", []string{"./internal/..."}},
}

// Main measures the modules that the arguments name.
func Main(args []string) int {
	flags := command.Flags("excluded cost", "[-rounds n] [-level path] [-dir scratch] [module...]")
	dir := command.Dir(flags)
	rounds := flags.Int("rounds", 3, "rounds")
	level := flags.String("level", "path", "level of the analysis")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	command.Check(err)
	t, err := s.Timed(ctx)
	command.Check(err)
	b := bench{s, t, *level}
	fmt.Printf("%-44s %8s %8s %10s %9s %8s %8s %8s %6s %6s %8s %8s %8s\n", "left out", "tests s", "analysis", "events", "lines of D", "calls", "all", "kept", "races", "new", "time", "events", "µs")
	added := 0
	for _, x := range subjects {
		if flags.NArg() > 0 && !slices.ContainsFunc(flags.Args(), func(a string) bool { return strings.Contains(x.module, a) }) {
			continue
		}
		n, err := b.subject(ctx, x, *rounds)
		command.Check(err)
		added += n
	}
	figures.Print("all", command.Count(added, "new-races"))
	return command.Code(added == 0)
}

type bench struct {
	*session.Session
	timed *session.Timed
	level string
}

// measured is one run.
type measured struct {
	tests, analysis float64 // CPU seconds
	events, lines   float64 // lines: of Ds
	calls, all      float64 // all: those that reach everything
	suppressed      float64
	races           []*report.Race
	stopped         bool // prediction had spent its effort
}

// subject measures a module, and returns how many races only runs with packages left out have.
func (b *bench) subject(ctx context.Context, x subject, rounds int) (added int, err error) {
	path, version, _ := strings.Cut(x.module, "@")
	at, err := b.Module(ctx, path, version)
	if err != nil {
		return 0, err
	}
	sets := append([]string{""}, x.sets...)
	runs := make([][]*measured, len(sets))
	for round := range rounds + 1 {
		for k := range sets {
			i := (k + round) % len(sets) // another set is the first in each round
			m, err := b.run(ctx, at, strings.Fields(x.run), strings.Fields(sets[i]), round > 0)
			if err != nil {
				return 0, err
			}
			if round > 0 { // the first builds
				runs[i] = append(runs[i], m)
			}
		}
	}
	fmt.Printf("%s %s\n", x.module, x.run)
	known := map[string]bool{}
	for _, m := range runs[0] {
		for _, r := range m.races {
			known[r.ID] = true
		}
	}
	for i, set := range sets {
		news := map[string]*report.Race{}
		for _, m := range runs[i] {
			for _, r := range m.races {
				if !known[r.ID] {
					news[r.ID] = r
				}
			}
		}
		added += len(news)
		b.row(set, runs[i], runs[0], len(news))
		for id, r := range news {
			fmt.Printf("    %s (%s) %s: %s, %s\n", id, r.Tier, r.Object, r.A.Position, r.B.Position)
		}
	}
	return added, nil
}

func (b *bench) row(set string, runs, full []*measured, news int) {
	of := func(runs []*measured, f func(*measured) float64) float64 {
		var v []float64
		for _, m := range runs {
			v = append(v, f(m))
		}
		return session.Median(v)
	}
	all := func(m *measured) float64 { return m.tests + m.analysis }
	events := func(m *measured) float64 { return m.events }
	var ratios []float64
	for i := range runs {
		ratios = append(ratios, all(runs[i])/all(full[i]))
	}
	time, share := session.Median(ratios), of(runs, events)/of(full, events)
	note := ""
	switch {
	case set == "":
		set = "nothing"
	case time <= share+slack:
		note = "in proportion"
	default:
		note = "not in proportion"
	}
	if slices.ContainsFunc(runs, func(m *measured) bool { return m.stopped }) {
		note += ", effort spent"
	}
	fmt.Printf("%-44s %8.2f %8.2f %10.0f %9.0f %8.0f %8.0f %8.0f %6.0f %6d %7.1f%% %7.1f%% %8.2f  %s\n", "  "+set,
		of(runs, func(m *measured) float64 { return m.tests }), of(runs, func(m *measured) float64 { return m.analysis }), of(runs, events),
		of(runs, func(m *measured) float64 { return m.lines }), of(runs, func(m *measured) float64 { return m.calls }), of(runs, func(m *measured) float64 { return m.all }),
		of(runs, func(m *measured) float64 { return m.suppressed }), of(runs, func(m *measured) float64 { return float64(len(m.races)) }), news, 100*time, 100*share,
		1e6*of(runs, func(m *measured) float64 { return all(m) / m.events }), note)
}

// run records the tests once, and analyses the traces, if that is measured.
func (b *bench) run(ctx context.Context, module string, run, set []string, measure bool) (*measured, error) {
	wrapper, err := b.timed.Exec("size")
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(b.Dir, "exclude.traces")
	os.RemoveAll(kept)
	args := []string{"test", "-q", "-level", "none", "-o", kept, "-exec", wrapper}
	for _, p := range set {
		args = append(args, "-exclude", p)
	}
	cmd := exec.CommandContext(ctx, b.Presage, append(args, run...)...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	m := &measured{}
	if !measure {
		return m, nil
	}
	processes, err := b.timed.Processes()
	if err != nil {
		return nil, err
	}
	for _, p := range processes {
		m.tests += p.CPU
	}
	var out, errs bytes.Buffer
	cmd = exec.CommandContext(ctx, b.Presage, "analyze", "-trust", "-q", "-json", "-level", b.level, kept)
	cmd.Dir, cmd.Stdout, cmd.Stderr = module, &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, errs.Bytes())
	}
	m.analysis = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	o, err := session.Read(out.Bytes())
	if err != nil {
		return nil, err
	}
	m.races = o.Races
	if m.events, m.lines, err = eventsOf(kept); err != nil {
		return nil, err
	}
	for _, w := range o.Warnings {
		switch w.Code {
		case "left-out":
			m.calls += float64(w.Count)
		case "missing-everywhere":
			m.all += float64(w.Count)
		case "missing-suppressed":
			m.suppressed += float64(w.Count)
		case "prediction-stopped":
			m.stopped = true
		}
	}
	return m, nil
}

// eventsOf counts the events of the traces in a directory: lines are those that list the Ds of
// calls.
func eventsOf(dir string) (events, lines float64, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range append(files, dir) {
		if s, err := os.Stat(f); err != nil || s.IsDir() {
			continue // several programs make a directory, one a file
		}
		t, err := trace.Open(f)
		if err != nil {
			return 0, 0, err
		}
		var e trace.Event
		for err = t.Next(&e); err == nil; err = t.Next(&e) {
			switch e.Kind {
			case format.Reach, format.ReachGo, format.ReachSet:
				lines++
			default:
				events++
			}
		}
		t.Close()
		if err != io.EOF {
			return 0, 0, err
		}
	}
	return events, lines, nil
}
