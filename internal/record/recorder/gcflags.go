package recorder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/host/quoted"
	"github.com/presage-race/presage/internal/record/goversion"
)

// setFlags sets the flags that a build of cfg.Packages needs, so that calls of sync/atomic's
// functions are recorded. With -race the compiler does not replace them by instructions. An
// instrumented package and one that is left out are compiled without it: if they have such calls,
// intrinsics are off, and functions that are nothing but intrinsics get a body (intrinsics.diff of
// package goversion). A package that is not instrumented is compiled without inlining too: else the
// calls would be inlined into packages where intrinsics are on. (In an instrumented package the
// hooks keep functions from being inlined elsewhere, and must be inlined themselves.) Generic
// functions are compiled where they are instantiated, so if they have such calls, intrinsics are
// off wherever their package can be reached from. The flags go into GOFLAGS, which every go command
// reads.
//
// The compiler of package compiler needs none of this but for packages that are left out: it
// decides on hooks and on calls of sync/atomic itself, by the inline tree.
//
// A user's own -gcflags are in front of these, package by package (userFlags): a build takes them
// from BuildFlags alone.
func (o *Overlay) setFlags(ctx context.Context, cfg Config) error {
	out, ok, err := o.listPackages(ctx, &cfg)
	if !ok {
		return err
	}
	if cfg.Compiler != nil {
		if o.Compiler, err = cfg.Compiler(ctx, *o); err != nil {
			return err
		}
	}
	user, err := o.userFlags(ctx, &cfg)
	if err != nil {
		return err
	}
	goflags := cfg.GoFlags
	add := func(flag string) {
		o.BuildFlags = append(o.BuildFlags, flag)
		if w, err := quoted.Word(flag); err == nil { // else it is on the command line alone
			goflags += " " + w
		}
	}
	round := UnfusedFlags(o.GOARCH)
	all := OnlineCompilerFlags + round
	if o.Compiler != "" {
		add("-toolexec=" + toolexec(o.Compiler))
		all += cfg.hooks(1)
	}
	add("-gcflags=all=" + all)
	list, err := cfg.flagsByPath(json.NewDecoder(bytes.NewReader(out)))
	if err != nil {
		return fmt.Errorf("listing packages: %w", err)
	}
	for _, path := range []string{"sync/atomic", o.Package} {
		// the overlay has its own, without hooks
		add("-gcflags=" + path + "=" + onlineInline + round)
	}
	for _, p := range list {
		flags := p.plain()
		if o.Compiler != "" {
			flags = p.edited(&cfg)
		}
		if flags != "" {
			flags += round
		}
		with := cmp.Or(flags, all)
		if !p.standard {
			with = user.of(p.path, p.named, with)
		}
		if flags != "" || with != all {
			add("-gcflags=" + p.path + "=" + with)
		}
	}
	o.Env = append(o.Env, "GOFLAGS="+strings.TrimSpace(goflags))
	return nil
}

// UnfusedFlags returns flags of the compiler, with a space in front, for a processor whose compiler
// rounds x*y + z once where it can: with them it rounds twice, as the analysis does. Flag fmahash
// chooses by the source line where the compiler may use a fused multiply-add; qn means nowhere. On
// amd64 the level says whether there is one (roundProducts of package record).
func UnfusedFlags(goarch string) string {
	if goarch == "arm64" {
		return " -d=fmahash=qn"
	}
	return ""
}

