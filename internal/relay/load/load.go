// Package load reads a program package by package, dependencies first, and never holds more of it than it must.
//
// # What it computes
//
// The go command says which packages there are ([packages.Load], metadata only). Each is parsed, type-checked from source and
// built as SSA when its imports have been visited; when the visitor returns, syntax, type information and SSA are let go.
// What stays is one types.Package each.
//
// # Rules
//
// (L1) One universe of types: a package is checked once, and its importers see the same objects. No export data is
// needed, so nothing is compiled, and the go command's cache may be empty.
//
// (L2) An ssa.Program of its own for every package. Of other packages it has the members, without bodies, and only of
// those that it imports directly: to create members of all dependencies is quadratic in the number of packages.
// Methods of other packages come into being when they are named.
//
// (L3) The order is that of imports. Static calls follow imports, so a strongly connected component of static calls is
// inside one package, and the summaries of all other callees exist when a package is visited.
//
// (L4) A package with errors is visited as far as it loads; the errors are counted by the caller.
//
// (L5) Of package runtime and what it alone uses only declarations are read: the model of package model stands for them.
//
// # Soundness
//
// CGO_ENABLED is 0: files that import "C" are not read, nor are assembly and linknamed bodies; they have no summary.
package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// Config says what to load. Its zero value is the package in the current directory.
type Config struct {
	Dir        string
	Env        []string // nil: the process's own
	BuildFlags []string
	Patterns   []string
	Tests      bool // with the packages' tests
	Workers    int  // packages at a time; 0: one for each processor
}

// Package is one package while it is visited.
type Package struct {
	ID      string // its path, and what it was compiled for
	Path    string
	Module  string // "" of the standard library
	Std     bool
	Target  bool // one of the patterns names it
	ForTest bool
	Bodies  bool     // function bodies were read (L5)
	Imports []string // IDs of direct imports, sorted
	Types   *types.Package
	Info    *types.Info
	Files   []*ast.File
	SSA     *ssa.Package
	Fset    *token.FileSet
	Ignored []string // files that build constraints leave out
	Errors  []string

	wrongAt []token.Pos // of errors of the type checker
}

// Program is what was visited.
type Program struct {
	Fset     *token.FileSet
	Packages []*Meta // dependencies first
	Lines    int64   // of the source files that were read

	Unmatched []string // why patterns match nothing
}

// NoMatchError says that there is nothing to analyse.
type NoMatchError struct{ Patterns, Reasons []string }

func (e *NoMatchError) Error() string {
	text := "no Go packages match " + strings.Join(e.Patterns, " ")
	for _, r := range e.Reasons {
		text += ": " + r
	}
	return text
}

// Meta is what is known of a package before it is visited, and its types afterwards.
type Meta struct {
	*packages.Package
	Std, Target, Bodies bool
	Checked             *types.Package

	index   int
	waiting int     // imports that were not visited yet
	users   []*Meta // that import it
}

// List asks the go command for the packages and their order.
func List(ctx context.Context, cfg Config) (*Program, error) {
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	env := cfg.Env
	if env == nil {
		env = os.Environ()
	}
	fset := token.NewFileSet()
	roots, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule | packages.NeedTypesSizes | packages.NeedForTest,
		Context: ctx, Dir: cfg.Dir, Env: append(slices.Clip(env), "CGO_ENABLED=0"), BuildFlags: cfg.BuildFlags, Tests: cfg.Tests, Fset: fset,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	roots = variants(roots)
	prog := &Program{Fset: fset}
	seen := map[string]*Meta{}
	var add func(p *packages.Package) *Meta
	add = func(p *packages.Package) *Meta {
		if m := seen[p.ID]; m != nil {
			return m
		}
		m := &Meta{Package: p, Std: p.Module == nil && standard(p.PkgPath)}
		m.Bodies = !m.Std || !skeleton(p.PkgPath)
		seen[p.ID] = m
		for _, path := range imports(p) {
			if path == "unsafe" {
				continue
			}
			d := add(p.Imports[path])
			d.users = append(d.users, m)
			m.waiting++
		}
		m.index = len(prog.Packages)
		prog.Packages = append(prog.Packages, m)
		return m
	}
	for _, p := range roots {
		if len(p.CompiledGoFiles) == 0 && len(p.Errors) > 0 { // a pattern that matches nothing
			prog.Unmatched = append(prog.Unmatched, p.Errors[0].Msg)
			continue
		}
		add(p).Target = true
	}
	if len(prog.Packages) == 0 {
		return nil, &NoMatchError{patterns, prog.Unmatched}
	}
	return prog, nil
}

