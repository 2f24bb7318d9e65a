package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/report"
)

// newMerge is the command that makes one report of several in JSON form.
func newMerge(env *Env) *cobra.Command {
	var asJSON, all bool
	var f forms
	var s suppressFlags
	cmd := &cobra.Command{Use: "merge file...", Short: "Make one report of several, of shards or of repeated runs", Args: minArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := configureFlags(cmd.Flags(), "", ""); err != nil {
				return err
			}
			if all {
				f.verbose(asJSON)
			}
			if err := errors.Join(f.check(asJSON), f.places(), s.check()); err != nil {
				return err
			}
			return mergeReports(cmd.Context(), env, args, f, asJSON, s)
		}}
	s.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "the report as JSON, one object a line")
	cmd.Flags().BoolVarP(&all, "verbose", "v", false, "print all of each race: short for -format details")
	cmd.Flags().Var(&f, "format", "forms of the report, as json or sarif=file (presage help report)")
	return cmd
}

// mergeReports prints the reports of the files as one. A report that is not whole is an error, and
// nothing is printed.
func mergeReports(ctx context.Context, env *Env, files []string, f forms, asJSON bool, s suppressFlags) error {
	var all report.Merged
	for _, name := range files {
		all.Begin(name)
		if _, err := readInto(name, &all); err != nil {
			return err
		}
	}
	h, end := f.printer(env.Stdout, asJSON)
	sifted, err := s.sifted(ctx, h)
	if err != nil {
		return errors.Join(err, end())
	}
	err = all.Send(sifted)
	if endErr := end(); err == nil {
		err = endErr
	}
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	s.sayWritten(env, &sifted.Outcome)
	if code := sifted.Summed.ExitCode; code != exitNone {
		return &exitError{code: code}
	}
	return nil
}

// readInto reads a report for a Handler. It returns the number of its races.
func readInto(name string, h report.Handler) (races int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var count lastSummary
	err = report.HandleJSON(f, report.Tee(h, &count))
	if err == nil {
		err = count.whole()
	}
	if err != nil {
		return 0, fmt.Errorf("reading report %s: %w", name, err)
	}
	return count.races, nil
}
