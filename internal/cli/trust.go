package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/untrusted/trust"
)

// grant says how much of what a file names may be run. Its zero value takes what package trust
// takes. What a trace of the user's own run has, in the user's own cache, the user has given.
type grant struct {
	all   bool        // -trust, or this command has recorded the program itself
	own   *goArgs     // the command line of the user's own last run; nil: none
	ownIn string      // and its directory
	done  *trace.Meta // the last one that was taken
}

// trustHelp is that of the flag -trust.
const trustHelp = "use flags, arguments and directories that a file names, although they can name or run a program"

// trace returns an error that lists what a trace asks for beyond the grant. Nothing of the trace
// may be loaded or built then.
func (g *grant) trace(ctx context.Context, name string, meta *trace.Meta) error {
	if g.all || g.done == meta || ownTrace(name) {
		return nil
	}
	asked := g.flags(meta.BuildFlags)
	for _, v := range meta.BuildEnv {
		value, ok := strings.CutPrefix(v, "GOWORK=")
		if (!ok || !inCache(value)) && v != "GOAMD64=v2" {
			asked = append(asked, "environment "+v)
		}
	}
	command, err := g.command(meta)
	if err != nil {
		return err
	}
	asked = append(asked, command...)
	for _, p := range slices.Concat(meta.Packages, meta.Tested) {
		if !trust.Package(p) {
			asked = append(asked, "package "+p)
		}
	}
	for _, f := range meta.GoFiles {
		if !trust.Package(f) && (g.own == nil || !slices.Contains(g.own.packages, f)) {
			asked = append(asked, "file "+f)
		}
	}
	asked = append(asked, g.directories(ctx, meta)...)
	if len(asked) > 0 {
		return untrusted("trace "+name, asked)
	}
	g.done = meta
	return nil
}

// flags are those that are asked for. In the user's own run those are given that the user gave. A
// -modfile of the cache is one that presage wrote, to replace modules.
func (g *grant) flags(flags []string) (asked []string) {
	for _, f := range trust.Flags(flags) {
		file, modfile := strings.CutPrefix(f, "-modfile=")
		if modfile && inCache(file) || g.own != nil && slices.Contains(g.own.flags, f) {
			continue
		}
		asked = append(asked, f)
	}
	return asked
}

// command is what the command line of a trace asks for: packages, and the program's arguments.
func (g *grant) command(meta *trace.Meta) (asked []string, err error) {
	if len(meta.Command) < 2 {
		return nil, nil
	}
	c, err := parseGo(meta.Command[2:], meta.Command[1] == "test")
	if err != nil {
		return nil, fmt.Errorf("the command line of the trace: %w", err)
	}
	for _, p := range c.packages {
		if g.own == nil && !trust.Package(strings.TrimSuffix(p, "/...")) || g.own != nil && !slices.Contains(g.own.packages, p) {
			asked = append(asked, "package "+p)
		}
	}
	if g.own == nil || !slices.Equal(g.own.args, c.args) {
		asked = append(asked, arguments(c.args)...)
	}
	return asked, nil
}

func arguments(args []string) (asked []string) {
	for _, a := range args {
		asked = append(asked, "argument "+a)
	}
	return asked
}

// directories are those of the program that are neither below the working directory nor in its
// module. Who builds in a directory runs what is in it.
func (g *grant) directories(ctx context.Context, meta *trace.Meta) (asked []string) {
	here := []string{g.ownIn}
	if wd, err := os.Getwd(); err == nil {
		here = append(here, wd)
		if root, err := rootOf(ctx, wd); err == nil {
			here = append(here, root)
		}
	}
	dirs := []string{meta.Dir}
	files, _, _ := meta.Program()
	for _, f := range files {
		if strings.HasSuffix(f.Name, "_test.go") { // a test runs in the directory of its package
			dirs = append(dirs, filepath.Dir(f.Name))
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if !slices.ContainsFunc(here, func(root string) bool { return root != "" && within(dir, root) }) {
			asked = append(asked, "directory "+dir)
		}
	}
	return asked
}

// within reports whether a directory is another one or below it, wherever links lead.
func within(dir, root string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// inCache reports whether a file is of a build in the user's own cache.
func inCache(file string) bool {
	cache, err := record.CacheDir()
	return err == nil && within(filepath.Dir(file), filepath.Join(cache, "build"))
}

// ownTrace reports whether a trace is one of the user's last runs, in the user's own cache.
func ownTrace(name string) bool {
	cache, err := record.CacheDir()
	return err == nil && within(filepath.Dir(name), filepath.Join(cache, "runs"))
}

// kept returns an error that lists what a kept schedule asks for.
func (g *grant) kept(name string, k *replay.Kept) error {
	asked := slices.Concat(trust.Flags(slices.Concat(k.Build, k.Flags)), arguments(k.Args))
	if g.all || len(asked) == 0 {
		return nil
	}
	return untrusted(name, asked)
}

// grant is for the traces of a report: it has what the user gave, if the report is of the user's
// own run.
func (k *kept) grant() grant {
	c := k.config.Command
	if !k.own || len(c) < 2 || c[1] != "test" && c[1] != "run" {
		return grant{}
	}
	own, err := parseGo(c[2:], c[1] == "test")
	if err != nil {
		return grant{}
	}
	return grant{own: own, ownIn: k.config.Dir}
}

// untrusted is the error that lists what a file asks for.
func untrusted(name string, asked []string) error {
	for i, a := range asked {
		asked[i] = "  " + strings.Trim(strconv.Quote(a), `"`)
	}
	return fmt.Errorf("%s asks for what can name or run a program:\n%s\nNothing of it was loaded, built or run. If you trust who wrote the file, use -trust", name, strings.Join(asked, "\n"))
}
