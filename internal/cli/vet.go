package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/baseline"
	"github.com/presage-race/presage/internal/static/ignore"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/revision"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

type vetOptions struct {
	json, tests, quiet, guards bool
	forms                      forms
	tier, dir, tags            string
	baseline, since            string
	write                      bool
	store                      string
	shard, link                bool
	confirming                 string // a time, or off
}

const vetLong = `Warn of accesses that may race in some run, without running anything.

Each warning is a pair of accesses, at least one a write, that nothing is known to keep apart. It is no proof: what speaks against it is said with it,
as codes, and decides its tier. Within a tier the strongest come first. docs/using/vet.md has the codes and what is not seen.

Exit codes: 0 no warnings; 1 presage failed, or a package did not load whole; 2 usage; 3 warnings.

A comment //presage:ignore with a reason behind it, on the line of one of the two accesses or alone on the line above, silences a warning.`

func newVet(env *Env) *cobra.Command {
	o := vetOptions{}
	all := false
	cmd := &cobra.Command{Use: "vet [packages]", Short: "Warn of accesses that may race in some run, without running anything", Long: vetLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := configureFlags(cmd.Flags(), o.dir, "vet."); err != nil {
				return err
			}
			if o.guards && !cmd.Flags().Changed("baseline") {
				o.baseline = "" // of presage.yaml
			}
			if all {
				o.forms.verbose(o.json)
			}
			return vet(cmd.Context(), env, o, args)
		}}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "the warnings as JSON, one object a line, in the schema of the report (docs/using/report.md)")
	f.Var(&o.forms, "format", "forms of the report, as json or sarif=file (presage help report)")
	f.StringVar(&o.tier, "tier", string(tier.Likely), "likely, possible, unlikely or all: how much may speak against a warning")
	f.StringVar(&o.baseline, "baseline", "", "report only what is not in this `file`")
	f.BoolVar(&o.write, "write-baseline", false, "write the file of -baseline anew, instead of reporting")
	f.StringVar(&o.since, "new", "", "report only what is not there at this git `revision`")
	f.BoolVar(&o.guards, "guards", false, "instead of warnings, suggest which lock guards which field and variable")
	f.StringVar(&o.confirming, "confirm", "off", "write tests of two calls for the warnings and explore them, for at most this `time`")
	f.Lookup("confirm").NoOptDefVal = confirmTime
	f.BoolVar(&o.tests, "tests", true, "with the packages' tests")
	f.BoolVarP(&all, "verbose", "v", false, "print all of each warning: short for -format details")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	f.StringVarP(&o.dir, "C", "C", "", "change to this `directory` first")
	f.StringVar(&o.tags, "tags", "", "build tags, as for the go command")
	f.StringVar(&o.store, "store", "", "directory of summaries, which later runs use; off: none (default below the cache directory)")
	f.BoolVar(&o.shard, "shard", false, "only summarise, together with other processes that have the same directory of summaries")
	f.BoolVar(&o.link, "link", false, "summarise nothing: all summaries are in their directory, by -shard or go vet -vettool")
	return cmd
}

// check finds what is wrong with the flags.
func (o *vetOptions) check() error {
	if o.tier == "all" {
		o.tier = string(tier.Unlikely)
	}
	if err := errors.Join(o.forms.check(o.json), o.forms.places()); err != nil {
		return err
	}
	switch {
	case !slices.Contains([]tier.Tier{tier.Likely, tier.Possible, tier.Unlikely}, tier.Tier(o.tier)):
		return usagef("flag -tier: %q is none of likely, possible, unlikely, all", o.tier)
	case o.write && o.baseline == "":
		return usagef("flag -write-baseline needs -baseline file")
	case o.write && o.since != "":
		return usagef("flag -write-baseline: a baseline has all warnings, not only those of -new")
	case (o.shard || o.link) && o.store == "off":
		return usagef("flags -shard and -link need a directory of summaries")
	case o.confirms() && (o.guards || o.write || o.shard):
		return usagef("flag -confirm needs warnings to confirm: -guards, -write-baseline and -shard report none")
	case o.confirms() && !isTime(o.confirming):
		return usagef("flag -confirm: %q is neither off nor a time as 5m", o.confirming)
	case o.shard && o.link:
		return usagef("flags -shard and -link: the one only summarises, the other only links")
	case o.guards && (o.baseline != "" || o.since != ""):
		return usagef("flag -guards reports no warnings that -baseline or -new could compare")
	}
	return nil
}

