package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// The levels of analysis, each with what the one before it finds.
const (
	levelNone   = "none"   // the trace is only kept
	levelHB     = "hb"     // races of the recorded run itself
	levelCausal = "causal" // races of every execution that keeps what is needed of the values read
	// races of executions in which reads see other values and branches go the same way
	levelValue = "value"
	levelPath  = "path" // races of executions in which a goroutine leaves its recorded path
)

// levels of the analysis, by name.
var levels = map[string]predict.Level{levelHB: predict.HB, levelCausal: predict.Causal, levelValue: predict.Value, levelPath: predict.Paths}

// missings are what missing methods may be taken to do.
var missings = map[string]excluded.Mode{"rdit": excluded.Reachable, "barrier": excluded.Everything, "ignore": excluded.Ignore}

func checkMissing(mode string) error {
	if _, ok := missings[mode]; !ok {
		return usagef("flag --missing: %q is none of rdit, barrier, ignore", mode)
	}
	return nil
}

func checkLevel(flag, level string) error {
	names := []string{levelNone, levelHB, levelCausal, levelValue, levelPath}
	if !slices.Contains(names, level) {
		return usagef("flag %s: %q is none of %s", flag, level, strings.Join(names, ", "))
	}
	return nil
}

func newAnalyze(env *Env) *cobra.Command {
	o, fly, g := options{}, onTheFly{}, grant{}
	cmd := &cobra.Command{Use: "analyze trace...", Aliases: []string{"analyse"}, Args: minArgs(1),
		Short: "Analyse traces recorded earlier, or by other tools (RAPID's STD, also compressed by gzip)",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLevel("--level", o.level); err != nil {
				return err
			}
			if err := checkMissing(o.missing); err != nil {
				return err
			}
			if o.time < 0 {
				return usagef("flag --time: %v is less than nothing", o.time)
			}
			if err := checkSolver("--solver", o.solver); err != nil {
				return err
			}
			if err := fly.check(cmd.Flags().Changed("level")); err != nil {
				return err
			}
			files, err := traceFiles(args)
			if err != nil {
				return err
			}
			a := &analysis{env: env, options: o, fly: fly, grant: g, progress: newProgress(env.Stderr, o.quiet), command: append([]string{"presage", "analyze"}, args...), files: files}
			a.again = slices.Concat([]string{"presage", "analyze"}, givenFlags(cmd.Flags()), args)
			if a.smt, err = newSMT(o.solver); err != nil {
				return err
			}
			a.memory = newMemory(o.memory)
			if o.time > 0 {
				a.budget = &budget{time.Now(), o.time}
				a.progress.until = a.budget.end()
			}
			return a.run(cmd.Context())
		}}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "the report as JSON, one object a line")
	f.StringVar(&o.level, "level", levelPath, "none, hb, causal, value or path: how far to look")
	f.IntVar(&o.window, "window", 0, "events per window of prediction; 0: the default")
	f.IntVar(&o.budget, "budget", 0, "conflicts the engine may spend on a pair of accesses; 0: the default")
	f.IntVar(&o.effort, "effort", 0, "work that prediction may do on one trace; 0: the default, about ten minutes")
	f.Var(&shareFlag{to: &o.memory}, "memory", "memory for the analysis, as 2G, or a part of what is free, as 25%; half by default")
	f.DurationVar(&o.time, "time", 0, "when prediction ends at the latest, as 10m; 0: never")
	f.StringVar(&o.solver, "solver", solverEngine, "what decides whether a pair races: engine, or z3 or cvc5 on PATH")
	f.StringVar(&o.missing, "missing", "rdit", "what calls of missing methods do: rdit, anything to what they reach; barrier, anything; ignore, nothing (and its races may be false)")
	f.StringVar(&fly.engine, "engine", "", "fasttrack, lockset or hybrid: one pass by a detector that works on the fly, in place of prediction; but for fasttrack's first race, what it finds are candidates")
	f.StringVar(&fly.filter, "filter", "", "tree (the default) or none: what drops accesses before the engine that add nothing to what it reports")
	f.BoolVar(&fly.span, "span", false, "drop accesses by their location alone while nothing was sent; for fasttrack, where one race of a location is enough")
	f.IntVar(&fly.contexts, "contexts", 0, "histories that the filter keeps of each site; 0: 4096")
	f.IntVar(&fly.sites, "sites", 0, "sites, the most recent ones, of which the filter keeps histories; 0: all")
	f.BoolVar(&g.all, "trust", false, trustHelp)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	return cmd
}

