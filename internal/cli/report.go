package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/suppress"
)

func newReport(env *Env) *cobra.Command {
	var asJSON, all, coverage bool
	var id string
	var f forms
	var s suppressFlags
	cmd := &cobra.Command{Use: "report [file]", Short: "Print the report of the last run of this module, or of a file in JSON form, again",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("report takes at most one file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(configureFlags(cmd.Flags(), "", ""), s.check()); err != nil {
				return err
			}
			if len(args) == 1 && id != "" {
				return usagef("report takes a file or -run-id, not both")
			}
			if coverage {
				if err := f.Set("coverage"); err != nil {
					return err
				}
			}
			if all {
				f.verbose(asJSON)
			}
			if err := errors.Join(f.check(asJSON), f.places()); err != nil {
				return err
			}
			if len(args) == 1 {
				return printReport(cmd.Context(), env, args[0], f, asJSON, s)
			}
			run, err := findRun(id)
			if err != nil {
				return err
			}
			return damagedRun(run, printReport(cmd.Context(), env, filepath.Join(run.Dir, record.ReportFile), f, asJSON, s))
		}}
	runIDFlag(cmd.Flags(), &id)
	s.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the JSON form")
	cmd.Flags().Var(&f, "format", "forms of the report, as csv or html=file")
	cmd.Flags().BoolVar(&coverage, "coverage", false, "print what was not recorded or not searched, and what to do: short for -format coverage")
	cmd.Flags().BoolVarP(&all, "verbose", "v", false, "print all of each race: short for -format details")
	return cmd
}

func printReport(ctx context.Context, env *Env, name string, f forms, asJSON bool, s suppressFlags) error {
	main := f.main(env.Stdout, asJSON)
	files, end := f.files()
	res, races, err := sendSifted(ctx, name, report.Tee(main, files), s)
	if res == nil {
		return errors.Join(err, end())
	}
	if x, ok := main.(interface{ Flush() error }); ok {
		err = errors.Join(err, x.Flush())
	}
	if endErr := end(); err == nil && endErr != nil { // the report itself is not to blame
		return &exitError{exitFailed, "writing the report: " + disk.Explain(endErr).Error()}
	}
	if err != nil {
		return err
	}
	s.sayWritten(env, res)
	if races -= countRaces(res.Suppressed); races > 0 {
		return &exitError{code: exitRaces}
	}
	return nil
}

// sendSifted sends a report in JSON form to h, through a sieve. It returns what the sieve has
// suppressed, and the number of races before that. The result is nil if nothing was sent.
func sendSifted(ctx context.Context, name string, h report.Handler, s suppressFlags) (res *suppress.Result, races int, err error) {
	sifted, err := s.sifted(ctx, h)
	if err != nil {
		return nil, 0, err
	}
	races, err = readInto(name, sifted)
	return &sifted.Outcome, races, errors.Join(err, sifted.Flush())
}

// countRaces counts the races among what is suppressed; the others are candidates.
func countRaces(list []*report.Suppressed) (n int) {
	for _, m := range list {
		if m.Race.Tier != "candidate" {
			n++
		}
	}
	return n
}

// lastSummary keeps the number of races, and what of a whole report there was.
type lastSummary struct {
	report.Ignore
	races           int
	begun, complete bool
}

// whole reports what a report lacks. Without its summary, races and warnings may be missing.
func (l *lastSummary) whole() error {
	switch {
	case !l.begun:
		return errors.New("it is empty, or no report: it does not begin with what made it (config)")
	case !l.complete:
		return errors.New("it is cut off: it has no summary, so races and warnings may be missing")
	}
	return nil
}

// Config notes that the report has begun.
func (l *lastSummary) Config(*report.Config) error { l.begun = true; return nil }

// Summary notes that the report is complete.
func (l *lastSummary) Summary(m *report.Summary) error {
	l.races, l.complete = m.Races, true
	if m.Vet != nil {
		l.races += m.Vet.Warnings
	}
	return nil
}

// newPrinter returns the Handler that prints to w: JSON, or text fit for what w is.
func newPrinter(w io.Writer, asJSON bool) report.Handler {
	if asJSON {
		return report.NewJSON(w)
	}
	return report.NewText(w, textOptions(w))
}

// newDetails is the same with all of each race.
func newDetails(w io.Writer, asJSON bool) report.Handler {
	if asJSON {
		return report.NewJSON(w)
	}
	return report.NewDetails(w, textOptions(w))
}

// textOptions are fit for what w is.
func textOptions(w io.Writer) (o report.TextOptions) {
	o.Dir, _ = os.Getwd()
	if f := asFile(w); f != nil && term.IsTerminal(int(f.Fd())) {
		o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = width
		}
	}
	return o
}