// confirms reports whether tests are to confirm warnings. -static has no such flag.
func (o *vetOptions) confirms() bool { return o.confirming != "" && o.confirming != "off" }

func isTime(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}

// vetting is one run of presage vet.
type vetting struct {
	vetOptions
	env      *Env
	begun    time.Time
	patterns []string
	progress *progress

	buildFlags []string // of the go command, besides -tags

	res     *static.Result
	ignored *ignore.Set
	known   map[string]bool // fingerprints of the baseline
	old     map[string]bool // and of the revision
	counts  report.Vetted

	unconfirmed error // why -confirm came to nothing
}

// vet runs the static lens and reports.
func vet(ctx context.Context, env *Env, o vetOptions, patterns []string) error {
	if err := o.check(); err != nil {
		return err
	}
	// a worktree is removed, whatever happens
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second interrupt ends the process
	v := &vetting{vetOptions: o, env: env, begun: time.Now(), patterns: patterns, progress: newProgress(env.Stderr, o.quiet)}
	defer v.progress.end()
	if o.dir != "" {
		if _, err := os.Stat(o.dir); err != nil {
			return fmt.Errorf("flag -C: %w", err)
		}
	}
	if err := v.readBaseline(); err != nil {
		return err
	}
	if err := v.revision(ctx); err != nil {
		return err
	}
	var err error
	if v.shard {
		return v.summarise(ctx)
	}
	if v.res, v.ignored, err = v.analyse(ctx, o.dir, patterns, "analysing packages"); err != nil {
		return err
	}
	v.progress.end()
	return v.report(ctx)
}

// analyse runs the static lens on the packages that the patterns name in dir, and reads their
// directives.
func (v *vetting) analyse(ctx context.Context, dir string, patterns []string, text string) (*static.Result, *ignore.Set, error) {
	cfg, err := v.config(dir, patterns)
	if err != nil {
		return nil, nil, err
	}
	cfg.Link = v.link && dir == v.dir
	v.progress.step(report.Progress{Text: "listing packages"})
	cfg.Progress = func(done, total int, _ string) {
		v.progress.step(report.Progress{Text: text, Done: int64(done), Total: int64(total)})
		if done == total {
			v.progress.step(report.Progress{Text: "linking"})
		}
	}
	res, err := static.Run(ctx, cfg)
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("interrupted: nothing is reported; the summaries that were made are kept")
	}
	var missing *static.MissingError
	if errors.As(err, &missing) {
		return nil, nil, fmt.Errorf("%w; summarise them with presage vet -shard, or CGO_ENABLED=0 go vet -a -vettool=presage", err)
	}
	if err != nil {
		return nil, nil, err
	}
	set, err := ignore.Read(res.Files)
	return res, set, err
}

func (v *vetting) config(dir string, patterns []string) (cfg static.Config, err error) {
	cfg.Config = load.Config{Dir: dir, Patterns: patterns, Tests: v.tests}
	cfg.BuildFlags = v.buildFlags
	cfg.Tags = strings.FieldsFunc(v.tags, func(r rune) bool { return r == ',' || r == ' ' })
	cfg.Store, err = vetStore(v.store)
	return cfg, err
}

// summarise makes summaries together with other processes (-shard).
func (v *vetting) summarise(ctx context.Context) error {
	cfg, err := v.config(v.dir, v.patterns)
	if err != nil {
		return err
	}
	cfg.Share = true
	cfg.Progress = func(done, total int, _ string) {
		v.progress.step(report.Progress{Text: "summarising packages", Done: int64(done), Total: int64(total)})
	}
	res, err := static.Run(ctx, cfg)
	if err != nil {
		return err
	}
	v.progress.end()
	if !v.quiet {
		s := res.Stats.Store
		visible.Fprintf(v.env.Stderr, "presage: summaries: %d made, %d found in %s, in %.1fs\n", s.Made, s.Found, cfg.Store, time.Since(v.begun).Seconds())
	}
	return nil
}

