package progtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/evalorder"
	"github.com/presage-race/presage/internal/source/plan"
)

// A Loader makes programs from source text. It caches the packages that they import.
type Loader struct{ imp types.Importer }

// NewLoader returns a loader. It needs the go command to find the standard library.
func NewLoader() *Loader { return &Loader{importer.Default()} }

// Path is the import path of every program, and FileName the name of its one file.
const (
	Path     = "tiny"
	FileName = "main.go"
)

// A Program is a Go program of one file, ready to be executed.
type Program struct {
	Source string
	Plan   *plan.Plan

	fset      *token.FileSet
	layout    layout
	funcs     map[*ssa.Function]*fn
	list      []*fn // by number
	globals   map[*ssa.Global]uint64
	nglobal   int // words of all globals
	rodata    []byte
	strings   map[string]uint64
	integers  map[uint64]uint64 // constants in interfaces
	contexts  contextTypes
	types     []types.Type         // by type word
	typeWords map[[2]string]uint64 // by interface type and type
	main      *fn
	start     *state // after the initialisers
}

// Load parses, type-checks and compiles a program. It fails if the program uses something
// that the machine does not support; see the package doc.
func (l *Loader) Load(src string) (*Program, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, FileName, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return l.program(src, fset, file)
}

// Check reports whether the program type-checks, which is all that a shrinker needs to know.
func (l *Loader) Check(src string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, FileName, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf := types.Config{Importer: l.imp}
	_, err = conf.Check(Path, fset, []*ast.File{file}, nil)
	return err
}

func (l *Loader) program(src string, fset *token.FileSet, file *ast.File) (*Program, error) {
	sizes := types.SizesFor("gc", "amd64")
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: l.imp, Sizes: sizes, GoVersion: "go1.26"}
	tp, err := conf.Check(Path, fset, []*ast.File{file}, info)
	if err != nil {
		return nil, err
	}
	pkg := &plan.Package{
		Package: &packages.Package{
			ID: Path, Name: tp.Name(), PkgPath: Path, GoFiles: []string{FileName}, CompiledGoFiles: []string{FileName},
			Fset: fset, Types: tp, Syntax: []*ast.File{file}, TypesInfo: info, TypesSizes: sizes,
		},
		Deps: map[string]*types.Package{},
	}
	pkg.SSA = build(fset, pkg)
	p := &Program{
		Source: src, fset: fset, layout: layout{sizes}, funcs: map[*ssa.Function]*fn{},
		globals: map[*ssa.Global]uint64{}, strings: map[string]uint64{}, integers: map[uint64]uint64{}, typeWords: map[[2]string]uint64{},
		Plan: plan.New(&plan.Program{Fset: fset, Packages: []*plan.Package{pkg}}, nil),
	}
	if err := p.compileAll(pkg.SSA); err != nil {
		return nil, err
	}
	return p, nil
}

// build makes the SSA of the package as plan.Load does.
func build(fset *token.FileSet, p *plan.Package) *ssa.Package {
	prog := ssa.NewProgram(fset, 0)
	var create func(tp *types.Package)
	create = func(tp *types.Package) {
		if p.Deps[tp.Path()] != nil {
			return
		}
		p.Deps[tp.Path()] = tp
		for _, im := range tp.Imports() {
			create(im)
		}
		prog.CreatePackage(tp, nil, nil, true)
	}
	for _, im := range p.Types.Imports() {
		create(im)
	}
	sp := prog.CreatePackage(p.Types, p.Syntax, p.TypesInfo, false)
	evalorder.Build(sp, p.Syntax, p.TypesInfo, p.TypesSizes)
	return sp
}

// compileAll prepares the functions of the package and runs its initialisers.
func (p *Program) compileAll(sp *ssa.Package) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			err = fmt.Errorf("not supported: %s", string(r))
		default:
			panic(r)
		}
	}()
	for _, m := range sortedMembers(sp) {
		switch m := m.(type) {
		case *ssa.Global:
			p.globals[m] = globalBase + uint64(p.nglobal)*8
			p.nglobal += words(p.layout.sizeof(m.Type().(*types.Pointer).Elem()))
		}
	}
	prepareContexts(p)
	p.main = p.fn(sp.Func("main"))
	init := p.fn(sp.Func("init"))
	for i := 0; i < len(p.list); i++ { // compiling one finds others
		p.compile(p.list[i])
	}
	return p.initialise(init)
}

// unsupported is the panic value for a construct that the machine does not support.
type unsupported string
