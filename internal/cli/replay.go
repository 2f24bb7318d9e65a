package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// replayArgs are the flags of replay.
type replayArgs struct {
	file           string
	runID          string
	all, verbose   bool
	delve          bool
	keep           bool
	quiet, json    bool
	trust          bool
	limit, timeout time.Duration
}

func newReplay(env *Env) *cobra.Command {
	var o replayArgs
	cmd := &cobra.Command{Use: "replay [ID... | file...]", Short: "Run the program again under the witness of a race, with Go's race detector as the judge",
		RunE: func(cmd *cobra.Command, args []string) error { return runReplay(cmd.Context(), env, o, args) }}
	f := cmd.Flags()
	f.StringVar(&o.file, "report", "", "report in JSON form; without it that of the last run of this module")
	runIDFlag(cmd, &o.runID)
	f.BoolVar(&o.all, "all", false, "replay every race of the report")
	f.BoolVar(&o.keep, "keep", false, "write the schedules into the module, to replay them without a trace (docs/using/replay.md)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print all of the schedule as it happened, not its last steps alone")
	f.BoolVar(&o.delve, "dlv", false, "run the program under delve, up to where both goroutines are before their accesses")
	f.BoolVar(&o.json, "json", false, "the outcome as JSON, one object a line")
	f.BoolVar(&o.trust, "trust", false, trustHelp)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	f.DurationVar(&o.limit, "limit", time.Second, "how long the schedule waits for an event before it is loosened")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "how long a run of the program may take")
	return cmd
}

func runReplay(ctx context.Context, env *Env, o replayArgs, ids []string) error {
	if files, ok, err := keptFiles(ids); err != nil {
		return err
	} else if ok {
		r := replayer{env: env, args: o, grant: grant{all: o.trust}, progress: newProgress(env.Stderr, o.quiet)}
		return r.replayFiles(ctx, files)
	}
	k, err := readKept(o.file, o.runID)
	if err != nil {
		return err
	}
	if len(ids) == 0 && !o.all {
		return k.list(env.Stdout)
	}
	races, err := k.choose(ids, o.all)
	if err != nil {
		return err
	}
	if o.delve && len(races) != 1 {
		return usagef("-dlv takes one race, not %d", len(races))
	}
	r := replayer{env: env, kept: k, args: o, grant: k.grant(), progress: newProgress(env.Stderr, o.quiet), programs: map[string]*made{}, plans: map[string]*plan.Plan{}}
	r.grant.all = o.trust
	if o.keep {
		return r.keep(ctx, races)
	}
	confirmed := 0
	for _, race := range races {
		out, err := r.replay(ctx, race)
		r.progress.end()
		if err != nil {
			if len(races) == 1 {
				return err
			}
			visible.Fprintf(env.Stderr, "presage: race %s: %v\n", race.ID, err)
			continue
		}
		if !o.delve {
			if err := r.print(race, out); err != nil {
				return err
			}
		}
		if out.Confirmed {
			confirmed++
		}
	}
	if len(races) > 1 && !o.json {
		visible.Fprintf(env.Stdout, "presage: %d of %d races confirmed\n", confirmed, len(races))
	}
	if confirmed > 0 {
		return &exitError{code: exitRaces}
	}
	return nil
}

// kept is a report with where it came from.
type kept struct {
	report.Ignore
	config  *report.Config
	races   []*report.Race
	summary *report.Summary
	without []*report.Candidate // they cannot be replayed
	own     bool                // it is that of the last run, in the cache
}

// Config keeps what made the report.
func (k *kept) Config(m *report.Config) error { k.config = m; return nil }

// Race keeps a race.
func (k *kept) Race(m *report.Race) error { k.races = append(k.races, m); return nil }

// Candidate keeps a candidate.
func (k *kept) Candidate(m *report.Candidate) error { k.without = append(k.without, m); return nil }

// Summary keeps the summary.
func (k *kept) Summary(m *report.Summary) error { k.summary = m; return nil }

