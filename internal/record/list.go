package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// inputs are the packages to instrument, and a key of all that decides how.
type inputs struct {
	root     string // of the main module, or the directory
	patterns []string
	missing  []string        // packages to leave out
	embedded []string        // source files that packages embed
	tested   []string        // of the user's packages, those that have tests
	counting []counting      // and those with tests that count allocations
	modules  []module        // of the module cache, that are instrumented or left out, by path
	modFile  modFile         // that selects them; empty if there are none
	warnings []trace.Warning // of patterns that -instrument cannot follow, and of broken packages
	roots    []string        // of the user's packages, those that compile
	broken   []string        // and those that do not, or not with their tests
	aside    []string        // and those whose tests go vet does not let run
	key      string
}

type listed struct {
	ImportPath, Dir, ForTest string
	Standard, DepOnly        bool
	Module                   *struct {
		Path, Version, Dir, GoMod, GoVersion string
		Main                                 bool
	}
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles, CFiles, HFiles, SFiles, EmbedFiles, TestEmbedFiles, XTestEmbedFiles, Imports []string
	Error                                                                                                                      *struct{ Err string }
}

// A TestPackage is a package with tests.
type TestPackage struct{ Path, Dir string }

// TestPackages lists the packages that c names and that have tests with its build flags.
func TestPackages(ctx context.Context, c *Config) (list []TestPackage, err error) {
	args := []string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"}
	cmd := goCommand(ctx, append(append(args, c.loadFlags()...), c.Packages...)...)
	cmd.Dir, cmd.Stderr = c.Dir, c.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			list = append(list, TestPackage{path, dir})
		}
	}
	return list, nil
}

// list asks the go command what there is to instrument.
func (c *Config) list(ctx context.Context) (*inputs, error) {
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Dir,ForTest,Standard,DepOnly,Module,Imports,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,CFiles,HFiles,SFiles,EmbedFiles,TestEmbedFiles,XTestEmbedFiles,Error"}
	if c.Test {
		args = append(args, "-test")
	}
	args = append(append(args, c.loadFlags()...), c.Packages...)
	cmd := goCommand(ctx, args...)
	cmd.Dir = c.Dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("running the go command: %w", err)
	}
	if err != nil {
		return nil, cmp.Or(disk.GoFailed(ctx, errs.String()), killed.By(cmd), killed.Said(errs.String()), errPlain)
	}
	return c.choose(ctx, json.NewDecoder(bytes.NewReader(out)))
}

