package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

func newTest(env *Env) *cobra.Command {
	return &cobra.Command{Use: "test [go test flags] [packages]", Short: "Record the tests' run and predict its races", DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error { return runGo(cmd.Context(), env, args, true) }}
}

func newRun(env *Env) *cobra.Command {
	return &cobra.Command{Use: "run [build flags] package [-- arguments]", Short: "Record a program's run and predict its races", DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error { return runGo(cmd.Context(), env, args, false) }}
}

// runGo is the pipeline of test and run: record, analyse, report.
func runGo(ctx context.Context, env *Env, argv []string, test bool) error {
	g, err := parseGo(argv, test)
	if err != nil {
		return err
	}
	if g.help {
		fmt.Fprintln(env.Stdout, env.Help)
		return nil
	}
	if err := g.check(test); err != nil {
		return err
	}
	if g.online.on {
		return runOnline(ctx, env, g, argv, test)
	}
	smt, err := newSMT(g.solver)
	if err != nil {
		return err
	}
	if g.out != "" { // the report of the run names it, wherever that is read
		if g.out, err = filepath.Abs(g.out); err != nil {
			return err
		}
	}
	p := newProgress(env.Stderr, g.quiet)
	p.stages.Begin(stageLoad)
	c, b := recordConfig(env, g, test, p), &budget{}
	early := newEarly(ctx, env, g.options, p.say)
	defer early.end()
	c.Early = early.search
	analysing, stop := ctx, context.CancelFunc(func() {})
	c.Ordering = func(ran time.Duration) func(size, rest int64) func() bool {
		early.testsOver()
		analysing, stop = interruptible(ctx, p)
		*b = budget{time.Now(), cmp.Or(g.time, defaultTime(ran))}
		p.until = b.end()
		return b.ordering
	}
	rec, err := record.Run(ctx, c)
	defer func() { stop() }()
	p.end()
	if left := (*record.LeftOutError)(nil); errors.As(err, &left) {
		return usagef("%v", err)
	}
	if err != nil && rec == nil {
		return err
	}
	if rec.NotBuilt {
		if err == nil {
			err = notBuilt(rec)
		}
		return err
	}
	a := &analysis{env: env, options: g.options, progress: p, tests: test, programCode: rec.ExitCode, functions: rec.Functions, opaque: rec.Opaque, plan: rec.Plan, smt: smt,
		dir: g.dir, command: append([]string{"presage", sub(test)}, argv...), kept: rec.Run, early: early, budget: b, memory: newMemory(g.memory)}
	a.recorded(rec, err)
	sayCode(env, test, rec.ExitCode, "analysing what was recorded")
	a.files, err = early.settle(rec, func() ([]string, error) { return keepTraces(rec.Traces, g.out) })
	if err != nil {
		a.failed = true
		a.warn(report.Warning{Code: "trace-not-kept", Count: 1, Text: disk.Explain(err).Error()})
		a.files = rec.Traces
	}
	if g.static != "" {
		a.warnStatically(ctx, g, test, rec)
	}
	a.traceFile = g.out
	if g.out == "" {
		a.traceFile = rec.Dir
	}
	return a.run(analysing)
}

// check looks for flags that do not go together.
func (g *goArgs) check(test bool) error {
	if !test && len(g.packages) == 0 {
		return usagef("run needs a package")
	}
	if g.static != "" && (g.level == levelNone || g.level == levelHB) {
		return usagef("flag -static: at level %s no race has a witness that could confirm a warning", g.level)
	}
	return g.online.check()
}

// recorded says what the recording has to say, and err, which it ended with.
func (a *analysis) recorded(rec *record.Result, err error) {
	if rec.Missing != "" {
		a.warn(report.Warning{Code: "nothing-recorded", Count: 1, Text: "nothing was recorded, the program ran without presage: " + rec.Missing})
	}
	for _, w := range rec.Warnings {
		a.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
	}
	if err != nil {
		a.failed = true
		a.warn(report.Warning{Code: "recording-incomplete", Count: 1, Text: err.Error()})
	}
}

// interruptible is for what comes behind the tests. An interrupt does not keep what was recorded
// from being put in order, or it would be lost; then the report says how to go on. The second one
// ends the process.
func interruptible(ctx context.Context, p *progress) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, func() {
		if stop(); slices.Contains([]string{stageTest, stageProgram, stageMerge}, stage.Current()) {
			p.say("interrupted: what was recorded is put in order, and the report follows; a second interrupt ends presage at once")
		}
	})
	return ctx, stop
}

// sayCode names the exit code of a program that failed.
func sayCode(env *Env, test bool, code int, next string) {
	if code != 0 {
		visible.Fprintf(env.Stderr, "presage: %s ended with code %d; %s\n", map[bool]string{true: "go test", false: "the program"}[test], code, next)
	}
}

func sub(test bool) string {
	if test {
		return "test"
	}
	return "run"
}

func recordConfig(env *Env, g *goArgs, test bool, p *progress) record.Config {
	c := record.Config{
		Test: test, Dir: g.dir, Flags: g.flags, Packages: g.packages, Args: g.args, Instrument: g.instrument, Exclude: g.exclude, Only: g.only, Reach: record.Reach(g.reach), Disk: g.disk,
		Stdin: env.Stdin, Stdout: env.Stdout, Stderr: env.Stderr,
		Progress: func(text string) { p.step(report.Progress{Text: text}) },
	}
	if g.json {
		c.Stdout = env.Stderr // standard output is for JSON
	}
	return c
}

// notBuilt ends the command when the go command did not accept the program: it has said why.
func notBuilt(rec *record.Result) error {
	if rec.ExitCode == 0 {
		text := "the packages could not be loaded, although the go command accepts them: " +
			"nothing was recorded"
		if rec.LoadError != "" {
			text += "\n" + strings.TrimRight(rec.LoadError, "\n")
		}
		return &exitError{exitFailed, text}
	}
	return &exitError{code: exitFailed}
}

// keepTraces moves the traces to where -o wants them: one to the file itself, several
// into a directory of that name.
func keepTraces(traces []string, out string) ([]string, error) {
	if out == "" || len(traces) == 0 {
		return traces, nil
	}
	if len(traces) == 1 {
		return []string{out}, move(traces[0], out)
	}
	if err := os.MkdirAll(out, 0o700); err != nil {
		return nil, fmt.Errorf("keeping the traces: %w", err)
	}
	var kept []string
	for _, t := range traces {
		to := filepath.Join(out, filepath.Base(t))
		if err := move(t, to); err != nil {
			return nil, err
		}
		kept = append(kept, to)
	}
	return kept, nil
}

// move moves a file, to another file system too.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err == nil {
		err = private.WriteFile(to, data)
	}
	if err != nil {
		return fmt.Errorf("keeping the trace: %w", err)
	}
	return os.Remove(from)
}
