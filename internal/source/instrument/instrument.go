package instrument

import (
	"context"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

// Config selects what to instrument and where to put the emitted files.
type Config struct {
	plan.Config
	OutDir string            // emitted files are written here; it must exist
	Opaque map[string]string // units to leave as written, by key, with the reason
	Loaded *plan.Program     // the packages, if they are loaded already
	Gates  bool              // gates instead of records, for a replay (gates.go)
	Points bool              // a call before each access, for a steered run (gates.go)

	// JoinsLineNames: the compiler joins a relative name in a //line comment to the directory of
	// the source. An emitted file has another directory, so there the names are absolute.
	JoinsLineNames bool
}

// Result is an instrumented program. Its Plan explains the records it will write.
type Result struct {
	Plan    *plan.Plan
	Overlay map[string]string // source file to emitted file, for the go command's -overlay
	Opaque  []OpaqueFunc      // in the order of the plan
	Funcs   int               // functions in the chosen packages, literals included
	Emitted int               // of these, those with hooks

	cfg     Config
	refused map[string]string
	files   map[string][]*emitted // by package path
	hooks   *types.Package
}

// OpaqueFunc is a function that stays as it was written.
type OpaqueFunc struct {
	Func   string // as in a stack trace
	Key    string
	File   string
	Line   int
	Reason string
}

// Instrument loads the packages of cfg and writes an emitted file for each source file that has
// functions. A caller that builds the result and gets compiler errors calls MarkOpaque.
func Instrument(ctx context.Context, cfg Config) (*Result, error) {
	prog := cfg.Loaded
	if prog == nil {
		var err error
		if prog, err = plan.Load(ctx, cfg.Config); err != nil {
			return nil, err
		}
	}
	hooks, err := hooksPackage()
	if err != nil {
		return nil, err
	}
	r := &Result{cfg: cfg, refused: maps.Clone(cfg.Opaque), hooks: hooks}
	if r.refused == nil {
		r.refused = map[string]string{}
	}
	return r, r.emit(prog)
}

// emit plans and emits until no unit is refused that the plan assumes to be instrumented, because
// the records of a call depend on whether its callee is opaque.
func (r *Result) emit(prog *plan.Program) error {
	for {
		before := len(r.refused)
		r.Plan = plan.New(prog, r.refused)
		r.files = map[string][]*emitted{}
		names := aliases{}
		for _, pkg := range prog.Packages {
			files, err := emitPackage(r.Plan, pkg, r.hooks, names, r.refused, &r.cfg)
			if err != nil {
				return fmt.Errorf("instrumenting %s: %w", pkg.PkgPath, err)
			}
			r.files[pkg.PkgPath] = files
		}
		names.declare(r.files)
		if len(r.refused) == before {
			break
		}
	}
	r.count()
	return r.write()
}

func (r *Result) count() {
	r.Opaque, r.Funcs, r.Emitted = nil, 0, 0
	for _, u := range r.Plan.Units {
		r.Funcs += len(u.Funcs)
		if u.Opaque == "" {
			r.Emitted += len(u.Funcs)
			continue
		}
		for _, f := range u.Funcs {
			info := r.Plan.Funcs[f.ID]
			r.Opaque = append(r.Opaque, OpaqueFunc{
				Func: info.Name, Key: u.Key, File: r.Plan.Files[info.File].Name, Line: int(info.Line), Reason: u.Opaque,
			})
		}
	}
}

// write puts the emitted files into OutDir. Files without emitted functions keep their source.
func (r *Result) write() error {
	r.Overlay = map[string]string{}
	for _, pkg := range r.Plan.Program.Packages {
		for i, f := range r.files[pkg.PkgPath] {
			if !f.changed {
				continue
			}
			name := fmt.Sprintf("%s.%d.%s", strings.NewReplacer("/", ".", "\\", ".").Replace(pkg.PkgPath), i, filepath.Base(f.name))
			name = filepath.Join(r.cfg.OutDir, name)
			if err := os.WriteFile(name, []byte(f.text+sourceHash(f.source)), 0o600); err != nil {
				return fmt.Errorf("writing emitted source: %w", err)
			}
			r.Overlay[f.name] = name
		}
	}
	if r.cfg.Gates {
		return nil
	}
	return r.outside()
}
