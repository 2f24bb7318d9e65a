package instrument

import (
	"fmt"
	"go/types"
	"os"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitPackage emits the files of one package. It writes and type-checks them, leaves units with
// errors as written, and begins again until there are no errors. It adds to refused, by key, the
// units that the plan does not have as opaque.
func emitPackage(p *plan.Plan, pkg *plan.Package, hooks *types.Package, names aliases, refused map[string]string, cfg *Config) ([]*emitted, error) {
	var units []*plan.Unit
	for _, u := range p.Units {
		if u.Pkg == pkg {
			units = append(units, u)
		}
	}
	skip := map[*plan.Unit]bool{}
	imports := importerOf(pkg, hooks)
	for {
		files, err := emitFiles(p, pkg, units, skip, imports, names, cfg)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			for u, why := range f.refused {
				refused[u.Key], skip[u] = why, true
			}
		}
		bad := check(pkg, imports, files)
		if len(bad) == 0 {
			return files, nil
		}
		for u, why := range bad {
			refused[u.Key], skip[u] = why, true
		}
	}
}

func emitFiles(p *plan.Plan, pkg *plan.Package, units []*plan.Unit, skip map[*plan.Unit]bool, imported importer, names aliases, cfg *Config) ([]*emitted, error) {
	var out []*emitted
	var emitters []*fileEmitter
	var todo []*plan.Unit
	for _, u := range units {
		if !skip[u] {
			todo = append(todo, u)
		}
	}
	for i, file := range pkg.Syntax {
		name := pkg.FileName(file)
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading source: %w", err)
		}
		f := &fileEmitter{
			pkg: pkg, plan: p, file: file, index: i, name: name, source: source,
			lineNames: lineNames(pkg.Fset, file, name, cfg.JoinsLineNames),
			imports:   map[string]string{}, helpers: map[string]string{}, imported: imported, aliases: names, gates: cfg.Gates, points: cfg.Points,
		}
		emitters = append(emitters, f)
		out = append(out, f.emitFile(todo))
	}
	whole := isWhole(units, todo, out)
	for i, e := range out {
		if e.changed && !cfg.Gates {
			e.text += emitters[i].registration(whole)
		}
	}
	return out, nil
}