// readBaseline reads the file of -baseline.
func (v *vetting) readBaseline() error {
	if v.baseline == "" || v.write {
		return nil
	}
	f, err := os.Open(v.baseline)
	if err != nil {
		return fmt.Errorf("reading the baseline: %w (-write-baseline makes one)", err)
	}
	defer f.Close()
	if v.known, err = baseline.Read(f); err != nil {
		return fmt.Errorf("reading the baseline %s: %w", v.baseline, err)
	}
	return nil
}

// revision analyses the revision of -new and keeps the fingerprints of what would be reported
// there.
func (v *vetting) revision(ctx context.Context) (err error) {
	if v.since == "" {
		return nil
	}
	dir, err := filepath.Abs(v.dir)
	if err != nil {
		return err
	}
	tree, err := revision.Checkout(ctx, dir, v.since)
	if err != nil {
		return err
	}
	defer func() {
		if e := tree.Remove(); e != nil && err == nil {
			err = fmt.Errorf("removing the files of %s: %w", v.since, e)
		}
	}()
	v.old = map[string]bool{}
	if _, err := os.Stat(tree.Dir); os.IsNotExist(err) {
		return nil // all is new
	}
	var patterns []string
	for _, p := range v.patterns {
		patterns = append(patterns, tree.Inside(p))
	}
	res, set, err := v.analyse(ctx, tree.Dir, patterns, "analysing packages at "+v.since)
	if _, none := err.(*load.NoMatchError); none {
		return nil
	}
	if err != nil {
		return fmt.Errorf("at %s: %w", v.since, err)
	}
	for _, e := range res.Errors {
		if e.Target { // what is not seen there is reported as new
			visible.Fprintf(v.env.Stderr, "presage: at %s, %v\n", v.since, e)
		}
	}
	for _, w := range res.Pairs {
		if tier.Shows(tier.Tier(v.tier), w.Tier) && !silenced(res, set, w) {
			v.old[w.ID] = true
		}
	}
	return nil
}

// silenced reports whether a directive stands at one of the accesses. Both are looked at, so that
// both directives count as used.
func silenced(res *static.Result, set *ignore.Set, w *static.Warning) bool {
	covers := false
	for _, a := range []summary.Pos{w.A.Pos, w.B.Pos} {
		p := res.Position(a)
		covers = set.Covers(p.Filename, p.Line) || covers
	}
	return covers
}

// choose leaves out what is silenced, in the baseline, or there at the revision, and counts it.
func (v *vetting) choose() map[*static.Warning]bool {
	kept := map[*static.Warning]bool{}
	found := map[string]bool{}
	for _, w := range v.res.Pairs {
		found[w.ID] = true
		switch {
		case silenced(v.res, v.ignored, w):
			v.counts.Ignored++
		case v.known[w.ID]:
			v.counts.Baseline++
		case v.old[w.ID]:
			v.counts.Old++
		default:
			kept[w] = true
		}
	}
	for id := range v.known {
		if !found[id] {
			v.counts.Gone++
		}
	}
	return kept
}

// writeBaseline writes the file of -baseline: every pair of the tier.
func (v *vetting) writeBaseline(kept map[*static.Warning]bool) error {
	var entries []baseline.Entry
	for _, w := range v.res.Pairs {
		if kept[w] && tier.Shows(tier.Tier(v.tier), w.Tier) {
			entries = append(entries, baseline.Entry{ID: w.ID, Text: fmt.Sprintf("%s %s: %v in %s, %v in %s", w.Tier, static.Short(w.Class()),
				w.A.Kind, static.Short(w.A.Func), w.B.Kind, static.Short(w.B.Func))})
		}
	}
	var b bytes.Buffer
	if err := baseline.Write(&b, entries); err != nil {
		return err
	}
	if err := os.WriteFile(v.baseline, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	visible.Fprintf(v.env.Stderr, "presage: %s written to %s\n", plural.Of(len(entries), "pair"), v.baseline)
	return nil
}