// readKept reads a report in JSON form; without a name, that of a run in the cache.
func readKept(name, runID string) (*kept, error) {
	if name != "" && runID != "" {
		return nil, usagef("flags -report and -run-id exclude each other")
	}
	if name != "" {
		return readReport(name)
	}
	run, err := findRun(runID)
	if err != nil {
		return nil, err
	}
	k, err := readReport(filepath.Join(run.Dir, record.ReportFile))
	if err != nil {
		return nil, damagedRun(run, err)
	}
	k.own = true
	return k, nil
}

func readReport(name string) (*kept, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading report %s: %w", name, underlying(err))
	}
	defer f.Close()
	k := &kept{}
	err = report.HandleJSON(f, k)
	if err == nil {
		err = (&lastSummary{begun: k.config != nil, complete: k.summary != nil}).whole()
	}
	if err != nil {
		return nil, fmt.Errorf("reading report %s: %w", name, err)
	}
	return k, nil
}

// list prints what can be replayed.
func (k *kept) list(w io.Writer) error {
	if len(k.races) == 0 {
		fmt.Fprintln(w, "presage: the report has no race to replay")
		return nil
	}
	for _, r := range k.races {
		visible.Fprintf(w, "%s  %-9s %s: %s %s, %s %s\n", r.ID, r.Tier, r.Name(), r.A.Kind, short(r.A.Position), r.B.Kind, short(r.B.Position))
	}
	return nil
}

func short(p report.Position) string {
	return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
}

// choose finds races by their IDs, which may be cut.
func (k *kept) choose(ids []string, all bool) ([]*report.Race, error) {
	if all {
		return k.races, nil
	}
	var out []*report.Race
	for _, id := range ids {
		i := slices.IndexFunc(k.races, func(r *report.Race) bool { return strings.HasPrefix(r.ID, id) })
		if i < 0 && id != "" && slices.ContainsFunc(k.without, func(c *report.Candidate) bool { return strings.HasPrefix(c.ID, id) }) {
			return nil, fmt.Errorf("%s is a candidate, which has no witness to replay: analyse its trace without -engine", id)
		}
		if i < 0 || id == "" {
			return nil, usagef("the report has no race %q; presage replay without an ID lists those that it has", id)
		}
		out = append(out, k.races[i])
	}
	return out, nil
}

// replayer replays races of one report.
type replayer struct {
	env      *Env
	kept     *kept
	args     replayArgs
	progress *progress
	grant    grant // what may be run
	checked  bool  // the witnesses have just been found: the checker has judged them
	plans    map[string]*plan.Plan
	meta     lastMeta

	making   sync.Mutex       // held while a program is prepared
	programs map[string]*made // by programKey

	// run is replay, or what a test has in its place.
	run func(context.Context, *report.Race) (*replay.Outcome, error)

	said func(text string) // takes what is being done; nil: it is shown
	// gets the processor time of builds; nil: it is not counted
	spent func(cpu time.Duration)
	// takes what was made anew of the cache; nil: it is printed
	healed func(damage error)
	// the plan of the one program that there is, if it is at hand
	recorded func(context.Context) (*plan.Plan, error)
}

// made is a program that is prepared, or could not be.
type made struct {
	program *replay.Program
	err     error
}

// says says what is being done.
func (r *replayer) says(text string) {
	if r.said != nil {
		r.said(text)
		return
	}
	r.progress.step(report.Progress{Text: text})
}

// heals says that an entry of the cache is made anew.
func (r *replayer) heals(damage error) {
	if r.healed != nil {
		r.healed(damage)
		return
	}
	r.progress.end()
	visible.Fprintf(r.env.Stderr, "presage: %s\n", record.HealedText(damage))
}

func (r *replayer) replay(ctx context.Context, race *report.Race) (*replay.Outcome, error) {
	name, meta, err := r.open(ctx, race)
	if err != nil {
		return nil, err
	}
	again := &reopener{name: name}
	defer again.close()
	p, err := r.program(ctx, wanted{name: name, meta: meta})
	if err != nil {
		return nil, err
	}
	if !r.checked {
		r.says("checking the witness of " + race.ID)
		if err := r.check(ctx, race, name, meta); err != nil {
			return nil, fmt.Errorf("the witness of race %s is not valid: %w", race.ID, err)
		}
	}
	if r.args.delve {
		r.progress.end()
		return p.Debug(ctx, raceToReplay(race, again.open, meta), replay.Debugger{Stdin: os.Stdin, Stdout: r.env.Stdout, Stderr: r.env.Stderr})
	}
	return p.Replay(ctx, raceToReplay(race, again.open, meta))
}

