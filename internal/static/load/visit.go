package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/types"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/evalorder"
)

// State is what a visitor knows of a package.
type State int

const (
	Unknown State = iota // it must be visited
	Known                // it need not (LO2)
	Busy                 // another process is about to know it: ask again
)

// Visitor gets the packages, imports first. Packages that do not depend on each other may come at
// once.
type Visitor struct {
	Known func(*Package) (State, error) // before a package is loaded; nil: none is known
	Visit func(*Package) error
}

// Visit goes through the packages of the program, workers at a time; 0 is one for each processor.
func (prog *Program) Visit(ctx context.Context, workers int, to Visitor) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	v := &visitor{prog: prog, to: to, left: len(prog.Packages), byID: map[string]*Meta{}}
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
	prog *Program
	to   Visitor

	mu    sync.Mutex
	cond  *sync.Cond
	ready []*Meta // may be visited now
	busy  []*Meta // another process is at it
	left  int     // packages that were not visited
	byID  map[string]*Meta
	err   error
}

// askAgain is the time after which another process is asked for what it is about to know.
const askAgain = 20 * time.Millisecond

func (v *visitor) work(ctx context.Context) {
	for m := v.next(); m != nil; m = v.next() {
		err := ctx.Err()
		done := true
		if err == nil {
			done, err = v.one(m)
		}
		if !done && err == nil {
			time.Sleep(askAgain)
		}
		v.mu.Lock()
		if err != nil && v.err == nil {
			v.err = err
		}
		if done {
			v.left--
			for _, u := range m.users {
				if u.waiting--; u.waiting == 0 {
					v.ready = append(v.ready, u)
				}
			}
		} else {
			v.busy = append(v.busy, m)
		}
		v.cond.Broadcast()
		v.mu.Unlock()
	}
}

// next waits for a package that may be visited: the earliest, so that few packages are open at
// once; nil at the end.
func (v *visitor) next() *Meta {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.ready) == 0 && len(v.busy) == 0 && v.left > 0 && v.err == nil {
		v.cond.Wait()
	}
	if v.left == 0 || v.err != nil {
		return nil
	}
	if len(v.ready) == 0 {
		v.ready, v.busy = v.busy, nil
	}
	m := slices.MinFunc(v.ready, func(a, b *Meta) int { return a.index - b.index })
	v.ready = slices.DeleteFunc(v.ready, func(r *Meta) bool { return r == m })
	return m
}

// one reads a package, and unless it is known checks and builds it and has it visited. It reports
// whether the package is done.
func (v *visitor) one(m *Meta) (bool, error) {
	p := &Package{ID: m.ID, Path: m.PkgPath, Std: m.Std, Target: m.Target, ForTest: m.ForTest != "", Version: m.version(), Word: word(m.TypesSizes), Bodies: m.Bodies, Fset: v.prog.Fset, Ignored: m.IgnoredFiles}
	if m.Module != nil {
		p.Module = m.Module.Path
	}
	for _, path := range imports(m.Package) {
		if path != "unsafe" {
			p.Imports = append(p.Imports, m.Imports[path].ID)
		}
	}
	slices.Sort(p.Imports)
	for _, e := range m.Errors {
		p.Errors = append(p.Errors, e.Error())
	}
	p.read(m.CompiledGoFiles)
	if v.to.Known != nil {
		state, err := v.to.Known(p)
		if err != nil || state == Busy {
			return false, err
		}
		if state == Known {
			v.count(p)
			return true, nil
		}
	}
	if p.Bodies {
		v.load(m, p)
	}
	v.count(p)
	return true, v.to.Visit(p)
}

func (v *visitor) count(p *Package) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range p.Sources {
		v.prog.Lines += int64(s.Lines)
	}
}

