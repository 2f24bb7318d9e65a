// Package load reads a program package by package, dependencies first, and never holds more of it
// than it must.
//
// # What it computes
//
// The go command lists the packages ([packages.Load], metadata only). Each package is parsed,
// type-checked from source and built as SSA after its imports have been visited. When the visitor
// returns, syntax, type information and SSA are released. One types.Package each remains.
//
// # Order and memory
//
// (LO1) The order is that of imports. Static calls follow imports, so a strongly connected
// component of static calls is inside one package, and the summaries of all other callees exist
// when a package is visited. There is one universe of types: a package is checked once, and its
// importers see the same objects. No export data is needed, so nothing is compiled, and the go
// command's cache may be empty. Every package has an ssa.Program of its own. Of other packages it
// has the members, without bodies, and only of those that it imports directly: members of all
// dependencies would be quadratic in the number of packages. Methods of other packages are created
// when they are named.
//
// The operands of a statement are evaluated in the compiler's order (package evalorder).
//
// # What is read
//
// (LO2) A package with errors is visited as far as it loads; the caller counts the errors. Of
// package runtime and of the packages that it alone uses only declarations are read: package model
// stands for them. A package that the visitor knows already is not loaded; if a package that is
// loaded imports it, the declarations of its source are checked.
//
// # Soundness
//
// CGO_ENABLED is 0: files that import "C" are not read. Assembly and linknamed bodies are not read
// either, so these functions have no summary.
package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
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
	Version string   // of the language, as go.mod has it; "" is the newest
	Word    int64    // bytes of a pointer: what sizes of types follow from
	Bodies  bool     // function bodies are read (LO2)
	Imports []string // IDs of direct imports, sorted
	Sources []Source
	// nil, like what follows, of a package that is known (LO2) or has no bodies
	Types   *types.Package
	Info    *types.Info
	Files   []*ast.File
	SSA     *ssa.Package
	Fset    *token.FileSet
	Ignored []string // files that build constraints leave out
	Errors  []string

	Left int // functions left out because of errors
	// statements and initialisers whose order of evaluation is not gc's (package evalorder)
	Unordered []token.Pos
	wrongAt   []token.Pos // of errors of the type checker
}

// Source is a file of a package.
type Source struct {
	Name  string
	Sum   [sha256.Size]byte
	Lines int

	text []byte
}

// Program is what was visited.
type Program struct {
	Fset     *token.FileSet
	Packages []*Meta // dependencies first
	Lines    int64   // of the source files

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

	once    sync.Once // makes checked
	checked *types.Package
	index   int
	waiting int     // imports that were not visited yet
	users   []*Meta // that import it
}

// version is the version of the language that the package is written in; of a module that does not
// say it, the one that the go command takes.
func (m *Meta) version() string {
	switch {
	case m.Module == nil:
		return ""
	case m.Module.GoVersion == "":
		return "go1.16"
	}
	return "go" + m.Module.GoVersion
}

// word is the size of a pointer in bytes.
func word(s types.Sizes) int64 {
	if s == nil {
		return 0
	}
	return s.Sizeof(types.Typ[types.Uintptr])
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

// variants keeps of each package path the variant with most files, and drops the generated test
// mains.
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

// skeleton says of which standard packages the declarations are enough (LO2).
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
