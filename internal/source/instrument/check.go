package instrument

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/presage-race/presage/internal/source/plan"
)

// hooksSource declares the functions of the recorder that emitted code calls, with empty bodies.
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
			// Known only by what export data of other packages refers to; emitted text refers to
			// nothing else.
			p.MarkComplete()
		}
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// check type-checks the emitted files of a package. It returns the units in which there are errors.
// An error outside of all units is attributed to all units of its file.
func check(pkg *plan.Package, imports importer, files []*emitted) map[*plan.Unit]string {
	fset := token.NewFileSet()
	bad := map[*plan.Unit]string{}
	var syntax []*ast.File
	index := map[string]*emitted{}
	for i, e := range files {
		name := fmt.Sprintf("%d.go", i)
		index[name] = e
		f, err := parser.ParseFile(fset, name, e.text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			blame(bad, e, -1, "file does not parse: "+err.Error())
			continue
		}
		syntax = append(syntax, f)
	}
	if len(bad) > 0 {
		return bad
	}
	conf := types.Config{
		Importer: imports, GoVersion: plan.Language(pkg.Package), Sizes: pkg.TypesSizes,
		FakeImportC: true,
		Error: func(err error) {
			te := err.(types.Error)
			pos := fset.PositionFor(te.Pos, false)
			if e, ok := index[pos.Filename]; ok {
				blame(bad, e, pos.Offset, "does not type-check: "+te.Msg)
			}
		},
	}
	conf.Check(pkg.Types.Path(), fset, syntax, nil)
	return bad
}

// blame adds to bad the unit at an offset of the emitted file, or all of its units if there is
// none.
func blame(bad map[*plan.Unit]string, e *emitted, offset int, why string) {
	for _, s := range e.spans {
		if offset >= s.from && offset < s.to {
			if bad[s.unit] == "" {
				bad[s.unit] = why
			}
			return
		}
	}
	for _, s := range e.spans {
		if bad[s.unit] == "" {
			bad[s.unit] = "file: " + why
		}
	}
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
