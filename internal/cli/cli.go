package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// Env is what the command line works with.
type Env struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Searching, if not nil, is called within the search of a trace. Tests interrupt presage there.
	Searching func(context.Context)
}

// The exit codes, as the package doc explains them.
const (
	exitNone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitRaces  = 3
)

// exitError ends the command with a code. A text is printed first, if there is one.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

// Main runs the command and returns its exit code.
func Main(ctx context.Context, env Env) int {
	endProfile, err := profile(env.Stderr)
	if err != nil {
		visible.Fprintf(env.Stderr, "presage: %v\n", err)
		return exitFailed
	}
	defer endProfile()
	giveModCache()
	done, err := vettool(&env)
	if !done {
		root, args := newRoot(&env), goStyle(env.Args)
		root.SetArgs(args)
		if err = valuesApart(root, args); err == nil {
			err = root.ExecuteContext(ctx)
		}
	}
	if err == nil {
		return exitNone
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{exitFailed, disk.Explain(err).Error()}
	}
	if exit.text != "" {
		visible.Fprintf(env.Stderr, "presage: %s\n", visible.Block(exit.text))
	}
	if exit.code == exitUsage {
		fmt.Fprintln(env.Stderr, "Run 'presage help' for usage.")
	}
	return exit.code
}

// goStyle lets long flags have one dash, as with the go command. The arguments of test
// and run are taken apart by parseGo.
func goStyle(args []string) []string {
	if len(args) > 0 && slices.Contains([]string{"test", "run", "config"}, args[0]) {
		return args
	}
	var out []string
	if isCompletion(args) {
		if len(args) > 2 && slices.Contains([]string{"test", "run", "explore", "config"}, args[1]) {
			return args
		}
		out, args = args[:1:1], args[1:]
	}
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if name, _, _ := strings.Cut(a, "="); len(name) > 2 && name[0] == '-' && name[1] != '-' {
			a = "-" + a
		}
		out = append(out, a)
	}
	return out
}

// valuesApart returns an error for the value of a flag that is an argument of its own, although the
// flag takes a value only behind =. parseGo does it for test and run.
func valuesApart(root *cobra.Command, args []string) error {
	cmd, _, err := root.Find(args)
	if err != nil {
		return nil // ExecuteContext says so
	}
	for i, arg := range args[:max(len(args)-1, 0)] {
		name := strings.TrimLeft(arg, "-")
		f := cmd.Flags().Lookup(name)
		if len(name) == 1 {
			f = cmd.Flags().ShorthandLookup(name)
		}
		if v := booleans[args[i+1]]; name != arg && f != nil && f.NoOptDefVal != "" && v != "" {
			return apart(name, args[i+1], v)
		}
	}
	return nil
}

// booleans are the words for the value of a flag that is on or off, and what the flag takes.
var booleans = map[string]string{"on": "true", "off": "false", "true": "true", "false": "false"}

// apart is the error for a value of a flag behind a space.
func apart(flag, next, value string) error {
	return usagef("flag -%s takes a value only behind =: did you mean -%[1]s=%[3]s? Without =, %[2]s is no value; if it is a file or a package, write ./%[2]s", flag, next, value)
}

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use: "presage", SilenceErrors: true, SilenceUsage: true, Version: versionLine(),
		CompletionOptions:          cobra.CompletionOptions{HiddenDefaultCmd: true},
		SuggestionsMinimumDistance: 2,
		Args: func(root *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			said := ""
			if meant := root.SuggestionsFor(args[0]); len(meant) > 0 {
				said = ": did you mean " + strings.Join(meant, " or ") + "?"
			}
			return usagef("unknown command %q%s", args[0], said)
		},
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(env.Stderr, helpText("presage"))
			return &exitError{code: exitUsage}
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	root.SetHelpCommand(newHelp(env))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprintln(env.Stdout, helpText(topic(cmd))) })
	if isCompletion(env.Args) {
		root.SetOut(oneDash{env.Stdout})
	}
	root.AddCommand(newTest(env), newExplore(env), newRun(env), newAnalyze(env), newVet(env), newConfig(env), newReport(env), newView(env), newMerge(env), newExplain(env), newReplay(env), newMCP(env), newRuns(env), newTrace(env), newVersion(env))
	for _, cmd := range root.Commands() {
		completeValues(cmd)
	}
	return root
}

// exactArgs and minArgs are cobra's, with our exit code.
func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s, not %d", cmd.CommandPath(), plural.Of(n, "argument"), len(args))
		}
		return nil
	}
}

func minArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("%s needs at least %s", cmd.CommandPath(), plural.Of(n, "argument"))
		}
		return nil
	}
}

// asFile returns w as a file, or nil.
func asFile(w io.Writer) *os.File {
	f, _ := w.(*os.File)
	return f
}