// choose takes the packages of the main module among the dependencies, and those that -instrument
// names.
func (c *Config) choose(ctx context.Context, dec *json.Decoder) (*inputs, error) {
	find := finder{dir: c.Dir, flags: c.loadFlags()}
	extra, err := find.patterns(ctx, "-instrument", c.Instrument)
	if err != nil {
		return nil, err
	}
	env, text, err := goEnv(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	if err := refuseFlags(&env, c.Flags); err != nil {
		return nil, err
	}
	compiler, err := compilerChoice()
	if err != nil {
		return nil, err
	}
	s := selection{
		inputs: inputs{tested: []string{}}, extra: extra, modCache: env.GOMODCACHE, counters: counters{}, hash: newHasher(),
		program: chosen{find: find, only: c.Only, exclude: c.Exclude, walks: c.Reach.walks()},
	}
	s.hash.add(toolID(), text, compiler, fmt.Sprint(c.Test, c.Instrument, c.Exclude, c.Only, c.Reach.walks(), c.Around, c.loadFlags(), audited(), c.points))
	if err := s.read(ctx, dec); err != nil {
		return nil, err
	}
	s.order(c.Dir)
	in := &s.inputs
	in.warnings = s.program.warnUnmatched(ctx, extra)
	if err := s.program.leave(ctx, in); err != nil {
		return nil, err
	}
	if err := in.identify(c.Dir, env.allFlags(c.loadFlags()), &env, s.hash); err != nil {
		return nil, err
	}
	in.key = s.hash.sum()
	if len(s.bad.Packages)+len(s.bad.Tests) > 0 && !(c.Test && in.leave(&s.bad)) {
		return nil, errPlain
	}
	return in, nil
}

// leave takes packages that do not compile, and tests that do not, out of the inputs: the go
// command tests the others all the same. It is false if nothing is left to record.
func (in *inputs) leave(bad *plan.BuildError) bool {
	was := len(in.patterns) + len(in.tested)
	compiles := func(path string) bool { return !slices.Contains(bad.Packages, path) }
	tests := func(path string) bool { return compiles(path) && !slices.Contains(bad.Tests, path) }
	for _, path := range in.roots {
		if !tests(path) {
			in.broken = append(in.broken, path)
		}
	}
	slices.Sort(in.broken)
	in.patterns, in.tested = kept(in.patterns, compiles), kept(in.tested, tests)
	in.roots = kept(in.roots, tests)
	in.counting = slices.DeleteFunc(in.counting, func(x counting) bool { return !tests(x.path) })
	if len(in.tested) == 0 || len(in.patterns)+len(in.tested) == was {
		return false
	}
	hash := newHasher()
	hash.add(in.key)
	hash.add(in.broken...)
	in.key = hash.sum()
	in.warnings = slices.DeleteFunc(in.warnings, func(w trace.Warning) bool { return strings.HasPrefix(w.Text, brokenText) })
	in.warnings = append(in.warnings, trace.Warning{Code: "not-compiled", Count: len(in.broken), Text: brokenText + strings.Join(in.broken, ", ")})
	return true
}

// setAside takes packages that do not pass go vet out of those that the recorded run tests: go test
// does not run their tests either. It is false if there are no others.
func (in *inputs) setAside(unvetted []string) bool {
	others := func(path string) bool { return !slices.Contains(unvetted, path) }
	if len(unvetted) == 0 || len(kept(in.tested, others)) == 0 {
		return false
	}
	in.aside, in.roots = unvetted, kept(in.roots, others)
	in.counting = slices.DeleteFunc(in.counting, func(x counting) bool { return !others(x.path) })
	in.warnings = append(in.warnings, trace.Warning{Code: "not-vetted", Count: len(unvetted), Text: unvettedText + strings.Join(unvetted, ", ")})
	return true
}

const unvettedText = "the tests of {{n}} package{{|s}} were not recorded, because {{it does|they do}} not pass go vet (-vet=off records {{it|them}}): "

const brokenText = "the tests of {{n}} package{{|s}} were not recorded, because {{it does|they do}} not compile or could not be loaded: "

// kept returns the elements of a list for which keep is true.
func kept(list []string, keep func(string) bool) (out []string) {
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// refuseFlags returns an error for flags that presage cannot record with, of GOFLAGS and of the
// user.
func refuseFlags(env *goSettings, user []string) error {
	flags, err := env.flags()
	if err != nil {
		return err
	}
	if _, _, err := cutExec(flags, user); err != nil {
		return err
	}
	for _, f := range flags {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if (name == "race" || strings.HasPrefix(name, "cover")) && value != "false" {
			return fmt.Errorf("GOFLAGS has -%s: presage cannot record with it; run go test -%s beside it", name, name)
		}
	}
	return nil
}

// A selection sorts the packages of a program, as go list lists them, by what is done with each.
type selection struct {
	extra    patterns // of -instrument
	modCache string

	inputs   inputs
	program  chosen
	counters counters
	hash     *hasher
	bad      plan.BuildError
}

// read reads the output of go list.
func (s *selection) read(ctx context.Context, dec *json.Decoder) error {
	for {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the output of go list: %w", err)
		}
		if p.Error != nil && !p.DepOnly {
			if err := cmp.Or(disk.GoFailed(ctx, p.Error.Err), killed.Said(p.Error.Err)); err != nil {
				return err
			}
			s.fails(&p)
		}
		if p.Standard {
			s.program.std = append(s.program.std, p.ImportPath)
		} else {
			s.add(&p)
		}
	}
}

// fails notes a package that the go command cannot load, or its tests.
func (s *selection) fails(p *listed) {
	if path := cmp.Or(p.ForTest, strings.TrimSuffix(p.ImportPath, ".test")); path != p.ImportPath {
		s.bad.Tests = append(s.bad.Tests, path)
	} else {
		s.bad.Packages = append(s.bad.Packages, path)
	}
}

// add adds a package that is not of the standard library.
func (s *selection) add(p *listed) {
	s.counters.add(p)
	main := p.Module == nil || p.Module.Main
	if main && s.inputs.root == "" && p.Module != nil {
		s.inputs.root = p.Module.Dir
	}
	s.inputs.embed(p)
	if p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test") {
		s.addPlain(p, main)
	}
	if p.ForTest == "" {
		s.hash.pkg(p, s.modCache)
	}
}

// addPlain adds a package that is no variant for a test.
func (s *selection) addPlain(p *listed, main bool) {
	if main || s.extra.match(p) {
		s.inputs.patterns = append(s.inputs.patterns, p.ImportPath)
	}
	s.program.all = append(s.program.all, *p)
	if m := p.Module; m != nil && !main && beneath(m.Dir, s.modCache) {
		s.program.module(p.ImportPath, module{path: m.Path, version: m.Version, dir: m.Dir, goMod: m.GoMod})
	}
	if !p.DepOnly {
		s.inputs.roots = append(s.inputs.roots, p.ImportPath)
	}
	if !p.DepOnly && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
		s.inputs.tested = append(s.inputs.tested, p.ImportPath)
		s.inputs.counts(p)
	}
}

// order completes the inputs when all packages are read. dir is the root where no module has one.
func (s *selection) order(dir string) {
	s.inputs.countAll(s.counters)
	if s.inputs.root == "" {
		s.inputs.root, _ = filepath.Abs(dir)
	}
	slices.Sort(s.inputs.roots)
	slices.Sort(s.inputs.patterns)
	s.inputs.patterns = slices.Compact(s.inputs.patterns)
	s.program.sort()
}
