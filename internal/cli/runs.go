package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

func newRuns(env *Env) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{Use: "runs", Short: "List the runs of this module that are kept, newest first", Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error { return listRuns(env, all, asJSON) }}
	cmd.Flags().BoolVar(&all, "all", false, "the runs of all modules")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, one object a line")
	return cmd
}

// runIDFlag is the flag that chooses a run.
func runIDFlag(f *pflag.FlagSet, id *string) {
	f.StringVar(id, "run-id", "", "a run of presage runs, or the beginning of its ID; without it the last run of this module")
}

// findRun is the run of an ID, or the last one of the module.
func findRun(id string) (*record.RunDir, error) {
	if id == "" {
		return record.LastRun()
	}
	return record.FindRun(id)
}

// damagedRun says what to do about a run whose report cannot be read. What was found stays as it
// is.
func damagedRun(run *record.RunDir, err error) error {
	var found *exitError
	var path *fs.PathError
	if err == nil || errors.As(err, &found) || errors.As(err, &path) && path.Op == "write" {
		// it is printed where nothing can be written
		return err
	}
	return fmt.Errorf("run %s is damaged: %w. Make it anew: %s; or take another one: presage runs, flag -run-id", run.ID, err, commandLine(run.Command))
}

// keptRun is a line of presage runs.
type keptRun struct {
	*record.RunDir
	Verdict string `json:"verdict"`
	Exit    *int   `json:"exit_code,omitempty"` // of a finished one
	Races   *int   `json:"races,omitempty"`
	Why     string `json:"why,omitempty"` // it is damaged
}

// The verdicts of presage runs, besides report.Searched and the states of runs without a report.
const (
	verdictRaces   = "races"
	verdictDamaged = "damaged"
	verdictUnknown = "unknown" // of an earlier presage, which does not say how much was searched
)

func newKeptRun(run *record.RunDir) *keptRun {
	k := &keptRun{RunDir: run, Verdict: string(run.State)}
	if run.State != record.Finished {
		return k
	}
	of, err := readReport(filepath.Join(run.Dir, record.ReportFile))
	if err != nil {
		k.Verdict, k.Why = verdictDamaged, err.Error()
		return k
	}
	s := of.summary
	k.Exit, k.Races, k.Command = &s.ExitCode, &s.Races, of.config.Command
	switch {
	case s.Races > 0:
		k.Verdict = verdictRaces
	case s.Coverage == nil:
		k.Verdict = verdictUnknown
	default:
		k.Verdict = string(s.Coverage.Searched)
	}
	return k
}

// verdicts are the words of the list.
var verdicts = map[string]string{
	string(report.Whole): "no races", string(report.Part): "searched in part", string(report.Nothing): "not searched",
	string(record.Running): "still running", string(record.Unfinished): "killed, or failed",
}

func listRuns(env *Env, all, asJSON bool) error {
	root := ""
	if !all {
		var err error
		if root, err = record.ModuleRoot(""); err != nil {
			return err
		}
	}
	runs, err := record.Runs(root)
	if err != nil {
		return err
	}
	if len(runs) == 0 && !asJSON {
		visible.Fprintf(env.Stdout, "presage: no run %sis kept; presage test and presage run keep theirs\n", pickString(all, "", "of the module in "+root+" "))
		return nil
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(w, "ID\tTIME\tVERDICT\tEXIT\tRACES\t"+pickString(all, "MODULE\t", "")+"COMMAND")
	}
	for _, run := range runs {
		k := newKeptRun(run)
		if asJSON {
			err = json.NewEncoder(env.Stdout).Encode(k)
		} else {
			_, err = fmt.Fprintln(w, k.line(all))
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// verdict is the verdict in words.
func (k *keptRun) verdict() string {
	if words := verdicts[k.Verdict]; words != "" {
		return words
	}
	return k.Verdict
}

// line is what people read.
func (k *keptRun) line(root bool) string {
	fields := []string{k.ID, k.Begun.Local().Format("2006-01-02 15:04:05"), k.verdict(), numberOr(k.Exit), numberOr(k.Races)}
	if root {
		fields = append(fields, k.Root)
	}
	fields = append(fields, commandLine(k.Command))
	for i, f := range fields {
		fields[i] = visible.Text(strings.ReplaceAll(f, "\t", " "))
	}
	return strings.Join(fields, "\t")
}

// numberOr is a number of the list, - where there is none.
func numberOr(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// commandLine is a command as it can be given to a shell.
func commandLine(args []string) string {
	var out []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$*?;&|<>()#") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}

func pickString(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
