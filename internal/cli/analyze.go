package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
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

// missings are the assumptions about calls of excluded code, by name.
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
	o, fly, g, all := options{}, onTheFly{}, grant{}, false
	cmd := &cobra.Command{Use: "analyze trace...", Aliases: []string{"analyse"}, Args: minArgs(1),
		Short: "Analyse traces recorded earlier, or by other tools (RAPID's STD, also compressed by gzip)",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := configureFlags(cmd.Flags(), "", ""); err != nil {
				return err
			}
			if err := checkLevel("-level", o.level); err != nil {
				return err
			}
			if all {
				o.forms.verbose(o.json)
			}
			if err := errors.Join(checkMissing(o.missing), o.forms.check(o.json), o.forms.places(), o.suppress.check()); err != nil {
				return err
			}
			if o.time < 0 {
				return usagef("flag --time: %v is less than nothing", o.time)
			}
			if err := fly.check(cmd.Flags().Changed("level")); err != nil {
				return err
			}
			files, err := traceFiles(args)
			if err != nil {
				return err
			}
			a := newAnalysis(env, o, newProgress(env.Stderr, o.quiet))
			a.fly, a.load.grant, a.traces.files = fly, g, files
			a.command = append([]string{"presage", "analyze"}, args...)
			a.again = slices.Concat([]string{"presage", "analyze"}, givenFlags(cmd.Flags()), args)
			if a.sieve, err = o.suppress.sieve(cmd.Context(), ""); err != nil {
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
	f.BoolVarP(&all, "verbose", "v", false, "print all of each race: short for -format details")
	f.BoolVar(&o.json, "json", false, "the report as JSON, one object a line")
	f.Var(&o.forms, "format", "forms of the report, as json or sarif=file (presage help report)")
	f.StringVar(&o.level, "level", levelPath, "none, hb, causal, value or path: how far to look")
	f.IntVar(&o.window, "window", 0, "events per window of prediction; 0: the default")
	f.IntVar(&o.budget, "budget", 0, "conflicts the engine may spend on a pair of accesses; 0: the default")
	f.IntVar(&o.effort, "effort", 0, "work that prediction may do on one trace; 0: the default, about ten minutes")
	f.Var(&shareFlag{to: &o.memory}, "memory", "memory for the analysis, as 2G, or a part of what is free, as 25%; half by default")
	f.DurationVar(&o.time, "time", 0, "when prediction ends at the latest, as 10m; 0: never")
	o.suppress.register(f)
	f.StringVar(&o.missing, "missing", "rdit", "what calls of excluded code do: rdit, anything to what they reach; barrier, anything; ignore, nothing (and its races may be false)")
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