// variants keeps of each package path the variant with most files, and drops the generated test mains.
func variants(list []*packages.Package) []*packages.Package {
	best := map[string]*packages.Package{}
	for _, p := range list {
		if strings.HasSuffix(p.ID, ".test") || p.PkgPath == "unsafe" || strings.HasSuffix(p.PkgPath, ".test") {
			continue
		}
		b := best[p.PkgPath]
		if b == nil || len(p.CompiledGoFiles) > len(b.CompiledGoFiles) || len(p.CompiledGoFiles) == len(b.CompiledGoFiles) && p.ID < b.ID {
			best[p.PkgPath] = p
		}
	}
	var out []*packages.Package
	for _, p := range best {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return out
}

func imports(p *packages.Package) []string {
	var paths []string
	for path := range p.Imports {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && path != "command-line-arguments"
}

// skeleton says of which standard packages the declarations are enough (L5).
func skeleton(path string) bool {
	switch path {
	case "runtime", "sync", "sync/atomic", "reflect", "syscall", "unsafe", "time", "math", "unicode":
		return true
	}
	for _, p := range []string{"internal/", "runtime/", "vendor/", "crypto/internal/", "math/", "go/"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// Visit loads every package of the program and calls visit for each, after its imports. Packages that do not depend on
// each other may be visited at once.
func (prog *Program) Visit(ctx context.Context, workers int, visit func(*Package) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	v := &visitor{prog: prog, visit: visit, left: len(prog.Packages), byID: map[string]*Meta{}}
	v.cond = sync.NewCond(&v.mu)
	for _, m := range prog.Packages {
		v.byID[m.ID] = m
		if m.waiting == 0 {
			v.ready = append(v.ready, m)
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { v.work(ctx) })
	}
	wg.Wait()
	return v.err
}

type visitor struct {
	prog  *Program
	visit func(*Package) error

	mu    sync.Mutex
	cond  *sync.Cond
	ready []*Meta // may be visited now
	left  int     // packages that were not visited
	byID  map[string]*Meta
	err   error
}

func (v *visitor) work(ctx context.Context) {
	for {
		v.mu.Lock()
		for len(v.ready) == 0 && v.left > 0 && v.err == nil {
			v.cond.Wait()
		}
		if v.left == 0 || v.err != nil {
			v.mu.Unlock()
			return
		}
		m := v.ready[0]
		for _, r := range v.ready { // the earliest, so that few packages are open at once
			if r.index < m.index {
				m = r
			}
		}
		v.ready = slices.DeleteFunc(v.ready, func(r *Meta) bool { return r == m })
		v.mu.Unlock()
		err := ctx.Err()
		if err == nil {
			err = v.one(m)
		}
		v.mu.Lock()
		if err != nil && v.err == nil {
			v.err = err
		}
		v.left--
		for _, u := range m.users {
			if u.waiting--; u.waiting == 0 {
				v.ready = append(v.ready, u)
			}
		}
		v.cond.Broadcast()
		v.mu.Unlock()
	}
}

// one reads, checks and builds a package and has it visited.
func (v *visitor) one(m *Meta) error {
	p := &Package{ID: m.ID, Path: m.PkgPath, Std: m.Std, Target: m.Target, ForTest: m.ForTest != "", Bodies: m.Bodies, Fset: v.prog.Fset, Ignored: m.IgnoredFiles}
	if m.Module != nil {
		p.Module = m.Module.Path
	}
	for _, e := range m.Errors {
		p.Errors = append(p.Errors, e.Error())
	}
	lines := v.parse(m, p)
	v.check(m, p)
	m.Checked = p.Types
	if p.Bodies {
		if len(p.Errors) > 0 {
			p.cut()
		}
		p.SSA = v.build(m, p)
	}
	v.mu.Lock()
	v.prog.Lines += lines
	v.mu.Unlock()
	return v.visit(p)
}

func (v *visitor) parse(m *Meta, p *Package) (lines int64) {
	for _, name := range m.CompiledGoFiles {
		f, err := parser.ParseFile(v.prog.Fset, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			var list scanner.ErrorList
			if errors.As(err, &list) {
				err = list[0]
			}
			p.Errors = append(p.Errors, err.Error())
		}
		if f != nil {
			p.Files = append(p.Files, f)
			lines += int64(v.prog.Fset.File(f.FileStart).LineCount())
		}
	}
	return lines
}

type importer struct {
	m *Meta
	v *visitor
}

func (im importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	d := im.m.Imports[path]
	if d == nil {
		return nil, fmt.Errorf("package %s is not known", path)
	}
	if t := im.v.checked(d.ID); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("package %s did not load", path)
}

func (v *visitor) checked(id string) *types.Package {
	if m := v.byID[id]; m != nil {
		return m.Checked
	}
	return nil
}

func (v *visitor) check(m *Meta, p *Package) {
	conf := types.Config{
		Importer: importer{m, v}, Sizes: m.TypesSizes, IgnoreFuncBodies: !p.Bodies,
		Error: func(err error) {
			var wrong types.Error
			if errors.As(err, &wrong) && !wrong.Soft {
				p.wrongAt = append(p.wrongAt, wrong.Pos)
			}
			p.Errors = append(p.Errors, err.Error())
		},
	}
	if m.Module != nil && m.Module.GoVersion != "" {
		conf.GoVersion = "go" + m.Module.GoVersion
	}
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	p.Types, _ = conf.Check(m.PkgPath, v.prog.Fset, p.Files, p.Info) // errors went to conf.Error (L4)
}

// build makes the SSA of one package (L2). A package with errors that the builder cannot stand has none.
func (v *visitor) build(m *Meta, p *Package) (pkg *ssa.Package) {
	defer func() {
		if e := recover(); e != nil {
			p.Errors = append(p.Errors, fmt.Sprintf("%s: building SSA: %v", m.PkgPath, e))
			pkg = nil
		}
	}()
	prog := ssa.NewProgram(v.prog.Fset, 0)
	created := map[*types.Package]bool{}
	create := func(t *types.Package) {
		if t != nil && !created[t] {
			created[t] = true
			prog.CreatePackage(t, nil, nil, true)
		}
	}
	create(types.Unsafe)
	for _, path := range imports(m.Package) {
		if path != "unsafe" {
			create(v.checked(m.Imports[path].ID))
		}
	}
	for _, t := range p.Types.Imports() { // those that did not load are empty
		create(t)
	}
	pkg = prog.CreatePackage(p.Types, p.Files, p.Info, false)
	pkg.Build()
	return pkg
}
