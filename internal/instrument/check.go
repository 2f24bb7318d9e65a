package instrument

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"presage/internal/plan"
)

// hooksSource declares what emitted code calls in the recorder, without bodies that do anything.
//
//go:embed hooks.src
var hooksSource string

// hooksPackage type-checks the declarations of the recorder.
func hooksPackage() (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "hooks.src", hooksSource, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("declarations of the recorder: %w", err)
	}
	return (&types.Config{Importer: importer(nil)}).Check(rtPath, fset, []*ast.File{f}, nil)
}

type importer map[string]*types.Package

func (m importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil {
		if !p.Complete() {
			// Known only by what export data of other packages refers to; emitted text refers to nothing else.
			p.MarkComplete()
		}
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// check type-checks the emitted files of a package. It returns the units in which there are errors, and the
// first error that lies in none of them.
func check(pkg *plan.Package, imports importer, files []*emitted) (map[*plan.Unit]string, error) {
	fset := token.NewFileSet()
	bad := map[*plan.Unit]string{}
	var stray error
	blame := func(file, offset int, err error) {
		for _, s := range files[file].spans {
			if offset >= s.from && offset < s.to {
				if bad[s.unit] == "" {
					bad[s.unit] = "does not type-check: " + message(err)
				}
				return
			}
		}
		if stray == nil {
			stray = fmt.Errorf("%s: emitted text outside of functions: %w", files[file].name, err)
		}
	}
	var syntax []*ast.File
	index := map[string]int{}
	for i, e := range files {
		name := fmt.Sprintf("%d.go", i)
		index[name] = i
		f, err := parser.ParseFile(fset, name, e.text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("%s: emitted text does not parse: %w", e.name, err)
		}
		syntax = append(syntax, f)
	}
	conf := types.Config{
		Importer: imports, GoVersion: goVersion(pkg), Sizes: pkg.TypesSizes, FakeImportC: true,
		Error: func(err error) {
			te := err.(types.Error)
			pos := fset.PositionFor(te.Pos, false)
			if i, ok := index[pos.Filename]; ok {
				blame(i, pos.Offset, err)
			}
		},
	}
	conf.Check(pkg.Types.Path(), fset, syntax, nil)
	return bad, stray
}

func message(err error) string {
	if te, ok := err.(types.Error); ok {
		return te.Msg
	}
	return err.Error()
}

func importerOf(pkg *plan.Package, hooks *types.Package) importer {
	m := importer{rtPath: hooks}
	for path, p := range pkg.Deps {
		m[path] = p
	}
	for path, p := range pkg.Imports {
		if p.Types != nil {
			m[path] = p.Types
		}
	}
	return m
}

func goVersion(pkg *plan.Package) string {
	if pkg.Module == nil || pkg.Module.GoVersion == "" {
		return ""
	}
	return "go" + strings.TrimPrefix(pkg.Module.GoVersion, "go")
}