// open finds the trace of a race.
func (r *replayer) open(ctx context.Context, race *report.Race) (name string, meta *trace.Meta, err error) {
	if race.Witness == nil {
		return "", nil, errors.New("the race has no witness: analyse its trace at a level above hb")
	}
	if name, err = r.kept.trace(race); err != nil {
		return "", nil, err
	}
	if meta, err = r.meta.of(name); err == nil && meta.Source != "presage" {
		err = fmt.Errorf("trace %s was recorded by another tool: there is no program to replay", name)
	}
	if err == nil {
		err = r.grant.trace(ctx, name, meta)
	}
	return name, meta, err
}

func raceToReplay(race *report.Race, open func() (trace.Source, io.Closer, error), meta *trace.Meta) replay.Race {
	w := race.Witness
	return replay.Race{
		ID: race.ID, A: lineOf(&race.A), B: lineOf(&race.B),
		Witness: replay.Witness{From: w.From, Order: w.Order, Path: pathToReplay(race), Recorded: w.Semantics == report.RecordedRun, Tried: race.Tier == report.ToRun || race.Proof() == report.Replayed},
		Meta:    meta,
		Open:    open,
	}
}

// lineOf is the line of an access as the race detector may say it.
func lineOf(a *report.Access) replay.Line {
	l := replay.Line{File: a.File, Line: a.Line}
	if strings.HasPrefix(a.Kind, "atomic") {
		l.Near = 1
	}
	return l
}

// opener opens a trace anew, as often as it is called.
func opener(name string) func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		f, err := openTrace(name)
		if err != nil {
			return nil, nil, err
		}
		return f, f, nil
	}
}

// pathToReplay is how the race leaves the recorded path, nil if it does not.
func pathToReplay(race *report.Race) *replay.Path {
	p := race.Path
	if p == nil {
		return nil
	}
	out := &replay.Path{G: trace.GoID(p.Goroutine), Before: p.Before}
	for _, s := range p.Steps {
		e := trace.Event{Flags: format.Flags(s.Flags), Size: s.Size, G: trace.GoID(s.Goroutine), Site: trace.Site(s.Site), Obj: trace.Addr(s.Object)}
		for k := range format.Max {
			if k.String() == s.Kind {
				e.Kind = k
			}
		}
		out.Steps = append(out.Steps, e)
	}
	return out
}

// trace finds the trace of a race.
func (k *kept) trace(race *report.Race) (string, error) {
	if race.Trace != "" {
		return race.Trace, nil
	}
	if c := k.config.Command; len(c) > 2 && c[1] != "test" && c[1] != "run" && k.summary.TraceFile == "" {
		// analyze, of one trace
		return c[len(c)-1], nil
	}
	if st, err := os.Stat(k.summary.TraceFile); err == nil && !st.IsDir() {
		return k.summary.TraceFile, nil
	}
	files, _ := filepath.Glob(filepath.Join(k.summary.TraceFile, "*.trace"))
	if len(files) != 1 {
		return "", fmt.Errorf("the trace of the race is not in %s any more: record the program again", k.summary.TraceFile)
	}
	return files[0], nil
}

// programKey identifies the program that a trace is of.
func programKey(meta *trace.Meta) string {
	return strings.Join(append(append([]string{meta.Dir}, meta.Command...), meta.BuildFlags...), "\x00")
}

// program prepares the program that a trace is of. That is done once for all of its traces.
func (r *replayer) program(ctx context.Context, w wanted) (*replay.Program, error) {
	r.making.Lock()
	defer r.making.Unlock()
	key := programKey(w.meta)
	m := r.programs[key]
	if m == nil {
		m = &made{}
		if m.program, m.err = r.prepare(ctx, w); ctx.Err() == nil {
			r.programs[key] = m
		}
	}
	return m.program, m.err
}

