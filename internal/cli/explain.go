package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// explainArgs are the flags of explain.
type explainArgs struct {
	options
	trace, report string
	runID         string
	grant         grant
	given         func(flag string) bool // on the command line
}

const explainLong = `Say why two accesses are a race, or why they are none: the chain of events that keeps them in order.

  presage explain                    lists the pairs of source lines that have no witness because of what calls of excluded code may do
  presage explain ID                 the race or warning of that ID in the last report here
  presage explain a.go:10 b.go:20    the accesses at two positions, each file:line or file:line:column (or a name in traces of other tools)

A chain goes from one access to the other: events of one goroutine, events that have to come before others (go statements, channels, WaitGroups), and
orders that excluded calls keep: between which calls, of which package, and which part of what they reach they share (docs/using/excluded.md). Without a
chain, what else keeps the accesses apart is said: a lock that both hold, values that reads have to see, or what the engine did not decide.`

func newExplain(env *Env) *cobra.Command {
	var o explainArgs
	cmd := &cobra.Command{Use: "explain [ID | position position]", Short: "Say why two accesses race, or what keeps them in order", Long: explainLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.configure(cmd.Flags()); err != nil {
				return err
			}
			return runExplain(cmd.Context(), env, o, args)
		}}
	o.register(cmd.Flags())
	return cmd
}

// register adds the flags to a command.
func (o *explainArgs) register(f *pflag.FlagSet) {
	f.StringVar(&o.trace, "trace", "", "trace, or directory of traces; without it those of the last run of this module")
	f.StringVar(&o.report, "report", "", "report in JSON form; without it that of the last run of this module")
	runIDFlag(f, &o.runID)
	f.BoolVar(&o.json, "json", false, "as JSON, one object a line")
	f.StringVar(&o.level, "level", levelPath, "hb, causal, value or path: as of the analysis to explain")
	f.IntVar(&o.window, "window", 0, "likewise, events per window")
	f.IntVar(&o.budget, "budget", 0, "likewise, conflicts of the engine")
	f.IntVar(&o.effort, "effort", 0, "likewise, work on one trace")
	f.StringVar(&o.missing, "missing", "rdit", "likewise, what calls of excluded code do: rdit, barrier, ignore")
	f.BoolVar(&o.grant.all, "trust", false, trustHelp)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
}

// configure takes the values of presage.yaml for flags that are not given.
func (o *explainArgs) configure(f *pflag.FlagSet) error {
	if err := configureFlags(f, "", ""); err != nil {
		return err
	}
	o.given = f.Changed
	if !o.given("level") && (o.level == levelNone || o.level == levelHB) {
		o.level = levelPath // the project's level predicts nothing
	}
	return nil
}

func runExplain(ctx context.Context, env *Env, o explainArgs, args []string) error {
	if err := errors.Join(checkLevel("-level", o.level), checkMissing(o.missing)); err != nil {
		return err
	}
	if o.level == levelNone || o.level == levelHB {
		return usagef("flag -level: at level %s nothing is predicted, so nothing keeps a pair from it", o.level)
	}
	x := &explainer{env: env, args: o, to: newExplanations(env.Stdout, o.json)}
	switch {
	case len(args) == 1 && !strings.Contains(args[0], ":"):
		return x.race(args[0])
	case len(args) == 2:
		return x.exit(x.pair(ctx, args[0], args[1]))
	case len(args) == 0:
		return x.list(ctx)
	}
	return usagef("explain takes the ID of a race, or two positions, or nothing")
}

// explainer explains.
type explainer struct {
	env  *Env
	args explainArgs
	to   explanations
	run  *record.RunDir // that the traces are of, once it was looked for
}

// explanations receives what is explained.
type explanations interface {
	Race(*report.Race) error
	Explained(*report.Explained) error // no race
}

// explanationPrinter prints what is explained.
type explanationPrinter struct {
	report.Handler
	w    io.Writer
	json bool
}

func newExplanations(w io.Writer, asJSON bool) explanations {
	return &explanationPrinter{newDetails(w, asJSON), w, asJSON}
}

