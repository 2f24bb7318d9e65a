package callgraph_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/callgraph"
)

// TestFunctions builds a package whose functions include one for a method of another package. Their
// order does not depend on which package was parsed first.
func TestFunctions(t *testing.T) {
	const (
		lib  = "package lib\ntype T struct{}\nfunc (T) M() {}\n"
		text = "package p\nimport \"lib\"\nfunc B(t lib.T) { call(t.M) }\nfunc A() {}\nfunc call(f func()) { f() }\n"
	)
	want := []string{"(lib.T).M$bound", "p.init", "p.B", "p.A", "p.call"}
	for _, libFirst := range []bool{true, false} {
		fset := token.NewFileSet()
		parse := func(name, text string) []*ast.File {
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			return []*ast.File{f}
		}
		var libFiles, files []*ast.File
		if libFirst {
			libFiles, files = parse("lib.go", lib), parse("p.go", text)
		} else {
			files, libFiles = parse("p.go", text), parse("lib.go", lib)
		}
		check := func(path string, files []*ast.File, imp types.Importer) (*types.Package, *types.Info) {
			info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
				Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
				Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
			p, err := (&types.Config{Importer: imp}).Check(path, fset, files, info)
			if err != nil {
				t.Fatal(err)
			}
			return p, info
		}
		imported, _ := check("lib", libFiles, importer.Default())
		p, info := check("p", files, only{imported})
		prog := ssa.NewProgram(fset, 0)
		prog.CreatePackage(imported, nil, nil, true)
		pkg := prog.CreatePackage(p, files, info, false)
		pkg.Build()
		var got []string
		for _, fn := range callgraph.Functions(pkg) {
			got = append(got, fn.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("functions %q, want %q", got, want)
		}
	}
}

// only imports one package.
type only struct{ *types.Package }

func (o only) Import(string) (*types.Package, error) { return o.Package, nil }
