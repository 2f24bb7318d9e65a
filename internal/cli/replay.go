package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// replayArgs are the flags of replay.
type replayArgs struct {
	file           string
	runID          string
	all, verbose   bool
	delve          bool
	keep           bool
	as             string // asOverlay, asSynctest, or ""
	quiet, json    bool
	trust          bool
	group          bool // the program has a process group, which ends with it
	limit, timeout time.Duration
	suppress       suppressFlags // which races -all and a list leave out
}

// what -as takes
const (
	asOverlay  = "overlay"  // a build of the go command with gates
	asSynctest = "synctest" // a test with package testing/synctest
)

func newReplay(env *Env) *cobra.Command {
	var o replayArgs
	cmd := &cobra.Command{Use: "replay [ID... | file...]", Short: "Run the program again under the witness of a race, with Go's race detector as the judge",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := configureFlags(cmd.Flags(), "", ""); err != nil {
				return err
			}
			return runReplay(cmd.Context(), env, o, args)
		}}
	o.register(cmd.Flags())
	return cmd
}

// register adds the flags to a command.
func (o *replayArgs) register(f *pflag.FlagSet) {
	f.Var((*given)(&o.suppress.baseline), "baseline", "leave out the races that are in this file")
	f.Var(&o.suppress.ignore, "ignore", "leave out the races with an access in a file or function, or on a variable, that this regular expression matches")
	f.Var((*given)(&o.suppress.since), "new", "leave out the races of functions that have not changed since this git revision")
	f.StringVar(&o.file, "report", "", "report in JSON form; without it that of the last run of this module")
	runIDFlag(f, &o.runID)
	f.BoolVar(&o.all, "all", false, "replay every race of the report")
	f.BoolVar(&o.keep, "keep", false, "write the schedules into the module, to replay them without a trace (docs/using/replay.md)")
	f.StringVar(&o.as, "as", "", "overlay: keep the race as a build of the go command that needs no presage, too; synctest: write it as a plain Go test (docs/using/replay.md)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print all of the schedule as it happened, not its last steps alone")
	f.BoolVar(&o.delve, "dlv", false, "run the program under delve, up to where both goroutines are before their accesses")
	f.BoolVar(&o.json, "json", false, "the outcome as JSON, one object a line")
	f.BoolVar(&o.trust, "trust", false, trustHelp)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	f.DurationVar(&o.limit, "limit", time.Second, "how long the schedule waits for an event before it is loosened")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "how long a run of the program may take")
}

func runReplay(ctx context.Context, env *Env, o replayArgs, ids []string) error {
	if o.as != "" && o.as != asOverlay && o.as != asSynctest {
		return usagef("-as %s: there are %s and %s", o.as, asOverlay, asSynctest)
	}
	if o.as == asSynctest && (o.json || o.delve) {
		return usagef("-as %s runs no schedule: -json and -dlv say nothing of it", asSynctest)
	}
	o.keep = o.keep || o.as == asOverlay
	if files, ok, err := keptFiles(ids); err != nil {
		return err
	} else if ok {
		if o.as == asSynctest {
			return usagef("-as %s takes the IDs of races of a report, not files", asSynctest)
		}
		r := replayer{env: env, args: o, grant: grant{all: o.trust}, progress: newProgress(env.Stderr, o.quiet)}
		return r.replayFiles(ctx, files)
	}
	k, err := readKept(o.file, o.runID)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		sieve, err := o.suppress.sieve(ctx, "")
		if err != nil {
			return err
		}
		if n := k.hide(sieve.Suppressed(k.races)); n > 0 {
			visible.Fprintf(env.Stderr, "presage: %s\n", plural.Text(n, "{{n}} suppressed race{{|s}} {{is|are}} left out (presage replay ID runs one of them)"))
		}
	}
	if len(ids) == 0 && !o.all {
		return k.list(env.Stdout)
	}
	races, err := k.choose(ids, o.all)
	if err != nil {
		return err
	}
	if len(races) == 0 && !o.json {
		visible.Fprintf(env.Stderr, "presage: the report has no race to replay\n")
	}
	if o.delve && len(races) != 1 {
		return usagef("-dlv takes one race, not %d", len(races))
	}
	r := newReplayer(env, k, o)
	switch {
	case o.as == asSynctest:
		return r.plainTests(ctx, races)
	case o.keep:
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
		visible.Fprintf(env.Stdout, "presage: %d of %s confirmed\n", confirmed, plural.Of(len(races), "race"))
	}
	if confirmed > 0 {
		return &exitError{code: exitRaces}
	}
	return nil
}

// newReplayer returns a replayer of the races of a report.
func newReplayer(env *Env, k *kept, o replayArgs) *replayer {
	r := &replayer{env: env, kept: k, args: o, grant: k.grant(), progress: newProgress(env.Stderr, o.quiet), programs: map[string]*made{}, plans: map[string]*plan.Plan{}}
	r.grant.all = o.trust
	return r
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
	visible.Fprintf(w, "race %s on %s: %s in try %d (%s and %s, %s)\n", race.ID, race.Name(), verdict, len(out.Tries), short(race.A.Position), short(race.B.Position), plural.Of(out.Steps, "step"))
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
		visible.Fprintf(w, "\n  Go's race detector, with its own numbers of goroutines:\n%s\n", visible.Block(indent(last.Report)))
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
		visible.Fprintf(w, "  the schedule as it happened, without %s at the beginning (-v shows all):\n", plural.Of(n, "step"))
		schedule = schedule[n:]
	} else {
		visible.Fprintf(w, "  the schedule as it happened:\n")
	}
	for _, s := range schedule {
		visible.Fprintf(w, "  %6d goroutine %d %s at %s:%d (event %d)\n", s.Order, s.Goroutine, report.Does(s.Is), filepath.Base(s.File), s.Line, s.Event)
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
