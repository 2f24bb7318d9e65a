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
	warnings []trace.Warning // of patterns that -instrument cannot follow
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
	return in, nil
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
			return cmp.Or(disk.GoFailed(ctx, p.Error.Err), killed.Said(p.Error.Err), errPlain)
		}
		if p.Standard {
			s.program.std = append(s.program.std, p.ImportPath)
		} else {
			s.add(&p)
		}
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
	slices.Sort(s.inputs.patterns)
	s.inputs.patterns = slices.Compact(s.inputs.patterns)
	s.program.sort()
}