// Explained prints why two accesses are no race.
func (p *explanationPrinter) Explained(e *report.Explained) error {
	if p.json {
		return json.NewEncoder(p.w).Encode(e)
	}
	return report.WriteExplained(p.w, textOptions(p.w), e)
}

// exit is the end of a command that explains a pair.
func (x *explainer) exit(races int, nothing string, err error) error {
	switch {
	case err != nil:
		return err
	case races > 0:
		return &exitError{code: exitRaces}
	case nothing != "":
		return &exitError{exitFailed, nothing}
	}
	return nil
}

// race prints one race of a report: its witness is the explanation.
func (x *explainer) race(id string) error {
	k, err := readKept(x.args.report, x.args.runID)
	if err != nil {
		return err
	}
	races, err := k.choose([]string{id}, false)
	if err != nil {
		if i := slices.IndexFunc(k.warned, func(w *report.StaticWarning) bool { return w.ID == id }); i >= 0 {
			return newDetails(x.env.Stdout, x.args.json).StaticWarning(k.warned[i])
		}
		return usagef("the report has no race %q, nor a warning of static analysis: presage report prints those that it has. Of a warning of presage vet, presage explain with its two positions says what the run knows", id)
	}
	if err := x.to.Race(races[0]); err != nil {
		return err
	}
	return &exitError{code: exitRaces}
}

// files are the traces to look at.
func (x *explainer) files() ([]string, error) {
	if x.args.trace != "" {
		return traceFiles([]string{x.args.trace})
	}
	run, err := findRun(x.args.runID)
	if err != nil {
		return nil, err
	}
	x.run = run
	k, err := readReport(filepath.Join(run.Dir, record.ReportFile))
	if err != nil {
		return nil, damagedRun(run, err)
	}
	if k.summary.TraceFile == "" { // -online records none
		return nil, fmt.Errorf("run %s has no trace", run.ID)
	}
	all := x.args.grant.all
	k.own = true
	x.asRecorded(k.config)
	x.args.grant = k.grant()
	x.args.grant.all = all
	return traceFiles([]string{k.summary.TraceFile}) // -o may have moved them
}

// asRecorded takes the level and the window of the run, where the command line has none.
func (x *explainer) asRecorded(c *report.Config) {
	if !x.args.given("level") && slices.Contains([]string{levelCausal, levelValue, levelPath}, c.Level) {
		x.args.level = c.Level
	}
	if !x.args.given("window") && c.Window > 0 {
		x.args.window = c.Window
	}
}

// each analyses the traces, and gives each result to f.
func (x *explainer) each(ctx context.Context, explain explained, f func(all *searches, s *search) error) error {
	files, err := x.files()
	if err != nil {
		return err
	}
	a := newAnalysis(x.env, x.args.options, newProgress(x.env.Stderr, x.args.quiet))
	a.explain, a.load.grant = explain, x.args.grant
	defer a.progress.end()
	all := a.searches()
	for _, name := range files {
		s, err := all.find(ctx, name)
		if err != nil {
			return err
		}
		if err := errors.Join(predict.Confirm(opener(name), s.meta, s.res), f(all, s)); err != nil {
			return err
		}
	}
	return nil
}

// list prints the pairs that calls of excluded code leave undecided.
func (x *explainer) list(ctx context.Context) error {
	n := 0
	err := x.each(ctx, nil, func(_ *searches, s *search) error {
		name, meta, res := s.name, s.meta, s.res
		for _, p := range res.Kept {
			n++
			by := predict.MethodName(meta, p.Method)
			if x.args.json {
				if err := json.NewEncoder(x.env.Stdout).Encode(map[string]string{"a": meta.Position(p.A), "b": meta.Position(p.B), "by": by, "trace": name}); err != nil {
					return err
				}
				continue
			}
			visible.Fprintf(x.env.Stdout, "%s %s  by %s\n", shortened(meta.Position(p.A)), shortened(meta.Position(p.B)), by)
		}
		return nil
	})
	if err == nil && n == 0 && !x.args.json {
		fmt.Fprintln(x.env.Stdout, "presage: the last run has no race that excluded code leaves undecided; presage explain a.go:10 b.go:20 says why two accesses do not race")
	}
	return err
}

