package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/mcp"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
)

func newMCP(env *Env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{Use: "mcp", Short: "Offer the races of this module to a coding agent, as a server of the Model Context Protocol", Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMCP(cmd.Context(), env, dir) }}
	cmd.Flags().StringVar(&dir, "dir", "", "a directory of the module; without it the working directory")
	cmd.MarkFlagDirname("dir")
	return cmd
}

// serveMCP answers messages on standard input until it ends, or until a signal. Nothing else writes
// to standard output.
func serveMCP(ctx context.Context, env *Env, dir string) error {
	if dir != "" {
		if err := os.Chdir(dir); err != nil {
			return usagef("flag -dir: %v", err)
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return mcp.Serve(ctx, version(), env.Stdin, env.Stdout, &keptRuns{Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: env.Stderr}})
}

// keptRuns are the runs of the module in the working directory. It implements mcp.Kept with what
// the commands runs, report, explain and replay do. presage.yaml is read for each call, as for each
// command.
type keptRuns struct{ env Env }

// find returns the run of the module that has an ID, which may be cut; "" is the last one.
func (r *keptRuns) find(id string) (*record.RunDir, error) {
	if id == "" {
		run, err := record.LastRun()
		if none := (*record.NoRunError)(nil); errors.As(err, &none) {
			err = fmt.Errorf("no run of the module in %s is kept: presage test ./... there records one; presage mcp -dir serves another module", none.Root)
		}
		return run, err
	}
	root, err := record.ModuleRoot("")
	if err != nil {
		return nil, err
	}
	run, err := record.FindRun(id)
	if err == nil && run.Root != root {
		run.Release()
		run, err = nil, fmt.Errorf("run %s is of the module in %s: list_runs has those of %s", run.ID, run.Root, root)
	}
	return run, err
}

// Runs lists what presage runs does.
func (r *keptRuns) Runs(context.Context) ([]mcp.Run, error) {
	root, err := record.ModuleRoot("")
	if err != nil {
		return nil, err
	}
	runs, err := record.Runs(root)
	var out []mcp.Run
	for _, run := range runs {
		k := newKeptRun(run)
		out = append(out, mcp.Run{ID: k.ID, Begun: k.Begun.UTC().Format("2006-01-02T15:04:05Z"), Verdict: k.verdict(), ExitCode: k.Exit, Races: k.Races, Command: k.Command, Why: k.Why})
	}
	return out, err
}

// Report sends what presage report prints.
func (r *keptRuns) Report(ctx context.Context, id string, to report.Handler) (string, error) {
	run, err := r.find(id)
	if err != nil {
		return "", err
	}
	defer run.Release()
	var s suppressFlags
	flags := pflag.NewFlagSet("report", pflag.ContinueOnError)
	s.register(flags)
	if err := configureFlags(flags, "", ""); err != nil {
		return "", err
	}
	_, _, err = sendSifted(ctx, filepath.Join(run.Dir, record.ReportFile), to, s)
	return run.ID, damagedRun(run, err)
}

// Pair explains what presage explain does.
func (r *keptRuns) Pair(ctx context.Context, id, p, q string, to mcp.Explanations) (absent string, err error) {
	run, err := r.find(id)
	if err != nil {
		return "", err
	}
	defer run.Release()
	var o explainArgs
	flags := pflag.NewFlagSet("explain", pflag.ContinueOnError)
	o.register(flags)
	if err := o.configure(flags); err != nil {
		return "", err
	}
	o.runID, o.quiet = run.ID, true
	x := &explainer{env: &r.env, args: o, to: to}
	defer func() { x.run.Release() }()
	_, absent, err = x.pair(ctx, p, q)
	if ctx.Err() != nil { // what was analysed until then says nothing
		return "", ctx.Err()
	}
	return absent, err
}

// Replay does what presage replay does.
func (r *keptRuns) Replay(ctx context.Context, id, race string, says func(string)) (*mcp.Replayed, error) {
	run, err := r.find(id)
	if err != nil {
		return nil, err
	}
	defer run.Release()
	var o replayArgs
	flags := pflag.NewFlagSet("replay", pflag.ContinueOnError)
	o.register(flags)
	if err := configureFlags(flags, "", ""); err != nil {
		return nil, err
	}
	o.runID, o.quiet, o.group = run.ID, true, true
	k, err := readKept("", run.ID)
	if err != nil {
		return nil, err
	}
	defer k.run.Release()
	races, err := k.choose([]string{race}, false)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	env := r.env
	env.Stdout = &text
	p := newReplayer(&env, k, o)
	p.said = says
	out, err := p.replay(ctx, races[0])
	if err != nil {
		return nil, err
	}
	err = p.print(races[0], out)
	return &mcp.Replayed{Outcome: out, Text: text.String()}, err
}