func (r *replayer) prepare(ctx context.Context, w wanted) (*replay.Program, error) {
	meta := w.meta
	if len(meta.Command) < 2 {
		return nil, fmt.Errorf("trace %s does not say which command it is of", w.name)
	}
	test := meta.Command[1] == "test"
	g, err := parseGo(meta.Command[2:], test)
	if err != nil {
		return nil, err
	}
	cache, err := record.CacheDir()
	if err != nil {
		return nil, err
	}
	at := w.plan
	if at == nil && r.recorded != nil {
		if at, err = r.recorded(ctx); err != nil {
			return nil, err
		}
	}
	return replay.Prepare(ctx, replay.Config{
		Meta: meta, Plan: at, Test: test, Flags: g.flags, Packages: g.packages, Args: g.args, Cache: cache, ToolID: record.ToolID(), Heals: r.heals,
		Limit: r.args.limit, Timeout: r.args.timeout, Progress: r.says, Spent: r.spent,
	})
}

// print says what became of a race.
func (r *replayer) print(race *report.Race, out *replay.Outcome) error {
	w := r.env.Stdout
	if r.args.json {
		return json.NewEncoder(w).Encode(out)
	}
	verdict := "not confirmed"
	if out.Confirmed {
		verdict = confirmedBy(out.Judge)
	}
	visible.Fprintf(w, "race %s on %s: %s in try %d (%s and %s, %d steps)\n", race.ID, race.Name(), verdict, len(out.Tries), short(race.A.Position), short(race.B.Position), out.Steps)
	for i, t := range out.Tries {
		if how := t.How(); how != "" {
			visible.Fprintf(w, "  try %d: %s\n", i+1, how)
		}
		for _, l := range t.Loosened {
			visible.Fprintf(w, "  try %d: %s\n", i+1, l)
		}
		if t.Why != "" {
			visible.Fprintf(w, "  try %d: %s\n", i+1, t.Why)
		}
		if t.Dump != "" {
			visible.Fprintf(w, "  try %d: what the program printed, with its goroutines, is in %s\n", i+1, t.Dump)
		}
	}
	last := out.Tries[len(out.Tries)-1]
	r.printSchedule(w, last.Schedule)
	for _, s := range last.Saw {
		visible.Fprintf(w, "  %s\n", s.Text())
	}
	visible.Fprintf(w, "  to run it again: %s\n", r.again(race))
	if last.Report != "" {
		visible.Fprintf(w, "\n%s\n", visible.Block(indent(last.Report)))
	}
	return nil
}

func confirmedBy(j replay.Judges) string {
	if j == replay.ByGates {
		return "confirmed by the gates: both goroutines were held before their accesses at once (no C compiler, so no race detector)"
	}
	return "confirmed by Go's race detector"
}

func (r *replayer) printSchedule(w io.Writer, schedule []replay.Passage) {
	if n := len(schedule) - shownSteps; n > 0 && !r.args.verbose {
		visible.Fprintf(w, "  the schedule as it happened, without the first %d steps (-v shows them):\n", n)
		schedule = schedule[n:]
	} else {
		visible.Fprintf(w, "  the schedule as it happened:\n")
	}
	for _, s := range schedule {
		visible.Fprintf(w, "  %6d goroutine %d: %s at %s:%d (event %d)\n", s.Order, s.Goroutine, s.Kind, filepath.Base(s.File), s.Line, s.Event)
	}
}

// shownSteps is the number of steps of a schedule that are printed without -v.
const shownSteps = 20

// again is the command that replays a race.
func (r *replayer) again(race *report.Race) string {
	if r.args.file != "" {
		return fmt.Sprintf("presage replay -report %s %s", r.args.file, race.ID)
	}
	if r.args.runID != "" {
		return fmt.Sprintf("presage replay -run-id %s %s", r.args.runID, race.ID)
	}
	return "presage replay " + race.ID
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
