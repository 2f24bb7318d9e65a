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
	cmd := c.goCommand(ctx, args...)
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

// choose takes the packages of the main module among the dependencies, and those that
// -instrument names.
func (c *Config) choose(ctx context.Context, dec *json.Decoder) (*inputs, error) {
	in := &inputs{tested: []string{}}
	extra, err := c.instrumented(ctx)
	if err != nil {
		return nil, err
	}
	out, counters := chosen{c: c}, counters{}
	env, text, err := goEnv(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	flags, err := env.flags()
	if err != nil {
		return nil, err
	}
	if _, _, err := cutExec(flags, c.Flags); err != nil {
		return nil, err
	}
	for _, f := range flags {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if (name == "race" || strings.HasPrefix(name, "cover")) && value != "false" {
			return nil, fmt.Errorf("GOFLAGS has -%s: presage cannot record with it; run go test -%s beside it", name, name)
		}
	}
	compiler, err := compilerChoice()
	if err != nil {
		return nil, err
	}
	h := newHasher()
	h.add(toolID(), text, compiler, fmt.Sprint(c.Test, c.Instrument, c.Exclude, c.Only, c.Reach.walks(), c.Around, c.loadFlags(), audited()))
	for {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		if p.Error != nil && !p.DepOnly {
			return nil, cmp.Or(disk.GoFailed(ctx, p.Error.Err), killed.Said(p.Error.Err), errPlain)
		}
		if p.Standard {
			out.std = append(out.std, p.ImportPath)
			continue
		}
		counters.add(&p)
		main := p.Module == nil || p.Module.Main
		if main && in.root == "" && p.Module != nil {
			in.root = p.Module.Dir
		}
		in.embed(&p)
		plainPath := p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test")
		if plainPath && (main || extra.match(&p)) {
			in.patterns = append(in.patterns, p.ImportPath)
		}
		if plainPath {
			out.all = append(out.all, p)
			if m := p.Module; m != nil && !main && beneath(m.Dir, env.GOMODCACHE) {
				out.module(p.ImportPath, module{path: m.Path, version: m.Version, dir: m.Dir, goMod: m.GoMod})
			}
		}
		if plainPath && !p.DepOnly && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			in.tested = append(in.tested, p.ImportPath)
			in.counts(&p)
		}
		if p.ForTest == "" {
			h.pkg(&p, env.GOMODCACHE)
		}
	}
	in.countAll(counters)
	if in.root == "" {
		in.root, _ = filepath.Abs(c.Dir)
	}
	slices.Sort(in.patterns)
	in.patterns = slices.Compact(in.patterns)
	out.sort()
	in.warnings = out.warnUnmatched(ctx, extra)
	if err := out.leave(ctx, in); err != nil {
		return nil, err
	}
	if err := c.identify(in, &env, h); err != nil {
		return nil, err
	}
	in.key = h.sum()
	return in, nil
}