// listPackages returns the output of go list for the packages of a build. It is not ok, without an
// error, if the caller has not said what will be built.
func (o *Overlay) listPackages(ctx context.Context, cfg *Config) (out []byte, ok bool, err error) {
	patterns := cfg.Packages
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	args := []string{"list", "-deps", "-e", "-json=ImportPath,ForTest,Dir,DepOnly,Standard,GoFiles,CgoFiles,Deps,Module"}
	if cfg.Test {
		args = append(args, "-test")
	}
	cmd := exec.CommandContext(ctx, o.Go, append(append(args, cfg.BuildFlags...), patterns...)...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(), o.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if err != nil && len(cfg.Packages) == 0 && len(out) == 0 {
		return nil, false, nil // no module there
	}
	if err != nil && len(cfg.Packages) > 0 {
		return nil, false, fmt.Errorf("listing packages: %w\n%s", err, stderr.Bytes())
	}
	return out, true, nil
}

// pathFlags is how the packages of a path are compiled: a package, and what its tests add to it.
type pathFlags struct {
	path            string
	named, standard bool // on the command line; of the standard library
	emitted         bool // instrumented: its hooks are in the source
	leftOut         bool // no hooks
	calls           bool // functions of sync/atomic
	generic         bool // it may instantiate generic functions that do
	// functions of packages that are left out may be inlined or instantiated in it
	skips bool
}

// hooks returns the flag of the compiler of package compiler, behind others of -d.
func (c *Config) hooks(mode int) string {
	flag := fmt.Sprintf(",presage=%d", mode)
	if c.Audit {
		flag += ",presagewide=1"
	}
	return flag
}

// edited returns the flags for the compiler of package compiler; "": those of all packages.
func (p *pathFlags) edited(cfg *Config) string {
	skip := ""
	if p.skips {
		skip = ",presageskip=" + strings.Join(cfg.LeftOut, "+")
	}
	switch {
	case p.leftOut:
		return p.plain()
	case p.emitted:
		return onlineInline + cfg.hooks(2) + skip
	case p.skips:
		return OnlineCompilerFlags + cfg.hooks(1) + skip
	}
	return ""
}

// plain returns the flags for Go's own compiler.
func (p *pathFlags) plain() string {
	flags := outsideFlags(p.path)
	if p.emitted || p.leftOut {
		flags = onlineInline
		if p.calls || p.generic {
			flags += " -d=ssa/intrinsics/off"
		}
	}
	if p.calls && !p.emitted && !strings.Contains(flags, " -l") {
		flags += " -l"
	}
	return flags
}

// flagsByPath decides for every path of a listing, in its order: dependencies come first.
func (c *Config) flagsByPath(d *json.Decoder) ([]*pathFlags, error) {
	var list []*pathFlags
	by, generic := map[string]*pathFlags{}, map[string]bool{}
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ") // p [p.test]
		path := p.flagPath()
		if path == "sync/atomic" || path == "sync" || path == "internal/sync" || path == "presagert" {
			continue
		}
		f := by[path]
		if f == nil {
			f = &pathFlags{path: path}
			by[path], list = f, append(list, f)
		}
		calls, inGeneric := p.callsAtomic()
		generic[p.ImportPath] = generic[p.ImportPath] || inGeneric
		f.named, f.standard = f.named || !p.DepOnly, p.Standard
		f.emitted = f.emitted || c.instrumented(p)
		f.leftOut = f.leftOut || slices.Contains(c.LeftOut, p.ImportPath)
		f.calls = f.calls || calls
		f.skips = f.skips || slices.ContainsFunc(p.Deps, func(d string) bool { return slices.Contains(c.LeftOut, d) })
		f.generic = f.generic || slices.ContainsFunc(p.Deps, func(d string) bool { return generic[d] })
	}
}

// toolexec is a word of the value of -toolexec, within single quotes of GOFLAGS.
func toolexec(file string) string {
	if strings.ContainsAny(file, " \t\n") {
		return `"` + file + `"`
	}
	return file
}

// outsideFlags are the flags of a package that is not instrumented. Its functions must not be
// inlined into those of instrumented packages, where they would lose their hooks: the compiler
// decides by the function that it compiles.
func outsideFlags(path string) string {
	if goversion.Unhooked(path) {
		return OnlineCompilerFlags
	}
	return OnlineCompilerFlags + " -l"
}

func (c *Config) instrumented(p listed) bool {
	if slices.Contains(c.LeftOut, p.ImportPath) {
		return false
	}
	if c.Instrumented != nil {
		return c.Instrumented(p.flagPath())
	}
	return p.Module != nil && p.Module.Main || p.ImportPath == "command-line-arguments"
}

type listed struct {
	ImportPath, ForTest, Dir string
	DepOnly, Standard        bool
	GoFiles, CgoFiles        []string // of a test variant: its tests too
	Deps                     []string // all that it imports, also by way of others
	Module                   *struct{ Main bool }
}

// flagPath is the path whose flags the go command compiles p with: an external test
// package gets those of the package it tests.
func (p listed) flagPath() string {
	if p.ForTest != "" && p.ImportPath == p.ForTest+"_test" {
		return p.ForTest
	}
	return p.ImportPath
}

// callsAtomic reports whether a file of p mentions a function of sync/atomic, and whether a generic
// function does.
func (p listed) callsAtomic() (calls, generic bool) {
	for _, files := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, name := range files {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			src, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(src, []byte(`"sync/atomic"`)) {
				continue // a file that cannot be read will not compile
			}
			if f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution); err == nil {
				c, g := mentionsAtomic(f)
				calls, generic = calls || c, generic || g
			}
		}
	}
	return calls, generic
}

func mentionsAtomic(f *ast.File) (found, generic bool) {
	name := ""
	for _, imp := range f.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); path == "sync/atomic" {
			name = "atomic"
			if imp.Name != nil {
				name = imp.Name.Name
			}
		}
	}
	if name == "" {
		return false, false
	}
	for _, d := range f.Decls {
		here := false
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				here = here || ok && x.Name == name && atomicName.MatchString(n.Sel.Name)
			case *ast.Ident:
				here = here || name == "." && atomicName.MatchString(n.Name)
			}
			return !here
		})
		fn, ok := d.(*ast.FuncDecl)
		found, generic = found || here, generic || here && ok && isGeneric(fn)
	}
	return found, generic
}

// isGeneric reports whether a function or its receiver has type parameters.
func isGeneric(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Type.TypeParams != nil
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.IndexExpr, *ast.IndexListExpr:
			return true
		}
		return false
	}
}