// shortened is a position below the directory that we are in.
func shortened(pos string) string {
	if dir, err := os.Getwd(); err == nil {
		return strings.TrimPrefix(pos, dir+string(filepath.Separator))
	}
	return pos
}

var column = regexp.MustCompile(`(:\d+):\d+$`)

// matches says whether a position is meant.
func matches(pos, want string) bool {
	for _, p := range []string{pos, column.ReplaceAllString(pos, "$1")} {
		if p != "" && (p == want || strings.HasSuffix(p, string(filepath.Separator)+want)) {
			return true
		}
	}
	return false
}

// absolute makes a source line that is relative to the working directory absolute.
func absolute(line string) string {
	if abs, err := filepath.Abs(line); err == nil && strings.HasPrefix(line, ".") {
		return abs
	}
	return line
}

// pair explains the accesses at two source lines. It returns the number of races, and what is known
// if there is nothing to explain.
func (x *explainer) pair(ctx context.Context, p, q string) (races int, absent string, err error) {
	p, q = absolute(p), absolute(q)
	asked := func(meta *trace.Meta) func(a, b trace.Site) bool {
		at := make(map[trace.Site][2]bool, len(meta.Sites))
		of := func(s trace.Site) [2]bool {
			v, ok := at[s]
			if !ok {
				pos := meta.Position(s)
				v = [2]bool{matches(pos, p), matches(pos, q)}
				at[s] = v
			}
			return v
		}
		return func(a, b trace.Site) bool {
			if b == 0 {
				return of(a)[0] || of(a)[1]
			}
			return of(a)[0] && of(b)[1] || of(a)[1] && of(b)[0]
		}
	}
	said := 0
	var nothing absence
	err = x.each(ctx, asked, func(all *searches, s *search) error {
		name, meta, res := s.name, s.meta, s.res
		is := asked(meta)
		res.Races = slices.DeleteFunc(res.Races, func(r predict.Race) bool { return !is(r.A.Site, r.B.Site) })
		toRun := res.ToRun
		res.ToRun = nil // they are no races
		if err := all.found.locate(all.located(s)); err != nil {
			return err
		}
		races += len(all.found.set.Races())
		list := slices.DeleteFunc(res.Explained, func(e predict.Explanation) bool {
			return e.Reason == predict.Raced || slices.ContainsFunc(res.Races, func(r predict.Race) bool { return sameSites(e, r) })
		})
		for _, r := range toRun {
			if is(r.A.Site, r.B.Site) {
				list = slices.DeleteFunc(list, func(e predict.Explanation) bool { return sameSites(e, r) })
				list = append(list, predict.Explanation{A: r.A, B: r.B, Reason: predict.OnlyRun})
			}
		}
		said += len(list)
		if races+said == 0 {
			return nothing.look(name, meta, func(s trace.Site) (bool, bool) { return matches(meta.Position(s), p), matches(meta.Position(s), q) })
		}
		all.progress.end()
		for _, r := range all.found.set.Races() {
			if err := x.to.Race(r); err != nil {
				return err
			}
		}
		all.found.set = report.Set{}
		return x.print(s, len(all.traces.files) > 1, list)
	})
	if err == nil && races+said == 0 {
		absent = nothing.text(p, q)
	}
	return races, absent, err
}

// sameSites reports whether an explanation and a race are of the same two sites.
func sameSites(e predict.Explanation, r predict.Race) bool {
	return r.A.Site == e.A.Site && r.B.Site == e.B.Site || r.A.Site == e.B.Site && r.B.Site == e.A.Site
}

