package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/suppress"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// runGo runs test and run: it records the program, and analyses the traces.
func runGo(ctx context.Context, env *Env, argv []string, test bool) error {
	g, err := parseGo(argv, test)
	if err != nil {
		return err
	}
	if g.help {
		return printHelp(env, sub(test))
	}
	if err := g.configure(); err != nil {
		return err
	}
	if err := errors.Join(g.check(test), g.forms.places()); err != nil {
		return err
	}
	sieve, err := g.suppress.sieve(ctx, g.dir)
	if err != nil {
		return err
	}
	stream, env := newStream(env, g, test)
	defer stream.end()
	if g.online.on {
		races, err := runOnline(ctx, env, g, argv, test, sieve, stream)
		return g.ended(env, races, err)
	}
	races, err := runRecorded(ctx, env, g, argv, test, sieve, stream)
	return g.ended(env, races, err)
}

// runRecorded records, predicts and reports. It returns the number of races.
func runRecorded(ctx context.Context, env *Env, g *goArgs, argv []string, test bool, sieve *suppress.Sieve, stream *stream) (races int, err error) {
	if g.out != "" { // the report of the run names it, wherever that is read
		if g.out, err = filepath.Abs(g.out); err != nil {
			return 0, err
		}
	}
	r := &recording{env: env, args: g, test: test, stream: stream, progress: newProgress(env.Stderr, g.quiet), budget: &budget{}}
	defer r.end()
	if err := r.run(ctx); err != nil {
		return 0, err
	}
	a := r.analysis(argv)
	a.sieve, a.allTests = sieve, test && allTests(g.flags, g.args)
	err = a.run(r.analysing)
	return a.found.summary.Races, err
}

// ended runs the command of -after, and returns the error with the exit code that -exitcode wants.
func (g *goArgs) ended(env *Env, races int, err error) error {
	code, exit := exitFailed, (*exitError)(nil)
	switch {
	case err == nil:
		code = exitNone
	case errors.As(err, &exit):
		code = exit.code
	}
	if code == exitRaces {
		if code = g.exitCode; code == exitNone {
			err = nil
		} else {
			err = &exitError{code: code}
		}
	}
	if g.after != "" {
		cmd := exec.Command("sh", "-c", g.after)
		cmd.Env = append(os.Environ(), "PRESAGE_RACES="+strconv.Itoa(races), "PRESAGE_EXIT="+strconv.Itoa(code))
		cmd.Stdout, cmd.Stderr = env.Stderr, env.Stderr
		if failed := cmd.Run(); failed != nil {
			visible.Fprintf(env.Stderr, "presage: -after %s: %v\n", g.after, failed)
		}
	}
	return err
}

// recording is the first stage of test and run: the program is built with hooks and run, and its
// records become traces.
type recording struct {
	// Inputs.
	env      *Env
	args     *goArgs
	test     bool
	stream   *stream // nil: there is none
	progress *progress
	// Outputs.
	result    *record.Result
	err       error           // the recording did not come to its end
	early     *early          // searches that have begun while the tests ran
	budget    *budget         // set when the program has ended
	analysing context.Context // for the stages after the program, which an interrupt ends

	stop context.CancelFunc
}

// run records. An error ends the command: there is nothing to analyse.
func (r *recording) run(ctx context.Context) error {
	r.progress.stages.Begin(stageLoad)
	c := recordConfig(r.env, r.args, r.test, r.stream, r.progress)
	r.analysing = ctx
	r.early = newEarly(ctx, r.env, r.args.options, r.progress.say)
	c.Early = r.early.search
	c.Ordering = func(ran time.Duration) func(size, rest int64) func() bool {
		r.early.testsOver()
		r.analysing, r.stop = interruptible(ctx, r.progress)
		*r.budget = budget{time.Now(), cmp.Or(r.args.time, defaultTime(ran))}
		r.progress.until = r.budget.end()
		return r.budget.ordering
	}
	r.result, r.err = record.Run(ctx, c)
	r.progress.end()
	if left := (*record.LeftOutError)(nil); errors.As(r.err, &left) {
		return usagef("%v", r.err)
	}
	if r.err != nil && r.result == nil {
		return r.err
	}
	if r.result.NotBuilt {
		return cmp.Or(r.err, notBuilt(r.result))
	}
	sayCode(r.env, r.test, r.result.ExitCode, "analysing what was recorded")
	return nil
}

// end ends the running searches and the handling of interrupts.
func (r *recording) end() {
	if r.stop != nil {
		r.stop()
	}
	r.early.end()
}

// analysis is the analysis of what was recorded.
func (r *recording) analysis(argv []string) *analysis {
	g, rec := r.args, r.result
	a := newAnalysis(r.env, g.options, r.progress)
	a.stream = r.stream
	a.command = append([]string{"presage", sub(r.test)}, argv...)
	a.dir, a.kept, a.load.plan = g.dir, rec.Run, rec.Plan
	a.early, a.budget, a.memory = r.early, r.budget, newMemory(g.memory)
	a.found.program = program{exitCode: rec.ExitCode, functions: rec.Functions, opaque: rec.Opaque, tests: r.test}
	a.found.recorded(rec, r.err)
	a.traces.from = cmp.Or(g.out, rec.Dir)
	var err error
	if a.traces.files, err = r.early.settle(rec, func() ([]string, error) { return keepTraces(rec.Traces, g.out) }); err != nil {
		a.found.failed = true
		a.found.warn(report.Warning{Code: "trace-not-kept", Count: 1, Text: disk.Explain(err).Error()})
		a.traces.files = rec.Traces
	}
	if g.static != "" {
		a.lens = newLens(r.analysing, r.env, g, r.test, rec, r.progress, &a.found)
	}
	return a
}

// check looks for flags that do not go together.
func (g *goArgs) check(test bool) error {
	if !test && len(g.packages) == 0 {
		return usagef("run needs a package")
	}
	if g.static != "" && (g.level == levelNone || g.level == levelHB) {
		return usagef("flag -static: at level %s no race has a witness that could confirm a warning", g.level)
	}
	return errors.Join(g.suppress.check(), g.online.check())
}

// recorded adds the warnings of the recording, and err, with which it ended.
func (f *findings) recorded(rec *record.Result, err error) {
	if rec.Missing != "" {
		f.warn(report.Warning{Code: "nothing-recorded", Count: 1, Text: "nothing was recorded, the program ran without presage: " + rec.Missing})
	}
	for _, w := range rec.Warnings {
		f.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
	}
	if err != nil {
		f.failed = true
		f.warn(report.Warning{Code: "recording-incomplete", Count: 1, Text: err.Error()})
	}
}

// interruptible returns the context of the stages after the program. An interrupt does not end the
// merge of the records, or they would be lost; the report then says how to go on. The second
// interrupt ends the process.
func interruptible(ctx context.Context, p *progress) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
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

func recordConfig(env *Env, g *goArgs, test bool, s *stream, p *progress) record.Config {
	c := record.Config{
		Test: test, Dir: g.dir, Flags: g.flags, Packages: g.packages, Args: g.args, Instrument: g.instrument, Exclude: g.exclude, Only: g.only, Reach: record.Reach(g.reach), Disk: g.disk,
		Stdin: env.Stdin, Stdout: env.Stdout, Stderr: env.Stderr,
		Progress: func(text string) { p.step(report.Progress{Text: text}) },
	}
	switch {
	case s != nil:
		c.JSON, c.Stdout, c.Stderr = true, s, s.stderr
	case g.forms.forProgram(g.json):
		c.Stdout = env.Stderr // standard output is for the report
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
