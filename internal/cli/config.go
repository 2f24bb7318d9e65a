package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/config"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// projectFile reads presage.yaml in the root of the module that dir is in.
func projectFile(dir string) (*config.File, error) {
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("flag -C: %w", err)
		}
	}
	root, err := record.ModuleRoot(dir)
	if err != nil {
		return nil, err
	}
	f, err := config.Read(root)
	if err != nil {
		return nil, &exitError{exitUsage, err.Error()}
	}
	for _, v := range f.Values { // also of flags that this command does not have
		if err := settable(&v); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// settable returns an error if the value of a key is none of its flag.
func settable(v *config.Value) error {
	name, vet := strings.CutPrefix(v.Key, "vet.")
	for _, value := range v.Values {
		var err error
		switch {
		case name == "tier":
			o := vetOptions{tier: value}
			err = o.check()
		case !vet:
			err = (&goArgs{}).set(name, value)
		}
		if err != nil {
			return inFile(v, err)
		}
	}
	return nil
}

// inFile is the error of a flag, said of a key of the file.
func inFile(v *config.Value, err error) error {
	text := err.Error()
	for _, prefix := range []string{"flag -" + strings.TrimPrefix(v.Key, "vet.") + ": ", "-" + v.Key + " "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return usagef("%s: %s: %s", v.At(), v.Key, text)
}

// set sets a flag of presage, as the file has it.
func (g *goArgs) set(name, value string) error {
	_, err := g.own(name, value, true)
	return err
}

// configure takes the values of presage.yaml for the flags that the command line does not have.
func (g *goArgs) configure() error {
	f, err := projectFile(g.dir)
	if err != nil {
		return err
	}
	for _, v := range f.Values {
		if strings.Contains(v.Key, ".") || g.has(v.Key) || g.online.on && predicts[v.Key] {
			continue
		}
		if v.Key == "static" && (g.level == levelNone || g.level == levelHB) {
			continue // it needs a level that the command line does not want
		}
		for _, value := range v.Values {
			if err := g.set(v.Key, named(v.Key, value)); err != nil {
				return inFile(&v, err)
			}
		}
	}
	return nil
}

// has reports whether the command line has a flag, or one in its place.
func (g *goArgs) has(flag string) bool {
	if flag == "format" && (g.json || len(g.forms) > 0) {
		return true
	}
	return slices.ContainsFunc(g.given, func(x [2]string) bool { return x[0] == flag })
}

// named is the value of a key, in which the name of a baseline is shortened for messages.
func named(key, value string) string {
	if strings.HasSuffix(key, "baseline") {
		return shortName(value)
	}
	return value
}

// configureFlags does the same for a command with flags of cobra. prefix is that of its keys.
func configureFlags(flags *pflag.FlagSet, dir, prefix string) error {
	f, err := projectFile(dir)
	if err != nil {
		return err
	}
	changed := func(names ...string) bool { return slices.ContainsFunc(names, flags.Changed) }
	for _, v := range f.Values {
		name, ok := strings.CutPrefix(v.Key, prefix)
		if v.Key == "format" {
			name, ok = "format", !changed("json", "verbose")
		}
		flag := flags.Lookup(name)
		if !ok || flag == nil || flag.Changed || strings.Contains(name, ".") {
			continue
		}
		for _, value := range v.Values {
			if err := flag.Value.Set(named(v.Key, value)); err != nil {
				return inFile(&v, err)
			}
		}
	}
	return nil
}

func newConfig(env *Env) *cobra.Command {
	return &cobra.Command{Use: "config [flags of test]", Short: "Print the values of flags, and where they come from", DisableFlagParsing: true, ValidArgsFunction: completeGo,
		RunE: func(cmd *cobra.Command, args []string) error { return printConfig(cmd.Context(), env, args) }}
}

// setting is a line of presage config.
type setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // default, command line, or a line of the file
}

func printConfig(_ context.Context, env *Env, argv []string) error {
	g, err := parseGo(argv, true)
	if err != nil {
		return err
	}
	if g.help {
		return printHelp(env, "config")
	}
	if len(g.packages)+len(g.args) > 0 {
		return usagef("config takes flags of presage test alone, not %s", strings.Join(append(g.packages, g.args...), " "))
	}
	f, err := projectFile(g.dir)
	if err != nil {
		return err
	}
	var list []setting
	for _, k := range config.Keys {
		s := setting{k.Name, k.Default, "default"}
		for _, v := range f.Values {
			if v.Key == k.Name {
				s.Value, s.From = v.Text, v.At()
			}
		}
		var values []string
		for _, x := range g.given {
			if x[0] == k.Name {
				values = append(values, x[1])
			}
		}
		if len(values) > 0 {
			s.Value, s.From = strings.Join(values, " "), "command line"
		}
		list = append(list, s)
	}
	return printSettings(env, g.json, list)
}

func printSettings(env *Env, asJSON bool, list []setting) error {
	if asJSON {
		enc := json.NewEncoder(env.Stdout)
		var errs []error
		for _, s := range list {
			errs = append(errs, enc.Encode(s))
		}
		return errors.Join(errs...)
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tVALUE\tFROM")
	for _, s := range list {
		fmt.Fprintln(w, visible.Line(s.Key)+"\t"+visible.Line(s.Value)+"\t"+visible.Line(s.From))
	}
	return w.Flush()
}