// print sends on the explanations, with the source lines of their events.
func (x *explainer) print(of *search, several bool, list []predict.Explanation) error {
	name, meta := of.name, of.meta
	if len(list) == 0 {
		return nil
	}
	var specs []report.Spec
	parts := map[[2]uint64]*report.MemoryName{}
	for _, e := range list {
		s := report.Spec{A: e.A.Index, B: e.B.Index}
		for _, l := range e.Chain {
			s.Order = append(s.Order, l.From, l.To)
			parts[l.Part] = &report.MemoryName{From: l.Part[0], To: l.Part[1]}
			for _, c := range l.Calls {
				s.Order = append(s.Order, c.Begin)
			}
		}
		specs = append(specs, s)
	}
	s, err := openTrace(name)
	if err != nil {
		return err
	}
	defer s.Close()
	loc := report.NewLocator(meta, specs, report.FileSource(meta.Files), of.types())
	var e trace.Event
	for i := int64(0); ; i++ {
		if err := s.Next(&e); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		if loc.Wants() {
			loc.Step(i, &e)
		}
		for _, m := range parts {
			m.Step(meta, &e)
		}
	}
	found, err := loc.Candidates()
	if err != nil {
		return err
	}
	for n, e := range list {
		out := x.explained(meta, loc, &found[n], &e, parts)
		if several {
			out.Trace = name
		}
		if err := x.to.Explained(out); err != nil {
			return err
		}
	}
	return nil
}

func (x *explainer) explained(meta *trace.Meta, loc *report.Locator, found *report.Candidate, e *predict.Explanation, parts map[[2]uint64]*report.MemoryName) *report.Explained {
	out := &report.Explained{
		A: found.A, B: found.B, Object: found.Object, Hidden: found.Hidden,
		Reason: reasons[e.Reason].name, Text: reasons[e.Reason].text, Names: make(map[int]string),
	}
	for g, x := range meta.Goroutines {
		if x.Name != "" {
			out.Names[g] = x.Name
		}
	}
	for _, l := range e.Chain {
		step := report.LinkStep{From: loc.At(l.From), To: loc.At(l.To), By: links[l.By]}
		for _, c := range l.Calls {
			at := loc.At(c.Begin)
			step.Calls = append(step.Calls, report.CallOf{Package: strings.TrimPrefix(at.Text, "begins a call of "), Goroutine: int(c.G), Position: at.Position, Begin: c.Begin, End: c.End})
		}
		switch {
		case l.Lives != 0:
			step.Part = "whether " + meta.GoName(l.Lives) + " lives"
		case len(l.Calls) > 0:
			step.Part = parts[l.Part].String()
		}
		out.Links = append(out.Links, step)
	}
	return out
}

var links = map[predict.LinkKind]string{predict.ProgramOrder: "program-order", predict.MustPrecede: "must-precede", predict.MissingMethod: "missing-method"}

// reasons are what explanations say.
var reasons = map[predict.Reason]struct{ name, text string }{
	predict.Locked:     {"locked", "Both hold one lock, and not both for reading."},
	predict.Ordered:    {"ordered", "They keep their order in every execution that presage considers. In these, calls of code without records stay where they are and return what they returned (presage explore runs a test under other schedules):"},
	predict.Missing:    {"missing", "They keep their order because of what calls of excluded code may do. To decide the pair, trace that code:"},
	predict.Together:   {"together", "They keep their order because of what several calls of excluded code may do together; without these calls there is a witness. To decide the pair, trace that code."},
	predict.Values:     {"values", "They are next to each other only in executions in which reads that branches and addresses depend on see other values."},
	predict.Operations: {"operations", "No order of the recorded operations on locks, channels, WaitGroups and the like has both next to each other."},
	predict.Undecided:  {"undecided", "The search for a witness ended at its limit (-budget raises it)."},
	predict.Untried:    {"untried", "These two have a witness, but were not tried: other accesses at the same source lines were tried first and have none, or the effort for these lines or for the trace was spent."},
	predict.OnlyRun:    {"only-run", "They may race if code that is not recorded does something else in another schedule. Only a run can tell: presage test and presage run try such schedules (-confirm), and presage explore runs a test under many."},
}