// read reads the files; what cannot be read is an error of the package.
func (p *Package) read(files []string) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			p.Errors = append(p.Errors, err.Error())
			continue
		}
		lines := bytes.Count(text, []byte("\n"))
		if n := len(text); n > 0 && text[n-1] != '\n' {
			lines++
		}
		p.Sources = append(p.Sources, Source{name, sha256.Sum256(text), lines, text})
	}
}

// load parses, checks and builds a package.
func (v *visitor) load(m *Meta, p *Package) {
	p.parse(parser.ParseComments)
	p.Info = newInfo()
	m.once.Do(func() { m.checked = v.check(m, p, true) })
	p.Types = m.checked
	if len(p.Errors) > 0 {
		p.cut()
	}
	var direct []*types.Package
	for _, path := range imports(m.Package) {
		if path != "unsafe" {
			direct = append(direct, v.declarations(v.byID[m.Imports[path].ID]))
		}
	}
	p.build(direct, m.TypesSizes)
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
}

// declarations are the types of a package that is not loaded otherwise (LO2).
func (v *visitor) declarations(m *Meta) *types.Package {
	m.once.Do(func() {
		p := &Package{Path: m.PkgPath, Fset: v.prog.Fset}
		p.read(m.CompiledGoFiles)
		p.parse(0)
		m.checked = v.check(m, p, false)
	})
	return m.checked
}

func (p *Package) parse(mode parser.Mode) {
	for _, s := range p.Sources {
		f, err := parser.ParseFile(p.Fset, s.Name, s.text, parser.SkipObjectResolution|mode)
		if err != nil {
			var list scanner.ErrorList
			if errors.As(err, &list) {
				err = list[0]
			}
			p.Errors = append(p.Errors, err.Error())
		}
		if f != nil {
			p.Files = append(p.Files, f)
		}
	}
}

type fromSource struct {
	m *Meta
	v *visitor
}

func (im fromSource) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if d := im.m.Imports[path]; d != nil {
		if m := im.v.byID[d.ID]; m != nil {
			if t := im.v.declarations(m); t != nil {
				return t, nil
			}
		}
		return nil, fmt.Errorf("package %s did not load", path)
	}
	return nil, fmt.Errorf("package %s is not known", path)
}

func (v *visitor) check(m *Meta, p *Package, bodies bool) *types.Package {
	return p.check(types.Config{Importer: fromSource{m, v}, Sizes: m.TypesSizes, IgnoreFuncBodies: !bodies, GoVersion: m.version()})
}

// check type-checks a package as far as it goes (LO2).
func (p *Package) check(conf types.Config) *types.Package {
	conf.Error = func(err error) {
		var wrong types.Error
		if errors.As(err, &wrong) && !wrong.Soft {
			p.wrongAt = append(p.wrongAt, wrong.Pos)
		}
		p.Errors = append(p.Errors, err.Error())
	}
	t, _ := conf.Check(p.Path, p.Fset, p.Files, p.Info) // errors went to conf.Error
	return t
}

// build makes the SSA of one package (LO1). A package with errors that the builder cannot stand has
// none.
func (p *Package) build(direct []*types.Package, sizes types.Sizes) {
	defer func() {
		if e := recover(); e != nil {
			p.Errors = append(p.Errors, fmt.Sprintf("%s: building SSA: %v", p.Path, e))
			p.SSA = nil
		}
	}()
	prog := ssa.NewProgram(p.Fset, 0)
	created := map[*types.Package]bool{}
	create := func(t *types.Package) {
		if t != nil && !created[t] {
			created[t] = true
			prog.CreatePackage(t, nil, nil, true)
		}
	}
	create(types.Unsafe)
	for _, t := range direct {
		create(t)
	}
	for _, t := range p.Types.Imports() { // those that did not load are empty
		create(t)
	}
	p.SSA = prog.CreatePackage(p.Types, p.Files, p.Info, false)
	stmts, inits := evalorder.Build(p.SSA, p.Files, p.Info, sizes)
	p.Unordered = append(stmts, inits...)
}