// traceFiles puts the files of a directory, which -o of test writes, in its place.
func traceFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		st, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("reading trace %s: %w", arg, underlying(err))
		}
		if !st.IsDir() {
			files = append(files, arg)
			continue
		}
		inside, err := filepath.Glob(filepath.Join(arg, "*.trace"))
		if err != nil {
			return nil, err
		}
		if len(inside) == 0 {
			return nil, fmt.Errorf("reading trace %s: a directory without *.trace files", arg)
		}
		slices.SortStableFunc(inside, func(x, y string) int { // by process, as test has them
			return cmp.Or(cmp.Compare(processOf(x), processOf(y)), cmp.Compare(x, y))
		})
		files = append(files, inside...)
	}
	return files, nil
}

// processOf is the number of the process that a trace of test is of, 0 for other names.
func processOf(name string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(name), ".trace"))
	return n
}

// underlying is err without the operation and the name, which the message has already.
func underlying(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// analysis takes traces through the analysis to a report.
type analysis struct {
	env       *Env
	options   options
	fly       onTheFly
	progress  *progress
	command   []string
	dir       string
	files     []string
	traceFile string
	kept      *record.RunDir // for presage report; nil: none

	// plan is the plan of the program when it is at hand; nil: it is loaded from the trace's
	// tables.
	plan  func(context.Context) (*plan.Plan, error)
	grant grant // for loading it
	last  loaded
	shape report.ShapeFunc // of the trace at hand

	static *lens  // the warnings of the static lens, to mark; nil: none
	early  *early // what was searched while the tests ran; nil: nothing

	builder *builder                                          // nil: nothing is replayed
	budget  *budget                                           // nil: there is none
	sizes   []int64                                           // of the files
	memory  *memory                                           // nil: there is no limit
	smt     *smtSolver                                        // nil: the engine
	explain func(meta *trace.Meta) func(a, b trace.Site) bool // the pairs to explain; nil: none

	goVersion         string // of the recorded program
	programCode       int
	functions, opaque int
	tests, tested     bool // it is go test that was recorded; a test ran

	// the command that analyses the same traces from the beginning; nil: as resume says
	again    []string
	cut      int   // traces that were not analysed to their end, because of an interrupt
	analysed int64 // events that were

	warnings []report.Warning
	set      report.Set
	summary  report.Summary
	failed   bool // a trace could not be read to its end
}

// warn adds a warning. Those that differ in the count alone, which the text may name, are one: of
// the program they are counted once.
func (a *analysis) warn(w report.Warning) {
	w.Text = strings.Replace(w.Text, strconv.Itoa(w.Count)+" ", countMark, 1)
	for i := range a.warnings {
		if a.warnings[i].Code != w.Code || a.warnings[i].Text != w.Text {
			continue
		}
		if !ofProgram[w.Code] {
			a.warnings[i].Count += w.Count
		}
		return
	}
	a.warnings = append(a.warnings, w)
}

// countMark stands for the count in a warning's text until all are counted.
const countMark = "\x00"

// settle puts the counts into the texts.
func (a *analysis) settle() {
	for i := range a.warnings {
		w := &a.warnings[i]
		w.Text = strings.Replace(w.Text, countMark, strconv.Itoa(w.Count)+" ", 1)
	}
}

// run analyses every trace, prints the report, and returns the exit code as an error.
func (a *analysis) run(ctx context.Context) error {
	begun := time.Now()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // (I4)
	if a.early != nil {
		context.AfterFunc(ctx, a.early.cancel)
	}
	if a.options.confirm > 0 {
		a.builder = a.newBuilder(ctx)
		defer a.builder.stop()
	}
	unread := a.traces(ctx)
	a.progress.end()
	a.closeSolver()
	if len(a.files) == 0 && !slices.ContainsFunc(a.warnings, func(w report.Warning) bool { return slices.Contains(lossy, w.Code) }) {
		a.warn(report.Warning{Code: "nothing-recorded", Count: 1, Text: "no process recorded anything: no test ran, or nothing of what ran was instrumented"})
	}
	a.summary.Seconds = float64(time.Since(begun).Round(time.Millisecond)) / float64(time.Second)
	if a.options.confirm > 0 {
		a.progress.stages.Begin(stageReplayPrepare)
		a.replay(ctx)
		a.builder.stop()
	}
	a.progress.stages.Begin(stageReport)
	a.dropToRun()
	a.mark(ctx)
	code := a.finish()
	a.progress.stages.End()
	a.summary.Stages = stagesOf(&a.progress.stages)
	if err := a.print(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	for _, err := range unread {
		visible.Fprintf(a.env.Stderr, "presage: %v\n", err)
	}
	if code == exitNone {
		return nil
	}
	return &exitError{code: code}
}

// confirm is a pass between the two, for unordered accesses that have no witness yet.
func (a *analysis) confirm(name string, meta *trace.Meta, res *predict.Result) error {
	return predict.Confirm(opener(name), meta, res)
}

// tallyFile counts a trace that is not to be analysed.
func (a *analysis) tallyFile(name string) error {
	s, err := openTrace(name)
	if err != nil {
		a.failed = true
		return err
	}
	return errors.Join(a.tally(s), s.Close())
}

// tally is tallyFile for a trace that is open. One without an index is read through.
func (a *analysis) tally(s *source.File) error {
	n := int64(-1)
	if s.Trace != nil {
		n = s.Trace.Events()
	}
	if n < 0 {
		stat, err := trace.Count(s)
		if err != nil {
			return err
		}
		n = stat.Events
	}
	a.summary.Traces++
	a.summary.Events += n
	a.summary.Goroutines += max(len(s.Meta().Goroutines)-1, 0)
	a.describe(s.Meta())
	for _, w := range s.Meta().Warnings {
		if slices.Contains(lossy, w.Code) {
			a.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
		}
	}
	return nil
}

// loaded is the plan of the program of a trace. The traces of one run are of one program.
type loaded struct {
	meta *trace.Meta
	plan *plan.Plan
}

func (a *analysis) load(ctx context.Context, name string, meta *trace.Meta) (*plan.Plan, error) {
	if a.plan != nil {
		return a.plan(ctx)
	}
	if err := a.grant.trace(ctx, name, meta); err != nil {
		return nil, err
	}
	if a.last.plan == nil || !walk.Same(a.last.meta, meta) {
		p, err := walk.Load(ctx, meta)
		if err != nil {
			return nil, err
		}
		a.last = loaded{meta, p}
	}
	return a.last.plan, nil
}

// warnWalk says where the walk of a trace failed.
func (a *analysis) warnWalk(n int, odd []walk.Mismatch) {
	if n == 0 {
		return
	}
	text := "calls do not agree with their source (a mistake of presage, please report it); what they read keeps its value"
	for i, m := range odd {
		if i == maxShown {
			text += "; …"
			break
		}
		text += "; " + m.String()
	}
	a.warn(report.Warning{Code: "walk-mismatch", Count: n, Text: text})
}

// maxShown is the number of cases of one warning that are told apart.
const maxShown = 5

// countPaths adds what was looked at off the recorded paths.
func (a *analysis) countPaths(res *predict.Result, unkept int64) {
	if a.summary.Paths == nil {
		a.summary.Paths = &report.Paths{Ends: make(map[string]int)}
	}
	p, b := a.summary.Paths, &res.Counts.Build
	p.Forks += int(b.Forks)
	p.Unexplored += int(b.Unexplored)
	p.Unkept += int(unkept)
	for reason, n := range b.Ends {
		p.Ways += int(n)
		p.Ends[reason] += int(n)
	}
}

// describe notes what a trace is of.
func (a *analysis) describe(meta *trace.Meta) {
	a.goVersion = meta.GoVersion
	a.tested = a.tested || ranTests(meta)
	if a.functions > 0 || meta.Source != "presage" { // known from the run, or from its first trace
		return
	}
	_, funcs, _ := meta.Program()
	a.functions = len(funcs)
	for _, f := range funcs {
		if f.Opaque != "" {
			a.opaque++
		}
	}
}

// count adds what one trace holds to the summary and its warnings to the report.
func (a *analysis) count(meta *trace.Meta, res *predict.Result) {
	s := &a.summary
	s.Traces++
	a.describe(meta)
	s.Events += res.Counts.Events
	a.analysed += res.Counts.Events
	s.Goroutines += max(len(meta.Goroutines)-1, 0)
	s.Windows += res.Counts.Windows
	s.Candidates += int(res.Counts.Tried)
	s.Undecided += int(res.Counts.Unknown)
	s.Promising += res.Counts.Promising
	s.Settled += res.Counts.Settled
	for _, ws := range [][]trace.Warning{meta.Warnings, res.Warnings} {
		for _, w := range ws {
			if w.Code == predict.UnwitnessedCode && a.listsAll(meta) {
				continue // they are reported
			}
			a.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
		}
	}
}

// finish fills the summary and returns the exit code.
func (a *analysis) finish() int {
	a.settle()
	s := &a.summary
	if n := len(a.set.Candidates()); n > 0 {
		s.OnTheFly.Candidates = n
	}
	for _, r := range a.set.Races() {
		s.Races++
		if r.Tier == report.Replayed {
			s.Replayed++
			s.Predicted++
			continue
		}
		if r.Tier == report.Confirmed {
			s.Confirmed++
		}
		if r.Proof() == report.Observed {
			s.Observed++
		} else {
			s.Predicted++
		}
		switch r.Proof() {
		case report.ByValue:
			s.ByValue++
		case report.ByPath:
			s.ByPath++
		}
	}
	s.Warnings, s.TraceFile, s.ProgramCode = len(a.warnings), a.traceFile, a.programCode
	s.Functions, s.Instrumented = a.functions, a.functions-a.opaque
	s.Coverage = a.coverage()
	if a.kept != nil && a.traceFile == a.kept.Dir && a.noRun() {
		s.TraceFile = ""
	}
	switch {
	case s.Races > 0, s.OnTheFly != nil && s.OnTheFly.Candidates > 0:
		s.ExitCode = exitRaces
	case a.failed || a.programCode != 0, s.Coverage.Lost(), s.Coverage.Searched == report.Nothing && (a.options.level != levelNone || a.noRun()):
		// (E7), (E8)
		s.ExitCode = exitFailed
	}
	return s.ExitCode
}

// print sends the messages to standard output, and to the run that presage report reads. What goes
// wrong there must not cost the report.
func (a *analysis) print() error {
	err := a.send(newPrinter(a.env.Stdout, a.options.json))
	if keepErr := a.keep(); keepErr != nil {
		visible.Fprintf(a.env.Stderr, "presage: the report is not kept: %v\n", disk.Explain(keepErr))
	}
	return err
}

// keep ends the run in the cache: it has a report, or is dropped (RE3).
func (a *analysis) keep() error {
	switch {
	case a.kept == nil:
		return nil
	case a.noRun():
		return a.kept.Drop()
	}
	return a.kept.Keep(func(w io.Writer) error { return a.send(report.NewJSON(w)) })
}

// noRun reports whether nothing was recorded, or no test ran: the last run stays the last run.
func (a *analysis) noRun() bool {
	return a.summary.Races == 0 && a.summary.Coverage.Searched == report.Nothing && (a.summary.Events == 0 && a.cut == 0 || a.tests && !a.tested)
}

// send sends the messages to h.
func (a *analysis) send(h report.Handler) error {
	errs := []error{h.Config(a.config())}
	for i := range a.warnings {
		errs = append(errs, h.Warning(&a.warnings[i]))
	}
	for _, r := range a.set.Races() {
		errs = append(errs, h.Race(r))
	}
	for _, c := range a.set.Candidates() {
		errs = append(errs, h.Candidate(c))
	}
	for _, w := range a.static.warnings() {
		errs = append(errs, h.StaticWarning(w))
	}
	return errors.Join(append(errs, h.Summary(&a.summary))...)
}

func (a *analysis) config() *report.Config {
	c := &report.Config{
		Protocol: report.ProtocolVersion, Tool: "presage", Version: version(), GoVersion: a.goVersion,
		Command: a.command, Level: a.options.level, Window: a.options.window,
	}
	if a.fly.engine != "" {
		c.Level = a.fly.engine
	}
	c.Dir, _ = filepath.Abs(a.dir)
	return c
}
