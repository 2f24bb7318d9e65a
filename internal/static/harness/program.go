package harness

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Program has the packages of a module whose functions are called.
type Program struct {
	packages map[string]*packages.Package // by import path, without tests
	types    map[string]*types.Package    // all that are known, by import path
	calls    map[string][][]string        // arguments in tests, by function
	module   string                       // of the tests
}

// Config says what to load.
type Config struct {
	Dir        string
	BuildFlags []string
	Patterns   []string // of the packages whose functions are called; none: that of Dir
	Module     string   // the path of the module that the tests are to be in
}

// ordinary are the packages of the standard library that arguments are taken from.
var ordinary = []string{"bytes", "context", "errors", "io", "net/http", "net/http/httptest", "strings", "testing", "time"}

// Load loads the packages with their tests, and notes how these call their functions.
func Load(ctx context.Context, c Config) (*Program, error) {
	if len(c.Patterns) == 0 {
		c.Patterns = []string{"."}
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Context: ctx, Dir: c.Dir, BuildFlags: c.BuildFlags, Tests: true,
	}, slices.Concat(ordinary, c.Patterns)...)
	if err != nil {
		return nil, fmt.Errorf("loading packages: %w", err)
	}
	p := &Program{packages: map[string]*packages.Package{}, types: map[string]*types.Package{}, calls: map[string][][]string{}, module: c.Module}
	for _, pkg := range list {
		if pkg.Types != nil && pkg.ID == pkg.PkgPath && len(pkg.Errors) == 0 {
			p.packages[pkg.PkgPath] = pkg
			p.know(pkg.Types)
		}
	}
	for _, pkg := range list {
		if pkg.TypesInfo == nil || strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		for _, file := range pkg.Syntax {
			if strings.HasSuffix(pkg.Fset.Position(file.Pos()).Filename, "_test.go") {
				p.harvest(pkg, file)
			}
		}
	}
	return p, nil
}

// know notes a package and those that it imports, for the type checker.
func (p *Program) know(pkg *types.Package) {
	if p.types[pkg.Path()] != nil && p.types[pkg.Path()].Complete() {
		return
	}
	p.types[pkg.Path()] = pkg
	for _, im := range pkg.Imports() {
		if p.types[im.Path()] == nil {
			p.know(im)
		}
	}
}

// Import is types.Importer.
func (p *Program) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := p.types[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	return nil, fmt.Errorf("%s was not loaded", path)
}

// maxCalls bounds the calls in tests that are kept for a function.
const maxCalls = 4

// harvest notes the arguments of calls in a file of tests. "" is an argument that is not
// closed.
func (p *Program) harvest(pkg *packages.Package, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Ellipsis.IsValid() {
			return true
		}
		fn := calledBy(pkg.TypesInfo, call)
		if fn == nil || fn.Pkg() == nil {
			return true
		}
		key := nameOf(fn)
		if len(p.calls[key]) >= maxCalls {
			return true
		}
		var args []string
		for _, a := range call.Args {
			text, ok := (&closed{info: pkg.TypesInfo}).render(a)
			if !ok {
				text = ""
			}
			args = append(args, text)
		}
		p.calls[key] = append(p.calls[key], args)
		return true
	})
}

// calledBy is the function that a call calls by its name; nil for other calls.
func calledBy(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// nameOf names a function so that packages that were loaded twice agree.
func nameOf(fn *types.Func) string {
	fn = fn.Origin()
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Pkg().Path() + "." + fn.Name()
	}
	if n := named(recv.Type()); n != nil {
		return fn.Pkg().Path() + "." + n.Obj().Name() + "." + fn.Name()
	}
	return fn.FullName()
}

// named is the named type that t is, or points to.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}
