package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/predict/symtrace"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/source"
	"github.com/presage-race/presage/internal/trace/std"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

func newTrace(env *Env) *cobra.Command {
	cmd := &cobra.Command{Use: "trace", Short: "Look inside a trace", Args: func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command \"trace %s\": dump, stat or convert", args[0])
		}
		return nil
	}, RunE: func(*cobra.Command, []string) error { return usagef("trace needs a subcommand: dump, stat or convert") }}
	cmd.AddCommand(newDump(env), newStat(env), newConvert(env))
	return cmd
}

// openTrace opens a trace of any form; its errors name the file once.
func openTrace(name string) (*source.File, error) {
	f, err := source.Open(name)
	if u := underlying(err); u != err {
		return nil, fmt.Errorf("reading trace %s: %w", name, u)
	}
	return f, err
}

func newDump(env *Env) *cobra.Command {
	var symbolic bool
	var g grant
	cmd := &cobra.Command{Use: "dump [-symbolic] trace", Short: "Print a trace in its text form (package internal/trace/raw)", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if symbolic {
				return dumpSymbolic(cmd.Context(), env, g, args[0])
			}
			f, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			out := visible.NewWriter(env.Stdout)
			_, _, err = source.Convert(out, source.Text, f)
			return errors.Join(err, out.Close())
		}}
	cmd.Flags().BoolVar(&g.all, "trust", false, trustHelp)
	cmd.Flags().BoolVar(&symbolic, "symbolic", false, "print what each goroutine did, in SSA form; the source has to be at hand as it was recorded")
	return cmd
}

// dumpSymbolic prints the symbolic trace.
func dumpSymbolic(ctx context.Context, env *Env, g grant, name string) error {
	f, err := openTrace(name)
	if err != nil {
		return err
	}
	meta := f.Meta()
	if err := f.Close(); err != nil {
		return err
	}
	if meta.Source != "presage" {
		return fmt.Errorf("%s was not recorded by presage: there is no program to go with it", name)
	}
	if err := g.trace(ctx, name, meta); err != nil {
		return err
	}
	p, err := walk.Load(ctx, meta)
	if err != nil {
		return err
	}
	shown := visible.NewWriter(env.Stdout)
	out := bufio.NewWriter(shown)
	err = symtrace.Print(out, p, func(f func(trace.Source) error) error {
		src, err := openTrace(name)
		if err != nil {
			return err
		}
		return errors.Join(f(src), src.Close())
	})
	return errors.Join(err, out.Flush(), shown.Close())
}

func newConvert(env *Env) *cobra.Command {
	var out, form string
	cmd := &cobra.Command{Use: "convert -o output trace", Short: "Convert a trace to another form", Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("trace convert needs -o")
			}
			to, err := formOf(out, form)
			if err != nil {
				return err
			}
			f, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			return convert(env, f, out, to)
		}}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write")
	cmd.Flags().StringVar(&form, "form", "", "trace, text or std; without it the name decides: .std, .txt, else trace")
	return cmd
}

func formOf(out, form string) (source.Format, error) {
	switch {
	case form == "" && strings.HasSuffix(out, ".std"):
		return source.STD, nil
	case form == "" && strings.HasSuffix(out, ".txt"):
		return source.Text, nil
	case form == "":
		return source.Trace, nil
	}
	f := source.Format(form)
	if f != source.Trace && f != source.STD && f != source.Text {
		return "", usagef("flag --form: %q is neither trace, text nor std", form)
	}
	return f, nil
}

func convert(env *Env, src *source.File, out string, to source.Format) error {
	f, err := private.Create(out)
	if err != nil {
		return fmt.Errorf("writing trace %s: %w", out, underlying(err))
	}
	b := bufio.NewWriter(f)
	n, lossy, err := source.Convert(b, to, src)
	err = errors.Join(err, b.Flush(), f.Close())
	visible.Fprintf(env.Stderr, "presage: %s written\n", plural.Of(n, "event"))
	if lossy != (std.Lossy{}) {
		visible.Fprintf(env.Stderr, "presage: STD has no place for %s, %s by another goroutine, %s of other kinds (written as acq and rel), %s (left out)\n",
			plural.Of(int64(lossy.Values), "value"), plural.Of(int64(lossy.Foreign), "unlock"), plural.Of(int64(lossy.Approximated), "synchronisation"), plural.Of(int64(lossy.Dropped), "event"))
	}
	return err
}

func newStat(env *Env) *cobra.Command {
	return &cobra.Command{Use: "stat trace", Short: "Count what is in a trace", Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			s, err := trace.Count(f)
			printStat(env.Stdout, f, s)
			return err
		}}
}

// printStat prints the sizes of a trace's tables and the number of events of each kind.
func printStat(w io.Writer, f *source.File, s *trace.Stat) {
	m := f.Meta()
	row := func(name string, value any) {
		if v := fmt.Sprint(value); v != "" {
			visible.Fprintf(w, "%-11s %s\n", name, v)
		}
	}
	row("form", f.Format)
	row("source", m.Source)
	row("go", m.GoVersion)
	row("command", strings.Join(m.Command, " "))
	row("dir", m.Dir)
	row("packages", len(m.Packages))
	row("functions", len(m.Funcs))
	row("events", s.Events)
	row("goroutines", s.Goroutines)
	row("locations", fmt.Sprintf("%d, %d of them used by several goroutines", s.Locations, s.Shared))
	if s.Outside > 0 {
		row("outside", fmt.Sprintf("%s by code outside the instrumented packages, of %d only about when made", plural.Of(s.Outside, "access"), s.Late))
	}
	row("objects", s.Objects)
	row("sites", s.Sites)
	if s.Events > 0 {
		row("bytes", fmt.Sprintf("%d, %.2f per event", f.Size, float64(f.Size)/float64(s.Events)))
	}
	var kinds []format.Kind
	for k, n := range s.Kinds {
		if n > 0 {
			kinds = append(kinds, format.Kind(k))
		}
	}
	slices.SortStableFunc(kinds, func(a, b format.Kind) int { return cmp.Compare(s.Kinds[b], s.Kinds[a]) })
	for _, k := range kinds {
		visible.Fprintf(w, "  %-10s %d\n", k, s.Kinds[k])
	}
	for _, warn := range m.Warnings {
		row("warning", fmt.Sprintf("%s (%d): %s", warn.Code, warn.Count, plural.Text(warn.Count, warn.Text)))
	}
}
